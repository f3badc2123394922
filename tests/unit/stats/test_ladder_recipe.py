"""Slopes of ladders by regression, and their inference by loops that score anew without each task."""

import numpy as np
import pytest

from gameproof.stats.bootstrap import percentile_bounds, resample_counts, studentise
from gameproof.stats.ladder import LadderSample, infer_ladder, slope_without
from gameproof.stats.results import State

TASKS = np.array([0, 0, 1, 2, 2, 2, 3, 4])
LEVELS = np.array([0.0, 0.25, 0.5, 1.0])
Z = (LEVELS - LEVELS.mean()) / LEVELS.std()
RNG = np.random.default_rng(17)
MATCHED = RNG.normal(size=(8, 4)) - 0.8 * LEVELS
MATCHED[1, 3] = np.nan  # an item without the last level
DRAWN = np.array([[(task + step) % 6 for step in (1, 2)] for task in TASKS])  # task 5 has references only
NEGATIVES = RNG.normal(size=(8, 4, 2))
NEGATIVES[np.isnan(MATCHED)] = np.nan
BOOTSTRAP = {"n_resamples": 499, "confidence_level": 0.9, "seed": 3}


def _scores(i, without=-2):
    return MATCHED[i] - NEGATIVES[i][:, DRAWN[i] != without].mean(axis=1)


def _slope(i, without=-2):
    has = ~np.isnan(MATCHED[i])
    return np.polyfit(Z[has], _scores(i, without)[has], 1)[0]  # least squares (numpy)


def _mean_slope(without=-2):
    tasks = [task for task in np.unique(TASKS) if task != without]
    return float(
        np.mean([np.mean([_slope(i, without) for i in np.flatnonzero(task == TASKS)]) for task in tasks])
    )


def _sample():
    return LadderSample(
        tasks=TASKS, levels=LEVELS, scores=np.stack([_scores(i) for i in range(8)]), negative_tasks=DRAWN,
        negatives=NEGATIVES,
    )  # fmt: skip


def _spread():
    return float(np.sqrt(np.mean(np.nanvar(_sample().scores, axis=0, ddof=1))))


def test_a_ladder_is_inferred_from_pseudo_values_of_its_mean_slope():
    psi = np.array([6 * _mean_slope() - 5 * _mean_slope(task) for task in range(6)])
    means = studentise(psi[:, None], **BOOTSTRAP)

    found = infer_ladder(_sample(), expect="decrease", **BOOTSTRAP)

    assert (found.n, found.n_tasks, found.state, found.detail) == (8, 5, None, None)
    assert found.slope == pytest.approx(_mean_slope())
    assert found.effect == pytest.approx(_mean_slope() / _spread())
    assert found.standard_error == pytest.approx(means.errors[0] / _spread())
    assert found.interval.low == pytest.approx(means.low[0] / _spread())
    assert found.interval.high == pytest.approx(means.high[0] / _spread())
    assert (found.zero.below, found.zero.above) == (means.below[0], means.above[0])


def test_the_slope_without_each_task_is_that_of_scoring_again():
    slope, without = slope_without(_sample(), np.ones(6, bool))
    assert slope == pytest.approx(_mean_slope() / _spread())
    assert without == pytest.approx([_mean_slope(task) / _spread() for task in range(6)])


def test_scores_without_spread_between_items_have_no_standardised_slope():
    flat = LadderSample(tasks=np.arange(3), levels=LEVELS, scores=np.tile(LEVELS, (3, 1)))
    slope, without = slope_without(flat, np.ones(3, bool))
    assert np.isnan([slope, *without]).all()


@pytest.mark.parametrize(("expect", "right"), [("decrease", np.less), ("increase", np.greater)])
def test_the_share_of_right_slopes_weighs_tasks_equally(expect, right):
    slopes = np.array([_slope(i) for i in range(8)])
    shares = np.array([right(slopes[task == TASKS], 0).mean() for task in range(5)])
    draws = resample_counts(5, 499, seed=3) @ shares / 5
    low, high = percentile_bounds(draws[None, :], 0.9)[:, 0]
    found = infer_ladder(_sample(), expect=expect, **BOOTSTRAP)
    assert 0 < shares.mean() < 1
    assert found.share_right == pytest.approx(shares.mean())
    assert (found.share_interval.low, found.share_interval.high) == pytest.approx((low, high))


def _ladder(scores, tasks=None, levels=LEVELS):
    scores = np.asarray(scores, float)
    return LadderSample(
        tasks=np.arange(len(scores)) if tasks is None else np.asarray(tasks), levels=levels, scores=scores
    )


