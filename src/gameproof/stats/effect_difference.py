"""Infer how an effect differs between two measurements of the same items, tasks as the unit that was sampled."""

from dataclasses import dataclass

import numpy as np

from gameproof.records import BoolArray, FloatArray
from gameproof.stats.bootstrap import studentise
from gameproof.stats.ladder import LadderSample, slope_without
from gameproof.stats.leave_one_out import occurring_tasks
from gameproof.stats.paired import ROUNDING, PairedSample, effect_without, pseudo_values
from gameproof.stats.results import Interval, State

__all__ = ["EffectDifference", "infer_effect_difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectDifference:
    """The second effect minus the first. None stands where a number does not exist."""

    first: float | None
    second: float | None
    difference: float | None  # the mean of the pseudo-values: corrected for the bias of either effect
    interval: Interval | None = None
    pvalue: float | None = None  # of "no difference", two-sided
    state: State | None = None
    detail: str | None = None


def infer_effect_difference(
    first: PairedSample | LadderSample,
    second: PairedSample | LadderSample,
    *,
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> EffectDifference:
    """Infer d2 - d1, two standardised effects on the same items, for example of a metric before and after a change.

    theta = d2 - d1 gets pseudo-values psi_g = G theta - (G - 1) theta_without_g, task g left out of both as a
    candidate and as a reference, and their studentised bootstrap (`gameproof.stats.bootstrap.studentise`): the
    recipe of every single effect. The difference is the mean of psi, the jackknife's estimate: with few tasks, or
    negatives from few tasks, either effect is biased, and the plain difference may lie outside its own interval. The
    two-sided p-value is twice the smaller one-sided one.

    Args:
        first: Pairs, or a ladder.
        second: The same kind of sample of the same items; tasks are numbered alike.
        n_resamples: Of the bootstrap.
        confidence_level: Of the two-sided interval.
        seed: As in `gameproof.stats.paired.infer_paired`.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> original, noise = rng.normal(size=60), 0.1 * rng.normal(size=60)
        >>> tasks = np.arange(60) // 2
        >>> weak, strong = (
        ...     PairedSample(tasks=tasks, original=original, variant=original - loss + noise) for loss in (0.1, 0.9)
        ... )
        >>> infer_effect_difference(weak, strong).pvalue
        0.0002
    """
    if not first.tasks.size or not second.tasks.size:
        return _undefined("no pair of scores")
    occurs = _union(_occurring(first), _occurring(second))
    if int(occurs.sum()) < 2:
        return _undefined("fewer than 2 tasks")
    one, ones = _without(first, occurs)
    two, twos = _without(second, occurs)
    if not np.isfinite([one, two]).all():
        return _undefined("scores do not vary")
    difference = two - one
    psi = pseudo_values(difference, twos - ones)
    if bool(np.isfinite(psi).all()) and float(np.abs(psi).max()) <= ROUNDING:
        return EffectDifference(first=one, second=two, difference=0.0, state=State.NO_CHANGE)
    means = studentise(psi[:, None], n_resamples=n_resamples, confidence_level=confidence_level, seed=seed)
    below, above = float(means.below[0]), float(means.above[0])
    if np.isnan(below):
        return EffectDifference(
            first=one,
            second=two,
            difference=difference,
            state=State.DETERMINISTIC,
            detail="the same in every task",
        )
    return EffectDifference(
        first=one,
        second=two,
        difference=float(means.means[0]),
        interval=Interval(low=float(means.low[0]), high=float(means.high[0])),
        pvalue=min(1.0, 2 * min(below, above)),
    )


def _undefined(detail: str) -> EffectDifference:
    return EffectDifference(first=None, second=None, difference=None, state=State.UNDEFINED, detail=detail)


def _without(sample: PairedSample | LadderSample, occurs: BoolArray) -> tuple[float, FloatArray]:
    if isinstance(sample, LadderSample):
        return slope_without(sample, occurs)
    return effect_without(sample, occurs)


def _occurring(sample: PairedSample | LadderSample) -> BoolArray:
    return occurring_tasks(sample.tasks, sample.negative_tasks)


def _union(one: BoolArray, two: BoolArray) -> BoolArray:
    occurs = np.zeros(max(one.size, two.size), dtype=np.bool_)
    occurs[: one.size] |= one
    occurs[: two.size] |= two
    return occurs
