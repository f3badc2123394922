"""Does the contrast with mismatched references help a score, and if not, why?

A contrastive score is M - N: support on own references minus support on mismatched ones. Subtracting a little of
N raises the correlation with a rating h exactly if cor(N, h) < cor(M, N) cor(M, h): N must hold something that
also raises M and that the rating does not pay for. So what can be wrong is measurable: N hardly varies, the
references of N are nearly the task's own, N follows the rating by itself, or too much of N is subtracted.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gameproof.audits.checks import MIN_TASKS
from gameproof.audits.sweep_result import ContrastRow, CorrelationCell
from gameproof.metrics.negatives import Negatives
from gameproof.records import Contrast, FloatArray
from gameproof.stats.dimensions import ALL_DIMENSIONS, Estimate, Ranked, rank, subtract
from gameproof.stats.levels import Clusters, Level

__all__ = ["LEVELS", "cells_of", "examine_contrast"]

LEVELS: tuple[Level, ...] = ("within_task", "pooled")

FLAT = 0.1  # N varies so little beside M that it cannot matter
MANY_DUPLICATES = 0.1
TOO_MUCH = 1.5  # times the best weight
N_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Halves:
    """What can be measured about the two halves, within tasks."""

    matched_mean: float | None
    mismatched_mean: float | None
    matched_sd: float | None
    mismatched_sd: float | None
    halves_rho: float | None
    mismatched_rho: float | None
    matched_rho: float | None


def cells_of(ranked: Mapping[str, Mapping[str, Estimate]]) -> tuple[CorrelationCell, ...]:
    """Lay out estimates, the mean over dimensions first."""
    return tuple(
        CorrelationCell.of(dimension, level, estimates[dimension])
        for level, estimates in ranked.items()
        for dimension in sorted(estimates, key=lambda name: (name != ALL_DIMENSIONS, name))
    )


def examine_contrast(
    contrast: Contrast,
    score: Mapping[Level, Ranked],
    ratings: Mapping[str, FloatArray],
    clusters: Clusters,
    *,
    has_score: FloatArray,
    negatives: Negatives,
    seed: int,
) -> ContrastRow:
    """Hold a contrastive score against its matched half alone.

    Args:
        contrast: The two halves of the scores.
        score: The scores' correlations with the ratings, by level.
        ratings: Dimension -> (n,).
        clusters: The tasks of the items.
        has_score: (n,): the scores, NaN where there is none.
        negatives: Whom the candidates met.
        seed: Of the resamples: that of the scores' own.
    """
    missing = np.isnan(has_score)
    matched = np.where(missing, np.nan, contrast.matched)
    mismatched = np.where(missing, np.nan, _row_means(contrast.negatives))
    support = {
        level: rank(matched, ratings, clusters, level, n_resamples=N_RESAMPLES, seed=seed) for level in LEVELS
    }
    difference: dict[str, dict[str, Estimate]] = {
        level: subtract(score[level], support[level]) for level in LEVELS
    }
    halves = _measure(matched, mismatched, ratings, clusters)
    near = negatives.n_near_duplicates / max(negatives.n_pairs, 1)
    same_group = negatives.n_groups > 1 and negatives.n_fallback < len(negatives.tasks)
    n_tasks = len(set(clusters.tasks[~missing].tolist()))
    verdict = _verdict(difference["within_task"][ALL_DIMENSIONS], n_tasks)
    if verdict == "not_measured":
        verdict = _verdict(difference["pooled"][ALL_DIMENSIONS], n_tasks)
    reason = ""
    if n_tasks < MIN_TASKS:
        reason = f"{n_tasks:,} tasks show nothing either way: a verdict takes {MIN_TASKS}"
    elif verdict != "helps":
        reason = _reason(halves, near=near, same_group=same_group, n_tasks=n_tasks)
    return ContrastRow(
        support=cells_of({level: one.estimates for level, one in support.items()}),
        difference=cells_of(difference),
        verdict=verdict,
        reason=reason,
        matched_mean=halves.matched_mean,
        mismatched_mean=halves.mismatched_mean,
        matched_sd=halves.matched_sd,
        mismatched_sd=halves.mismatched_sd,
        halves_rho=halves.halves_rho,
        mismatched_rho=halves.mismatched_rho,
        near_duplicates=near,
        same_group=same_group,
    )


def _row_means(negatives: FloatArray) -> FloatArray:
    there = ~np.isnan(negatives)
    counts = there.sum(axis=1)
    return np.where(counts > 0, np.nansum(negatives, axis=1) / np.maximum(counts, 1), np.nan)


def _measure(
    matched: FloatArray, mismatched: FloatArray, ratings: Mapping[str, FloatArray], clusters: Clusters
) -> _Halves:
    def rho(values: FloatArray, others: Mapping[str, FloatArray]) -> float | None:
        return rank(values, others, clusters, "within_task", n_resamples=1).estimates[ALL_DIMENSIONS].value

    return _Halves(
        matched_mean=_mean(matched),
        mismatched_mean=_mean(mismatched),
        matched_sd=_within_sd(matched, clusters),
        mismatched_sd=_within_sd(mismatched, clusters),
        halves_rho=rho(matched, {"mismatched": mismatched}),
        mismatched_rho=rho(mismatched, ratings),
        matched_rho=rho(matched, ratings),
    )


def _mean(values: FloatArray) -> float | None:
    there = values[~np.isnan(values)]
    return float(there.mean()) if there.size else None


def _within_sd(values: FloatArray, clusters: Clusters) -> float | None:
    """Return the standard deviation of candidates around the mean of their task."""
    there = ~np.isnan(values)
    _, tasks = np.unique(clusters.tasks[there], return_inverse=True)
    n_tasks = int(tasks.max()) + 1 if tasks.size else 0
    degrees = int(there.sum()) - n_tasks
    if degrees < 1:
        return None
    means = np.bincount(tasks, values[there]) / np.bincount(tasks)
    return float(np.sqrt(((values[there] - means[tasks]) ** 2).sum() / degrees))


def _verdict(difference: Estimate, n_tasks: int) -> str:
    if difference.value is None or difference.interval is None:
        return "not_measured"
    if n_tasks < MIN_TASKS:  # resampled tasks tell little of how few tasks vary
        return "undecided"
    if difference.interval.low > 0:
        return "helps"
    return "hurts" if difference.interval.high < 0 else "undecided"


def _reason(halves: _Halves, *, near: float, same_group: bool, n_tasks: int) -> str:
    """Say what is wrong with the mismatched half, the plainest cause first."""
    where = "of the same group" if same_group else "of other tasks"
    spread = _ratio(halves.mismatched_sd, halves.matched_sd)
    if spread is not None and spread < FLAT:
        return (
            f"support on references {where} hardly differs between the candidates of a task"
            f" (sd {halves.mismatched_sd:.3g} against {halves.matched_sd:.3g}): there is little to subtract"
        )
    if near >= MANY_DUPLICATES:
        return f"{near:.0%} of the negatives nearly repeat the task's own references: support is subtracted twice"
    own, other, shared = halves.matched_rho, halves.mismatched_rho, halves.halves_rho
    if own is None or other is None or shared is None or spread is None:
        return "the halves have no correlation with the ratings within tasks"
    if other >= shared * own:
        return (
            f"support on references {where} follows the ratings by itself (rho {other:.2f}; what it shares with"
            f" own support explains {shared * own:.2f}): subtracting it takes quality away"
        )
    best = _best_weight(own, other, shared)
    if best is not None and spread > TOO_MUCH * best:
        return (
            f"support on references {where} varies {spread:.0%} as much as own support, and subtracting"
            f" {best:.0%} would serve best: too much is subtracted"
        )
    return (
        f"support on references {where} holds something that the ratings do not pay for (rho {other:.2f}; what it"
        f" shares with own support explains {shared * own:.2f}), but {n_tasks:,} tasks cannot show the gain"
    )


def _best_weight(own: float, other: float, shared: float) -> float | None:
    """Return the b for which M - b N, both of unit variance, correlates best with the ratings.

    cor = (own - b other) / sqrt(1 - 2 b shared + b^2), whose derivative is 0 at
    b = (own shared - other) / (own - other shared), a maximum where own > other shared.
    """
    divisor = own - other * shared
    return (own * shared - other) / divisor if divisor > 0 else None


def _ratio(top: float | None, bottom: float | None) -> float | None:
    return None if top is None or not bottom else top / bottom
