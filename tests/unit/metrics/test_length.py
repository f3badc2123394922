import pytest
from tests.support.scoring import score


@pytest.mark.parametrize(
    ("name", "expected"),
    [("length", 7.0), ("length,unit=sentences", 2.0), ("length,unit=characters", 32.0)],
)
def test_length_is_counted_in_the_unit_asked_for(name: str, expected: float):
    assert score(name, "Dr. Lee paid. The café was shut.") == expected


def test_length_needs_no_reference():
    assert score("length", "Rain fell.") == 2.0


def test_marks_alone_have_no_words():
    assert score("length", "!!!") == 0.0
