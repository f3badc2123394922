"""Copied runs, new words and repeats, on texts that can be worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scoring import score_items

from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.surface import fragment_lengths, places_of
from gameproof.records import Item


def surface(name: str, candidate: str, source: str | None) -> float | str:
    item = Item(id="one", task_id="one", candidate=candidate, source=source)
    (metric,) = build_metrics([name])
    scores = score_items(metric, [item])
    return scores.reasons.get("one") or float(scores.values[0])


def test_the_longest_run_is_found_where_a_shorter_one_begins_earlier():
    # All three words are one run: 3 * 3 / 3. The paper's code takes 'a a' and then 'b': (4 + 1) / 3.
    assert surface("density", "a a b", "a a a b") == 3.0
    assert surface("density,compat=newsroom", "a a b", "a a a b") == pytest.approx(5 / 3)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # The candidate's runs are 'the cat' and 'sat', 'dog' is new: lengths 2 and 1 of 4 words.
        ("coverage", 3 / 4),
        ("density", 5 / 4),
        ("compression", 6 / 4),
        ("novel", 1 / 4),  # dog
        ("novel,n=2", 2 / 3),  # cat dog, dog sat; the cat is known
        ("repeated", 0.0),
    ],
)
def test_each_statistic_of_a_pair_worked_out_by_hand(name: str, expected: float):
    assert surface(name, "The cat dog sat.", "Sat by the door: the cat.") == pytest.approx(expected)


def test_repeats_are_counted_once_for_each_different_sequence():
    # Words: rain (3 times), and, snow; pairs: rain rain (twice), rain and, and snow.
    assert surface("repeated", "Rain rain rain and snow", "x") == pytest.approx(1 / 3)
    assert surface("repeated,n=2", "Rain rain rain and snow", "x") == pytest.approx(1 / 3)


def test_what_cannot_be_divided_is_missing_with_its_reason():
    assert surface("novel,n=3", "two words", "a source") == "fewer than three words"
    assert surface("coverage", "!!!", "a source") == "no words"
    assert surface("coverage", "a candidate", "...") == "the source has no words"
    assert surface("coverage", "a candidate", None) == "no source"


rows = st.lists(st.sampled_from("abc"), min_size=1, max_size=12)


@given(candidate=rows, source=rows, length=st.sampled_from([1, 2, 3]))
def test_what_is_new_and_what_is_repeated_are_shares_of_different_ngrams(
    candidate: list[str], source: list[str], length: int
):
    grams = [tuple(candidate[start : start + length]) for start in range(len(candidate) - length + 1)]
    known = {tuple(source[start : start + length]) for start in range(len(source) - length + 1)}
    found = [
        surface(f"{name},n={length}", " ".join(candidate), " ".join(source)) for name in ("novel", "repeated")
    ]
    if grams:
        new, again = set(grams) - known, {gram for gram in grams if grams.count(gram) > 1}
        assert found == [pytest.approx(len(part) / len(set(grams))) for part in (new, again)]


@given(candidate=rows, source=rows)
def test_every_run_is_the_longest_that_starts_at_its_word(candidate: list[str], source: list[str]):
    text, start = "".join(source), 0
    expected: list[int] = []
    while start < len(candidate):
        ends = [end for end in range(start + 1, len(candidate) + 1) if "".join(candidate[start:end]) in text]
        expected += [ends[-1] - start] if ends else []
        start += ends[-1] - start if ends else 1
    assert fragment_lengths(candidate, places_of(source)) == expected
