"""Infer how paired scores change, with tasks as the unit that was sampled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.stats.bootstrap import StudentisedMeans, studentise
from gameproof.stats.leave_one_out import (
    Deletions,
    delete_tasks,
    means_without,
    occurring_tasks,
    shifts_without,
    variances_without,
)
from gameproof.stats.parity import PairedT, paired_t
from gameproof.stats.results import Interval, State
from gameproof.stats.sign_flip import sign_flip_pvalue
from gameproof.stats.sums import mean_by

__all__ = [
    "Combination",
    "PairedResult",
    "PairedSample",
    "Sides",
    "changes_together",
    "effect_without",
    "infer_combination",
    "infer_paired",
    "pseudo_values",
]

# Changes that differ by less than this share of the largest score are equal but for rounding.
ROUNDING = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedSample:
    """Scores of the same items before and after; no NaN, the caller leaves such pairs out.

    For a contrastive metric score i is ``matched_i - mean over j of negatives_ij``. Every task then has two
    roles: its items are candidates, and its references are negatives of other tasks' items. The negatives
    of a pair are the same references on both sides.
    """

    tasks: IntArray  # (n,): the task of each item, numbered from 0
    original: FloatArray  # (n,)
    variant: FloatArray  # (n,)
    negative_tasks: IntArray | None = None  # (n, m): the task of each negative, -1 in unused places
    original_negatives: FloatArray | None = None  # (n, m): finite wherever `negative_tasks` is not -1
    variant_negatives: FloatArray | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """One-sided p-values about one bound."""

    below: float  # p of "the effect is at the bound or above": small where it is shown to lie below
    above: float  # p of "the effect is at the bound or below"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedResult:
    """How scores changed, and what the data show about it. None stands where a number does not exist."""

    n: int  # pairs
    n_tasks: int  # tasks that have pairs
    change: float | None  # mean change, every task with the same weight
    effect: float | None  # change / s_av
    effect_original: float | None  # change / sd of the originals
    interval: Interval | None = None  # of the effect: bootstrap-t
    standard_error: float | None = None  # of the effect, from its pseudo-values
    zero: Sides | None = None
    margins: Mapping[float, Sides] = field(default_factory=dict[float, Sides])  # bound in units of s_av
    state: State | None = None
    detail: str | None = None
    parity: PairedT | None = None
    sign_flip_pvalue: float | None = None  # two-sided, on task means


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """Inference on a weighted sum of mean changes."""

    value: float | None
    interval: Interval | None = None
    zero: Sides | None = None
    state: State | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moments:
    """Mean change and variances, with all tasks and without each."""

    change: float
    changes: FloatArray  # (G,)
    average_sd: float  # s_av
    average_sds: FloatArray  # (G,): NaN where it does not exist


def infer_paired(
    sample: PairedSample,
    *,
    margins: Sequence[float] = (),
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> PairedResult:
    """Infer the paired change of scores and its standardised size.

    Every question is a theta made of equally weighted task means: the mean change for "is there any", the
    mean change minus margin x s_av for "is it above the margin" (s_av is estimated anew in every deletion,
    since at a margin it may not be taken as fixed), and their ratio d for the interval. Each theta gets
    pseudo-values psi_g = G theta - (G - 1) theta_without_g, task g left out as a candidate and as a
    reference, and a studentised bootstrap of psi (`gameproof.stats.bootstrap.studentise`).

    Args:
        sample: The pairs.
        margins: Bounds in units of s_av, with their sign, to test the effect against.
        n_resamples: Of the bootstrap, and of the sign-flip beyond 20 tasks.
        confidence_level: Of the two-sided intervals.
        seed: The same seed shares its resamples between all checks with equally many tasks.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> original = rng.normal(size=60)
        >>> sample = PairedSample(
        ...     tasks=np.arange(60) // 2, original=original, variant=original - 1 + 0.1 * rng.normal(size=60)
        ... )
        >>> result = infer_paired(sample, margins=(-0.1,))
        >>> result.zero.below, result.margins[-0.1].below
        (0.0001, 0.0001)
    """
    outline = _outline(sample, confidence_level, n_resamples, seed)
    if outline.state is not None:
        return outline
    deletions = delete_tasks(sample.tasks, sample.negative_tasks)
    moments = _moments(sample, deletions)
    columns = _thetas(moments, margins)
    means = studentise(
        np.stack([pseudo_values(*column) for column in columns], axis=1),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed,
    )
    return _result(outline, means, margins)


def infer_combination(
    samples: Sequence[tuple[float, PairedSample]],
    *,
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Combination:
    """Infer sum of weight x mean change over samples of the same items, for example an exchange rate.

    Args:
        samples: (weight, sample); the samples hold the same items, in any order, and number tasks alike.
        n_resamples: Of the bootstrap.
        confidence_level: Of the two-sided interval.
        seed: As in `infer_paired`.
    """
    n_tasks = {np.unique(sample.tasks).size for _, sample in samples}
    if min(n_tasks) < 2:
        return Combination(value=None, state=State.UNDEFINED, detail="fewer than 2 tasks")
    value, psi = 0.0, 0.0
    weights = [weight for weight, _ in samples]
    for weight, (change, changes) in zip(
        weights, changes_together([each for _, each in samples]), strict=True
    ):
        value += weight * change
        psi = psi + weight * pseudo_values(change, changes)
    largest = max(float(np.abs(sample.original).max()) for _, sample in samples)
    psi = np.asarray(psi, dtype=np.float64)
    psi = np.where(np.abs(psi) <= ROUNDING * largest, 0.0, psi)  # what cancels but for rounding has no sign
    means = studentise(psi[:, None], n_resamples=n_resamples, confidence_level=confidence_level, seed=seed)
    zero = _sides(means, 0)
    if zero is None:
        state = State.DETERMINISTIC if abs(value) > ROUNDING * largest else State.NO_CHANGE
        return Combination(value=value, state=state, detail="the same in every task")
    return Combination(value=value, interval=_interval(means, 0), zero=zero)


def effect_without(sample: PairedSample, occurs: BoolArray) -> tuple[float, FloatArray]:
    """Return d = change / s_av, and d without each task: (G,), NaN where it does not exist.

    Args:
        sample: The pairs.
        occurs: Which tasks to leave out, from `gameproof.stats.leave_one_out.occurring_tasks`.
    """
    deletions = delete_tasks(sample.tasks, sample.negative_tasks, occurs)
    return _thetas(_moments(sample, deletions), ())[1]


def changes_together(samples: Sequence[PairedSample]) -> list[tuple[float, FloatArray]]:
    """Return each sample's mean change, and its mean changes without each task that occurs in any of them."""
    masks = [occurring_tasks(sample.tasks, sample.negative_tasks) for sample in samples]
    occurs = np.zeros(max(mask.size for mask in masks), dtype=np.bool_)
    for mask in masks:
        occurs[: mask.size] |= mask
    found: list[tuple[float, FloatArray]] = []
    for sample in samples:
        deletions = delete_tasks(sample.tasks, sample.negative_tasks, occurs)
        found.append(_changes(sample, deletions, _shifts(sample, deletions)))
    return found


