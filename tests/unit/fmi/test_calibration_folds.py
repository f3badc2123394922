"""Scales fitted on other tasks: how much each fold knows, by hand."""

import math

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.fmi.calibration import (
    Implied,
    Ratios,
    Scale,
    cross_fit,
    fit_isotonic,
    fit_platt,
    fit_temperature,
    implied_information,
)
from gameproof.fmi.divergences import DIVERGENCES


def ring(n, *, mismatched_value=0.0):
    """Return the pairs of n tasks: each candidate with its own reference (1) and with the next task's (0)."""
    tasks = np.repeat(np.arange(n), 2)
    is_matched = np.tile([1.0, 0.0], n)
    ratios = Ratios(
        values=np.where(is_matched > 0, 1.0, mismatched_value),
        is_matched=is_matched,
        weights=np.full(2 * n, 1 / n),
        n_tasks=n,
    )
    return ratios, tasks, np.where(is_matched > 0, tasks, (tasks + 1) % n)


@pytest.mark.parametrize(
    ("method", "limit"),
    [
        ("isotonic", 16.0),  # one matched task against half a task of 8: 1 / (1 / 16)
        ("platt", 9.0),  # targets (n + 1)/(n + 2) and 1/(n + 2): odds n + 1
    ],
)
def test_each_scale_is_fitted_on_the_tasks_of_the_other_four_folds(method, limit):
    # 10 tasks in 5 folds: 8 tasks are left to each scale, and pairs that touch its fold are left out
    ratios, tasks, others = ring(10)
    fitted = cross_fit(ratios, candidate_tasks=tasks, reference_tasks=others, n_tasks=10, method=method)
    assert fitted.folds.tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]
    found = fitted.apply(np.tile([1.0, 0.0], 10), tasks)
    assert found == pytest.approx(np.tile([math.log(limit), -math.log(limit)], 10), abs=1e-6)
    assert fitted.of(3)(np.array([1.0])) == pytest.approx([math.log(limit)], abs=1e-6)


def test_values_of_several_tasks_are_mapped_each_with_the_scale_of_its_own():
    # task 7 alone (fold 2) is an outlier, so every scale but that of fold 2 knows it
    ratios, tasks, others = ring(10)
    values = np.where(tasks == 7, -5.0, ratios.values)
    changed = Ratios(values=values, is_matched=ratios.is_matched, weights=ratios.weights, n_tasks=10)
    fitted = cross_fit(changed, candidate_tasks=tasks, reference_tasks=others, n_tasks=10, method="platt")
    asked = np.array([3, 7, 2, 0, 7])
    found = fitted.apply(np.full(5, 1.0), asked)
    assert found.tolist() == [float(fitted.of(task)(np.array([1.0]))[0]) for task in asked]
    assert found[1] == found[2] == found[4] == pytest.approx(math.log(9.0), abs=1e-6)
    assert found[0] < found[1] - 0.1


def test_tasks_without_scores_take_no_place_in_the_folds():
    # tasks 1, 3, 5 ... have no scores: the ten that have are dealt in turn, the others keep their own numbers
    ratios, tasks, others = ring(10)
    fitted = cross_fit(
        ratios, candidate_tasks=2 * tasks, reference_tasks=2 * others, n_tasks=20, method="isotonic"
    )
    assert fitted.folds[::2].tolist() == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]
    assert fitted.of(4)(np.array([1.0])) == pytest.approx([math.log(16.0)])


def test_both_kinds_of_pairs_weigh_alike_whatever_is_left_out():
    # every support is the same, so nothing speaks for a match: r = 1 in each fold although fewer mismatched
    # pairs (6 of 10) than matched ones (8 of 10) are left
    ratios, tasks, others = ring(10, mismatched_value=1.0)
    for method in ("isotonic", "platt"):
        fitted = cross_fit(ratios, candidate_tasks=tasks, reference_tasks=others, n_tasks=10, method=method)
        assert fitted.apply(np.ones(20), tasks) == pytest.approx(np.zeros(20), abs=1e-9)


def test_ten_tasks_are_enough_and_nine_are_refused_in_full():
    ratios, tasks, others = ring(9)
    with pytest.raises(InputError) as caught:
        cross_fit(ratios, candidate_tasks=tasks, reference_tasks=others, n_tasks=30, method="platt")
    assert str(caught.value) == (
        "calibrate=platt is fitted on other tasks and needs 10 tasks with scores; this data has 9."
        "\nUse more data, or calibrate=none."
    )