def test_a_slope_of_zero_goes_neither_way():
    scores = [[1.0, 2, 3, 4.1], [1, 1, 1, 1], [4, 3, 2, 1.2]]
    for expect in ("increase", "decrease"):
        assert infer_ladder(_ladder(scores), expect=expect, n_resamples=99).share_right == pytest.approx(
            1 / 3
        )


@pytest.mark.parametrize(
    ("sign", "expect"), [(1, "increase"), (-1, "decrease"), (1, "decrease"), (-1, "increase")]
)
def test_tasks_that_all_agree_are_bounded_by_the_binomial_law(sign, expect):
    scores = sign * (np.arange(5.0)[:, None] * 0.1 + 1) * LEVELS
    found = infer_ladder(_ladder(scores), expect=expect, n_resamples=99, confidence_level=0.9)
    edge = 0.05 ** (1 / 5)  # p with p^5 = 5%
    wanted = (edge, 1.0) if (sign > 0) == (expect == "increase") else (0.0, 1 - edge)
    assert (found.share_interval.low, found.share_interval.high) == pytest.approx(wanted)


def test_tasks_that_agree_on_one_half_are_not_all_right():
    # Each task has one item up and one down: resampling tasks gives one half always.
    scores = [[0.0, 1, 2, 3], [3, 2, 1, 0.5], [0, 1, 2, 4], [3, 2, 1, 0.1]]
    found = infer_ladder(_ladder(scores, [0, 0, 1, 1]), expect="increase", n_resamples=99)
    assert (found.share_interval.low, found.share_interval.high) == (0.5, 0.5)


@pytest.mark.parametrize(
    ("scores", "tasks", "state", "detail"),
    [
        ([[1.0, 1, 1, 1], [2, 2, 2, 2]], None, State.NO_CHANGE, "every score is unchanged"),
        # 0, 1, 2.4, 1 on levels -7, -3, 1, 9 sixteenths: -3 + 2.4 x ... is not 0, so the next rows are balanced by hand:
        # -7 a - 3 b + 1 c + 9 d = 0 for a, b, c, d = 1, 1, 1, 1 and for 0, 3, 0, 1.
        ([[0.0, 3, 0, 1], [1, 4, 1, 2]], None, State.NO_CHANGE, "every slope is 0"),
        ([[0.0, 1, 2, 4]], None, State.UNDEFINED, "fewer than 2 tasks"),
        ([[0.1, 0.2, 0.3, 0.6], [0.4, 0.5, 0.6, 0.9]], None, State.DETERMINISTIC, "every score moves by the same amount"),
        (
            [[0.0, 1, 2, 4], [0, 3, 6, 12], [0, 2, 4, 8], [0, 2, 4, 8]], [0, 0, 1, 1], State.UNDEFINED,
            "the mean slope is the same in every task",
        ),
    ],
)  # fmt: skip
def test_states_are_named(scores, tasks, state, detail):
    found = infer_ladder(_ladder(scores, tasks), expect="increase")
    assert (found.state, found.detail) == (state, detail)
    assert found.parity is not None
    assert (found.slope == 0.0) is (state is State.NO_CHANGE)
    assert (found.zero, found.interval, found.share_interval, found.standard_error) == (None,) * 4


def test_rounding_is_measured_against_the_largest_score():
    # Beside a million a rise of 1e-5 is none; beside 1 it is one.
    rise = 1e-5 * np.arange(4)
    assert infer_ladder(_ladder(np.array([rise, 2 * rise]) - 1e6), expect="increase").state is State.NO_CHANGE
    assert infer_ladder(_ladder(np.array([rise, 2 * rise]) + 1), expect="increase").state is None


def test_nothing_has_no_numbers():
    found = infer_ladder(_ladder(np.zeros((0, 4)), []), expect="decrease")
    assert (found.n, found.n_tasks, found.slope, found.effect, found.share_right) == (0, 0, None, None, None)
    assert (found.state, found.detail, found.parity) == (State.UNDEFINED, "no item has two levels", None)


def test_levels_nobody_has_are_no_part_of_the_papers_test():
    scores = [[0.0, np.nan, 1, 3], [0.5, np.nan, 2, 2.5]]
    found = infer_ladder(_ladder(scores), expect="increase", n_resamples=99)
    assert (found.parity.rho, found.parity.match_rate) == (pytest.approx(1.0), 1.0)


def test_a_level_of_one_document_has_no_variance():
    # Level variances: (0, 2) has 2, (1, 5) has 8; the level that one document has enters no mean.
    scores = [[0.0, 1, np.nan, np.nan], [2, 5, np.nan, 9]]
    found = infer_ladder(_ladder(scores), expect="increase", n_resamples=99)
    assert found.effect == pytest.approx(found.slope / np.sqrt(5))
