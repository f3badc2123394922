"""Differences of effects by loops that measure anew without each task, and their edges."""

import numpy as np
import pytest

from gameproof.stats.bootstrap import studentise
from gameproof.stats.effect_difference import infer_effect_difference
from gameproof.stats.ladder import LadderSample
from gameproof.stats.paired import PairedSample
from gameproof.stats.results import State

TASKS = np.array([0, 0, 1, 2, 2, 3, 4, 5, 5])
RNG = np.random.default_rng(3)
ORIGINAL = RNG.normal(size=9)
WEAK, STRONG = (ORIGINAL - loss + 0.4 * RNG.normal(size=9) for loss in (0.1, 0.8))
BOOTSTRAP = {"n_resamples": 499, "confidence_level": 0.9, "seed": 3}


def _pairs(variant, original=ORIGINAL, tasks=TASKS):
    return PairedSample(tasks=tasks, original=original, variant=variant)


def _effect(variant, kept):
    moves = variant - ORIGINAL
    change = np.mean([moves[kept & (task == TASKS)].mean() for task in np.unique(TASKS[kept])])
    return change / np.sqrt((variant[kept].var(ddof=1) + ORIGINAL[kept].var(ddof=1)) / 2)


def test_the_difference_is_the_mean_of_pseudo_values_with_their_bootstrap():
    everything = np.full(9, fill_value=True)
    one, two = _effect(WEAK, everything), _effect(STRONG, everything)
    psi = np.array([
        6 * (two - one) - 5 * (_effect(STRONG, task != TASKS) - _effect(WEAK, task != TASKS)) for task in range(6)
    ])  # fmt: skip
    means = studentise(psi[:, None], **BOOTSTRAP)

    found = infer_effect_difference(_pairs(WEAK), _pairs(STRONG), **BOOTSTRAP)

    assert (found.first, found.second) == pytest.approx((one, two))
    assert found.difference == pytest.approx(psi.mean())
    assert (found.interval.low, found.interval.high) == pytest.approx((means.low[0], means.high[0]))
    assert found.pvalue == pytest.approx(2 * min(means.below[0], means.above[0]))
    assert (found.state, found.detail) == (None, None)


def test_a_two_sided_pvalue_is_at_most_one():
    # Mirrored moves: the difference is near 0, where twice a half may exceed 1.
    rng = np.random.default_rng(0)
    pvalues = [
        infer_effect_difference(
            _pairs(ORIGINAL + rng.normal(size=9)),
            _pairs(ORIGINAL + rng.normal(size=9)),
            n_resamples=19,
            seed=seed,
        ).pvalue
        for seed in range(30)
    ]
    assert max(pvalues) <= 1.0
    assert min(pvalues) >= 2 / 20


def test_nothing_on_either_side_and_one_task_are_undefined():
    empty = _pairs(np.empty(0), np.empty(0), TASKS[:0])
    for pair in ((empty, _pairs(WEAK)), (_pairs(WEAK), empty)):
        found = infer_effect_difference(*pair)
        assert (found.first, found.second, found.difference) == (None, None, None)
        assert (found.state, found.detail) == (State.UNDEFINED, "no pair of scores")
    one = _pairs(WEAK, tasks=np.zeros(9, int))
    assert infer_effect_difference(one, one).detail == "fewer than 2 tasks"
    two = [_pairs(variant, tasks=np.repeat([0, 1], [4, 5])) for variant in (WEAK, STRONG)]
    assert infer_effect_difference(*two).pvalue is not None


@pytest.mark.parametrize("place", [0, 1])
def test_a_side_without_spread_leaves_no_difference(place):
    sides = [_pairs(WEAK), _pairs(np.ones(9), np.ones(9))]
    found = infer_effect_difference(*(sides[place], sides[1 - place]))
    assert (found.state, found.detail) == (State.UNDEFINED, "scores do not vary")


def test_the_same_measurement_twice_has_no_difference():
    found = infer_effect_difference(_pairs(WEAK), _pairs(10 * WEAK, 10 * ORIGINAL))
    assert (found.difference, found.state, found.pvalue, found.interval) == (0.0, State.NO_CHANGE, None, None)
    assert found.first == pytest.approx(found.second)


def test_two_tasks_of_one_pair_leave_no_effect_to_compare():
    # Without one of two pairs a single score is left, whose spread does not exist.
    two = [_pairs(np.array([1.0, 3.0]) * k, np.array([0.0, 1.0]), np.array([0, 1])) for k in (1, 2)]
    found = infer_effect_difference(*two)
    assert (found.state, found.detail) == (State.DETERMINISTIC, "the same in every task")
    assert found.difference == pytest.approx(found.second - found.first)


def test_samples_of_different_tasks_are_left_out_together():
    # The second lacks the last task; both orders give the same difference with the other sign.
    kept = TASKS < 5
    short = _pairs(STRONG[kept], ORIGINAL[kept], TASKS[kept])
    there, back = (
        infer_effect_difference(*pair, **BOOTSTRAP) for pair in ((_pairs(WEAK), short), (short, _pairs(WEAK)))
    )
    assert there.difference == pytest.approx(-back.difference)
    assert there.first == pytest.approx(back.second)


def test_ladders_are_compared_by_their_slopes_per_standard_deviation():
    levels = np.arange(3.0)
    one, two = (
        LadderSample(tasks=TASKS, levels=levels, scores=ORIGINAL[:, None] + slope * levels + noise)
        for slope, noise in ((-0.1, 0.1 * RNG.normal(size=(9, 3))), (-0.9, 0.1 * RNG.normal(size=(9, 3))))
    )
    found = infer_effect_difference(one, two, **BOOTSTRAP)
    assert found.second < found.first < 0.5
    assert found.interval.high < 0
