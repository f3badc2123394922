# ruff: noqa: RUF001 - texts in other scripts are what is tested
"""Words in any script."""

import pytest

from gameproof.text import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("... !? --", []),
        ("The cat's 3.5 m jump", ["the", "cat", "s", "3", "5", "m", "jump"]),
        ("snake_case and CamelCase", ["snake", "case", "and", "camelcase"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("日本語の文", ["日", "本", "語", "の", "文"]),
        ("カーで3回 go", ["カ", "ー", "で", "3", "回", "go"]),
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("مرحبا بالعالم", ["مرحبا", "بالعالم"]),
        ("I ❤️ it 👍🏽", ["i", "it"]),
    ],
)
def test_words_are_runs_of_letters_marks_and_digits_without_case(text, expected):
    assert words(text) == expected


def test_case_36_texts_in_other_scripts_have_words():
    # rouge-score finds none of these, so a text scores 0 against itself there
    assert words("สวัสดีครับ") == ["สวัสดีครับ"]
    assert words("καλημέρα κόσμε") == ["καλημέρα", "κόσμε"]


def test_case_36_an_accent_does_not_cut_a_word_and_is_kept():
    assert words("café naïve") == ["café", "naïve"]
    assert words("café naïve") != words("cafe naive")


def test_the_same_word_typed_with_a_separate_accent_is_the_same_word():
    assert words("nai\u0308ve") == words("na\u00efve")


def test_characters_that_cannot_be_seen_do_not_cut_a_word():
    assert words("co\u00adoperate") == ["cooperate"]
    assert words("می\u200cخواهم") == ["میخواهم"]


def test_a_mark_beyond_the_first_plane_belongs_to_its_letter():
    # BRAHMI KA with vowel sign AA, then a Latin word
    assert words("\U00011013\U00011038 ok") == ["\U00011013\U00011038", "ok"]


def test_a_kana_with_a_separate_voicing_mark_is_one_word():
    assert words("日が\u3099") == ["日", "が\u3099"]
