"""What one design shows, task by task, so that any set of tasks can be judged without scoring again."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.correlate import Ratings
from gameproof.engine.table import MetricScores
from gameproof.perturbations.base import Perturbation
from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.stats.ranks import spearman

__all__ = ["Evidence", "Shown", "collect_evidence", "judge", "task_correlations"]

ALPHA = 0.05  # one-sided
MIN_CANDIDATES = 3  # of a task, for a correlation within it
MIN_TASKS = 2
MAX_MISSING = 0.10  # of originals or of a perturbation's pairs: more makes a design unfit


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One design: correlations within tasks, and the change that each perturbation makes in each task."""

    design: str
    signature: str
    rho: FloatArray  # (n_tasks,): mean over dimensions of Spearman's rho within the task; NaN where undefined
    names: tuple[str, ...]  # of perturbations, manipulations first
    n_manipulations: int
    changes: FloatArray  # (n_perturbations, n_tasks): mean change of a task's candidates; NaN where none
    counts: FloatArray  # the same shape: pairs behind it
    sums: FloatArray  # (2, n_perturbations, n_tasks): of the originals and of the variants
    squares: FloatArray  # the same shape: of their squares
    missing: float  # share of originals or of some perturbation's pairs without a score, the larger


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a design shows on some tasks."""

    rho: float  # NaN where no task has one
    effects: FloatArray  # (n_perturbations,): mean change in units of s_av
    uppers: FloatArray  # one-sided 95% upper bounds of the effects
    powers: FloatArray  # (n_perturbations,): chance to show a loss of this size on so many tasks
    scales: FloatArray  # s_av
    n_manipulations: int

    @property
    def worst(self) -> int:
        """The manipulation whose gain has the highest upper bound."""
        return int(np.argmax(self.uppers[: self.n_manipulations]))

    @property
    def weakest(self) -> int:
        """The degradation that is shown with the least power."""
        return self.n_manipulations + int(np.argmin(self.powers[self.n_manipulations :]))


def collect_evidence(
    scores: MetricScores,
    perturbations: Sequence[Perturbation],
    ratings: Ratings,
    rows_of: Mapping[str, int],
) -> Evidence:
    """Sum up one design.

    Args:
        scores: Of originals and variants.
        perturbations: Manipulations first, then degradations.
        ratings: Of the originals.
        rows_of: Item id -> row of the originals.
    """
    tasks = ratings.clusters.tasks
    n_tasks = int(tasks.max()) + 1
    original = scores.original.values
    shape = (len(perturbations), n_tasks)
    counts = np.zeros(shape)
    sums, squares = np.zeros((2, *shape)), np.zeros((2, *shape))
    missing = float(np.isnan(original).mean())
    for place, perturbation in enumerate(perturbations):
        column = scores.variants[perturbation.name, None]
        rows = np.array([rows_of[item] for item in column.item_ids], dtype=np.int64)
        pair = np.stack([original[rows], column.values])
        there = ~np.isnan(pair).any(axis=0)
        missing = max(missing, 1 - float(there.mean()) if there.size else 1.0)
        counts[place] = np.bincount(tasks[rows[there]], minlength=n_tasks)
        for half in (0, 1):
            sums[half, place] = np.bincount(tasks[rows[there]], pair[half, there], minlength=n_tasks)
            squares[half, place] = np.bincount(tasks[rows[there]], pair[half, there] ** 2, minlength=n_tasks)
    with np.errstate(invalid="ignore"):
        changes = (sums[1] - sums[0]) / np.where(counts > 0, counts, np.nan)
    return Evidence(
        design=scores.metric,
        signature=scores.signature,
        rho=task_correlations(original, ratings.dimensions, tasks),
        names=tuple(perturbation.name for perturbation in perturbations),
        n_manipulations=sum(perturbation.family == "manipulation" for perturbation in perturbations),
        changes=changes,
        counts=counts,
        sums=sums,
        squares=squares,
        missing=missing,
    )


def task_correlations(
    values: FloatArray, dimensions: Mapping[str, FloatArray], tasks: IntArray
) -> FloatArray:
    """Return Spearman's rho within each task, averaged over the rating dimensions that have one there.

    Equal scores say nothing and count as a correlation of 0: a design must not win by being silent on tasks that
    are hard. A task without ratings that differ, or with fewer than three scored candidates, has none.
    """
    found = np.full(int(tasks.max()) + 1, np.nan)
    for task in range(len(found)):
        rows = np.flatnonzero((tasks == task) & ~np.isnan(values))
        rhos = [_rho(values[rows], marks[rows]) for marks in dimensions.values()]
        kept = [rho for rho in rhos if rho is not None]
        if kept:
            found[task] = math.fsum(kept) / len(kept)
    return found


def judge(evidence: Evidence, chosen: BoolArray) -> Shown:
    """Say what a design shows on the chosen tasks, which weigh alike."""
    from scipy.special import ndtr, ndtri, stdtrit  # noqa: PLC0415 - loads slowly

    changes = evidence.changes[:, chosen]
    n = (~np.isnan(changes)).sum(axis=1)
    means, errors = _means(changes)
    scales = _scales(evidence, chosen)
    with np.errstate(invalid="ignore", divide="ignore"):
        effects = np.where(
            scales > 0, means / scales, np.sign(means)
        )  # a shift without variance: by its sign
        spread = np.where(scales > 0, errors / scales, 0.0)
        uppers = effects + stdtrit(np.maximum(n - 1, 1), 1 - ALPHA) * spread
        powers = ndtr(np.where(spread > 0, -effects / spread, np.inf * -np.sign(effects)) - ndtri(1 - ALPHA))
    lacking = n < MIN_TASKS
    there = evidence.rho[chosen]
    there = there[~np.isnan(there)]
    return Shown(
        rho=float(there.mean()) if there.size else math.nan,
        effects=effects,
        uppers=np.where(lacking, np.inf, uppers),
        powers=np.where(lacking | np.isnan(powers), 0.0, powers),
        scales=scales,
        n_manipulations=evidence.n_manipulations,
    )


def _rho(values: FloatArray, marks: FloatArray) -> float | None:
    there = ~np.isnan(marks)
    values, marks = values[there], marks[there]
    if values.size < MIN_CANDIDATES or np.ptp(marks) == 0:
        return None
    return spearman(values, marks) or 0.0


def _means(changes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean of each row over the tasks that have a value, and its standard error."""
    there = ~np.isnan(changes)
    n = there.sum(axis=1)
    means = np.where(there, changes, 0.0).sum(axis=1) / np.maximum(n, 1)
    squares = np.where(there, (changes - means[:, None]) ** 2, 0.0).sum(axis=1)
    return means, np.sqrt(squares / np.maximum(n - 1, 1) / np.maximum(n, 1))


def _scales(evidence: Evidence, chosen: BoolArray) -> FloatArray:
    """Return s_av of each perturbation: the root of the mean variance of originals and variants."""
    n = np.maximum(evidence.counts[:, chosen].sum(axis=1), 1)
    means = evidence.sums[:, :, chosen].sum(axis=2) / n
    variances = evidence.squares[:, :, chosen].sum(axis=2) / n - means**2
    unbiased = n / np.maximum(n - 1, 1)  # as in an audit, so that both give the same effect
    # Squares of equal numbers cancel down to rounding: that is no variance.
    rounding = 1e-12 * np.maximum(means**2, 1e-300)
    return np.sqrt(np.where(variances > rounding, variances * unbiased, 0.0).mean(axis=0))
