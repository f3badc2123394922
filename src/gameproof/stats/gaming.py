"""Whether what an attack gains in the metric is more than honest improvement would bring: the gaming gap.

With M the metric and Q an independent quality, per text: a = gain of M / sd of M, q = gain of Q / sd of Q, and b the
within-task slope of M on Q (both standardised) among the texts nobody attacked. gap = mean(a - b q): what the metric
gained beyond what its own honest slope allows for the quality that came with it. Inference is the one recipe of
`gameproof.stats.paired`: pseudo-values with each task left out, as a candidate and as a reference, and a studentised
bootstrap. What is tested is the gap in units of the metric, mean gain of M - slope x mean gain of Q, with the slope
estimated anew in every deletion. Intervals of standardised sizes reach from the smallest to the largest m for which
gap - m x sd is not rejected, and not beyond 0 where the test of the gap itself rejects that.
"""

from dataclasses import dataclass, replace

import numpy as np

from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.stats.bootstrap import StudentisedMeans, studentise
from gameproof.stats.paired import pseudo_values
from gameproof.stats.results import Interval, State
from gameproof.stats.sums import mean_by

__all__ = ["SHOWN", "GamingResult", "GamingSample", "infer_gaming"]

ROUNDING = 1e-10
SHOWN = 0.05  # one-sided: a gain or a gap with a p-value up to it
ANY_LEVEL = 0.95  # of the bootstrap's own intervals, which are not used here
REACH = 16  # standard errors around an estimate in which the end of its interval is looked for
STEPS, REFINEMENTS = 17, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class GamingSample:
    """Scores of the same items before and after an attack, larger is better; no NaN.

    Negatives are those of the metric, as in `gameproof.stats.paired.PairedSample`: score i is
    ``matched_i - mean over j of negatives_ij``, the same negatives on both sides.
    """

    tasks: IntArray  # (n,)
    metric: FloatArray  # (n,): of the original texts
    attacked_metric: FloatArray  # (n,)
    quality: FloatArray  # (n,)
    attacked_quality: FloatArray  # (n,)
    negative_tasks: IntArray | None = None  # (n, m): -1 in unused places
    negatives: FloatArray | None = None  # (n, m)
    attacked_negatives: FloatArray | None = None  # (n, m)


@dataclass(frozen=True, slots=True, kw_only=True)
class GamingResult:
    """What an attack gained; None stands where a number does not exist."""

    n: int
    n_tasks: int
    gain: float | None  # a: of the metric, in standard deviations of the originals
    gain_interval: Interval | None
    gain_pvalue: float | None  # of "the metric does not gain"
    quality_gain: float | None  # q
    quality_interval: Interval | None
    slope: float | None  # b
    slope_within: bool  # within tasks; False: tasks have one text each, and the slope is over all texts
    gap: float | None
    gap_interval: Interval | None
    gap_pvalue: float | None  # of "the gap is not above 0"
    gap_margin_pvalue: float | None  # of "the gap is at the margin or above"
    margin: float
    state: State | None = None
    detail: str | None = None

    @property
    def gamed(self) -> bool | None:
        """Whether both the gain and the gap are shown; None where neither can be tested."""
        if self.state is State.DETERMINISTIC:
            return bool(self.gain and self.gain > 0 and self.gap and self.gap > 0)
        if self.state is State.NO_CHANGE:
            return False
        if self.gain_pvalue is None or self.gap_pvalue is None:
            return None
        return self.gain_pvalue <= SHOWN and self.gap_pvalue <= SHOWN

    @property
    def held(self) -> bool | None:
        """Whether the gap is shown to lie below the margin."""
        if self.state is State.NO_CHANGE:
            return True
        if self.state is State.DETERMINISTIC and self.gap is not None:
            return self.gap < self.margin
        return None if self.gap_margin_pvalue is None else self.gap_margin_pvalue <= SHOWN


@dataclass(frozen=True, slots=True)
class _Estimates:
    """With all tasks, or without one."""

    change: float  # mean change of the metric, every task with the same weight
    quality_change: float
    metric_sd: float
    quality_sd: float
    slope: float  # of the metric on quality, in their own units

    @property
    def raw_gap(self) -> float:
        return self.change - self.slope * self.quality_change

    def row(self) -> list[float]:
        """Return what is inferred, and what it is measured in."""
        return [self.change, self.raw_gap, self.metric_sd, self.quality_change, self.quality_sd]


