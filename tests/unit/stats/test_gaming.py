import numpy as np
import pytest

from gameproof.stats.gaming import GamingSample, infer_gaming
from gameproof.stats.paired import PairedSample, infer_paired
from gameproof.stats.results import State


def _sample(*, gain=0.0, quality_gain=0.0, slope=1.0, n_tasks=40, per_task=3, noise=0.3, seed=0):
    """Make texts whose metric is slope x quality + noise, and an attack that moves both."""
    rng = np.random.default_rng(seed)
    n = n_tasks * per_task
    quality = rng.normal(size=n)
    metric = slope * quality + noise * rng.normal(size=n)
    return GamingSample(
        tasks=np.arange(n) // per_task,
        metric=metric,
        attacked_metric=metric + gain + noise * rng.normal(size=n),
        quality=quality,
        attacked_quality=quality + quality_gain + noise * rng.normal(size=n),
    )


def test_a_gain_that_quality_pays_for_is_no_gaming():
    result = infer_gaming(_sample(gain=1.0, quality_gain=1.0))
    assert result.gain_pvalue < 0.001
    assert result.gap == pytest.approx(0.0, abs=0.12)
    assert result.gamed is False


def test_a_gain_without_quality_is_gaming():
    result = infer_gaming(_sample(gain=1.0))
    assert result.gamed is True
    assert result.held is False


def test_no_gain_is_held_below_the_margin():
    result = infer_gaming(_sample(gain=0.0, noise=0.05), margin=0.1)
    assert result.gamed is False
    assert result.held is True


def test_lost_quality_widens_the_gap():
    # a = 0, q = -1 and b near 1 make a gap of about +1 in the metric's own units
    result = infer_gaming(_sample(quality_gain=-1.0))
    assert result.gap == pytest.approx(1.0, abs=0.15)
    assert result.gamed is False  # the metric did not gain, so nobody was rewarded


def test_with_constant_quality_the_gain_is_tested_as_every_paired_change_is():
    sample = _sample(gain=0.2)
    flat = GamingSample(
        tasks=sample.tasks,
        metric=sample.metric,
        attacked_metric=sample.attacked_metric,
        quality=np.zeros(sample.metric.size),
        attacked_quality=np.zeros(sample.metric.size),
    )
    paired = infer_paired(
        PairedSample(tasks=flat.tasks, original=flat.metric, variant=flat.attacked_metric), seed=5
    )
    result = infer_gaming(flat, seed=5)
    assert result.gain_pvalue == paired.zero.above
    assert result.gap_pvalue == paired.zero.above  # without quality there is no slope to allow for
    assert result.slope == 0.0


def test_a_task_is_left_out_as_a_reference_too():
    rng = np.random.default_rng(2)
    n_tasks, n_negatives = 30, 4
    tasks = np.arange(n_tasks)
    negative_tasks = (tasks[:, None] + 1 + np.arange(n_negatives)) % n_tasks
    before, after = rng.normal(size=(2, n_tasks, n_negatives))
    matched = rng.normal(size=(2, n_tasks))
    metric, attacked = matched[0] - before.mean(axis=1), matched[1] - after.mean(axis=1)
    flat = np.zeros(n_tasks)
    paired = infer_paired(
        PairedSample(
            tasks=tasks, original=metric, variant=attacked, negative_tasks=negative_tasks,
            original_negatives=before, variant_negatives=after,
        ),
        seed=1,
    )  # fmt: skip
    result = infer_gaming(
        GamingSample(
            tasks=tasks, metric=metric, attacked_metric=attacked, quality=flat, attacked_quality=flat,
            negative_tasks=negative_tasks, negatives=before, attacked_negatives=after,
        ),
        seed=1,
    )  # fmt: skip
    assert result.gain_pvalue == paired.zero.above


def test_the_interval_holds_what_the_test_does_not_reject():
    result = infer_gaming(_sample(gain=0.15, n_tasks=25), margin=0.1)
    low, high = result.gap_interval.low, result.gap_interval.high
    assert (low > 0) == (result.gap_pvalue <= 0.025)
    at_high = infer_gaming(_sample(gain=0.15, n_tasks=25), margin=high + 1e-6)
    assert at_high.gap_margin_pvalue == pytest.approx(0.025, abs=0.002)


def test_without_a_confidence_level_the_tests_are_the_same_and_there_are_no_intervals():
    sample = _sample(gain=0.2, n_tasks=25)
    whole, bare = infer_gaming(sample), infer_gaming(sample, confidence_level=None)
    assert (bare.gain_interval, bare.quality_interval, bare.gap_interval) == (None, None, None)
    assert whole.gap_interval is not None
    for name in ("gain_pvalue", "gap_pvalue", "gap_margin_pvalue", "gain", "gap", "gamed", "held"):
        assert getattr(bare, name) == getattr(whole, name)


def test_an_attack_that_moved_nothing_has_a_state():
    sample = _sample()
    same = GamingSample(
        tasks=sample.tasks, metric=sample.metric, attacked_metric=sample.metric,
        quality=sample.quality, attacked_quality=sample.quality,
    )  # fmt: skip
    result = infer_gaming(same)
    assert result.state is State.NO_CHANGE
    assert result.gamed is False
    assert result.held is True


def test_the_same_gain_of_every_text_is_decided_by_its_sign():
    sample = _sample()
    shifted = GamingSample(
        tasks=sample.tasks, metric=sample.metric, attacked_metric=sample.metric + 2,
        quality=sample.quality, attacked_quality=sample.quality,
    )  # fmt: skip
    result = infer_gaming(shifted)
    assert result.state is State.DETERMINISTIC
    assert result.gamed is True


def test_a_metric_that_is_quality_itself_has_no_gap_in_any_text():
    sample = _sample(gain=1.0)
    result = infer_gaming(
        GamingSample(
            tasks=sample.tasks, metric=sample.metric, attacked_metric=sample.attacked_metric,
            quality=sample.metric, attacked_quality=sample.attacked_metric,
        )
    )  # fmt: skip
    assert result.gap == pytest.approx(0.0, abs=1e-12)
    assert result.gamed is False
    assert result.held is True


def test_one_task_shows_nothing():
    result = infer_gaming(_sample(n_tasks=1))
    assert result.state is State.UNDEFINED
    assert result.gamed is None


@pytest.mark.slow
def test_an_honest_improvement_is_called_gaming_in_at_most_one_of_twenty():
    # 1,000 seeds at nominal 5%: 74 is the upper limit of 99.9% of what chance allows (binomial).
    rejections = sum(
        bool(infer_gaming(_sample(gain=0.5, quality_gain=0.5, seed=seed), n_resamples=999).gamed)
        for seed in range(1_000)
    )
    assert rejections <= 74
