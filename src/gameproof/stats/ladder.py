"""Infer how scores move along the levels of a ladder, document by document."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.stats.bootstrap import count_blocks, percentile_bounds, studentise
from gameproof.stats.leave_one_out import delete_tasks, means_without, shifts_without
from gameproof.stats.paired import ROUNDING, Sides, pseudo_values
from gameproof.stats.parity import LevelTest, level_test
from gameproof.stats.results import Interval, State
from gameproof.stats.sums import mean_by

__all__ = ["LadderResult", "LadderSample", "infer_ladder", "slope_without"]

Direction = Literal["decrease", "increase"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderSample:
    """Scores of the same items at several levels; every item has at least two."""

    tasks: IntArray  # (n,)
    levels: FloatArray  # (L,): ascending
    scores: FloatArray  # (n, L): NaN where an item has no such level
    negative_tasks: IntArray | None = None  # (n, m): -1 in unused places
    negatives: FloatArray | None = None  # (n, L, m): what was averaged and subtracted at each level


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderResult:
    """How scores move with the level. None stands where a number does not exist."""

    n: int  # items
    n_tasks: int
    slope: float | None  # mean slope for one standard deviation of the level, tasks weighted equally
    effect: float | None  # slope / standard deviation of scores (root of the mean variance over levels)
    interval: Interval | None = None  # of the effect
    standard_error: float | None = None  # of the effect
    zero: Sides | None = None
    share_right: float | None = None  # items whose slope has the expected sign, tasks weighted equally
    share_interval: Interval | None = None
    parity: LevelTest | None = None
    state: State | None = None
    detail: str | None = None


def infer_ladder(
    sample: LadderSample,
    *,
    expect: Direction,
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> LadderResult:
    """Infer the mean slope of score on level; each item has its own slope, so all compare like with like.

    Levels are standardised over the ladder. The mean slope of equally weighted tasks is tested against 0
    with pseudo-values (each task left out as a candidate and as a reference) and a studentised bootstrap,
    like any paired change. Means of levels are not compared: where items have different levels they would
    be means over different items.

    Example:
        >>> levels = np.arange(4.0)
        >>> noise = np.random.default_rng(0).normal(size=(30, 4))
        >>> sample = LadderSample(tasks=np.arange(30), levels=levels, scores=noise - levels)
        >>> result = infer_ladder(sample, expect="decrease")
        >>> result.zero.below, result.parity.rho
        (0.0001, -1.0)
    """
    weights = _slope_weights(sample)
    slopes = np.nansum(weights * sample.scores, axis=1)
    outline = _outline(sample, slopes, expect)
    if outline.state is not None:
        return outline
    means = studentise(
        pseudo_values(float(outline.slope or 0.0), _slopes_without(sample, weights, slopes))[:, None],
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed,
    )
    spread = _spread(sample)
    right = slopes > 0 if expect == "increase" else slopes < 0
    share = mean_by(sample.tasks, right.astype(np.float64))
    return LadderResult(
        n=outline.n,
        n_tasks=outline.n_tasks,
        slope=outline.slope,
        effect=outline.effect,
        interval=Interval(low=float(means.low[0]) / spread, high=float(means.high[0]) / spread)
        if spread
        else None,
        standard_error=float(means.errors[0]) / spread if spread else None,
        zero=Sides(below=float(means.below[0]), above=float(means.above[0])),
        share_right=outline.share_right,
        share_interval=_share_interval(share, n_resamples, confidence_level, seed),
        parity=outline.parity,
    )


def slope_without(sample: LadderSample, occurs: BoolArray) -> tuple[float, FloatArray]:
    """Return the standardised mean slope, and what it is without each task: (G,); NaN where scores do not vary.

    The standard deviation of the scores is that of the whole sample throughout, as in `infer_ladder`.

    Args:
        sample: The scores at each level.
        occurs: Which tasks to leave out, from `gameproof.stats.leave_one_out.occurring_tasks`.
    """
    weights = _slope_weights(sample)
    slopes = np.nansum(weights * sample.scores, axis=1)
    spread = _spread(sample) or np.nan
    slope = float(mean_by(sample.tasks, slopes).mean())
    return slope / spread, _slopes_without(sample, weights, slopes, occurs) / spread


def _slope_weights(sample: LadderSample) -> FloatArray:
    """Return what makes an item's scores its slope: (z - mean z) / sum (z - mean z)^2 over its levels."""
    levels = sample.levels
    z = (levels - levels.mean()) / levels.std()
    has = ~np.isnan(sample.scores)
    centred = np.where(has, z - (has * z).sum(axis=1, keepdims=True) / has.sum(axis=1, keepdims=True), 0.0)
    return centred / (centred**2).sum(axis=1, keepdims=True)


