from itertools import combinations
from math import comb

import numpy as np
import pytest

from gameproof.stats.best_of_n import best_of_n_weights, expected_best, goodhart_curve


def _by_enumeration(scores, values, n):
    """Take every subset of n texts; where several are best, each is as likely to be taken."""
    found = []
    for chosen in combinations(range(len(scores)), n):
        best = max(scores[place] for place in chosen)
        found.append(np.mean([values[place] for place in chosen if scores[place] == best]))
    return float(np.mean(found))


def _tasks(n_tasks, n_texts, rho, seed=0):
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(n_tasks, n_texts))
    noise = rng.normal(size=(n_tasks, n_texts))
    return [(rho * q + np.sqrt(1 - rho**2) * e, q) for q, e in zip(quality, noise, strict=True)]


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_the_weights_are_the_binomials_of_the_definition(n):
    # methods.md 9: rank r has the weight C(r - 1, n - 1) / C(N, n)
    expected = [comb(rank - 1, n - 1) / comb(7, n) for rank in range(1, 8)]
    assert best_of_n_weights(7, n) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_the_expectation_is_that_over_all_subsets(n):
    rng = np.random.default_rng(3)
    scores, values = rng.normal(size=8), rng.normal(size=8)
    assert expected_best(scores, values, n) == pytest.approx(_by_enumeration(scores, values, n), abs=1e-12)


def test_texts_with_equal_scores_are_equally_likely_to_be_taken():
    values = np.array([1.0, 2.0, 6.0])
    assert expected_best(np.zeros(3), values, 2) == pytest.approx(3.0)


def test_choosing_by_quality_itself_loses_nothing():
    curve = goodhart_curve([(quality, quality) for _, quality in _tasks(20, 8, 0.5)])
    assert [point.share for point in curve.points[1:]] == pytest.approx([1.0, 1.0, 1.0])
    assert curve.area_lost == pytest.approx(0.0, abs=1e-12)
    assert curve.rho == pytest.approx(1.0)


def test_choosing_by_the_opposite_of_quality_loses_twice_of_what_there_is_where_texts_lie_evenly():
    # Evenly spaced quality: what the best of n gains the worst of n loses, so E(n) = -1 and the area is 2.
    even = np.arange(8.0)
    curve = goodhart_curve([(-even, even)] * 5)
    assert curve.area_lost == pytest.approx(2.0)
    assert curve.late_change < 0


def test_an_honest_noisy_metric_stays_on_its_regression_line():
    # methods.md 9: with rho = .6 quality gains .6 of what the metric gains. Many tasks make the sampling error small.
    curve = goodhart_curve(_tasks(1_500, 16, 0.6), n_resamples=199)
    last = curve.points[-1]
    assert curve.rho == pytest.approx(0.6, abs=0.02)
    assert last.quality == pytest.approx(last.honest, abs=0.06)
    # The expected largest of 16 standard normals is 1.766 (tables of order statistics, Harter 1961).
    assert last.metric == pytest.approx(1.766, abs=0.03)


def test_a_metric_that_turns_at_the_top_is_shown_to_be_over_optimised():
    rng = np.random.default_rng(1)
    tasks = []
    for _ in range(60):
        quality = rng.normal(size=16)
        score = quality.copy()
        score[rng.permutation(16)[:2]] = 9 + rng.normal(size=2)  # two texts that fool it
        quality[score > 6] = -2.0
        tasks.append((score, quality))
    curve = goodhart_curve(tasks)
    assert curve.late_interval.high < 0


def test_tasks_without_a_choice_are_left_out_and_counted():
    tasks = [*_tasks(6, 8, 0.5), (np.zeros(8), np.arange(8.0)), (np.arange(2.0), np.arange(2.0))]
    curve = goodhart_curve(tasks)
    assert curve.n_tasks == 6
    assert curve.n_left_out == 2


def test_too_little_to_draw_a_curve_of_is_none():
    assert goodhart_curve(_tasks(1, 8, 0.5)) is None
