import numpy as np
import pytest

from gameproof.stats.parity import level_test, paired_t, share_of_orders


def test_three_pairs_by_hand():
    # Changes .5, .5, 1: mean 2/3, variance 1/12. Originals 1, 2, 3 have the variance 1,
    # variants 1.5, 2.5, 4 have 19/12: s_av^2 = 31/24. t(2) at .975 is 4.302653 (tables).
    found = paired_t(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 4.0]), confidence_level=0.95)
    s_average, s_change = np.sqrt(31 / 24), np.sqrt(1 / 12)
    assert found.n == 3
    assert found.effect == pytest.approx(2 / 3 / s_average)
    assert found.effect_original == pytest.approx(2 / 3)
    assert found.effect_change == pytest.approx(2 / 3 / s_change)
    assert found.statistic == pytest.approx(4.0)
    assert found.half_width == pytest.approx(4.302653 * s_change / np.sqrt(3) / s_average, rel=1e-6)
    # P(T(2) > t) = (1 - t / sqrt(2 + t^2)) / 2
    assert found.pvalue_greater == pytest.approx((1 - 4 / np.sqrt(18)) / 2)
    assert found.pvalue_less == pytest.approx((1 + 4 / np.sqrt(18)) / 2)
    assert found.pvalue == pytest.approx(1 - 4 / np.sqrt(18))
    assert found.interval.low == pytest.approx(found.effect - found.half_width)
    assert found.interval.high == pytest.approx(found.effect + found.half_width)


def test_a_loss_has_the_pvalue_of_the_same_gain():
    one, two = np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 4.0])
    gain, loss = paired_t(one, two, confidence_level=0.9), paired_t(two, one, confidence_level=0.9)
    assert loss.pvalue == pytest.approx(gain.pvalue)
    assert loss.pvalue_less == pytest.approx(gain.pvalue_greater)


def test_no_change_on_average_has_a_pvalue_of_one():
    found = paired_t(np.array([1.0, 2.0]), np.array([2.0, 1.0]), confidence_level=0.95)
    assert (found.statistic, found.pvalue) == (0.0, 1.0)


def test_a_single_pair_has_a_change_and_nothing_else():
    found = paired_t(np.array([1.0]), np.array([3.0]), confidence_level=0.95)
    assert (found.n, found.mean_change) == (1, 2.0)
    assert (found.effect, found.effect_original, found.statistic, found.interval) == (None,) * 4


def test_two_pairs_are_enough_for_t():
    # Changes 1 and 3: mean 2, sd sqrt(2), t = 2 / (sqrt(2) / sqrt(2)) = 2; P(T(1) > 2) = 1/2 - atan(2) / pi.
    found = paired_t(np.array([0.0, 1.0]), np.array([1.0, 4.0]), confidence_level=0.95)
    assert found.statistic == pytest.approx(2.0)
    assert found.pvalue_greater == pytest.approx(0.5 - np.arctan(2) / np.pi)


def test_the_same_change_of_every_score_has_an_effect_and_no_t():
    # Originals .1, .2, .3 have the sd .1; the changes differ by rounding only.
    found = paired_t(np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6]), confidence_level=0.95)
    assert found.effect == pytest.approx(3.0)
    assert found.effect_original == pytest.approx(3.0)
    assert (found.effect_change, found.half_width, found.statistic, found.interval) == (None,) * 4
    assert (found.pvalue, found.pvalue_less, found.pvalue_greater) == (None,) * 3


@pytest.mark.parametrize("swap", [False, True])
def test_rounding_is_measured_against_the_larger_side(swap):
    # A change that varies by 1e-5 is none beside scores of a million, whichever side they are on.
    small, large = np.zeros(3), np.array([1e6, 1e6, 1e6 + 1e-5])
    one, two = (large, small) if swap else (small, large)
    assert paired_t(one, two, confidence_level=0.95).statistic is None


def test_constant_originals_have_no_effect_in_their_own_unit():
    # Variants 1, 2, 3 have the variance 1, the originals 0: s_av^2 = 1/2, and the mean change is 2.
    found = paired_t(np.zeros(3), np.array([1.0, 2.0, 3.0]), confidence_level=0.95)
    assert found.effect == pytest.approx(2 / np.sqrt(0.5))
    assert found.effect_original is None


def test_constant_scores_have_no_effect():
    found = paired_t(np.zeros(3), np.ones(3), confidence_level=0.95)
    assert (found.effect, found.effect_original, found.mean_change) == (None, None, 1.0)


@pytest.mark.parametrize(
    ("n_levels", "low", "high", "share"),
    [
        (4, -1.0, -0.4, 9 / 24),  # methods.md: the audience test
        (6, -1.0, -0.4, 151 / 720),  # the distractor test
        (3, 1.0, 1.0, 1 / 6),  # the one ascending order
        (3, -1.0, -0.5, 3 / 6),  # by hand: rho is 1, .5, .5, -.5, -.5, -1
        (3, 0.5, 1.0, 3 / 6),
        (7, -1.0, 1.0, 1.0),
        (2, -1.0, 1.0, None),
        (8, -1.0, 1.0, None),
    ],
)
def test_the_share_of_orders_that_give_a_rho(n_levels, low, high, share):
    found = share_of_orders(n_levels, low=low, high=high)
    assert found == (None if share is None else pytest.approx(share))


def test_three_levels_have_a_rho_and_two_tell_their_sign():
    # Ranks 3, 1, 2: rho = 1 - 6 (4 + 1 + 1) / 24 = -.5.
    falling = level_test(np.arange(3.0), np.array([0.9, 0.5, 0.6]), expect="decrease")
    assert (falling.rho, falling.rho_detail, falling.match_rate) == (-0.5, None, 0.5)
    two = level_test(np.arange(2.0), np.array([0.9, 0.5]), expect="decrease")
    assert (two.rho, two.match_rate) == (None, 1.0)
    assert two.rho_detail == "two levels: the papers' rho is only the sign of the step, -1"


def test_one_level_has_no_step():
    found = level_test(np.zeros(1), np.ones(1), expect="stable")
    assert (found.rho, found.rho_detail, found.match_rate) == (None, "fewer than 2 levels", None)


@pytest.mark.parametrize(
    ("means", "rate"),
    [
        # 5% of the baseline 2 is .1: a step of .09 is stable, one of .11 is not.
        ([2.0, 2.09, 2.2], 0.5),
        ([-2.0, -2.09, -2.2], 0.5),
        # .15 is less than 5% of the level before, but the first level is the baseline.
        ([2.0, 4.0, 4.15], 0.0),
    ],
)
def test_a_stable_step_is_smaller_than_a_twentieth_of_the_baseline(means, rate):
    assert level_test(np.arange(3.0), np.array(means), expect="stable").match_rate == rate


def test_a_rise_counts_only_for_an_expected_rise():
    means = np.array([0.1, 0.2, 0.2, 0.4])
    assert level_test(np.arange(4.0), means, expect="increase").match_rate == pytest.approx(2 / 3)
    assert level_test(np.arange(4.0), means, expect="decrease").match_rate == 0.0