def test_a_scale_is_straight_between_points_and_goes_on_as_told_beyond_them():
    points, log_ratios = np.array([1.0, 3.0]), np.array([-1.0, 2.0])
    level = Scale(points=points, log_ratios=log_ratios)
    rising = Scale(points=points, log_ratios=log_ratios, slope=2.0)
    asked = np.array([-1.0, 1.0, 2.0, 3.0, 4.0])
    assert level(asked).tolist() == [-1.0, -1.0, 0.5, 2.0, 2.0]
    assert rising(asked).tolist() == [-5.0, -1.0, 0.5, 2.0, 4.0]  # -1 - 2 x 2 and 2 + 2 x 1


def test_isotonic_pools_neighbours_that_fall():
    # support 0, 1, 2, 3: matched weights .1 .4 .3 .2, mismatched .4 .2 .2 .2; half a task of 10^9 at the ends is
    # nothing. Shares .2, .667, .6, .5 fall from the second on: pooled .9 / 1.5 = .6, so r = 1/4 and 3/2, by hand
    ratios = Ratios(
        values=np.tile(np.arange(4.0), 2),
        is_matched=np.repeat([1.0, 0.0], 4),
        weights=np.array([0.1, 0.4, 0.3, 0.2, 0.4, 0.2, 0.2, 0.2]),
        n_tasks=10**9,
    )
    found = fit_isotonic(ratios)(np.arange(4.0))
    assert found == pytest.approx(np.log([1 / 4, 3 / 2, 3 / 2, 3 / 2]), abs=1e-8)


def test_isotonic_gives_the_ends_half_a_task_of_the_other_kind():
    # 2 tasks: support 0 has .5 and .5, support 1 has .5 and .5 of each kind; a quarter is added: .75 against .5 at
    # the bottom, .5 against .75 at the top, which fall and are pooled: r = 1.25 / 1.25 = 1, by hand
    ratios = Ratios(
        values=np.tile([0.0, 1.0], 2), is_matched=np.repeat([1.0, 0.0], 2), weights=np.full(4, 0.5), n_tasks=2
    )
    assert fit_isotonic(ratios)(np.array([0.0, 1.0])) == pytest.approx([0.0, 0.0], abs=1e-12)
    # all mismatched at 0 and all matched at 1, 2 tasks: 1/4 against 1, and 1 against 1/4
    apart = Ratios(
        values=np.array([1.0, 0.0]), is_matched=np.array([1.0, 0.0]), weights=np.ones(2), n_tasks=2
    )
    assert fit_isotonic(apart)(np.array([0.0, 1.0])) == pytest.approx([-math.log(4), math.log(4)])


def test_pairs_without_weight_leave_no_point_in_the_scale():
    ratios = Ratios(
        values=np.array([1.0, 0.5, 0.0]),
        is_matched=np.array([1.0, 1.0, 0.0]),
        weights=np.array([1.0, 0.0, 1.0]),
        n_tasks=20,
    )
    assert fit_isotonic(ratios).points.tolist() == [0.0, 1.0]


def test_temperature_is_fitted_on_targets_that_keep_it_finite():
    # one matched pair at 2 and one mismatched at -2, 3 tasks: p = 4/5 at z = 2, so z / tau = log 4, by hand
    ratios = Ratios(
        values=np.array([2.0, -2.0]), is_matched=np.array([1.0, 0.0]), weights=np.ones(2), n_tasks=3
    )
    scale = fit_temperature(ratios)
    assert scale.slope == pytest.approx(math.log(2))
    assert scale(np.array([-4.0, 0.0, 1.0])) == pytest.approx([-4 * math.log(2), 0.0, math.log(2)])


def test_temperature_has_no_intercept():
    # matched at 3, mismatched at 1, 3 tasks (targets .8 and .2): the likelihood is level in a = 1/tau alone, that is
    # 3 (p(3 a) - .8) + (p(a) - .2) = 0
    ratios = Ratios(
        values=np.array([3.0, 1.0]), is_matched=np.array([1.0, 0.0]), weights=np.ones(2), n_tasks=3
    )
    scale = fit_temperature(ratios)
    p_matched, p_mismatched = (1 / (1 + math.exp(-z * scale.slope)) for z in (3.0, 1.0))
    assert 3 * (p_matched - 0.8) + (p_mismatched - 0.2) == pytest.approx(0.0, abs=1e-9)
    assert scale(np.zeros(1))[0] == 0.0


def test_platt_finds_slope_and_intercept():
    # matched at 3, mismatched at 1, 3 tasks: a 3 + b = log 4 and a 1 + b = -log 4: a = log 4, b = -2 log 4, by hand
    ratios = Ratios(
        values=np.array([3.0, 1.0]), is_matched=np.array([1.0, 0.0]), weights=np.ones(2), n_tasks=3
    )
    scale = fit_platt(ratios)
    assert scale.slope == pytest.approx(math.log(4))
    assert scale(np.array([0.0, 2.0, 5.0])) == pytest.approx(np.array([-2.0, 0.0, 3.0]) * math.log(4))