def infer_gaming(
    sample: GamingSample,
    *,
    margin: float = 0.1,
    n_resamples: int = 9_999,
    confidence_level: float | None = 0.95,
    seed: int = 0,
) -> GamingResult:
    """Infer the gain of an attack and its gaming gap.

    Args:
        sample: The scores.
        margin: Of the gap, in standard deviations of the metric, for the test that it lies below.
        n_resamples: Of the bootstrap.
        confidence_level: Of the two-sided intervals; None for tests alone, which takes a third of the time.
        seed: Of the resamples.

    Example:
        A metric that gains three standard deviations while quality stays as it is:

        >>> rng = np.random.default_rng(0)
        >>> quality = rng.normal(size=80)
        >>> metric = quality + 0.1 * rng.normal(size=80)
        >>> sample = GamingSample(
        ...     tasks=np.arange(80) // 2,
        ...     metric=metric,
        ...     attacked_metric=metric + 3 + 0.1 * rng.normal(size=80),
        ...     quality=quality,
        ...     attacked_quality=quality.copy(),
        ... )
        >>> infer_gaming(sample).gamed
        True
    """
    tasks = np.unique(sample.tasks)
    within = bool(np.bincount(np.searchsorted(tasks, sample.tasks)).max(initial=0) > 1)
    outline = GamingResult(
        n=sample.metric.size, n_tasks=tasks.size, gain=None, gain_interval=None, gain_pvalue=None,
        quality_gain=None, quality_interval=None, slope=None, slope_within=within, gap=None, gap_interval=None,
        gap_pvalue=None, gap_margin_pvalue=None, margin=margin,
    )  # fmt: skip
    if tasks.size < 2:
        return replace(outline, state=State.UNDEFINED, detail="fewer than 2 tasks")
    whole = _estimate(sample, within=within)
    outline = _describe(outline, whole)
    differences = sample.attacked_metric - sample.metric
    largest = max(float(np.abs(sample.metric).max()), float(np.abs(sample.attacked_metric).max()))
    if float(np.abs(differences).max()) <= ROUNDING * largest:
        return replace(outline, state=State.NO_CHANGE, detail="no attack raised any score")
    if whole.metric_sd == 0:  # a gain can still be shown; it only has no unit
        outline = replace(outline, detail="the originals all have the same score, so that sizes have no unit")
    left_out = np.array(
        [_estimate(_without(sample, int(task)), within=within).row() for task in _all_tasks(sample)]
    )
    psi = np.stack(
        [pseudo_values(value, left_out[:, column]) for column, value in enumerate(whole.row())], axis=1
    )
    infer = _Inference(n_resamples, confidence_level, seed)
    return _with_inference(outline, psi, infer)


@dataclass(frozen=True, slots=True)
class _Inference:
    """Tests and intervals of ratios of pseudo-values to those of a standard deviation."""

    n_resamples: int
    confidence_level: float | None  # None: no intervals
    seed: int

    def tests(self, *columns: FloatArray) -> StudentisedMeans:
        """Test the means of columns."""
        return studentise(
            np.stack(columns, axis=1),
            n_resamples=self.n_resamples,
            confidence_level=self.confidence_level or ANY_LEVEL,
            seed=self.seed,
        )

    def interval(self, change: FloatArray, spread: FloatArray) -> Interval | None:
        """Return the smallest and the largest size m, in standard deviations, that "change = m x sd" is not rejected for.

        The standard deviation is part of the tested contrast, so the interval agrees with the tests at a margin. With
        four tasks or so one of them moves the standard deviation so much that change - m x sd is too noisy to reject an m
        beyond 0, although the change itself is shown to have a sign. A size has the sign of the change: where the test
        of the change rejects 0 at the interval's level, it rejects all that lies beyond.
        """
        if self.confidence_level is None or not spread.mean() > 0:
            return None
        size, scale = float(change.mean() / spread.mean()), float(spread.mean())
        error = float(np.std(change - size * spread, ddof=1) / np.sqrt(change.size) / scale)
        if not (error > 0 and np.isfinite(error)):
            return None
        # A p-value of exactly .05 rejects at 90%, whatever floats say.
        outside = (1 - self.confidence_level) / 2 + 1e-9
        ends: list[float] = []
        for sign in (-1.0, 1.0):
            near, far = 0.0, REACH * error
            for _ in range(REFINEMENTS):
                steps = np.linspace(near, far, STEPS)
                found = self.tests(*(change - (size + sign * step) * spread for step in steps))
                kept = (found.above if sign < 0 else found.below) > outside
                last = int(np.flatnonzero(kept)[-1]) if kept.any() else 0
                if last == STEPS - 1:
                    near = np.inf
                    break
                near, far = float(steps[last]), float(steps[last + 1])
            ends.append(size + sign * near)
        low, high = ends
        sign_of_change = self.tests(change)
        if sign_of_change.above[0] <= outside:
            low = max(low, min(size, 0.0))
        if sign_of_change.below[0] <= outside:
            high = min(high, max(size, 0.0))
        return Interval(low=low, high=high)