def pseudo_values(theta: float, without: FloatArray) -> FloatArray:
    """Return psi_g = G theta - (G - 1) theta_without_g (Tukey's jackknife)."""
    n_tasks = without.size
    return n_tasks * theta - (n_tasks - 1) * without


def _outline(sample: PairedSample, confidence_level: float, n_resamples: int, seed: int) -> PairedResult:
    """Describe the sample; a state is set where there is nothing to infer."""
    n = sample.original.size
    if n == 0:
        return PairedResult(
            n=0, n_tasks=0, change=None, effect=None, effect_original=None,
            state=State.UNDEFINED, detail="no pair of scores",
        )  # fmt: skip
    differences = sample.variant - sample.original
    task_means = mean_by(sample.tasks, differences)
    change = float(task_means.mean())
    state, detail = _state(sample, differences, task_means)
    parity = paired_t(sample.original, sample.variant, confidence_level=confidence_level)
    s_average, s_original = _spreads(sample)
    flipped = None
    if state is None and task_means.size > 1:
        flipped = sign_flip_pvalue(task_means, n_resamples=n_resamples, seed=seed)
    return PairedResult(
        n=n,
        n_tasks=task_means.size,
        change=0.0 if state is State.NO_CHANGE else change,
        effect=change / s_average if s_average > 0 else None,
        effect_original=change / s_original if s_original > 0 else None,
        state=state,
        detail=detail,
        parity=parity,
        sign_flip_pvalue=flipped,
    )


