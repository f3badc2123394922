"""Bradley-Terry with ties and an effect of order."""

import math
import warnings

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.stats.bradley_terry import count_duels, cyclic_triads, fit_bradley_terry


def duels(rows, n_items):
    """Make duels of (first, second, first wins, second wins, ties)."""
    entries = [
        (first, second, outcome)
        for first, second, *counts in rows
        for outcome, n in zip((1, -1, 0), counts, strict=True)
        for _ in range(n)
    ]
    return count_duels(*zip(*entries, strict=True), n_items)


def test_two_items_have_the_strengths_of_their_counts():
    # By hand: with two items and no order effect the three probabilities are free, so they are the shares:
    # theta_0 - theta_1 = log(a / b), nu = t / sqrt(a b).
    fit = fit_bradley_terry(duels([(0, 1, 12, 3, 5)], 2))
    assert fit.strengths[0] - fit.strengths[1] == pytest.approx(math.log(4), abs=1e-9)
    assert fit.tie == pytest.approx(5 / 6, abs=1e-9)
    assert fit.strengths.sum() == pytest.approx(0, abs=1e-12)
    assert fit.log_likelihood == pytest.approx(
        12 * math.log(0.6) + 3 * math.log(0.15) + 5 * math.log(0.25), abs=1e-9
    )


def test_equal_items_leave_only_the_gain_of_the_first_place():
    # By hand: the same counts in both orders, 9 for the first, 4 for the second, 6 ties: log g = log(9 / 4)
    # and nu = 6 / sqrt(36).
    fit = fit_bradley_terry(duels([(0, 1, 9, 4, 6), (1, 0, 9, 4, 6)], 2), order_effect=True)
    assert fit.order_effect == pytest.approx(math.log(9 / 4), abs=1e-9)
    assert fit.tie == pytest.approx(1.0, abs=1e-9)
    assert fit.strengths == pytest.approx([0, 0], abs=1e-9)


def test_without_ties_it_is_the_model_of_bradley_and_terry():
    # By hand: a beats b 3:1, b beats c 3:1, a beats c 9:1 fits pi = 9 : 3 : 1 exactly.
    fit = fit_bradley_terry(duels([(0, 1, 3, 1, 0), (1, 2, 3, 1, 0), (0, 2, 9, 1, 0)], 3))
    assert np.diff(fit.strengths) == pytest.approx([-math.log(3)] * 2, abs=1e-9)
    assert fit.tie == 0.0


def random_duels(rng, *, n_items=6, order=0.4, tie=0.7, n=4000):
    theta = rng.normal(0, 1, n_items)
    theta -= theta.mean()
    first = rng.integers(n_items, size=n)
    second = (first + rng.integers(1, n_items, size=n)) % n_items
    weights = np.exp(
        np.stack(
            [
                theta[first] + order / 2,
                theta[second] - order / 2,
                math.log(tie) + (theta[first] + theta[second]) / 2,
            ]
        )
    )
    shares = np.cumsum(weights / weights.sum(axis=0), axis=0)
    outcome = np.array([1, -1, 0])[(rng.random(n) > shares).sum(axis=0)]
    return theta, first, second, outcome


def test_it_is_the_log_linear_model_that_a_poisson_regression_fits():
    # Counts of a multinomial given its total are Poisson counts with a free intercept for each ordered pair.
    statsmodels = pytest.importorskip("statsmodels.api")
    theta, first, second, outcome = random_duels(np.random.default_rng(1))
    counted = count_duels(first, second, outcome, len(theta))
    fit = fit_bradley_terry(counted, order_effect=True)
    rows, counts = [], []
    n_pairs = len(counted.first)
    for row, (i, j) in enumerate(zip(counted.first, counted.second, strict=True)):
        for kind in range(3):
            x = np.zeros(len(theta) + 2 + n_pairs)
            x[i] = (1.0, 0.0, 0.5)[kind]
            x[j] = (0.0, 1.0, 0.5)[kind]
            x[len(theta)] = (0.5, -0.5, 0.0)[kind]
            x[len(theta) + 1] = kind == 2
            x[len(theta) + 2 + row] = 1.0
            rows.append(x[1:])  # the first strength is 0
            counts.append(counted.counts[row, kind])
    glm = statsmodels.GLM(counts, np.array(rows), family=statsmodels.families.Poisson()).fit(tol=1e-12)
    k = len(theta) - 1
    assert fit.strengths[1:] - fit.strengths[0] == pytest.approx(glm.params[:k], abs=1e-6)
    assert fit.order_effect == pytest.approx(glm.params[k], abs=1e-6)
    assert math.log(fit.tie) == pytest.approx(glm.params[k + 1], abs=1e-6)
    assert fit.order_effect_se == pytest.approx(glm.bse[k], rel=1e-4)
    assert [fit.standard_error(i, 0) for i in range(1, k + 1)] == pytest.approx(glm.bse[:k], rel=1e-4)


