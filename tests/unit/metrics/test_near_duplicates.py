"""Finding nearly equal texts among many."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gameproof.metrics.near_duplicates import NEAR, find_near_duplicates


def sets(*texts):
    return [frozenset(text.split()) for text in texts]


def near(word_sets, text):
    found = find_near_duplicates(word_sets)
    others = np.array([other for other in range(len(word_sets)) if other != text])
    return others[found.among(text, others)].tolist()


def test_equal_sets_are_near():
    assert near(sets("a b c", "x y z", "c b a"), 0) == [2]


def test_four_of_five_words_are_near_and_three_of_five_are_not():
    assert near(sets("a b c d e", "a b c d", "a b c"), 0) == [1]


@given(
    st.lists(st.frozensets(st.sampled_from("abcdefghij"), min_size=1, max_size=8), min_size=2, max_size=12)
)
def test_the_index_finds_exactly_what_comparing_all_pairs_finds(word_sets):
    for text, words in enumerate(word_sets):
        expected = [
            other
            for other, others in enumerate(word_sets)
            if other != text and len(words & others) / len(words | others) >= NEAR
        ]
        assert near(word_sets, text) == expected
