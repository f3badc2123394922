"""The one recipe of methods.md 6.1, written as loops that score anew without each task."""

import numpy as np
import pytest

from gameproof.stats.bootstrap import studentise
from gameproof.stats.paired import (
    PairedSample,
    changes_together,
    effect_without,
    infer_combination,
    infer_paired,
)
from gameproof.stats.results import State

TASKS = np.array([0, 0, 1, 1, 1, 2, 3, 3, 4, 5, 6, 6])
RNG = np.random.default_rng(12)
MATCHED = RNG.normal(size=12)
MOVED = MATCHED + 0.3 + 0.4 * RNG.normal(size=12)
# Three negatives of other tasks each; task 7 has references only.
DRAWN = np.array([[(task + step) % 8 for step in (1, 2, 4)] for task in TASKS])
BEFORE, AFTER = RNG.normal(size=(12, 3)), RNG.normal(size=(12, 3))
BOOTSTRAP = {"n_resamples": 499, "confidence_level": 0.9, "seed": 3}


def _scores(matched, negatives, without):
    """Score the items of other tasks against the negatives that are left."""
    kept = np.flatnonzero(without != TASKS)
    return kept, np.array([matched[i] - negatives[i][DRAWN[i] != without].mean() for i in kept])


def _change(before, after, tasks):
    return float(np.mean([(after - before)[tasks == task].mean() for task in np.unique(tasks)]))


def _s_av(before, after):
    return float(np.sqrt((before.var(ddof=1) + after.var(ddof=1)) / 2))


def _parts(without=None):
    """Return the change and s_av, with all tasks or without one."""
    kept, before = _scores(MATCHED, BEFORE, -2 if without is None else without)
    _, after = _scores(MOVED, AFTER, -2 if without is None else without)
    return _change(before, after, TASKS[kept]), _s_av(before, after)


def _psi(theta):
    whole = theta(*_parts())
    return np.array([8 * whole - 7 * theta(*_parts(task)) for task in range(8)])


def _sample(scale=1.0):
    return PairedSample(
        tasks=TASKS,
        original=MATCHED - BEFORE.mean(axis=1),
        variant=scale * (MOVED - AFTER.mean(axis=1)),
        negative_tasks=DRAWN,
        original_negatives=BEFORE,
        variant_negatives=scale * AFTER,
    )


def test_a_contrastive_change_is_inferred_from_its_pseudo_values():
    thetas = [
        lambda change, _: change,
        lambda change, spread: change / spread,
        lambda change, spread: change - 0.2 * spread,
        lambda change, spread: change + 0.1 * spread,
    ]
    means = studentise(np.stack([_psi(theta) for theta in thetas], axis=1), **BOOTSTRAP)

    found = infer_paired(_sample(), margins=(0.2, -0.1), **BOOTSTRAP)

    change, spread = _parts()
    assert (found.n, found.n_tasks, found.state, found.detail) == (12, 7, None, None)
    assert found.change == pytest.approx(change)
    assert found.effect == pytest.approx(change / spread)
    assert found.effect_original == pytest.approx(change / _sample().original.std(ddof=1))
    assert (found.zero.below, found.zero.above) == (means.below[0], means.above[0])
    assert found.standard_error == pytest.approx(means.errors[1])
    assert found.interval.low == pytest.approx(means.low[1])
    assert found.interval.high == pytest.approx(means.high[1])
    assert list(found.margins) == [0.2, -0.1]
    for place, sides in enumerate(found.margins.values(), start=2):
        assert (sides.below, sides.above) == (means.below[place], means.above[place])


def test_the_effect_without_each_task_is_that_of_scoring_again():
    whole, without = effect_without(_sample(), np.ones(8, bool))
    expected = [_parts(task) for task in range(8)]
    assert whole == pytest.approx(_parts()[0] / _parts()[1])
    assert without == pytest.approx([change / spread for change, spread in expected])


