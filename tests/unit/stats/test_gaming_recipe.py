"""The gaming gap by loops that measure anew without each task, and what has no gap."""

from dataclasses import replace

import numpy as np
import pytest

from gameproof.stats.bootstrap import studentise
from gameproof.stats.gaming import GamingResult, GamingSample, infer_gaming
from gameproof.stats.results import State

TASKS = np.array([0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5])
RNG = np.random.default_rng(5)
MATCHED = RNG.normal(size=12)
ATTACKED = MATCHED + 0.8 + 0.3 * RNG.normal(size=12)
QUALITY = MATCHED + 0.5 * RNG.normal(size=12)
ATTACKED_QUALITY = QUALITY + 0.2 + 0.3 * RNG.normal(size=12)
# References of other tasks; a place may be unused, and task 6 is a reference only.
DRAWN = np.array([[(task + step) % 7 for step in (1, 2, 3)] for task in TASKS])
DRAWN[::3, 2] = -1
BEFORE, AFTER = RNG.normal(size=(12, 3)), RNG.normal(size=(12, 3))
BOOTSTRAP = {"n_resamples": 499, "confidence_level": 0.9, "seed": 3}


def _score(matched, negatives, i, without=-2):
    left = (DRAWN[i] >= 0) & (DRAWN[i] != without)
    return matched[i] - negatives[i][left].mean()


def _sample():
    return GamingSample(
        tasks=TASKS,
        metric=np.array([_score(MATCHED, BEFORE, i) for i in range(12)]),
        attacked_metric=np.array([_score(ATTACKED, AFTER, i) for i in range(12)]),
        quality=QUALITY,
        attacked_quality=ATTACKED_QUALITY,
        negative_tasks=DRAWN,
        negatives=BEFORE,
        attacked_negatives=AFTER,
    )


def _measured(without=-2, *, within=True):
    """Return the change, the gap in the metric's units, both spreads, the change of quality and the slope."""
    kept = np.flatnonzero(without != TASKS)
    tasks = TASKS[kept]
    metric = np.array([_score(MATCHED, BEFORE, i, without) for i in kept])
    attacked = np.array([_score(ATTACKED, AFTER, i, without) for i in kept])

    def centred(values):
        means = [values[tasks == task].mean() if within else values.mean() for task in tasks]
        return values - np.array(means)

    def mean_of_tasks(values):
        return float(np.mean([values[tasks == task].mean() for task in np.unique(tasks)]))

    slope = float(centred(metric) @ centred(QUALITY[kept]) / (centred(QUALITY[kept]) ** 2).sum())
    change = mean_of_tasks(attacked - metric)
    quality_change = mean_of_tasks(ATTACKED_QUALITY[kept] - QUALITY[kept])
    return {
        "change": change,
        "gap": change - slope * quality_change,
        "metric_sd": metric.std(ddof=1),
        "quality_change": quality_change,
        "quality_sd": QUALITY[kept].std(ddof=1),
        "slope": slope,
    }


def _psi(name):
    return np.array([7 * _measured()[name] - 6 * _measured(task)[name] for task in range(7)])


def test_gain_and_gap_are_the_recipe_written_as_loops():
    # methods.md 9: a = gain / sd, q = quality gain / sd, b the within-task slope, gap = a - b q.
    whole = _measured()
    change, gap, spread = _psi("change"), _psi("gap"), _psi("metric_sd")
    means = studentise(np.stack([change, gap, gap - 0.25 * spread], axis=1), **BOOTSTRAP)

    found = infer_gaming(_sample(), margin=0.25, **BOOTSTRAP)

    assert (found.n, found.n_tasks, found.slope_within, found.margin) == (12, 6, True, 0.25)
    assert found.gain == pytest.approx(whole["change"] / whole["metric_sd"])
    assert found.quality_gain == pytest.approx(whole["quality_change"] / whole["quality_sd"])
    assert found.slope == pytest.approx(whole["slope"] * whole["quality_sd"] / whole["metric_sd"])
    assert found.gap == pytest.approx(found.gain - found.slope * found.quality_gain)
    assert found.gain_pvalue == means.above[0]
    assert found.gap_pvalue == means.above[1]
    assert found.gap_margin_pvalue == means.below[2]
    assert (found.state, found.detail) == (None, None)