def _describe(outline: GamingResult, whole: _Estimates) -> GamingResult:
    if whole.metric_sd == 0:
        return outline
    slope = whole.slope * whole.quality_sd / whole.metric_sd
    return replace(
        outline,
        gain=whole.change / whole.metric_sd,
        quality_gain=whole.quality_change / whole.quality_sd if whole.quality_sd else None,
        slope=slope,
        gap=whole.raw_gap / whole.metric_sd,
    )


def _with_inference(outline: GamingResult, psi: FloatArray, infer: _Inference) -> GamingResult:
    change, gap, spread, quality, quality_spread = psi.T
    gap = np.where(np.abs(gap) <= ROUNDING * np.abs(change).max(), 0.0, gap)  # equal but for rounding
    sized = outline.gap is not None
    means = infer.tests(change, gap, gap - outline.margin * spread)
    if np.isnan(means.errors[:2]).any():
        return replace(
            outline,
            state=State.DETERMINISTIC if sized else State.UNDEFINED,
            detail=outline.detail or _same(change, gap),
        )
    return replace(
        outline,
        gain_interval=infer.interval(change, spread),
        gain_pvalue=float(means.above[0]),
        quality_interval=infer.interval(quality, quality_spread),
        gap_interval=infer.interval(gap, spread),
        gap_pvalue=float(means.above[1]),
        gap_margin_pvalue=None if np.isnan(means.errors[2]) or not sized else float(means.below[2]),
    )


def _same(change: FloatArray, gap: FloatArray) -> str:
    """Say what is the same in every task."""
    if np.ptp(change) > ROUNDING * np.abs(change).max():
        return f"the gap is the same in every task: {gap.mean():.3g} of the metric's own units"
    return "every text gains the same" if change.mean() > 0 else "every text loses the same"


def _estimate(sample: GamingSample, *, within: bool) -> _Estimates:
    return _Estimates(
        change=float(mean_by(sample.tasks, sample.attacked_metric - sample.metric).mean()),
        quality_change=float(mean_by(sample.tasks, sample.attacked_quality - sample.quality).mean()),
        metric_sd=_sd(sample.metric),
        quality_sd=_sd(sample.quality),
        slope=_slope(sample.tasks, sample.metric, sample.quality, within=within),
    )


def _slope(tasks: IntArray, metric: FloatArray, quality: FloatArray, *, within: bool) -> float:
    """Return the slope of the metric on quality; 0 where quality has no spread."""
    labels = tasks if within else np.zeros_like(tasks)
    _, places = np.unique(labels, return_inverse=True)
    scores, values = (part - mean_by(places, part)[places] for part in (metric, quality))
    spread = float(values @ values)
    if spread <= ROUNDING * float(quality @ quality):
        return 0.0
    return float(scores @ values) / spread


def _sd(values: FloatArray) -> float:
    if values.size < 2 or np.ptp(values) <= ROUNDING * np.abs(values).max():
        return 0.0
    return float(values.std(ddof=1))


def _all_tasks(sample: GamingSample) -> list[int]:
    """Return every task that is a candidate or a reference."""
    tasks = np.unique(sample.tasks)
    if sample.negative_tasks is not None:
        tasks = np.union1d(tasks, sample.negative_tasks[sample.negative_tasks >= 0])
    return tasks.tolist()


def _without(sample: GamingSample, task: int) -> GamingSample:
    """Leave a task out, as a candidate and as a reference; an item without any reference left drops out."""
    keep = sample.tasks != task
    metric, attacked = sample.metric, sample.attacked_metric
    negatives = (sample.negative_tasks, sample.negatives, sample.attacked_negatives)
    if negatives[0] is not None and negatives[1] is not None and negatives[2] is not None:
        used = negatives[0] >= 0
        stays = used & (negatives[0] != task)
        touched = (stays.sum(axis=1) < used.sum(axis=1)) & keep
        keep &= stays.any(axis=1)
        for_original = _moved(metric, negatives[1], used, stays)
        for_attacked = _moved(attacked, negatives[2], used, stays)
        metric = np.where(touched, for_original, metric)
        attacked = np.where(touched, for_attacked, attacked)
    return GamingSample(
        tasks=sample.tasks[keep],
        metric=metric[keep],
        attacked_metric=attacked[keep],
        quality=sample.quality[keep],
        attacked_quality=sample.attacked_quality[keep],
    )


def _moved(
    scores: FloatArray, negatives: FloatArray, used: BoolArray,
    stays: BoolArray,
) -> FloatArray:  # fmt: skip
    """Return scores with the mean over fewer negatives in the place of the mean over all."""
    before = np.where(used, negatives, 0.0).sum(axis=1) / np.maximum(used.sum(axis=1), 1)
    after = np.where(stays, negatives, 0.0).sum(axis=1) / np.maximum(stays.sum(axis=1), 1)
    return scores + before - after
