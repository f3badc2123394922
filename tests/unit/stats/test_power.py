import numpy as np
import pytest

from gameproof.stats.power import (
    design_effect,
    detectable_effect,
    detectable_margin,
    intraclass_correlation,
    pair_correlation,
    plan_power,
    required_items,
)

# z(.95) + z(.80) = 1.644854 + 0.841621; at the first Holm step of six z(1 - .05 / 6) = 2.393980.
# n = ceil(reach^2 x 2 (1 - r) / .01), derived by hand: 6.18256 x 2 (1 - r) / .01 and 10.46892 x the same.


@pytest.mark.parametrize(("correlation", "items"), [(0.8, 248), (0.5, 619), (0.0, 1_237)])
def test_independent_items_needed_for_a_margin_of_a_tenth(correlation, items):
    assert required_items(margin=0.1, correlation=correlation, alpha=0.05, power=0.8) == items


@pytest.mark.parametrize(("correlation", "items"), [(0.8, 419), (0.5, 1_047), (0.0, 2_094)])
def test_items_needed_at_the_first_holm_step_of_six(correlation, items):
    assert required_items(margin=0.1, correlation=correlation, alpha=0.05 / 6, power=0.8) == items


# sqrt(6.18256 x 2 (1 - r) / (1600 / 2.5)): 100 tasks of 16 items, design effect 1 + 15 x .1.
@pytest.mark.parametrize(("correlation", "margin"), [(0.8, 0.062), (0.5, 0.098), (0.0, 0.139)])
def test_a_hundred_tasks_of_sixteen_items_show_these_margins(correlation, margin):
    found = detectable_margin(
        n_tasks=100, items_per_task=16, icc=0.1, correlation=correlation, alpha=0.05, power=0.8
    )
    assert found == pytest.approx(margin, abs=5e-4)


def test_clustering_inflates_the_variance():
    assert design_effect(16, 0.1) == 2.5
    assert design_effect(1, 0.9) == 1.0


def test_fewer_tasks_need_larger_effects():
    few, many = (detectable_effect(0.1, n_tasks=n, alpha=0.05, power=0.8) for n in (5, 500))
    assert few > many > 0.24


def test_two_tasks_have_a_finite_detectable_effect():
    assert np.isfinite(detectable_effect(0.1, n_tasks=2, alpha=0.05, power=0.8))


def test_intraclass_correlation_needs_repeats_tasks_and_spread():
    assert intraclass_correlation(np.arange(3.0), np.arange(3)) is None
    assert intraclass_correlation(np.arange(3.0), np.zeros(3, int)) is None
    assert intraclass_correlation(np.ones(4), np.array([0, 0, 1, 1])) is None


def test_values_that_differ_only_within_tasks_have_a_negative_intraclass_correlation():
    # MSB = 0 and MSW = 2: (0 - 2) / (0 + 2) = -1.
    assert intraclass_correlation(np.array([0.0, 2, 0, 2]), np.array([0, 0, 1, 1])) == pytest.approx(-1.0)


def test_pair_correlation_of_constant_scores_is_not_defined():
    assert pair_correlation(np.ones(3), np.arange(3.0)) is None
    assert pair_correlation(np.arange(3.0), -np.arange(3.0)) == pytest.approx(-1.0)


def test_a_pilot_is_told_how_many_tasks_it_lacks():
    original = np.arange(8.0)
    rows = plan_power(
        original=original,
        variant=original + 0.1,
        tasks=np.repeat(np.arange(4), 2),
        standard_error=0.1,
        margin=0.1,
        alphas=(0.05, 0.05 / 6),
        power=0.8,
    )
    # (2.486475 x .1 x sqrt(4) / .1)^2 = 24.73; at the Holm step (3.235601 x 2)^2 = 41.88.
    assert [row.tasks_needed for row in rows] == [25, 42]
    assert [row.items_needed for row in rows] == [50, 84]
    assert rows[0].detectable < rows[1].detectable


def test_a_pilot_without_spread_says_nothing():
    (row,) = plan_power(
        original=np.arange(4.0),
        variant=np.arange(4.0) + 1,
        tasks=np.arange(4),
        standard_error=None,
        margin=0.1,
        alphas=(0.05,),
        power=0.8,
    )
    assert row.detectable is None
    assert row.tasks_needed is None
    assert row.items_needed is None
