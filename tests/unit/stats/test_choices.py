import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from gameproof.stats.bootstrap import resample_counts
from gameproof.stats.choices import accuracy, auc, estimate_difference, make_sample
from gameproof.stats.resampling import make_resampling

RNG = np.random.default_rng(5)


def drawn(n=200, n_clusters=12):
    choices = RNG.integers(-1, 2, size=n)
    differences = np.round(choices * 0.5 + RNG.normal(size=n), 1)
    differences[RNG.random(n) < 0.1] = np.nan
    return differences, choices, RNG.integers(0, n_clusters, size=n)


def test_neither_and_missing_scores_say_nothing_about_accuracy():
    sample = make_sample(np.array([1.0, np.nan, 2.0]), np.array([0, 1, 1]), make_resampling(range(3)))
    found = accuracy(sample, n_resamples=9)
    assert (found.value, found.n) == (1.0, 1)


def test_auc_is_that_of_mann_and_whitney_on_pairs_in_both_orders():
    differences, choices, clusters = drawn()
    found = auc(make_sample(differences, choices, make_resampling(clusters.tolist())), n_resamples=9)
    kept = (choices != 0) & ~np.isnan(differences)
    won = (differences * choices)[kept]
    # scipy's U over differences where the first text won and, swapped, where the second did
    expected = mannwhitneyu(won, -won).statistic / won.size**2
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_swapping_the_sides_changes_nothing():
    differences, choices, clusters = drawn()
    swap = np.where(RNG.random(choices.size) < 0.5, -1, 1)
    one = make_sample(differences, choices, make_resampling(clusters.tolist()))
    other = make_sample(differences * swap, choices * swap, make_resampling(clusters.tolist()))
    for statistic in (accuracy, auc):
        first, second = statistic(one, n_resamples=99), statistic(other, n_resamples=99)
        assert first.value == pytest.approx(second.value, abs=1e-12)
        assert first.draws == pytest.approx(second.draws, abs=1e-12)


@pytest.mark.parametrize("statistic", [accuracy, auc])
def test_a_resample_is_the_statistic_on_the_repeated_pairs(statistic):
    differences, choices, clusters = drawn()
    resampling = make_resampling(clusters.tolist())
    draws = statistic(make_sample(differences, choices, resampling), n_resamples=20, seed=8).draws
    numbers = resampling.cells
    for value, count in zip(draws, resample_counts(resampling.n_cells, 20, seed=8), strict=True):
        repeated = np.repeat(np.arange(choices.size), count[numbers])
        sample = make_sample(differences[repeated], choices[repeated], resampling.take(repeated))
        assert value == pytest.approx(statistic(sample, n_resamples=1).value, abs=1e-12)


def test_metrics_are_compared_on_the_same_resamples():
    differences, choices, clusters = drawn()
    one = auc(make_sample(differences, choices, make_resampling(clusters.tolist())), n_resamples=499)
    difference, interval = estimate_difference(one, one)
    assert difference == 0.0
    assert interval is None  # a metric does not differ from itself in any resample
    noise = RNG.normal(size=choices.size)
    other = auc(make_sample(noise, choices, make_resampling(clusters.tolist())), n_resamples=499)
    difference, interval = estimate_difference(one, other)
    assert interval.low < difference < interval.high


def test_nothing_decided_has_no_value():
    sample = make_sample(np.array([1.0]), np.array([0]), make_resampling([0]))
    for statistic in (accuracy, auc):
        found = statistic(sample, n_resamples=9)
        assert (found.value, found.interval, found.n) == (None, None, 0)
