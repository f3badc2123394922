"""Every number of a plan by hand."""

import numpy as np
import pytest
from scipy import stats

from gameproof.stats.power import (
    detectable_effect,
    detectable_margin,
    intraclass_correlation,
    pair_correlation,
    plan_power,
    required_items,
)

ORIGINAL = np.array([1.0, 2.0, 4.0, 3.0, 6.0, 5.0])
VARIANT = ORIGINAL + np.array([0.0, 1.0, 1.0, 2.0, 3.0, 5.0])
TASKS = np.array([4, 4, 7, 7, 9, 9])


def _plan(**changes):
    arguments = {
        "original": ORIGINAL, "variant": VARIANT, "tasks": TASKS, "standard_error": 0.2, "margin": 0.5,
        "alphas": (0.05,), "power": 0.8,
    } | changes  # fmt: skip
    return plan_power(**arguments)


def test_a_plan_tells_what_the_pilot_is_like():
    (row,) = _plan()
    # Changes (0, 1), (1, 2), (3, 5): MSB = 2 (1.5^2 + .5^2 + 2^2) / 2 = 6.5, MSW = (.5 + .5 + 2) / 3 = 1:
    # (6.5 - 1) / (6.5 + 1).
    assert row.icc == pytest.approx(5.5 / 7.5)
    assert row.design_effect == pytest.approx(1 + 5.5 / 7.5)
    assert (row.alpha, row.n_tasks, row.items_per_task) == (0.05, 3, 2.0)
    assert row.pair_correlation == pytest.approx(stats.pearsonr(ORIGINAL, VARIANT).statistic)


def test_a_plan_tells_how_many_tasks_and_items_the_margin_needs():
    (row,) = _plan()
    # (2.486475 x .2 x sqrt(3) / .5)^2 = 2.967 tasks of two items.
    assert (row.tasks_needed, row.items_needed) == (3, 6)
    assert row.detectable == pytest.approx(detectable_effect(0.2, n_tasks=3, alpha=0.05, power=0.8))
    # At .3 it is 6.677.
    (other,) = _plan(standard_error=0.3)
    assert (other.tasks_needed, other.items_needed) == (7, 14)


def test_two_tasks_are_always_needed():
    (row,) = _plan(standard_error=1e-6)
    assert (row.tasks_needed, row.items_needed) == (2, 4)


def test_a_part_of_an_item_is_a_whole_one():
    # 5 items of 3 tasks: 3 tasks are 5 items, 7 are 11.67.
    kept = slice(0, 5)
    (row,) = _plan(original=ORIGINAL[kept], variant=VARIANT[kept], tasks=TASKS[kept], standard_error=0.3)
    assert row.items_per_task == pytest.approx(5 / 3)
    assert (row.tasks_needed, row.items_needed) == (7, 12)


def test_every_level_has_a_row_of_its_own():
    rows = _plan(alphas=(0.05, 0.01), standard_error=0.3)
    assert [row.alpha for row in rows] == [0.05, 0.01]
    # (3.167969 x .3 x sqrt(3) / .5)^2 = 10.84
    assert [row.tasks_needed for row in rows] == [7, 11]


def test_one_task_shows_nothing_and_two_show_something():
    (one,) = _plan(tasks=np.zeros(6, int))
    assert (one.detectable, one.tasks_needed, one.items_needed, one.icc) == (None,) * 4
    assert one.design_effect == 1.0
    (two,) = _plan(tasks=np.repeat([0, 1], 3))
    assert two.detectable is not None


def test_tasks_that_make_changes_less_alike_do_not_deflate():
    # Changes 0, 2 in both tasks: the intraclass correlation is -1 and counts as 0.
    original = np.arange(4.0)
    (row,) = _plan(
        original=original, variant=original + np.array([0.0, 2, 0, 2]), tasks=np.array([0, 0, 1, 1])
    )
    assert row.icc == pytest.approx(-1.0)
    assert row.design_effect == 1.0


def test_a_plan_without_a_standard_error_still_describes_the_pilot():
    (row,) = _plan(standard_error=None)
    assert (row.detectable, row.tasks_needed, row.items_needed) == (None,) * 3
    assert row.icc == pytest.approx(5.5 / 7.5)


def test_an_effect_that_is_expected_uses_up_the_margin():
    # Half of the margin is used up: four times the items, 4 x 247.3 = 989.2.
    assert required_items(margin=0.1, correlation=0.8, alpha=0.05, power=0.8, effect=0.05) == 990
    assert required_items(margin=0.1, correlation=0.8, alpha=0.05, power=0.8, effect=-0.1) == 62


def test_a_margin_of_unclustered_items_is_that_of_their_number():
    # sqrt(6.18256 x 2 x .2 / 100)
    found = detectable_margin(n_tasks=100, items_per_task=1, icc=0.5, correlation=0.8, alpha=0.05, power=0.8)
    assert found == pytest.approx(np.sqrt(6.18256 * 0.4 / 100), rel=1e-5)


def test_the_detectable_effect_is_found_by_the_test_with_its_power():
    for n_tasks in (3, 12):
        effect = detectable_effect(0.3, n_tasks=n_tasks, alpha=0.05, power=0.8)
        critical = stats.t.ppf(0.95, n_tasks - 1)
        # scipy's noncentral t
        assert stats.nct.sf(critical, n_tasks - 1, effect / 0.3) == pytest.approx(0.8, abs=1e-6)


def test_intraclass_correlation_of_unequal_tasks():
    # Tasks (1, 3), (2, 4, 6), (9): MSB by hand with the mean 25/6, k0 = (6 - 14/6) / 2.
    values, tasks = np.array([1.0, 3, 2, 4, 6, 9]), np.array([0, 0, 1, 1, 1, 2])
    between = (2 * (2 - 25 / 6) ** 2 + 3 * (4 - 25 / 6) ** 2 + (9 - 25 / 6) ** 2) / 2
    within = (2 + 8) / 3
    size = (6 - 14 / 6) / 2
    expected = (between - within) / (between + (size - 1) * within)
    assert intraclass_correlation(values, tasks) == pytest.approx(expected)
    assert intraclass_correlation(values, tasks * 10 + 3) == pytest.approx(expected)


def test_intraclass_correlation_needs_two_tasks_and_one_repeat():
    assert intraclass_correlation(np.array([1.0, 2, 4]), np.array([0, 0, 1])) is not None
    assert intraclass_correlation(np.array([1.0, 2, 4]), np.array([0, 1, 2])) is None
    assert intraclass_correlation(np.array([1.0, 2, 4]), np.array([0, 0, 0])) is None


def test_pair_correlation_is_pearsons_and_needs_both_spreads():
    # scipy's
    expected = stats.pearsonr(ORIGINAL, VARIANT).statistic
    assert pair_correlation(ORIGINAL, VARIANT) == pytest.approx(expected)
    assert pair_correlation(10 * ORIGINAL, VARIANT) == pytest.approx(expected)
    assert pair_correlation(ORIGINAL, np.ones(6)) is None
    assert pair_correlation(0.01 * ORIGINAL, 0.01 * VARIANT) == pytest.approx(expected)
