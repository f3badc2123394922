"""Rows of correlations: their means, intervals and words, by loops and by hand."""

import numpy as np
import pytest
from scipy import stats

from gameproof.stats.bootstrap import percentile_bounds
from gameproof.stats.correlation import Clusters, correlate, correlation_differences, human_ceiling
from gameproof.stats.dimensions import Estimate, Ranked, interval_of, rank, subtract
from gameproof.stats.levels import level_draws, make_table
from gameproof.stats.results import Interval, State

LEVELS = ("pooled", "within_task", "system")
TASKS, SYSTEMS = np.repeat(np.arange(8), 4), np.tile(np.arange(4), 8)
CLUSTERS = Clusters(tasks=TASKS, systems=SYSTEMS)
RNG = np.random.default_rng(2)
TRUTH = RNG.normal(size=32)
ONE, TWO = TRUTH + RNG.normal(size=32), TRUTH + 2 * RNG.normal(size=32)
RATINGS = {"a": TRUTH + RNG.normal(size=32), "b": TRUTH + 2 * RNG.normal(size=32)}
RATINGS["b"][5] = np.nan
BOOTSTRAP = {"n_resamples": 199, "seed": 4}


def _draws(scores, marks, level, kept=None):
    both = ~(np.isnan(scores) | np.isnan(marks))
    return level_draws(
        level, make_table(scores, marks, both if kept is None else kept, CLUSTERS), **BOOTSTRAP
    )


def _bounds(draws, confidence_level):
    low, high = percentile_bounds(draws[~np.isnan(draws)][None, :], confidence_level)[:, 0]
    return Interval(low=low, high=high)


@pytest.mark.parametrize("level", LEVELS)
def test_intervals_are_percentiles_of_the_draws_and_of_their_mean(level):
    rows = correlate(ONE, RATINGS, CLUSTERS, confidence_level=0.8, **BOOTSTRAP)
    found = {row.dimension: row for row in rows if row.level == level}
    draws = {name: _draws(ONE, marks, level) for name, marks in RATINGS.items()}
    for name, drawn in draws.items():
        assert found[name].interval == _bounds(drawn, 0.8)
        assert (found[name].state, found[name].detail) == (None, None)
    assert found["mean"].interval == _bounds((draws["a"] + draws["b"]) / 2, 0.8)
    assert found["mean"].rho == pytest.approx((found["a"].rho + found["b"].rho) / 2)
    assert found["mean"].n == min(found["a"].n, found["b"].n)
    assert (found["mean"].state, found["mean"].detail) == (None, None)


def test_a_mean_names_what_it_is_without_and_why_there_is_none():
    flat = {"flat": np.ones(32), "even": np.ones(32)}
    rows = correlate(ONE, {**flat, **RATINGS}, CLUSTERS, **BOOTSTRAP)
    mean = next(row for row in rows if (row.dimension, row.level) == ("mean", "pooled"))
    assert mean.detail == "without flat, even, where it is undefined"
    assert mean.n == 31
    (none,) = (
        row
        for row in correlate(ONE, flat, CLUSTERS, **BOOTSTRAP)
        if (row.dimension, row.level) == ("mean", "pooled")
    )
    assert (none.rho, none.interval, none.n) == (None, None, 0)
    assert (none.state, none.detail) == (State.UNDEFINED, "constant ratings")


def test_a_dimension_called_mean_does_not_enter_twice():
    rows = correlate(ONE, {"a": RATINGS["a"]}, CLUSTERS, **BOOTSTRAP)
    assert [row.dimension for row in rows] == ["a"] * 3 + ["mean"] * 3


@pytest.mark.parametrize("level", LEVELS)
def test_a_difference_is_first_minus_second_on_shared_items_and_resamples(level):
    first = ONE.copy()
    first[3] = np.nan
    rows = correlation_differences(first, TWO, RATINGS, CLUSTERS, confidence_level=0.8, **BOOTSTRAP)
    assert [(row.dimension, row.level) for row in rows] == [
        (name, each) for name in RATINGS for each in LEVELS
    ]
    kept = ~np.isnan(first) & ~np.isnan(RATINGS["b"])
    found = next(row for row in rows if (row.dimension, row.level) == ("b", level))
    draws = _draws(first, RATINGS["b"], level, kept) - _draws(TWO, RATINGS["b"], level, kept)
    assert found.interval == _bounds(draws, 0.8)
    if level == "pooled":
        rhos = [
            stats.spearmanr(column[kept], RATINGS["b"][kept]).statistic for column in (first, TWO)
        ]  # scipy
        assert found.difference == pytest.approx(rhos[0] - rhos[1])


def test_a_difference_that_is_undefined_on_either_side_says_why():
    flat = np.ones(32)
    for pair in ((flat, TWO), (TWO, flat)):
        row = correlation_differences(*pair, {"a": RATINGS["a"]}, CLUSTERS, **BOOTSTRAP)[0]
        assert (row.dimension, row.level, row.difference, row.interval) == ("a", "pooled", None, None)
        assert row.detail == "constant scores"


def test_the_ceiling_leaves_out_missing_marks_and_raters_without_a_correlation():
    marks = np.stack([TRUTH + RNG.normal(size=32) for _ in range(4)], axis=1)
    marks[:5, 1] = np.nan
    marks[7, 0] = marks[7, 2] = np.nan
    marks[9, :3] = np.nan  # the fourth rater is alone there
    marks[:, 3] = np.where(np.arange(32) == 9, 1.0, np.nan)  # and gave no other mark
    found = human_ceiling({"x": marks, "none": np.full((32, 2), np.nan)}, CLUSTERS)
    rhos = []
    for rater in range(3):
        others = np.delete(marks, rater, axis=1)
        rows = [i for i in range(32) if not np.isnan(marks[i, rater]) and not np.isnan(others[i]).all()]
        means = [np.nanmean(others[i]) for i in rows]
        rhos.append(stats.spearmanr(marks[rows, rater], means).statistic)  # scipy
    assert found["x", "pooled"] == pytest.approx(np.mean(rhos))
    assert found["none", "pooled"] is None
    assert found["mean", "pooled"] == pytest.approx(np.mean(rhos))
    assert set(found) == {(name, level) for name in ("x", "none", "mean") for level in LEVELS}


