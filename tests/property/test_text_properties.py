"""Promises about words and layout that hold for any text."""

import re

from hypothesis import example, given
from hypothesis import strategies as st

from gameproof.text import sentences, split_layout, words
from gameproof.text.tokens import _words_of_any_script

# Arbitrary characters, and texts dense in what the rules look at.
PIECES = [
    "Dr. ",
    ". ",
    "... ",
    "!",
    "? ",
    '"',
    "''",
    " ",
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "# A",
    "Title:",
    "CAPS",
    "。",
    "日本",
]
PIECES += [
    "word",
    "Word",
    "u.s",
    "e.g. ",
    "3.5",
    "(",
    ")",
    "[1]",
    "।",
    "สวัสดี",
    "e\u0301",
    "\u2028",
    "\r\n",
    "**b**",
]
TEXTS = st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


def without_space(text):
    return "".join(text.split())


@given(TEXTS)
def test_a_layout_gives_the_text_back(text):
    layout = split_layout(text)
    assert layout.keep(range(len(layout.sentences))) == text


@given(TEXTS)
def test_sentences_lose_nothing_but_white_space(text):
    found = sentences(text)
    assert without_space("".join(found)) == without_space(text)
    assert all(sentence.strip() == sentence != "" for sentence in found)


@given(TEXTS)
def test_the_words_of_the_sentences_are_the_words_of_the_text(text):
    assert [word for sentence in sentences(text) for word in words(sentence)] == words(text)


@given(TEXTS)
@example("İ")
def test_words_of_words_are_the_same_words(text):
    found = words(text)
    assert words(" ".join(found)) == found
    assert not any(re.search(r"\s", word) for word in found)


@given(TEXTS, st.sets(st.integers(0, 20)))
def test_kept_sentences_come_in_order_with_all_headers(text, kept):
    layout = split_layout(text)
    shown = without_space(layout.keep(kept))
    headers = [line.sentences[0] for line in layout.lines if line.is_header]
    chosen = [sentence for place, sentence in enumerate(layout.sentences) if place in kept]
    for wanted in (headers, chosen):
        at = 0
        for part in map(without_space, wanted):
            at = shown.index(part, at) + len(part)


@given(TEXTS)
def test_the_first_sentences_are_a_beginning_of_the_text(text):
    layout = split_layout(text)
    beginnings = [layout.first(count) for count in range(len(layout.sentences) + 1)]
    assert all(text.startswith(beginning) for beginning in beginnings)
    assert [len(beginning) for beginning in beginnings] == sorted(
        {len(beginning) for beginning in beginnings}
    )


@given(TEXTS)
def test_sections_divide_the_sentences(text):
    layout = split_layout(text)
    assert [place for section in layout.sections for place in section] == list(range(len(layout.sentences)))


# Letters, marks and stops that the quick ways of `words` turn on.
LATIN_PIECES = [
    "a",
    "É",
    "ß",
    "µ",
    "²",
    "\u00ad",
    "\u2019",
    "\u2014",
    "\u00a0",
    "\u20ac",
    "\u0301",
    "İ",
    "日",
    " ",
    "_",
]
LATIN_TEXTS = st.one_of(TEXTS, st.lists(st.sampled_from(LATIN_PIECES), max_size=20).map("".join))


@given(LATIN_TEXTS)
def test_words_read_quickly_are_those_of_the_rules_for_any_script(text):
    assert words(text) == _words_of_any_script(text)