def test_the_unit_of_support_does_not_matter_to_platt():
    rng = np.random.default_rng(3)
    values, is_matched = rng.normal(size=60) + np.tile([1.0, 0.0], 30), np.tile([1.0, 0.0], 30)
    weights = np.full(60, 1 / 30)
    small, large = (
        fit_platt(Ratios(values=unit * values, is_matched=is_matched, weights=weights, n_tasks=30))(
            unit * values
        )
        for unit in (1e-6, 1e6)
    )
    assert small == pytest.approx(large, abs=1e-6)
    assert np.ptp(small) > 1.0


def test_support_that_differs_by_rounding_alone_is_no_evidence():
    # 40 pairs whose support differs in the ninth digit: the curvature is zero to rounding, steps never get small,
    # and the fit ends all the same
    values = 1 + 1e-9 * np.random.default_rng(2).normal(size=40)
    ratios = Ratios(
        values=values, is_matched=np.tile([1.0, 0.0], 20), weights=np.full(40, 1 / 20), n_tasks=20
    )
    assert fit_platt(ratios)(values) == pytest.approx(np.zeros(40), abs=1e-3)


def test_a_support_that_is_far_out_on_the_right_side_does_not_overflow():
    # three of four pairs at +-1 are on their side: r = 3 at 1, so the logit of the pair at -2000 is about -2200
    values = np.array([1.0, -1.0, 1.0, -1.0, -2000.0])
    is_matched = np.array([1.0, 1.0, 0.0, 0.0, 0.0])
    weights = np.array([0.75, 0.25, 0.25, 0.75 - 1e-9, 1e-9])
    scale = fit_temperature(Ratios(values=values, is_matched=is_matched, weights=weights, n_tasks=10**9))
    assert scale(np.array([1.0])) == pytest.approx([math.log(3)], abs=1e-4)


def test_no_support_at_all_gives_a_ratio_of_one():
    ratios = Ratios(values=np.zeros(4), is_matched=np.tile([1.0, 0.0], 2), weights=np.full(4, 0.5), n_tasks=2)
    for fit in (fit_platt, fit_temperature):
        assert fit(ratios)(np.array([0.0, 1.0])).tolist() == [0.0, 0.0]


def test_implied_information_of_two_pairs():
    # KL, one matched pair with r = 4 and one mismatched with r = 1/2: direct log 4; variational 1 + log 4 - 1/2
    pair, kinds = np.log([4.0, 0.5]), np.array([1.0, 0.0])
    found = implied_information(DIVERGENCES["KL"], pair, kinds, np.ones(2))
    assert found.direct == pytest.approx(math.log(4))
    assert found.variational == pytest.approx(1 + math.log(4) - 0.5)
    assert found.gap == pytest.approx(-0.5)
    assert found.divergence == "KL"
    # CHI2: direct r - 1 = 3; variational 2 (r - 1) - (v + v^2 / 4) at v = 2 (1/2 - 1) = -1: 6 + 3/4
    chi2 = implied_information(DIVERGENCES["CHI2"], pair, kinds, np.ones(2))
    assert (chi2.direct, chi2.variational) == (pytest.approx(3.0), pytest.approx(6.75))


def test_implied_information_of_reverse_kl_takes_ratios_below_an_eighth():
    # joint form -(log r)/r at r = 1/16: 16 log 16; critic -1/r = -16, f*(-1/4) = -1 - log(1/4) at r = 4
    found = implied_information(DIVERGENCES["RKL"], np.log([1 / 16, 4.0]), np.array([1.0, 0.0]), np.ones(2))
    assert found.direct == pytest.approx(16 * math.log(16))
    assert found.variational == pytest.approx(-16 - (-1 + math.log(4)))


def test_ratios_are_cut_at_twenty_nats_on_both_sides():
    kl, kinds = DIVERGENCES["KL"], np.array([1.0, 0.0])
    beyond = implied_information(kl, np.array([50.0, -50.0]), kinds, np.ones(2))
    assert beyond.direct == 20.0
    assert implied_information(kl, np.array([-50.0, 0.0]), kinds, np.ones(2)).direct == -20.0
    assert beyond.variational == pytest.approx(21.0 - math.exp(-20.0), abs=1e-12)


def test_the_gap_is_direct_minus_variational():
    assert Implied(divergence="TV", direct=0.5, variational=0.75).gap == -0.25