@pytest.mark.parametrize(
    ("interval", "change", "spread"),
    [
        ("gain_interval", "change", "metric_sd"),
        ("gap_interval", "gap", "metric_sd"),
        ("quality_interval", "quality_change", "quality_sd"),
    ],
)
def test_an_interval_ends_where_the_test_begins_to_reject(interval, change, spread):
    # 5% on either side; the ends are looked for to within 16 standard errors / 16^3.
    found = getattr(infer_gaming(_sample(), **BOOTSTRAP), interval)
    psi, scale = _psi(change), _psi(spread)
    error = np.std(psi - psi.mean() / scale.mean() * scale, ddof=1) / np.sqrt(7) / scale.mean()
    step = 16 * error / 16**3
    inside, outside = (
        studentise(
            np.stack(
                [psi - (found.low - way * step) * scale, psi - (found.high + way * step) * scale], axis=1
            ),
            **BOOTSTRAP,
        )
        for way in (-0.1, 1.1)
    )
    assert inside.above[0] > 0.05 >= outside.above[0]
    assert inside.below[1] > 0.05 >= outside.below[1]
    assert found.low < psi.mean() / scale.mean() < found.high


def test_two_tasks_bound_nothing():
    # Half of the resamples of two tasks have no spread, so no size is ever rejected.
    sample = replace(_plain(MATCHED, ATTACKED, QUALITY, ATTACKED_QUALITY), tasks=np.repeat([0, 1], 6))
    found = infer_gaming(sample)
    assert (found.gain_interval.low, found.gain_interval.high) == (-np.inf, np.inf)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_an_interval_of_few_tasks_does_not_reach_beyond_a_zero_that_the_test_rejects(way):
    # Tasks change by 1, 1.1, 1.2 and 1.3: t = 1.15 / .0645 = 17.8, and no resample with spread has more than 5 (one
    # 1.2 and three 1.3), so p is the share of those without spread on the far side: 2 of 4^4. One task holds nearly
    # all of the standard deviation: change - m x sd is noise, and alone would reject no m at all.
    tasks = np.repeat(np.arange(4), 2)
    metric = np.array([-1.0, 1, -1, 1, -1, 1, -20, 20])
    change = way * np.repeat([1.0, 1.1, 1.2, 1.3], 2)
    found = infer_gaming(_plain(metric, metric + change, np.zeros(8), np.zeros(8), tasks))
    low, high = sorted([0.0, way * np.inf])
    for interval in (found.gain_interval, found.gap_interval):
        assert (interval.low, interval.high) == (low, high)
    pvalue = found.gap_pvalue if way > 0 else 1 - found.gap_pvalue
    assert pvalue == pytest.approx(2 / 256, abs=0.003)  # 9,999 resamples: 3.4 standard errors
    assert found.gamed is (way > 0)


def _plain(metric, attacked, quality, attacked_quality, tasks=TASKS):
    metric, attacked, quality, attacked_quality = (
        np.asarray(part, float) for part in (metric, attacked, quality, attacked_quality)
    )
    return GamingSample(
        tasks=np.asarray(tasks), metric=metric, attacked_metric=attacked, quality=quality,
        attacked_quality=attacked_quality,
    )  # fmt: skip


