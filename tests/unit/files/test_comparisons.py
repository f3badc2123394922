"""Choices between two texts: what is refused, and what a reader of results is told about them."""

import pytest

from gameproof.errors import DataError, PlanError
from gameproof.files import load_comparisons

PAIR = {
    "task_id": "t",
    "candidate_a": "It rained.",
    "candidate_b": "Sun.",
    "references": ["Rain."],
    "preference": "a",
}


def test_choices_between_equal_texts_and_choices_made_twice_are_counted():
    """By hand: two rows have one text twice; rows 1 and 2 ask one annotator about one pair, sides exchanged."""
    turned = {**PAIR, "candidate_a": "Sun.", "candidate_b": "It rained.", "preference": "b"}
    same = {**PAIR, "candidate_b": "It rained.", "preference": "tie"}
    rows = [PAIR, turned, same, {**same, "annotator": "w2"}]
    notes = load_comparisons([{"annotator": "w1", **row} for row in rows]).notes
    assert "2 choices are between two equal texts: no metric can tell them apart" in notes
    assert "1 choices repeat a pair that the same annotator had judged before" in notes


def test_choices_of_nobody_are_counted_and_repeat_nothing():
    notes = load_comparisons([PAIR, PAIR, {**PAIR, "annotator": "w1"}]).notes
    assert "2 of 3 choices do not say whose they are" in notes
    assert not any("repeat" in note for note in notes)


def test_an_annotator_who_is_a_list_is_told_with_the_row():
    with pytest.raises(DataError, match=r"row 2: annotator: found a list"):
        load_comparisons([PAIR, {**PAIR, "annotator": ["w1", "w2"]}])


@pytest.mark.parametrize("limit", [0, -3])
def test_a_limit_below_one_is_refused(limit):
    with pytest.raises(PlanError, match=f"--limit {limit}: found {limit}; allowed: 1 or more"):
        load_comparisons([PAIR], limit=limit)


def test_a_field_that_comparisons_do_not_have_is_refused_with_the_nearest():
    with pytest.raises(PlanError, match=r"'preferenec' is no field of a comparison") as caught:
        load_comparisons([PAIR], rename={"preferenec": "winner"})
    assert caught.value.hint == "Did you mean --map preference=winner?"
    with pytest.raises(PlanError) as caught:
        load_comparisons([PAIR], rename={"xyz": "winner"})
    assert caught.value.hint == "The form is --map FIELD=COLUMN."
