"""Strengths, errors and refusals that can be checked by hand."""

import math

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.stats import bradley_terry
from gameproof.stats.bradley_terry import (
    SAME_ORDER,
    BradleyTerry,
    count_duels,
    cyclic_triads,
    fit_bradley_terry,
)


def _duels(rows, n_items):
    entries = [
        (first, second, outcome)
        for first, second, *counts in rows
        for outcome, n in zip((1, -1, 0), counts, strict=True)
        for _ in range(n)
    ]
    return count_duels(*zip(*entries, strict=True), n_items)


def test_counts_are_of_ordered_pairs():
    found = count_duels([2, 0, 2, 0, 1], [0, 2, 0, 2, 2], [1, -1, 0, 1, -1], 4)
    assert found.first.tolist() == [0, 1, 2]
    assert found.second.tolist() == [2, 2, 0]
    # first won, second won, neither
    assert found.counts.tolist() == [[1, 1, 0], [0, 1, 0], [1, 0, 1]]
    assert found.n_items == 4


def test_two_items_have_the_error_of_a_log_odds():
    # By hand: without ties theta_0 - theta_1 is a log odds, with the variance 1/12 + 1/3.
    fit = fit_bradley_terry(_duels([(0, 1, 12, 3, 0)], 2))
    assert fit.standard_error(0, 1) == pytest.approx(math.sqrt(1 / 12 + 1 / 3))
    # Strengths are half the difference each, so a quarter of its variance, and opposite.
    assert fit.covariance == pytest.approx((1 / 12 + 1 / 3) / 4 * np.array([[1, -1], [-1, 1]]))
    assert fit.strengths == pytest.approx([math.log(4) / 2, -math.log(4) / 2])
    assert fit.n == 15
    assert (fit.order_effect, fit.tie, fit.reason) == (0.0, 0.0, None)
    assert math.isnan(fit.order_effect_se)
    assert fit.log_likelihood == pytest.approx(12 * math.log(0.8) + 3 * math.log(0.2))


def test_the_error_of_the_first_place_by_hand():
    # Equal items in both orders, first wins 30, second 10: log g is the log odds of 30 to 10.
    fit = fit_bradley_terry(_duels([(0, 1, 15, 5, 0), (1, 0, 15, 5, 0)], 2), order_effect=True)
    assert fit.order_effect == pytest.approx(math.log(3))
    assert fit.order_effect_se == pytest.approx(math.sqrt(1 / 30 + 1 / 10))


def test_errors_of_differences_use_their_covariance():
    covariance = np.array([[4.0, 1.0], [1.0, 3.0]])
    fit = BradleyTerry(
        strengths=np.zeros(2), covariance=covariance, tie=0.0, order_effect=0.0, order_effect_se=math.nan,
        log_likelihood=0.0, n=1.0,
    )  # fmt: skip
    assert fit.standard_error(0, 1) == pytest.approx(math.sqrt(4 + 3 - 2))


def test_the_maximum_with_a_prior_is_where_its_slope_is_zero():
    # By hand: theta = (d/2, -d/2), log-likelihood 9 d - 12 log(1 + e^d) for 9 of 12, prior -2 (d/2)^2 precision / 2.
    precision = 0.7
    fit = fit_bradley_terry(_duels([(0, 1, 9, 3, 0)], 2), precision=precision)
    d = fit.strengths[0] - fit.strengths[1]
    # The climb stops where a step promises less than 1e-13: with a curvature near 2 at a slope of 5e-7.
    assert 9 - 12 / (1 + math.exp(-d)) - precision * d / 2 == pytest.approx(0.0, abs=1e-6)
    # The log-likelihood is told without the prior.
    assert fit.log_likelihood == pytest.approx(9 * d - 12 * math.log1p(math.exp(d)))


def test_the_prior_holds_the_order_effect_too_but_not_ties():
    # By hand: only the first place won, 6 of 6, at equal strengths: 6 - 6 sigma(g) = precision g.
    fit = fit_bradley_terry(_duels([(0, 1, 3, 0, 0), (1, 0, 3, 0, 0)], 2), order_effect=True, precision=0.5)
    g = fit.order_effect
    assert 6 - 6 / (1 + math.exp(-g)) - 0.5 * g == pytest.approx(0.0, abs=1e-6)
    # At equal strengths the share of ties is nu / (2 + nu): 8 of 12 gives 4, whatever the prior says of strengths.
    ties = fit_bradley_terry(_duels([(0, 1, 2, 2, 8)], 2), precision=5.0)
    assert ties.tie == pytest.approx(4.0)


def test_one_step_of_newton_by_hand(monkeypatch):
    # At 0 of 9 to 3 the slope in d is 9 - 6 = 3 and the curvature 12 / 4.
    monkeypatch.setattr(bradley_terry, "MAX_STEPS", 1)
    fit = fit_bradley_terry(_duels([(0, 1, 9, 3, 0)], 2))
    assert fit.strengths[0] - fit.strengths[1] == pytest.approx(1.0)


