"""The whole curve of best-of-n against sums over subsets, and its edges."""

from itertools import combinations

import numpy as np
import pytest

from gameproof.stats.best_of_n import best_of_n_weights, expected_best, goodhart_curve, grid
from gameproof.stats.bootstrap import percentile_bounds, resample_counts

RNG = np.random.default_rng(6)
TASKS = [(np.round(RNG.normal(size=9), 1), RNG.normal(size=9)) for _ in range(5)]


def _best(scores, values, n):
    found = []
    for chosen in combinations(range(len(scores)), n):
        best = max(scores[place] for place in chosen)
        found.append(np.mean([values[place] for place in chosen if scores[place] == best]))
    return float(np.mean(found))


def _gains(of, by, n):
    """Return each task's gain of the best of n over its mean text."""
    return np.array([_best(task[by], task[of], n) - task[of].mean() for task in TASKS])


def _pooled(of, other=None):
    """Return the covariance within tasks on 9 x 5 - 5 degrees of freedom."""
    other = of if other is None else other
    return sum((t[of] - t[of].mean()) @ (t[other] - t[other].mean()) for t in TASKS) / 40


def test_every_point_is_the_sum_over_subsets():
    # methods.md 9: E(n) = sum of gains by the metric / sum of gains by quality; gains in pooled sds within tasks.
    curve = goodhart_curve(TASKS, n_resamples=199, confidence_level=0.9, seed=2)
    metric_sd, quality_sd = np.sqrt(_pooled(0)), np.sqrt(_pooled(1))
    rho = _pooled(0, 1) / metric_sd / quality_sd
    counts = resample_counts(5, 199, seed=2).astype(float)
    assert [point.n for point in curve.points] == [1, 2, 4, 8]
    assert curve.rho == pytest.approx(rho)
    shares, draws = [], []
    for point in curve.points:
        metric, quality, ideal = _gains(0, 0, point.n), _gains(1, 0, point.n), _gains(1, 1, point.n)
        assert point.metric == pytest.approx(metric.mean() / metric_sd, abs=1e-12)
        assert point.quality == pytest.approx(quality.mean() / quality_sd, abs=1e-12)
        assert point.honest == pytest.approx(rho * metric.mean() / metric_sd, abs=1e-12)
        if point.n == 1:
            assert (point.share, point.interval) == (None, None)
            continue
        shares.append(quality.sum() / ideal.sum())
        draws.append((counts @ quality) / (counts @ ideal))
        low, high = percentile_bounds(draws[-1][None, :], 0.9)[:, 0]
        assert point.share == pytest.approx(shares[-1])
        assert (point.interval.low, point.interval.high) == pytest.approx((low, high))
    assert curve.area_lost == pytest.approx(1 - np.mean(shares))
    low, high = percentile_bounds(1 - np.mean(draws, axis=0)[None, :], 0.9)[:, 0]
    assert (curve.area_interval.low, curve.area_interval.high) == pytest.approx((low, high))
    late = (_gains(1, 0, 8) - _gains(1, 0, 2)) / quality_sd
    assert curve.late_change == pytest.approx(late.mean())
    low, high = percentile_bounds((counts @ late / 5)[None, :], 0.9)[:, 0]
    assert (curve.late_interval.low, curve.late_interval.high) == pytest.approx((low, high))
    assert (curve.n_tasks, curve.n_left_out) == (5, 0)


@pytest.mark.parametrize(
    ("most", "numbers"), [(0, (1,)), (1, (1,)), (3, (1, 2)), (4, (1, 2, 4)), (31, (1, 2, 4, 8, 16))]
)
def test_the_grid_ends_at_the_largest_power_of_two(most, numbers):
    assert grid(most) == numbers


@pytest.mark.parametrize("n", [0, 5, -1])
def test_an_n_beyond_the_texts_is_refused(n):
    with pytest.raises(ValueError, match=rf"n: found {n}; allowed: 1 to 4"):
        best_of_n_weights(4, n)


def test_one_of_n_is_the_mean_and_n_of_n_is_the_best():
    assert best_of_n_weights(3, 1) == pytest.approx([1 / 3] * 3)
    assert best_of_n_weights(3, 3) == pytest.approx([0, 0, 1])
    assert expected_best(np.array([2.0, 9.0, 5.0]), np.array([1.0, 2.0, 6.0]), 3) == pytest.approx(2.0)


def _of_sizes(*sizes):
    rng = np.random.default_rng(1)
    return [(rng.normal(size=size), rng.normal(size=size)) for size in sizes]


def test_the_largest_n_is_what_four_in_five_tasks_have_texts_for():
    # Of ten sizes the third smallest (place 10 // 5) is 8: the two tasks of 4 are left out.
    curve = goodhart_curve(_of_sizes(16, 4, 8, 8, 8, 4, 8, 9, 16, 8), n_resamples=9)
    assert (curve.points[-1].n, curve.n_tasks, curve.n_left_out) == (8, 8, 2)
    asked = goodhart_curve(_of_sizes(16, 4, 8, 8, 8, 4, 8, 9, 16, 8), most=17, n_resamples=9)
    assert (asked.points[-1].n, asked.n_tasks, asked.n_left_out) == (16, 2, 8)


def test_below_four_texts_there_is_no_late_change():
    three = goodhart_curve(_of_sizes(3, 3, 3), n_resamples=99)
    assert [point.n for point in three.points] == [1, 2]
    assert (three.late_change, three.late_interval) == (None, None)
    four = goodhart_curve(_of_sizes(4, 4, 4), n_resamples=99)
    assert four.late_change is not None
    assert four.late_interval is not None


@pytest.mark.parametrize(
    ("tasks", "options"),
    [
        (_of_sizes(8), {}),  # one task
        (_of_sizes(8, 8), {"most": 1}),  # nothing to choose from
        (_of_sizes(16, 8, 8), {"most": 16}),  # one task has so many texts
        ([*_of_sizes(8), (np.zeros(8), np.arange(8.0)), (np.arange(8.0), np.zeros(8))], {}),  # no spread
        ([*_of_sizes(8), (np.zeros(1), np.zeros(1))], {}),  # a single text
    ],
)
def test_too_little_has_no_curve(tasks, options):
    assert goodhart_curve(tasks, n_resamples=9, **options) is None


def test_two_tasks_of_two_texts_are_enough():
    # The metric is right in one task and wrong in the other: E(2) = (1 - 1) / (1 + 1).
    right, wrong = (np.array([1.0, 2.0]), np.array([0.0, 2.0])), (np.array([2.0, 1.0]), np.array([0.0, 2.0]))
    curve = goodhart_curve([right, wrong], n_resamples=99)
    assert curve.points[1].share == pytest.approx(0.0)
    assert curve.area_lost == pytest.approx(1.0)
    assert curve.rho == pytest.approx(0.0)
    # The best of two lies .5 over the mean text; the pooled sd is sqrt((.5 + .5) / 2).
    assert curve.points[1].metric == pytest.approx(0.5 / np.sqrt(0.5))


def test_a_spread_that_is_rounding_is_no_choice():
    # .1 + .2 is .3 but for 6e-17: nothing can be gained there, and it would be divided by.
    even = (np.array([1.0, 2.0]), np.array([0.3, 0.1 + 0.2]))
    assert goodhart_curve([even, even, even], n_resamples=9) is None
    curve = goodhart_curve([*_of_sizes(4, 4), even], n_resamples=9)
    assert (curve.n_tasks, curve.n_left_out) == (2, 1)
