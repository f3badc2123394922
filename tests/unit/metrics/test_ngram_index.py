from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameproof.metrics import ngram_index
from gameproof.metrics.ngram_index import index_ngrams, number_tokens, numbering, sequences_of

symbols = st.lists(st.integers(1, 4), max_size=30)
candidates = st.lists(st.lists(st.integers(0, 5), max_size=30), min_size=1, max_size=5)


def matches_by_counting(reference: list[int], candidate: list[int], max_length: int) -> list[int]:
    def grams(sequence: list[int], length: int) -> Counter[tuple[int, ...]]:
        return Counter(tuple(sequence[at : at + length]) for at in range(len(sequence) - length + 1))

    return [(grams(reference, n) & grams(candidate, n)).total() for n in range(1, max_length + 1)]


def known(candidate: list[int], reference: list[int]) -> list[int]:
    """Turn what the reference does not have into the unknown symbol, as numbering does."""
    return [symbol if symbol in reference else 0 for symbol in candidate]


@given(symbols, candidates, st.integers(1, 6))
def test_matches_are_those_of_counting_every_ngram(reference, candidates, max_length):
    index = index_ngrams(np.array(reference, dtype=np.int64), max_length=max_length)
    found = index.matches(sequences_of([known(candidate, reference) for candidate in candidates]))
    assert found.tolist() == [
        matches_by_counting(reference, known(candidate, reference), max_length) for candidate in candidates
    ]


@given(symbols, candidates)
def test_bisection_and_small_blocks_find_the_same_matches(reference, candidates):
    index = index_ngrams(np.array(reference, dtype=np.int64), max_length=4)
    sequences = sequences_of([known(candidate, reference) for candidate in candidates])
    expected = index.matches(sequences).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram_index, "MAX_TABLE", 0)
        patch.setattr(ngram_index, "MAX_CELLS", 1)
        assert index.matches(sequences).tolist() == expected


def test_an_alphabet_too_large_for_one_number_per_ngram_is_sorted_column_by_column():
    reference = np.arange(1, 3001)  # 3,001 ** 6 is beyond 64 bits
    index = index_ngrams(reference, max_length=6)
    assert index.matches(sequences_of([reference.tolist()])).tolist() == [
        [3000, 2999, 2998, 2997, 2996, 2995]
    ]


def test_tokens_are_numbered_in_the_order_of_the_reference_and_others_are_unknown():
    numbers = numbering(["rain", "fell", "rain"])
    assert numbers == {"rain": 1, "fell": 2}
    assert number_tokens(["snow", "fell"], numbers) == [0, 2]
