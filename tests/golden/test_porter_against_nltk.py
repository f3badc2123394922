"""Stems equal those of nltk 3.10.4's `PorterStemmer()`, which rouge-score 0.1.2 uses."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from tests.support.scoring import read_summeval

from gameproof.metrics.porter import stem

NLTK = PorterStemmer()

# Words made of the endings that the rules know, so that every rule and every condition is met often.
ENDINGS = re.findall(
    "[a-z]+",
    "s es sses ies ied eed ed ing at bl iz y ational tional enci anci izer bli alli entli eli ousli ization ation"
    " ator alism iveness fulness ousness aliti iviti biliti fulli logi icate ative alize iciti ical ful ness al"
    " ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize e ll ss",
)
stems_and_endings = st.builds(
    "".join,
    st.lists(st.sampled_from([*"aeiouybcdhlmnrstwxz", *ENDINGS]), min_size=1, max_size=8),
)


@given(st.one_of(stems_and_endings, st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1)))
def test_any_word_has_the_stem_of_nltk(word: str):
    assert stem(word) == NLTK.stem(word)


@given(st.text(st.characters(categories=["Ll", "Lo", "Mn", "Nd"]), min_size=3))
def test_words_of_other_scripts_have_the_stem_of_nltk(word: str):
    word = word.lower()
    assert stem(word) == NLTK.stem(word)


@pytest.mark.parametrize("word", ["y" * 5000, "a" * 100 + "ational", "sky", "dying", "howe", "is", ""])
def test_unusual_words_have_the_stem_of_nltk(word: str):
    assert stem(word) == NLTK.stem(word)


@pytest.mark.real_data
def test_all_words_of_summeval_have_the_stem_of_nltk(shared_folder: Path):
    words: set[str] = set()
    for item in read_summeval(shared_folder):
        for text in (item.source or "", item.candidate, *item.references):
            words.update(re.findall("[a-z0-9]+", text.lower()))
    assert len(words) > 7000
    assert [word for word in words if stem(word) != NLTK.stem(word)] == []