def _slopes_without(
    sample: LadderSample, weights: FloatArray, slopes: FloatArray, occurs: BoolArray | None = None
) -> FloatArray:
    negative_tasks, negatives = sample.negative_tasks, None
    if negative_tasks is not None and sample.negatives is not None:
        present = np.nan_to_num(sample.negatives)
        negatives = np.einsum("il,ilj->ij", weights, present)
    deletions = delete_tasks(sample.tasks, negative_tasks, occurs)
    return means_without(deletions, slopes, shifts_without(deletions, negatives))


def _outline(sample: LadderSample, slopes: FloatArray, expect: Direction) -> LadderResult:
    if not slopes.size:
        return LadderResult(
            n=0, n_tasks=0, slope=None, effect=None, state=State.UNDEFINED, detail="no item has two levels"
        )
    task_slopes = mean_by(sample.tasks, slopes)
    slope, spread = float(task_slopes.mean()), _spread(sample)
    right = slopes > 0 if expect == "increase" else slopes < 0
    share = mean_by(sample.tasks, right.astype(np.float64))
    state, detail = _state(sample, slopes, task_slopes)
    return LadderResult(
        n=slopes.size,
        n_tasks=task_slopes.size,
        slope=0.0 if state is State.NO_CHANGE else slope,
        effect=slope / spread if spread else None,
        share_right=float(share.mean()),
        parity=_parity(sample, expect),
        state=state,
        detail=detail,
    )


def _state(
    sample: LadderSample, slopes: FloatArray, task_slopes: FloatArray
) -> tuple[State | None, str | None]:
    rounding = ROUNDING * float(np.nanmax(np.abs(sample.scores)))
    if task_slopes.size < 2:
        return State.UNDEFINED, "fewer than 2 tasks"
    if float(np.abs(slopes).max()) <= rounding:
        flat = float((np.nanmax(sample.scores, axis=1) - np.nanmin(sample.scores, axis=1)).max()) <= rounding
        return State.NO_CHANGE, "every score is unchanged" if flat else "every slope is 0"
    if float(np.ptp(slopes)) <= rounding:
        return State.DETERMINISTIC, "every score moves by the same amount"
    if float(np.ptp(task_slopes)) <= rounding:
        return State.UNDEFINED, "the mean slope is the same in every task"
    return None, None


def _spread(sample: LadderSample) -> float:
    """Return the root of the mean variance over levels; 0 where scores do not vary."""
    counts = (~np.isnan(sample.scores)).sum(axis=0)
    columns = sample.scores[:, counts > 1]
    if not columns.size:
        return 0.0
    return float(np.sqrt(np.nanvar(columns, axis=0, ddof=1).mean()))


def _parity(sample: LadderSample, expect: Direction) -> LevelTest:
    has = (~np.isnan(sample.scores)).sum(axis=0) > 0
    means = np.nanmean(sample.scores[:, has], axis=0)
    return level_test(sample.levels[has], means, expect=expect)


def _share_interval(shares: FloatArray, n_resamples: int, confidence_level: float, seed: int) -> Interval:
    """Bound a mean of task shares by resampling tasks; by the binomial law where all tasks agree."""
    n_tasks = shares.size
    if float(np.ptp(shares)) == 0 and shares[0] in {0.0, 1.0}:
        edge = ((1 - confidence_level) / 2) ** (1 / n_tasks)
        return Interval(low=edge, high=1.0) if shares[0] else Interval(low=0.0, high=1.0 - edge)
    draws = np.concatenate([block @ shares for block in count_blocks(n_tasks, n_resamples, seed)]) / n_tasks
    bounds = percentile_bounds(draws[None, :], confidence_level)
    return Interval(low=float(bounds[0, 0]), high=float(bounds[1, 0]))