def test_tasks_of_one_text_share_a_slope_over_all_texts():
    metric, quality = np.array([1.0, 3.0, 2.0, 6.0]), np.array([0.0, 1.0, 2.0, 3.0])
    attacked = np.array([2.0, 5.0, 2.5, 7.0])
    found = infer_gaming(_plain(metric, attacked, quality, quality + 1, np.arange(4)))
    # By hand: the slope is (-1.5 x -2 - .5 x 0 + .5 x -1 + 1.5 x 3) / 5 = 1.4; in standard deviations times
    # sqrt(5/3) / sqrt(14/3).
    assert found.slope_within is False
    assert found.slope == pytest.approx(1.4 * np.sqrt(5 / 14))
    # The change is (1 + 2 + .5 + 1) / 4 = 1.125, the quality's 1: 1.125 - 1.4.
    assert found.gap == pytest.approx(-0.275 / np.sqrt(14 / 3))


def test_one_task_has_no_numbers_and_two_have():
    one = infer_gaming(_plain(MATCHED, ATTACKED, QUALITY, ATTACKED_QUALITY, np.zeros(12, int)))
    assert (one.n, one.n_tasks, one.state, one.detail) == (12, 1, State.UNDEFINED, "fewer than 2 tasks")
    assert (one.gain, one.gap, one.gamed, one.held) == (None,) * 4
    two = infer_gaming(_plain(MATCHED, ATTACKED, QUALITY, ATTACKED_QUALITY, np.repeat([3, 8], 6)))
    assert (two.n_tasks, two.slope_within) == (2, True)
    assert two.gain_pvalue is not None


def test_an_unmoved_metric_still_tells_what_quality_did():
    found = infer_gaming(_plain(MATCHED, MATCHED, QUALITY, ATTACKED_QUALITY))
    assert (found.state, found.detail) == (State.NO_CHANGE, "no attack raised any score")
    assert found.gain == 0.0
    assert found.quality_gain == pytest.approx(_measured()["quality_change"] / QUALITY.std(ddof=1))
    assert (found.gain_pvalue, found.gap_pvalue) == (None, None)
    assert (found.gamed, found.held) == (False, True)


@pytest.mark.parametrize(("metric", "attacked"), [(0.0, 1e6), (1e6, 0.0)])
def test_rounding_is_measured_against_the_larger_side(metric, attacked):
    wobble = np.linspace(0, 1e-5, 12)
    found = infer_gaming(_plain(np.full(12, metric), attacked + wobble * (attacked > 0), QUALITY, QUALITY))
    # All originals are 0 or 1e6: the attack moves them all, so this is no unchanged score.
    assert found.state is not State.NO_CHANGE
    unchanged = infer_gaming(_plain(1e6 + wobble, np.full(12, 1e6), QUALITY, QUALITY))
    assert unchanged.state is State.NO_CHANGE


def test_originals_with_one_score_have_a_gain_without_a_unit():
    found = infer_gaming(_plain(np.full(12, 0.5), ATTACKED + 2, QUALITY, QUALITY))
    assert found.detail == "the originals all have the same score, so that sizes have no unit"
    assert (found.gain, found.gap, found.slope, found.gap_margin_pvalue) == (None,) * 4
    assert (found.gain_interval, found.gap_interval) == (None, None)
    assert found.gain_pvalue < 0.01
    assert found.gap_pvalue == found.gain_pvalue  # the slope of a constant metric is 0
    assert found.gamed is True
    assert found.held is None


def test_originals_with_one_score_that_all_gain_the_same_are_undefined():
    found = infer_gaming(_plain(np.full(12, 0.5), np.full(12, 0.75), QUALITY, QUALITY))
    assert found.state is State.UNDEFINED
    assert found.detail == "the originals all have the same score, so that sizes have no unit"
    assert (found.gamed, found.held) == (None, None)


def test_constant_quality_has_no_gain_and_no_slope():
    found = infer_gaming(_plain(MATCHED, ATTACKED, np.ones(12), np.ones(12)))
    assert (found.quality_gain, found.slope) == (None, 0.0)
    assert found.quality_interval is None
    assert found.gap == pytest.approx(found.gain)