def test_what_has_no_strengths_has_no_numbers_but_its_size():
    for order_effect in (False, True):
        fit = fit_bradley_terry(_duels([(0, 1, 5, 0, 2), (1, 0, 0, 5, 0)], 2), order_effect=order_effect)
        assert (
            fit.reason == "separated: some strength is without bound, since one side of the data always wins"
        )
        assert np.isnan(fit.strengths).all()
        assert fit.covariance.shape == (2, 2)
        assert np.isnan(fit.covariance).all()
        assert all(math.isnan(x) for x in (fit.tie, fit.order_effect_se, fit.log_likelihood))
        assert math.isnan(fit.order_effect) if order_effect else fit.order_effect == 0.0
        assert fit.n == 12


@pytest.mark.parametrize(
    ("rows", "n_items", "reason"),
    [
        ([(0, 1, 0, 0, 4)], 2, "every comparison is a tie"),
        ([(0, 1, 2, 2, 1), (2, 3, 1, 2, 1)], 4, "some items are never compared, not even by way of others"),
        ([(0, 1, 2, 2, 1)], 3, "some items are never compared, not even by way of others"),
    ],
)
def test_reasons_come_before_separation(rows, n_items, reason):
    assert fit_bradley_terry(_duels(rows, n_items)).reason == reason
    assert fit_bradley_terry(_duels(rows, n_items), precision=1.0).reason == reason


def test_a_long_chain_of_comparisons_connects():
    rows = [(item + 1, item, 2, 1, 0) for item in range(7)]
    fit = fit_bradley_terry(_duels(rows, 8))
    assert fit.reason is None
    # each step up has the log odds of 2 to 1
    assert np.diff(fit.strengths) == pytest.approx([math.log(2)] * 7)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            ([0, 1], [1, 0], [1]),
            "first, second and outcomes: expected one entry of each for every comparison.",
        ),
        (
            ([0, 1], [1], [1, 0]),
            "first, second and outcomes: expected one entry of each for every comparison.",
        ),
        (([-1], [1], [1]), "first and second: expected two different items between 0 and 2."),
        (([1], [-1], [1]), "first and second: expected two different items between 0 and 2."),
        (([3], [1], [1]), "first and second: expected two different items between 0 and 2."),
        (([1], [3], [1]), "first and second: expected two different items between 0 and 2."),
        (([2], [2], [1]), "first and second: expected two different items between 0 and 2."),
        (([0], [1], [-2]), "outcomes: expected 1, -1 or 0."),
        (([0], [1], [2]), "outcomes: expected 1, -1 or 0."),
    ],
)
def test_refusals_are_told_in_full(columns, message):
    with pytest.raises(InputError) as caught:
        count_duels(*columns, 3)
    assert caught.value.message == message


def test_the_last_item_may_play():
    assert count_duels([2], [0], [0], 3).counts.tolist() == [[0, 0, 1]]


def test_two_triads_that_share_a_pair():
    # 0 > 1 > 2 > 0 and 0 > 1 > 3 > 0 are circles; 2 and 3 never met.
    wins = np.zeros((4, 4))
    for winner, loser in ((0, 1), (1, 2), (2, 0), (1, 3), (3, 0)):
        wins[winner, loser], wins[loser, winner] = 0.5, -0.5
    assert cyclic_triads(wins) == (2, 2)


def test_a_step_that_overshoots_is_halved():
    # Two ties among 2,036: the climb begins at as many ties as wins, and its first full step falls. By hand item 0 wins
    # 2 + 2 + 1,000 times, item 1 30 + 0 + 1,000.
    fit = fit_bradley_terry(_duels([(0, 1, 2, 30, 1), (1, 0, 1_000, 1_002, 1)], 2))
    assert fit.strengths[0] - fit.strengths[1] == pytest.approx(math.log(1_004 / 1_030), abs=1e-6)
    assert fit.tie == pytest.approx(2 / math.sqrt(1_004 * 1_030), rel=1e-5)


@pytest.mark.parametrize(
    ("rows", "n_items"),
    [
        ([(0, 1, 9, 4, 6)], 2),  # item 0 is always first
        ([(0, 1, 9, 4, 0), (1, 2, 5, 4, 0)], 3),  # each step down a ladder is a step of the place
        ([(0, 1, 9, 4, 2), (0, 2, 5, 4, 0), (3, 1, 5, 2, 0)], 4),  # 0 and 3 are first, 1 and 2 second
    ],
)
def test_a_place_that_stands_for_an_item_cannot_be_told_from_it(rows, n_items):
    # A gain of the place of 2 and strengths 1 lower per step give every comparison the same chances.
    told = fit_bradley_terry(_duels(rows, n_items), order_effect=True)
    assert told.reason == SAME_ORDER
    assert np.isnan(told.strengths).all()
    assert fit_bradley_terry(_duels(rows, n_items)).reason is None
    held = fit_bradley_terry(_duels(rows, n_items), order_effect=True, precision=0.01)
    assert held.reason is None
    assert np.isfinite(held.strengths).all()


def test_a_circle_of_orders_tells_the_place_from_the_items():
    # Each item is first once and second once: 9 of 13 for the first, so log g = log(9 / 4) at equal strengths.
    fit = fit_bradley_terry(_duels([(0, 1, 9, 4, 0), (1, 2, 9, 4, 0), (2, 0, 9, 4, 0)], 3), order_effect=True)
    assert fit.reason is None
    assert fit.order_effect == pytest.approx(math.log(9 / 4), abs=1e-6)
    assert fit.strengths == pytest.approx([0, 0, 0], abs=1e-6)