def _state(
    sample: PairedSample, differences: FloatArray, task_means: FloatArray
) -> tuple[State | None, str | None]:
    largest = max(float(np.abs(sample.original).max()), float(np.abs(sample.variant).max()))
    if task_means.size < 2:
        return State.UNDEFINED, "fewer than 2 tasks"
    if float(np.abs(differences).max()) <= ROUNDING * largest:
        return State.NO_CHANGE, "every score is unchanged"
    if float(np.ptp(differences)) <= ROUNDING * largest:
        return State.DETERMINISTIC, "every score moves by the same amount"
    if float(np.ptp(task_means)) <= ROUNDING * largest:
        return State.UNDEFINED, "the mean change is the same in every task"
    return None, None


def _spreads(sample: PairedSample) -> tuple[float, float]:
    """Return s_av and the standard deviation of the originals; 0 where there is no spread."""
    if sample.original.size < 2:
        return 0.0, 0.0
    original, variant = _variance(sample.original), _variance(sample.variant)
    return float(np.sqrt((original + variant) / 2)), float(np.sqrt(original))


def _variance(values: FloatArray) -> float:
    if np.ptp(values) <= ROUNDING * np.abs(values).max():
        return 0.0
    return float(values.var(ddof=1))


def _shifts(sample: PairedSample, deletions: Deletions) -> tuple[FloatArray, FloatArray]:
    """Return how far each touch moves the original's and the variant's score."""
    sides = (sample.original_negatives, sample.variant_negatives)
    original, variant = (None if side is None else np.where(deletions.used, side, 0.0) for side in sides)
    return shifts_without(deletions, original), shifts_without(deletions, variant)


def _changes(
    sample: PairedSample, deletions: Deletions, shifts: tuple[FloatArray, FloatArray]
) -> tuple[float, FloatArray]:
    """Return the mean change of equally weighted tasks, with all tasks and without each."""
    differences = sample.variant - sample.original
    change = float(mean_by(deletions.tasks, differences).mean())
    return change, means_without(deletions, differences, shifts[1] - shifts[0])


def _moments(sample: PairedSample, deletions: Deletions) -> _Moments:
    shifts = _shifts(sample, deletions)
    change, changes = _changes(sample, deletions, shifts)
    original = variances_without(deletions, sample.original, shifts[0])
    variant = variances_without(deletions, sample.variant, shifts[1])
    return _Moments(
        change=change,
        changes=changes,
        average_sd=_spreads(sample)[0],
        average_sds=np.sqrt((original + variant) / 2),
    )


def _thetas(moments: _Moments, margins: Sequence[float]) -> list[tuple[float, FloatArray]]:
    """Return (theta, theta without each task): the change, the effect, then one for each margin."""
    with np.errstate(divide="ignore", invalid="ignore"):  # an effect that does not exist becomes NaN
        effect = moments.change / np.float64(moments.average_sd)
        effects = np.where(moments.average_sds > 0, moments.changes / moments.average_sds, np.nan)
    return [
        (moments.change, moments.changes),
        (float(effect), effects),
        *(
            (
                moments.change - margin * moments.average_sd,
                moments.changes - margin * moments.average_sds,
            )
            for margin in margins
        ),
    ]


def _result(outline: PairedResult, means: StudentisedMeans, margins: Sequence[float]) -> PairedResult:
    by_margin = {margin: _sides(means, place) for place, margin in enumerate(margins, start=2)}
    zero = _sides(means, 0)
    error = float(means.errors[1])
    return PairedResult(
        n=outline.n,
        n_tasks=outline.n_tasks,
        change=outline.change,
        effect=outline.effect,
        effect_original=outline.effect_original,
        interval=_interval(means, 1),
        standard_error=None if np.isnan(error) else error,
        zero=zero,
        margins={margin: sides for margin, sides in by_margin.items() if sides is not None},
        state=None if zero is not None else State.UNDEFINED,
        detail=None if zero is not None else "too few scores are left when a task is left out",
        parity=outline.parity,
        sign_flip_pvalue=outline.sign_flip_pvalue,
    )


def _sides(means: StudentisedMeans, column: int) -> Sides | None:
    below, above = float(means.below[column]), float(means.above[column])
    if np.isnan(below):
        return None
    return Sides(below=below, above=above)


def _interval(means: StudentisedMeans, column: int) -> Interval | None:
    if np.isnan(means.errors[column]):
        return None
    return Interval(low=float(means.low[column]), high=float(means.high[column]))