def test_intervals_cover_the_strengths_that_data_were_drawn_from():
    rng, hits, n = np.random.default_rng(2), 0, 0
    for _ in range(80):
        theta, first, second, outcome = random_duels(rng, n=400)
        fit = fit_bradley_terry(count_duels(first, second, outcome, len(theta)), order_effect=True)
        wanted = [theta[i] - theta[0] for i in range(1, 6)] + [0.4]
        found = [fit.strengths[i] - fit.strengths[0] for i in range(1, 6)] + [fit.order_effect]
        errors = [fit.standard_error(i, 0) for i in range(1, 6)] + [fit.order_effect_se]
        inside = np.abs(np.array(found) - wanted) <= 1.96 * np.array(errors)
        hits, n = hits + int(inside.sum()), n + len(inside)
    # 480 intervals of 95%, six of a data set alike: four standard errors of 80 independent shares on both sides
    assert abs(hits / n - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 80)


@pytest.mark.parametrize(
    ("rows", "n_items", "reason"),
    [
        ([(0, 1, 5, 0, 0)], 2, "separated"),
        ([(0, 1, 5, 0, 3)], 2, "separated"),  # ties do not hold an item that never loses
        ([(0, 1, 2, 1, 0), (1, 2, 4, 0, 0), (0, 2, 4, 0, 0)], 3, "separated"),  # nobody loses to item 2
        ([(0, 1, 0, 0, 4)], 2, "every comparison is a tie"),
        ([(0, 1, 2, 2, 1), (2, 3, 1, 2, 1)], 4, "never compared"),
    ],
)
def test_data_without_finite_strengths_are_named(rows, n_items, reason):
    fit = fit_bradley_terry(duels(rows, n_items))
    assert reason in fit.reason
    assert np.all(np.isnan(fit.strengths))


def test_an_order_that_decides_everything_is_separated_only_where_it_is_fitted():
    always_first = duels([(0, 1, 5, 0, 0), (1, 0, 5, 0, 0)], 2)
    assert fit_bradley_terry(always_first).strengths == pytest.approx([0, 0], abs=1e-9)
    assert "separated" in fit_bradley_terry(always_first, order_effect=True).reason


def test_a_circle_of_wins_does_not_separate():
    fit = fit_bradley_terry(duels([(0, 1, 5, 0, 0), (1, 2, 5, 0, 0), (2, 0, 5, 0, 0)], 3))
    assert fit.strengths == pytest.approx([0, 0, 0], abs=1e-9)


def test_a_prior_keeps_separated_strengths_finite_and_in_order():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = fit_bradley_terry(duels([(0, 1, 9, 0, 0), (1, 2, 9, 0, 1), (0, 2, 9, 0, 0)], 3), precision=0.25)
    assert fit.reason is None
    assert fit.strengths[0] > fit.strengths[1] > fit.strengths[2]


def test_a_strong_prior_draws_strengths_together():
    rows = [(0, 1, 12, 3, 5)]
    free, tied = (fit_bradley_terry(duels(rows, 2), precision=precision) for precision in (0.0, 10.0))
    assert 0 < tied.strengths[0] < free.strengths[0]


def test_no_comparisons_have_no_strengths():
    assert fit_bradley_terry(count_duels([], [], [], 3)).reason == "no comparisons"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0, 1], [1], [1]), "one entry of each"),
        (([0], [0], [1]), "two different items"),
        (([0], [5], [1]), "two different items between 0 and 2"),
        (([0], [1], [2]), "1, -1 or 0"),
    ],
)
def test_comparisons_that_make_no_sense_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        count_duels(*columns, 3)


def test_circles_are_counted_among_triads_that_are_decided():
    # 0 > 1 > 2 > 0 is a circle; 3 loses to all, which gives three more triads without one; 4 ties with all
    wins = np.zeros((5, 5))
    for winner, loser in [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]:
        wins[winner, loser], wins[loser, winner] = 1.0, -1.0
    assert cyclic_triads(wins) == (1, 4)
    # a triad of coins is a circle in 2 of 8 cases; different triads are uncorrelated, so the standard error is
    # sqrt(.25 x .75 / 34220) = .0023
    rng = np.random.default_rng(3)
    upper = np.triu(rng.choice([-1.0, 1.0], size=(60, 60)), 1)
    circles, triads = cyclic_triads(upper - upper.T)
    assert triads == 60 * 59 * 58 / 6
    assert abs(circles / triads - 0.25) < 0.01
