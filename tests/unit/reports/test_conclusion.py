from dataclasses import replace

import pytest
from tests.support.fake_results import NO, OPEN, YES, fake_result

from gameproof.reports.conclusion import conclude, data_name


def with_marks(*marks):
    metrics = fake_result().metrics
    return replace(
        fake_result(),
        metrics=tuple(
            replace(metrics[0], metric=f"m{number}", card=replace(metrics[0].card, trusted=mark))
            for number, mark in enumerate(marks)
        ),
    )


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ((), "No metric was audited"),
        ((YES,), "m0 can be trusted as a target on planted"),
        ((NO,), "m0 cannot be trusted as a target on planted"),
        ((OPEN,), "Nothing failed, but planted cannot show that m0 can be trusted as a target"),
        ((YES, YES), "All 2 metrics can be trusted as a target on planted"),
        ((NO, YES), "1 of 2 metrics can be trusted as a target on planted: m1"),
        ((NO, NO), "None of the 2 metrics can be trusted as a target on planted"),
        ((NO, OPEN), "None of the 2 metrics is shown to be a safe target on planted: 1 fails, 1 undecided"),
        (
            (OPEN, OPEN),
            "Nothing failed on planted, but it cannot show that any of the 2 metrics can be trusted",
        ),
    ],
)
def test_the_headline_says_what_the_marks_say(marks, said):
    assert conclude(with_marks(*marks)).headline == said


def test_points_name_the_worst_trick():
    points = {point.term: point.sentence for point in conclude(fake_result()).points}

    assert points["can be gamed"] == "length (+2.31 by meaningless elongation)"
    assert points["closest to the ratings"].startswith(
        "TV+fvar+statement+overlap, within-task correlation +0.48"
    )


@pytest.mark.parametrize(
    ("data", "name"),
    [("a/b/items.v2.jsonl.gz", "items.v2"), ("planted,tasks=8", "planted,tasks=8"), (None, "this data")],
)
def test_the_data_has_the_name_that_people_know(data, name):
    assert data_name(replace(fake_result(), run={"data": data})) == name


def test_a_long_name_is_cut():
    assert len(data_name(replace(fake_result(), run={"data": "x" * 100_000}))) == 61