def test_the_mean_ceiling_is_over_dimensions():
    one, two = (TRUTH[:, None] + noise * RNG.normal(size=(32, 3)) for noise in (0.5, 2.0))
    found = human_ceiling({"one": one, "two": two}, CLUSTERS)
    for level in LEVELS:
        assert found["mean", level] == pytest.approx((found["one", level] + found["two", level]) / 2)


def test_an_interval_needs_half_of_the_resamples_and_two_of_them():
    nan = np.nan
    assert interval_of(np.array([0.2, 0.6, nan, nan])) == Interval(low=0.2, high=0.6)
    assert interval_of(np.array([0.2, 0.6, nan, nan, nan])) is None
    assert interval_of(np.array([0.2, nan])) is None
    # 20% of 20 on either side: the second of 19.
    assert interval_of(np.arange(1.0, 20.0), 0.8) == Interval(low=2.0, high=18.0)
    # 95% by default: floor(80 x .025) = 2 of 79.
    assert interval_of(np.arange(1.0, 80.0)) == Interval(low=2.0, high=78.0)


def test_dimensions_are_ranked_with_their_intervals_and_words():
    found = rank(ONE, {**RATINGS, "flat": np.ones(32)}, CLUSTERS, "pooled", confidence_level=0.8, **BOOTSTRAP)
    draws = {name: _draws(ONE, RATINGS[name], "pooled") for name in RATINGS}
    assert list(found.estimates) == ["a", "b", "flat", "mean"]
    assert list(found.draws) == ["a", "b", "mean"]
    for name, drawn in draws.items():
        assert found.draws[name] == pytest.approx(drawn, nan_ok=True)
        assert found.estimates[name].interval == _bounds(drawn, 0.8)
    mean = found.estimates["mean"]
    assert mean.value == pytest.approx((found.estimates["a"].value + found.estimates["b"].value) / 2)
    assert mean.interval == _bounds((draws["a"] + draws["b"]) / 2, 0.8)
    assert (mean.n, mean.detail) == (31, "without flat, where it is undefined")
    assert found.draws["mean"] == pytest.approx((draws["a"] + draws["b"]) / 2)
    assert found.estimates["flat"] == Estimate(value=None, n=32, detail="constant ratings")


def test_only_some_items_may_enter():
    only = TASKS < 5
    found = rank(ONE, RATINGS, CLUSTERS, "pooled", only=only, **BOOTSTRAP).estimates["b"]
    kept = only & ~np.isnan(RATINGS["b"])
    assert found.n == int(kept.sum())
    assert found.value == pytest.approx(stats.spearmanr(ONE[kept], RATINGS["b"][kept]).statistic)  # scipy


def test_what_was_left_out_is_told():
    ratings = {"a": np.where(TASKS == 0, 1.0, RATINGS["a"])}
    found = rank(ONE, ratings, CLUSTERS, "within_task", **BOOTSTRAP).estimates["a"]
    assert (found.n, found.detail) == (7, "1 of 8 tasks left out: constant ratings 1")


def _ranked(draws, **values):
    return Ranked(
        estimates={
            name: Estimate(value=value, n=9, detail=None if value is not None else f"no {name}")
            for name, value in values.items()
        }
        | {"mean": Estimate(value=0.0)},
        draws={name: np.asarray(drawn, float) for name, drawn in draws.items()},
    )


def test_columns_are_subtracted_by_dimension_and_by_resample():
    one = _ranked({"a": [0.5, 0.6, 0.9], "b": [0.1, 0.2, 0.3]}, a=0.6, b=0.2)
    two = _ranked({"a": [0.1, 0.5], "b": [0.0, 0.3]}, a=0.3, b=0.1)
    found = subtract(one, two, confidence_level=0.5)
    assert found["a"].value == pytest.approx(0.3)
    assert found["a"].n == 9
    # The shorter has two resamples: .4, .1 and .1, -.1.
    assert (found["a"].interval.low, found["a"].interval.high) == pytest.approx((0.1, 0.4))
    assert (found["b"].interval.low, found["b"].interval.high) == pytest.approx((-0.1, 0.1))
    assert found["mean"].value == pytest.approx(0.2)
    assert (found["mean"].interval.low, found["mean"].interval.high) == pytest.approx((0.0, 0.25))
    assert (found["mean"].n, found["mean"].detail) == (9, None)


def test_a_dimension_that_one_column_lacks_is_no_part_of_the_mean_difference():
    one = _ranked({"a": [0.5, 0.6]}, a=0.6, b=None)
    two = _ranked({"a": [0.1, 0.5], "b": [0.0, 0.3]}, a=0.3, b=0.1)
    for pair, sign in (((one, two), 1), ((two, one), -1)):
        found = subtract(*pair)
        assert (found["b"].value, found["b"].interval, found["b"].detail) == (None, None, "no b")
        assert found["mean"].value == pytest.approx(sign * 0.3)
        assert found["mean"].detail == "without b, where it is undefined"
    nothing = subtract(_ranked({}, b=None), _ranked({}, b=None))
    assert (nothing["mean"].value, nothing["mean"].detail) == (None, "no b")
