import numpy as np
import pytest

from gameproof.stats.effect_difference import infer_effect_difference
from gameproof.stats.ladder import LadderSample
from gameproof.stats.paired import PairedSample
from gameproof.stats.results import State

TASKS = np.repeat(np.arange(40), 3)


def pairs(loss, seed=0, noise=0.2):
    rng = np.random.default_rng(seed)
    original = rng.normal(size=TASKS.size)
    return PairedSample(
        tasks=TASKS, original=original, variant=original - loss + noise * rng.normal(size=TASKS.size)
    )


def ladder(slope, seed=0):
    rng = np.random.default_rng(seed)
    levels = np.arange(4.0)
    return LadderSample(tasks=TASKS, levels=levels, scores=rng.normal(size=(TASKS.size, 4)) + slope * levels)


def test_a_measurement_does_not_differ_from_itself():
    for sample in (pairs(0.3), ladder(0.3)):
        found = infer_effect_difference(sample, sample)

        assert (found.difference, found.state, found.pvalue) == (0.0, State.NO_CHANGE, None)


def test_the_difference_is_second_minus_first_whatever_the_unit():
    found = infer_effect_difference(pairs(0.1), pairs(0.9))
    scaled = pairs(0.9)
    scaled = PairedSample(tasks=TASKS, original=1_000 * scaled.original, variant=1_000 * scaled.variant)
    other = infer_effect_difference(pairs(0.1), scaled)

    assert found.difference == pytest.approx(
        found.second - found.first, abs=0.02
    )  # but for the bias of few tasks
    assert found.interval.low < found.difference < found.interval.high < 0
    assert found.pvalue == pytest.approx(0.0002)  # 2 / (9,999 + 1): no resample reaches it
    assert (other.difference, other.pvalue) == (pytest.approx(found.difference), found.pvalue)


def test_turned_round_the_difference_has_the_other_sign():
    one, two = pairs(0.1), pairs(0.4, seed=3)
    there, back = infer_effect_difference(one, two), infer_effect_difference(two, one)

    assert there.difference == pytest.approx(-back.difference)
    assert there.interval.low == pytest.approx(-back.interval.high, abs=0.01)  # other resamples


def test_slopes_are_compared_like_effects():
    found = infer_effect_difference(ladder(-0.1), ladder(-0.8, seed=1))

    assert found.difference < 0
    assert found.interval.high < 0


def test_no_pair_and_a_single_task_have_no_difference():
    empty = PairedSample(tasks=TASKS[:0], original=np.empty(0), variant=np.empty(0))
    one = PairedSample(
        tasks=np.zeros(5, dtype=np.int64), original=np.arange(5.0), variant=np.arange(5.0) ** 2
    )

    assert infer_effect_difference(empty, empty).detail == "no pair of scores"
    assert infer_effect_difference(one, one).detail == "fewer than 2 tasks"


def test_scores_without_spread_have_no_difference():
    flat = PairedSample(tasks=TASKS, original=np.ones(TASKS.size), variant=np.ones(TASKS.size))

    assert infer_effect_difference(pairs(0.1), flat).detail == "scores do not vary"


def test_the_level_holds_where_nothing_differs():
    # 300 null worlds: two noisy measurements of one loss; a .05 test rejects 15 +- 3.8 of them, at most 26 with p > .998
    rejected = 0
    for seed in range(300):
        one, two = pairs(0.3, seed=seed, noise=0.5), pairs(0.3, seed=seed, noise=0.5)
        noisy = PairedSample(
            tasks=TASKS,
            original=two.original,
            variant=two.original - 0.3 + 0.5 * np.random.default_rng(10_000 + seed).normal(size=TASKS.size),
        )
        rejected += infer_effect_difference(one, noisy, n_resamples=499).pvalue <= 0.05
    assert 5 <= rejected <= 26
