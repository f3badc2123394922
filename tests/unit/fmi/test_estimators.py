"""The two estimators on plain arrays."""

import math

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.fmi.divergences import CHI2, DIVERGENCES, H2, JS, KL, RKL, TV
from gameproof.fmi.estimators import direct, optimal_critic, variational


def test_direct_kl_is_the_log_ratio_and_is_never_cut():
    scored = direct(KL, np.array([-800.0, 0.0, 800.0]))
    assert scored.values.tolist() == [-800.0, 0.0, 800.0]
    assert scored.n_clipped == 0


def test_direct_tv_is_zero_when_the_ratio_is_one_or_less():
    assert direct(TV, np.log([0.01, 0.5, 1.0])).values.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("divergence", [TV, CHI2, H2, JS])
def test_a_ratio_beyond_the_exponent_limit_is_cut_and_counted(divergence):
    scored = direct(divergence, np.array([-800.0, -20.0, 3.0, 20.0, 800.0]))
    assert scored.n_clipped == 2
    assert np.all(np.isfinite(scored.values))
    assert scored.values[0] == scored.values[1]
    assert scored.values[4] == scored.values[3]


def test_the_exponent_limit_can_be_set():
    assert direct(CHI2, np.array([5.0]), limit=2.0).values[0] == pytest.approx(math.e**2 - 1)


def test_total_variation_critic_has_no_exp_and_so_is_never_cut():
    critic = optimal_critic(TV, np.array([-800.0, 0.0, 800.0]))
    assert critic.values.tolist() == [-0.5, 0.0, 0.5]
    assert critic.n_clipped == 0


def test_kl_critic_is_cut_before_its_conjugate_overflows():
    critic = optimal_critic(KL, np.array([800.0]))
    assert critic.values.tolist() == [21.0]  # 1 + log r, log r cut to 20
    assert critic.n_clipped == 1


def test_reverse_kl_has_a_monotone_form_on_the_seven_point_scale():
    scores = direct(RKL, np.log([1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8])).values
    assert np.all(np.diff(scores) > 0)


def test_reverse_kl_below_one_eighth_asks_for_the_joint_form():
    with pytest.raises(InputError, match=r"no monotone direct score for ratios below 0\.125") as caught:
        direct(RKL, np.log([0.1, 4.0]))
    assert "form=joint" in str(caught.value)


def test_reverse_kl_joint_form_takes_any_ratio():
    # -(log r)/r at r = 1/10, by hand: 10 log 10
    assert direct(RKL, np.log([0.1]), form="joint").values[0] == pytest.approx(10 * math.log(10))


@pytest.mark.parametrize("symbol", [symbol for symbol in DIVERGENCES if symbol != "KL"])
def test_the_joint_form_scores_a_contradicted_reference_above_an_unrelated_one(symbol):
    # the trap of f(r)/r: it has its minimum at r = 1, not at r = 0
    contradicted, unrelated = direct(DIVERGENCES[symbol], np.log([1 / 8, 1.0]), form="joint").values
    assert contradicted > unrelated


def test_variational_kl_averages_the_ratios_not_their_logs():
    matched, negatives = 1 + np.log([8.0]), 1 + np.log([[1 / 8, 8.0]])
    # 1 + log 8 - (1/8 + 8)/2, by hand
    assert variational(KL, matched, negatives)[0] == pytest.approx(1 + math.log(8) - 4.0625)


def test_variational_tv_is_the_difference_of_mean_critics():
    matched, negatives = np.array([0.5, -0.5]), np.array([[0.5, -0.5, -0.5, -0.5], [0.5, 0.5, 0.5, 0.5]])
    assert variational(TV, matched, negatives).tolist() == [0.75, -1.0]


def test_variational_tv_cuts_a_critic_that_is_too_sure_in_both_terms():
    assert variational(TV, np.array([3.0]), np.array([[3.0]]))[0] == 0.0
    assert variational(TV, np.array([-3.0]), np.array([[-3.0]]))[0] == 0.0  # -1/2 and -1/2


def test_the_joint_form_counts_what_was_cut_too():
    scored = direct(TV, np.array([-30.0, 0.0, 25.0]), form="joint")
    assert scored.n_clipped == 2
    # |1 - 1/r| / 2 at r = e^20, 1 and e^-20
    assert scored.values[1:] == pytest.approx([0.0, (1 - math.exp(-20)) / 2])


def test_the_refusal_of_reverse_kl_is_told_in_full():
    with pytest.raises(InputError) as caught:
        direct(RKL, np.log([0.1, 4.0]))
    assert str(caught.value) == (
        "RKL has no monotone direct score for ratios below 0.125; the smallest here is 0.1."
        "\nUse form=joint, or a predictor whose ratios stay on the seven-point scale 1/8 .. 8."
    )
