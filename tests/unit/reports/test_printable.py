import pytest
from tests.support.fake_results import fake_result

from gameproof.reports.printable import printable
from gameproof.reports.printable_result import printable_result


@pytest.mark.parametrize(
    "text", ["plain", "tab\tand\nline", "naïve café", "نص عربي\u200f", "日本語", "👩‍👩‍👧"]
)
def test_text_of_any_script_is_left_alone(text):
    assert printable(text) == text


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\r", "\x9b", "\u202e", "\u2067", "\ufeff", "\ud800"])
def test_a_harmful_character_becomes_its_name(character):
    assert printable(f"a{character}b") == f"a<U+{ord(character):04X}>b"


def test_a_harmless_result_stays_equal():
    assert printable_result(fake_result()) == fake_result()