def test_an_exchange_rate_is_inferred_from_the_sum_of_pseudo_values():
    psi = _psi(lambda change, _: change)
    # The second sample is a plain one of the same items, without references: nothing but its items is left out.
    plain = PairedSample(tasks=TASKS, original=MATCHED, variant=MATCHED - 1 + 0.1 * MOVED)
    moves = plain.variant - plain.original

    def of_plain(kept):
        return float(np.mean([moves[kept & (task == TASKS)].mean() for task in np.unique(TASKS[kept])]))

    everything = of_plain(np.full(12, fill_value=True))
    other = np.array([8 * everything - 7 * of_plain(task != TASKS) for task in range(8)])
    means = studentise((2 * psi - 0.5 * other)[:, None], **BOOTSTRAP)

    found = infer_combination([(2.0, _sample()), (-0.5, plain)], **BOOTSTRAP)

    assert found.value == pytest.approx(2 * _parts()[0] - 0.5 * everything)
    assert (found.zero.below, found.zero.above) == (means.below[0], means.above[0])
    assert found.interval.low == pytest.approx(means.low[0])
    assert found.interval.high == pytest.approx(means.high[0])
    assert (found.state, found.detail) == (None, None)


def test_samples_agree_on_which_tasks_are_left_out():
    # Task 7 occurs in the references of the first alone; the second is not changed by leaving it out.
    plain = PairedSample(tasks=TASKS, original=MATCHED, variant=MOVED)
    (_, first), (change, second) = changes_together([_sample(), plain])
    assert first.size == second.size == 8
    assert second[7] == pytest.approx(change)


def _few(original, variant, tasks):
    return PairedSample(
        tasks=np.asarray(tasks), original=np.asarray(original, float), variant=np.asarray(variant, float)
    )


def test_an_exchange_rate_needs_two_tasks_in_every_sample():
    two, one = _few([1, 2], [2, 4], [0, 1]), _few([1, 2], [2, 4], [0, 0])
    for pair in ((two, one), (one, two)):
        found = infer_combination([(1.0, each) for each in pair])
        assert (found.value, found.state, found.detail) == (None, State.UNDEFINED, "fewer than 2 tasks")
    assert infer_combination([(1.0, two), (1.0, two)]).value == pytest.approx(3.0)


def test_an_exchange_rate_that_is_the_same_in_every_task_keeps_its_value():
    gain, loss = _few([1, 2, 3], [2, 3, 4], [0, 1, 2]), _few([1, 2, 3], [0, 1, 2], [0, 1, 2])
    found = infer_combination([(1.0, gain), (0.25, loss)])
    assert (found.value, found.state, found.detail) == (0.75, State.DETERMINISTIC, "the same in every task")
    assert (found.interval, found.zero) == (None, None)


def test_changes_that_cancel_in_every_task_have_no_sign():
    # A third of one change less the same change divided by three: 0 in every task but for rounding, so no p-value of either side.
    whole = _few(MATCHED, MOVED, TASKS)
    half = _few(MATCHED, MATCHED + (MOVED - MATCHED) / 3, TASKS)
    found = infer_combination([(1.0, half), (-1 / 3, whole)])
    assert (found.state, found.zero, found.interval) == (State.NO_CHANGE, None, None)


def test_a_value_is_nothing_only_beside_the_largest_score():
    # .1 + .2 - .3 of scores near 1 is a rounding error; 1e-6 of scores near 1 is not.
    def moved(by):
        return _few([1, 2, 3], np.array([1.0, 2, 3]) + by, [0, 1, 2])

    nothing = infer_combination([(1.0, moved(0.1)), (1.0, moved(0.2)), (1.0, moved(-0.3))])
    assert nothing.state is State.NO_CHANGE
    assert infer_combination([(1.0, moved(0.1)), (1.0, moved(-0.1 + 1e-6))]).state is State.DETERMINISTIC