@pytest.mark.parametrize(
    ("by", "gamed", "detail"),
    [(2.0, True, "every text gains the same"), (-2.0, False, "every text loses the same")],
)
def test_the_same_move_of_every_text_is_decided_by_its_sign(by, gamed, detail):
    found = infer_gaming(_plain(MATCHED, MATCHED + by, QUALITY, QUALITY))
    assert (found.state, found.detail) == (State.DETERMINISTIC, detail)
    assert found.gain == pytest.approx(by / MATCHED.std(ddof=1))
    assert found.gamed is gamed
    assert found.held is not gamed  # a gap of -1.9 lies below the margin, one of +1.9 does not


def test_a_gap_that_is_the_same_in_every_task_is_named_with_its_size():
    # The metric is quality itself plus .5 after the attack: slope 1 and a gap of .5 in every text.
    found = infer_gaming(_plain(QUALITY, ATTACKED_QUALITY + 0.5, QUALITY, ATTACKED_QUALITY))
    assert found.state is State.DETERMINISTIC
    assert found.detail == "the gap is the same in every task: 0.5 of the metric's own units"
    assert found.gamed is True


RESULT = GamingResult(
    n=2, n_tasks=2, gain=1.0, gain_interval=None, gain_pvalue=0.05, quality_gain=None, quality_interval=None,
    slope=0.0, slope_within=True, gap=1.0, gap_interval=None, gap_pvalue=0.05, gap_margin_pvalue=0.05, margin=0.1,
)  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "gamed", "held"),
    [
        ({}, True, True),  # methods.md 9: both shown at .05
        ({"gain_pvalue": 0.051}, False, True),
        ({"gap_pvalue": 0.051}, False, True),
        ({"gap_margin_pvalue": 0.051}, True, False),
        ({"gain_pvalue": None}, None, True),
        ({"gap_pvalue": None}, None, True),
        ({"gap_margin_pvalue": None}, True, None),
        ({"state": State.NO_CHANGE}, False, True),
        ({"state": State.DETERMINISTIC}, True, False),
        ({"state": State.DETERMINISTIC, "gain": -1.0}, False, False),
        ({"state": State.DETERMINISTIC, "gap": -1.0}, False, True),
        ({"state": State.DETERMINISTIC, "gap": 0.05}, True, True),
        ({"state": State.DETERMINISTIC, "gap": 0.1}, True, False),
        ({"state": State.DETERMINISTIC, "gap": 0.0}, False, True),
        ({"state": State.DETERMINISTIC, "gain": 0.0}, False, False),
        ({"state": State.DETERMINISTIC, "gap": None}, False, True),
        ({"state": State.DETERMINISTIC, "gain": None}, False, False),
    ],
)
def test_what_is_shown_decides(changes, gamed, held):
    result = replace(RESULT, **changes)
    assert result.gamed is gamed
    assert result.held is held


def test_an_item_whose_last_reference_is_left_out_drops_out():
    # Items of task 0 have references of task 1 alone: without task 1 only task 2 is left, which moves by 3.
    # Without task 0: tasks 1 and 2 move by 2 and 3; without task 2: tasks 0 and 1 by 1 and 2.
    sample = GamingSample(
        tasks=np.array([0, 1, 2]),
        metric=np.array([0.0, 1.0, 3.0]),
        attacked_metric=np.array([1.0, 3.0, 6.0]),
        quality=np.zeros(3),
        attacked_quality=np.zeros(3),
        negative_tasks=np.array([[1, -1], [0, 2], [0, 0]]),
        negatives=np.zeros((3, 2)),
        attacked_negatives=np.zeros((3, 2)),
    )
    # Item 2 has references of task 0 alone: without task 0 it drops out too, and task 1 moves by 2.
    psi = 3 * 2.0 - 2 * np.array([2.0, 3.0, 1.5])
    expected = studentise(psi[:, None], n_resamples=199, confidence_level=0.95, seed=0)
    assert infer_gaming(sample, n_resamples=199).gain_pvalue == expected.above[0]
