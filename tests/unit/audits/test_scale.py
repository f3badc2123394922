"""Scores of an extreme size: nothing that is said about them may depend on their unit."""

import math
from dataclasses import replace

import numpy as np
import pytest
from tests.support.scoring import make_items

import gameproof
from gameproof.audits.scale import back_to_unit, tame
from gameproof.engine.table import MetricScores
from gameproof.records import Contrast, Scores
from gameproof.stats.results import State

RNG = np.random.default_rng(5)
ROWS = [
    {
        "id": f"{task}-{system}",
        "task_id": f"task-{task}",
        "system": f"s{system}",
        "candidate": " ".join(f"Word {word} fell." for word in RNG.integers(0, 50, RNG.integers(2, 9))),
        "ratings": {"quality": float(RNG.integers(1, 6))},
    }
    for task in range(8)
    for system in range(3)
]


def scores_of(values, contrast=None):
    ids = tuple(str(place) for place in range(len(values)))
    original = Scores(signature="m", item_ids=ids, values=np.array(values), contrast=contrast)
    return MetricScores(metric="m", signature="m", higher_is_better=True, original=original, variants={})


def audit(unit):
    metric = gameproof.as_metric(lambda item: unit * len(item.candidate), name="size", version="1")
    return gameproof.audit(ROWS, metric).metrics[0]


@pytest.mark.parametrize("exponent", [900, -1000, -1074])
def test_the_unit_of_the_scores_changes_no_effect_no_pvalue_and_no_verdict(exponent):
    ordinary, extreme = audit(1.0), audit(math.ldexp(1.0, exponent))

    assert extreme.card == ordinary.card
    assert extreme.correlation == ordinary.correlation
    in_the_unit = {"exchange": None, "beyond_length": None, "levels": ()}
    assert [replace(row, **in_the_unit) for row in extreme.checks] == [
        replace(row, **in_the_unit) for row in ordinary.checks
    ]
    assert [row.check for row in extreme.checks if row.exchange] == [
        row.check for row in ordinary.checks if row.exchange
    ]


def test_the_exchange_rate_stays_in_the_unit_of_the_scores():
    ordinary, extreme = audit(1.0), audit(2.0**900)

    for row, other in zip(ordinary.checks, extreme.checks, strict=True):
        assert [level.mean for level in other.levels] == [level.mean * 2.0**900 for level in row.levels]
        if row.exchange is not None:
            assert other.exchange.value == row.exchange.value * 2.0**900


def test_the_summary_is_in_the_unit_of_the_scores():
    ordinary, extreme = audit(1.0).summary, audit(2.0**900).summary

    assert extreme["mean"] == ordinary["mean"] * 2.0**900
    assert extreme["sd"] == ordinary["sd"] * 2.0**900


@pytest.mark.filterwarnings("error")
def test_scores_at_both_ends_of_the_number_line_leave_no_number_that_is_not_finite():
    metric = gameproof.as_metric(
        lambda item: 1.7e308 * (1 - 2 * (len(item.candidate) % 2)), name="ends", version="1"
    )

    found = gameproof.audit(ROWS, metric).metrics[0]

    for row in found.checks:
        numbers = (row.effect, row.low, row.high, row.pvalue_zero, row.pvalue_margin, row.smallest_detectable)
        assert all(number is None or math.isfinite(number) for number in numbers)
        assert row.state is not State.UNDEFINED
    assert all(value is None or math.isfinite(value) for value in found.summary.values())


def test_ordinary_scores_stay_as_they_are():
    scores = scores_of([0.0, 1e-30, -1e60])

    assert tame(scores) == (scores, 0)


def test_the_parts_of_contrastive_scores_shrink_with_them():
    contrast = Contrast(
        matched=np.array([2.0**1000]),
        negatives=np.array([[2.0**999, np.nan]]),
        negative_tasks=np.array([[1, -1]]),
        tasks=("a", "b"),
    )

    tamed, exponent = tame(scores_of([2.0**999], contrast))

    assert exponent == 1001
    assert tamed.original.values.tolist() == [0.25]
    assert tamed.original.contrast.matched.tolist() == [0.5]
    np.testing.assert_array_equal(tamed.original.contrast.negatives, [[0.25, np.nan]])


def test_missing_scores_have_no_size():
    assert tame(scores_of([np.nan, np.nan]))[1] == 0


def test_what_float64_cannot_hold_in_its_unit_has_no_number():
    assert back_to_unit(1.5, 1024) is None
    assert back_to_unit(None, 1024) is None
    assert back_to_unit(-math.inf, 5) == -math.inf


@pytest.mark.parametrize(("unit", "deviation"), [(1e300, None), (1e-300, None), (1.0, pytest.approx(1.0))])
def test_a_score_table_has_no_deviation_where_its_square_has_no_number(unit, deviation):
    items = make_items([("a", []), ("bb", []), ("ccc", [])])
    metric = gameproof.as_metric(lambda item: unit * len(item.candidate), name="size", version="1")

    summary = gameproof.score(items, metric).summaries[0]

    assert summary.mean == pytest.approx(2 * unit)
    assert summary.sd == deviation
