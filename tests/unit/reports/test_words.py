import math

import pytest

from gameproof.audits.result import CardMark
from gameproof.reports import words
from gameproof.stats.results import Note, State, Verdict


@pytest.mark.parametrize(
    ("kind", "table"),
    [(CardMark, words.MARKS), (Verdict, words.VERDICTS), (Note, words.NOTES), (State, words.STATES)],
)
def test_every_value_of_an_enum_has_a_word_and_a_meaning(kind, table):
    assert set(table) == set(kind)
    assert all(word.word and word.meaning for word in table.values())


def test_verdicts_differ_without_colour():
    shown = [str(word) for word in words.VERDICTS.values()]

    assert len(set(shown)) == len(shown)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.314, "+0.31"),
        (-1.5, "\u22121.50"),
        (0.001, "0.00"),
        (-0.001, "0.00"),
        (0.0, "0.00"),
        (None, "\u2013"),
    ],
)
def test_an_effect_shows_its_sign_but_zero_has_none(value, text):
    assert words.format_effect(value) == text


def test_numbers_that_are_not_finite_are_readable():
    assert words.format_number(math.nan) == "\u2013"
    assert words.format_number(-math.inf) == "\u2212\u221e"
    assert words.format_interval(None, 0.2) == "[\u2212\u221e, 0.20]"
    assert words.format_interval(None, None) == "\u2013"


def test_a_pvalue_is_never_shown_as_zero():
    assert words.format_pvalue(0.0) == "<0.001"


@pytest.mark.parametrize("width", [8, 12, 15, 40])
def test_a_folded_name_keeps_every_character_and_the_width(width):
    name = "TV+fvar+statement+overlap,neg=8"

    lines = words.fold_name(name, width)

    assert "".join(lines) == name
    assert max(map(len, lines)) <= width


def test_a_name_without_separators_is_cut_hard():
    assert words.fold_name("abcdefgh", 3) == ["abc", "def", "gh"]


@pytest.mark.parametrize("width", [1, 0, -20])
def test_a_name_folds_into_any_place_however_narrow(width):
    assert words.fold_name("abc", width) == ["a", "b", "c"]
