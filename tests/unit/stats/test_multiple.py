import pytest

from gameproof.stats.multiple import holm


def test_the_smallest_is_multiplied_by_the_size_of_the_family():
    assert holm([0.01, 0.02, 0.03]) == pytest.approx([0.03, 0.04, 0.04])


def test_adjusted_values_never_fall_and_never_exceed_one():
    assert holm([0.5, 0.01, 0.9]) == pytest.approx([1.0, 0.03, 1.0])


def test_questions_without_a_pvalue_are_no_part_of_the_family():
    assert holm([None, 0.02, None, 0.04]) == [None, 0.04, None, 0.04]


def test_an_empty_family_is_empty():
    assert holm([]) == []