@pytest.mark.parametrize("swap", [False, True])
@pytest.mark.parametrize(
    ("far", "state"),
    [
        ([1e6, 1e6, 1e6 + 1e-5], State.DETERMINISTIC),
        ([1e6, 1e6, 1e6 + 1e-3], None),
    ],
)
def test_rounding_is_measured_against_the_larger_side(far, state, swap):
    # Changes of a million that vary by 1e-5, a share of 1e-11, are equal; 1e-3, a share of 1e-9, is not.
    sides = ([0, 0, 0], far)
    found = infer_paired(_few(*(sides[::-1] if swap else sides), [0, 1, 2]))
    assert found.state is state


def test_an_unchanged_score_has_a_change_of_exactly_zero():
    found = infer_paired(_few([0.3, 0.6, 0.9], [0.1 + 0.2, 0.6, 0.9], [0, 1, 2]))
    assert (found.state, found.change, found.detail) == (State.NO_CHANGE, 0.0, "every score is unchanged")
    assert found.sign_flip_pvalue is None
    assert found.parity is not None


def test_means_of_tasks_that_agree_but_for_rounding_are_the_same():
    # Task 0 moves by .1 and .2, task 1 by .3 and 0: both by .15.
    found = infer_paired(_few([0, 0, 0, 0], [0.1, 0.2, 0.3, 0], [0, 0, 1, 1]))
    assert (found.state, found.detail) == (State.UNDEFINED, "the mean change is the same in every task")


def test_states_are_told_in_full():
    for variant, tasks, detail in (
        ([2, 4], [0, 0], "fewer than 2 tasks"),
        ([2, 3], [0, 1], "every score moves by the same amount"),
    ):
        assert infer_paired(_few([1, 2], variant, tasks)).detail == detail
    assert infer_paired(_few([], [], np.zeros(0, int))).detail == "no pair of scores"


def test_two_tasks_have_the_sign_flip_of_two_values():
    # Changes 1 and 2: of the sums 3, 1, -1, -3 two are as extreme.
    assert infer_paired(_few([0, 1], [1, 3], [0, 1])).sign_flip_pvalue == 0.5


def test_a_single_pair_has_a_change_and_no_effect():
    found = infer_paired(_few([1], [3], [0]))
    assert (found.n, found.n_tasks, found.change) == (1, 1, 2.0)
    assert (found.effect, found.effect_original, found.sign_flip_pvalue) == (None, None, None)


def test_nothing_has_no_numbers():
    found = infer_paired(_few([], [], np.zeros(0, int)))
    assert (found.n, found.n_tasks, found.change, found.effect, found.effect_original) == (
        0,
        0,
        None,
        None,
        None,
    )


def test_constant_originals_leave_the_effect_by_both_sides():
    # Variants 1, 2, 3: s_av^2 = (0 + 1) / 2, mean change 2.
    found = infer_paired(_few([0, 0, 0], [1, 2, 3], [0, 1, 2]))
    assert found.effect == pytest.approx(2 / np.sqrt(0.5))
    assert found.effect_original is None


def test_a_spread_that_is_rounding_is_none():
    # Originals of a million that differ by 1e-5 have no spread of their own.
    found = infer_paired(_few([1e6, 1e6, 1e6 + 1e-5], [1, 2, 4], [0, 1, 2]))
    assert found.effect_original is None


def test_two_single_items_leave_too_little_for_a_margin_and_say_so_only_where_nothing_is_left():
    found = infer_paired(_few([0, 1], [1, 3], [0, 1]), margins=(0.1,))
    assert (found.state, found.detail, found.standard_error, found.interval) == (None, None, None, None)
    # Each item has references of the other task alone: without a task nothing is left at all.
    sample = PairedSample(
        tasks=np.array([0, 1]), original=np.array([0.0, 1.0]), variant=np.array([1.0, 3.0]),
        negative_tasks=np.array([[1], [0]]), original_negatives=np.zeros((2, 1)),
        variant_negatives=np.zeros((2, 1)),
    )  # fmt: skip
    nothing = infer_paired(sample, margins=(0.1,))
    assert nothing.zero is None
    assert (nothing.state, nothing.detail) == (
        State.UNDEFINED, "too few scores are left when a task is left out",
    )  # fmt: skip
    assert nothing.sign_flip_pvalue == 0.5
    assert nothing.change == pytest.approx(1.5)
