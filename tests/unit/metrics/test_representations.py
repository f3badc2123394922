"""How references are split into statements."""

import pytest

from gameproof import text
from gameproof.metrics.representations import NO_STATEMENT, UNSPLITTABLE, report, statements


def test_each_sentence_is_a_statement():
    assert statements("The bridge fell at dawn. Nobody was hurt there.") == (
        "The bridge fell at dawn.",
        "Nobody was hurt there.",
    )


def test_a_semicolon_ends_a_statement():
    assert statements("The bridge fell at dawn; nobody was hurt there.") == (
        "The bridge fell at dawn",
        "nobody was hurt there.",
    )


@pytest.mark.parametrize("conjunction", ["and", "but", "so", "while", "whereas"])
def test_a_conjunction_with_a_new_subject_starts_a_statement(conjunction):
    assert statements(f"The old bridge fell down, {conjunction} they closed the road.") == (
        "The old bridge fell down",
        f"{conjunction} they closed the road.",
    )


def test_tokenised_text_is_split_alike():
    assert statements("the old bridge fell down , and they closed the road .") == (
        "the old bridge fell down",
        "and they closed the road .",
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "They closed the bridge, the road, and the old railway station.",  # a list
        "The red, white and blue flag was shown.",
        "He came and he saw the old bridge.",  # no comma: may be anything
        "The bridge, which they had built in 1901, fell down.",
    ],
)
def test_what_cannot_be_split_safely_stays_whole(sentence):
    assert statements(sentence) == (sentence,)


def test_a_short_piece_joins_the_one_before_it():
    assert statements("The old bridge fell down at dawn. Nobody knows why.") == (
        "The old bridge fell down at dawn. Nobody knows why.",
    )


def test_a_short_piece_at_the_start_joins_the_one_behind():
    assert statements("Bad news! The old bridge fell down.") == ("Bad news! The old bridge fell down.",)


def test_a_short_reference_is_one_statement():
    assert statements("Forty-two.") == ("Forty-two.",)


def test_no_word_is_lost_or_doubled():
    reference = (
        "Rain fell; it was cold. Yes. The road, and it was the only one, closed; so did the bridge there."
    )
    found = statements(reference)
    assert text.words(" ".join(found)) == text.words(reference)


@pytest.mark.parametrize("reference", ["...", "?!", "\u2014 \u2022"])
def test_a_reference_without_words_has_no_statement(reference):
    assert statements(reference) == NO_STATEMENT
    assert report(reference) == NO_STATEMENT


def test_a_script_without_sentence_rules_is_named_unsplittable():
    assert statements("\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e04\u0e23\u0e31\u0e1a") == UNSPLITTABLE


def test_chinese_is_split_at_its_own_stops():
    assert (
        len(statements("\u6865\u5728\u65e9\u4e0a\u5012\u4e86\u3002\u6ca1\u6709\u4eba\u53d7\u4f24\u3002")) == 2
    )


def test_a_report_is_the_reference_as_it_is():
    assert report("One. Two.") == ("One. Two.",)


def test_the_rules_are_versioned_with_the_sentence_splitter():
    # decompose=rules.v1 promises both: a new splitter needs a new name here as well
    assert text.SPLITTER == "rules.v1"
