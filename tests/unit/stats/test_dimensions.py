"""Many columns against the same ratings, on the same resamples."""

import numpy as np
import pytest

from gameproof.stats.correlation import MEAN_DIMENSION, correlate, correlation_differences
from gameproof.stats.dimensions import ALL_DIMENSIONS, rank, subtract
from gameproof.stats.levels import Clusters

LEVELS = ("within_task", "pooled")


@pytest.fixture
def rated():
    rng = np.random.default_rng(4)
    tasks = np.arange(120) // 6
    truth = rng.normal(size=120)
    ratings = {"clear": truth + rng.normal(size=120), "right": truth + 2 * rng.normal(size=120)}
    ratings["right"][7] = np.nan
    one, two = truth + rng.normal(size=120), truth + 3 * rng.normal(size=120)
    one[3] = np.nan
    return one, two, ratings, Clusters(tasks=tasks)


def test_every_estimate_is_that_of_correlate(rated):
    # The same numbers by the route that audits take: rho, interval and n, to the last digit.
    one, _, ratings, clusters = rated
    expected = {(row.dimension, row.level): row for row in correlate(one, ratings, clusters, seed=5)}
    for level in LEVELS:
        for dimension, estimate in rank(one, ratings, clusters, level, seed=5).estimates.items():
            row = expected[dimension, level]
            assert (estimate.value, estimate.interval, estimate.n) == (row.rho, row.interval, row.n)
    assert ALL_DIMENSIONS == MEAN_DIMENSION


def test_every_difference_is_that_of_correlation_differences(rated):
    one, two, ratings, clusters = rated
    both = ~np.isnan(one) & ~np.isnan(two)
    expected = {
        (row.dimension, row.level): row
        for row in correlation_differences(one, two, ratings, clusters, seed=5)
    }
    for level in LEVELS:
        ranked = [rank(column, ratings, clusters, level, only=both, seed=5) for column in (one, two)]
        found = subtract(*ranked)
        for dimension in ratings:
            row = expected[dimension, level]
            assert found[dimension].value == row.difference
            assert found[dimension].interval == row.interval
        mean = np.mean([expected[dimension, level].difference for dimension in ratings])
        assert found[ALL_DIMENSIONS].value == pytest.approx(mean)
        assert found[ALL_DIMENSIONS].interval.low < mean < found[ALL_DIMENSIONS].interval.high


def test_a_constant_column_has_no_correlation_and_says_so(rated):
    _, two, ratings, clusters = rated
    flat = np.zeros(120)
    ranked = rank(flat, ratings, clusters, "pooled")
    assert ranked.estimates[ALL_DIMENSIONS].value is None
    assert ranked.estimates["clear"].detail == "constant scores"
    difference = subtract(ranked, rank(two, ratings, clusters, "pooled"))
    assert {estimate.value for estimate in difference.values()} == {None}
    assert difference["clear"].detail == "constant scores"


def test_without_ratings_there_is_no_correlation():
    ranked = rank(np.arange(6.0), {}, Clusters(tasks=np.arange(6)), "pooled")
    assert ranked.estimates[ALL_DIMENSIONS].detail == "no ratings"
