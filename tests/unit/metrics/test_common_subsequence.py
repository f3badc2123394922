from hypothesis import given
from hypothesis import strategies as st

from gameproof.metrics.common_subsequence import count_united_hits, find_common_rows

sentence = st.lists(st.integers(1, 5), max_size=12)


def united_hits(reference: list[list[int]], candidate: list[list[int]]) -> int:
    common = [find_common_rows(reference, sentence) for sentence in candidate]
    return count_united_hits(reference, candidate, common)


def rows_by_table(reference: list[int], candidate: list[int]) -> set[int]:
    """Fill the whole table and read it from the last corner: a match first, else up, else left."""
    table = [[0] * (len(candidate) + 1) for _ in range(len(reference) + 1)]
    for i, token in enumerate(reference, start=1):
        for j, other in enumerate(candidate, start=1):
            table[i][j] = table[i - 1][j - 1] + 1 if token == other else max(table[i - 1][j], table[i][j - 1])
    i, j, rows = len(reference), len(candidate), set[int]()
    while i and j:
        if reference[i - 1] == candidate[j - 1]:
            rows.add(i - 1)
            i, j = i - 1, j - 1
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return rows


def hits_by_table(reference: list[list[int]], candidate: list[list[int]]) -> int:
    left = [token for sentence in candidate for token in sentence]
    hits = 0
    for sentence in reference:
        for row in sorted(set[int]().union(*(rows_by_table(sentence, other) for other in candidate))):
            if sentence[row] in left:
                left.remove(sentence[row])
                hits += 1
    return hits


@given(st.lists(sentence, max_size=4), st.lists(sentence, max_size=4))
def test_bits_count_the_same_hits_as_a_table_read_backwards(reference, candidate):
    assert united_hits(reference, candidate) == hits_by_table(reference, candidate)


def test_the_example_of_the_paper_has_four_hits():
    # Lin (2004), section 3.2: reference w1..w5, candidates w1 w2 w6 w7 w8 and w1 w3 w8 w9 w5: 4 of 5.
    assert united_hits([[1, 2, 3, 4, 5]], [[1, 2, 6, 7, 8], [1, 3, 8, 9, 5]]) == 4


def test_a_word_of_the_candidate_counts_once_for_all_reference_sentences():
    assert united_hits([[1, 2], [1, 3]], [[1]]) == 1
