"""Accuracy and AUC pair by pair, and what they lack."""

import numpy as np
import pytest

from gameproof.stats import choices
from gameproof.stats.bootstrap import percentile_bounds, resample_counts
from gameproof.stats.choices import (
    Estimate,
    accuracy,
    auc,
    estimate_difference,
    estimate_of_draws,
    make_sample,
)
from gameproof.stats.resampling import make_resampling
from gameproof.stats.results import Interval

DIFFERENCES = np.array([0.5, -0.2, 0.0, np.nan, 0.3, 0.1, -0.4, 0.2])
CHOICES = np.array([1, 1, -1, 1, 0, -1, -1, 1])
CLUSTERS = list("abbcadca")
# kept: .5, -.2, 0, -.1, .4, .2 of a, b, b, d, c, a
AGREEMENTS = np.array([0.5, -0.2, 0.0, -0.1, 0.4, 0.2])
OWNERS = np.array([0, 1, 1, 3, 2, 0])


def _sample():
    return make_sample(DIFFERENCES, CHOICES, make_resampling(CLUSTERS))


def _accuracy(rows):
    return np.mean([1.0 if s > 0 else 0.5 if s == 0 else 0.0 for s in AGREEMENTS[rows]])


def _auc(rows):
    own = AGREEMENTS[rows]
    return np.mean([1.0 if s > -t else 0.5 if s == -t else 0.0 for s in own for t in own])


def test_decided_and_scored_pairs_are_kept_with_their_clusters():
    sample = _sample()
    assert sample.agreements == pytest.approx(AGREEMENTS)
    assert sample.resampling.cells.tolist() == OWNERS.tolist()


@pytest.mark.parametrize(("statistic", "by_pairs"), [(accuracy, _accuracy), (auc, _auc)])
def test_value_draws_and_interval_are_those_of_counting_pairs(statistic, by_pairs):
    # By hand for accuracy: three right, one tie, two wrong: 3.5 / 6.
    counts = resample_counts(4, 199, seed=6)
    rows = [np.repeat(np.arange(6), row[OWNERS]) for row in counts]
    expected = np.array([by_pairs(each) if each.size else np.nan for each in rows])
    low, high = percentile_bounds(expected[~np.isnan(expected)][None, :], 0.8)[:, 0]

    found = statistic(_sample(), n_resamples=199, confidence_level=0.8, seed=6)

    assert found.value == pytest.approx(by_pairs(np.arange(6)))
    assert found.n == 6
    assert found.draws == pytest.approx(expected, nan_ok=True)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert accuracy(_sample(), n_resamples=9).value == pytest.approx(3.5 / 6)


def test_blocks_of_resamples_change_nothing(monkeypatch):
    whole = auc(_sample(), n_resamples=50)
    for entries in (6 * 7, 1):
        monkeypatch.setattr(choices, "MAX_ENTRIES", entries)
        assert auc(_sample(), n_resamples=50).draws == pytest.approx(whole.draws)


def test_a_resample_of_clusters_that_decided_nothing_has_no_value():
    # Cluster b never decided: a resample of b alone has neither statistic.
    sample = make_sample(np.array([1.0, -1.0, 2.0]), np.array([1, 0, 1]), make_resampling(["a", "b", "a"]))
    alone = resample_counts(2, 50, seed=0)[:, 0] == 0
    for statistic in (accuracy, auc):
        assert np.isnan(statistic(sample, n_resamples=50).draws).tolist() == alone.tolist()


def _estimate(value, draws, confidence_level=0.95):
    return estimate_of_draws(value, np.asarray(draws, float), 9, confidence_level)


def test_an_interval_needs_half_of_the_resamples_two_of_them_and_some_spread():
    nan = np.nan
    assert _estimate(0.5, [0.1, 0.9, nan, nan]).interval == Interval(low=0.1, high=0.9)
    assert _estimate(0.5, [0.1, 0.9, nan, nan, nan]).interval is None
    assert _estimate(0.5, [0.1, nan]).interval is None
    assert _estimate(0.5, [0.4, 0.4, 0.4]).interval is None
    assert _estimate(0.5, [0.4, 0.4, 0.5]).interval == Interval(low=0.4, high=0.5)


def test_without_a_value_there_are_no_draws():
    found = _estimate(None, [0.1, 0.9])
    assert (found.value, found.interval, found.n, found.draws.size) == (None, None, 9, 0)


def test_differences_are_first_minus_second_on_the_same_resamples():
    one = Estimate(value=0.9, interval=None, n=3, draws=np.array([0.8, 0.9, 1.0, 0.7]))
    two = Estimate(value=0.6, interval=None, n=3, draws=np.array([0.6, 0.5, 0.9, 0.1]))
    difference, interval = estimate_difference(one, two, confidence_level=0.5)
    assert difference == pytest.approx(0.3)
    # Differences .2, .4, .1, .6: a quarter of five on either side leaves the extremes.
    assert (interval.low, interval.high) == pytest.approx((0.1, 0.6))
    nothing = Estimate(value=None, interval=None, n=0, draws=np.empty(0))
    assert estimate_difference(one, nothing) is None
    assert estimate_difference(nothing, one) is None
