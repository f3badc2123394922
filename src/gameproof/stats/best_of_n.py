"""What becomes of quality when the best of n texts is chosen by a metric, with exact weights (no simulation).

N texts of a task stand in ascending order of the metric. A sample of n of them without replacement has the text of
rank r as its best with probability C(r - 1, n - 1) / C(N, n); texts with equal scores share the weights of their
ranks. So the expected metric and the expected quality of the best of n are weighted means, for every n at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma

import numpy as np

from gameproof.records import FloatArray
from gameproof.stats.bootstrap import percentile_bounds, resample_counts
from gameproof.stats.results import Interval

__all__ = ["GoodhartCurve", "GoodhartPoint", "best_of_n_weights", "expected_best", "goodhart_curve", "grid"]

N_RESAMPLES = 2_000
ROUNDING = 1e-10  # values that differ by less than this share of the largest are equal
QUARTER = 2  # steps of the grid from n / 4 to n


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodhartPoint:
    """One n of the curve."""

    n: int
    metric: float  # mean gain of the metric, in standard deviations within a task
    quality: float  # mean gain of quality, in standard deviations within a task
    honest: float  # what quality gains where it follows the metric along the regression line
    share: float | None  # E(n): the part of what choosing by quality itself would gain
    interval: Interval | None  # of `share`, over resampled tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class GoodhartCurve:
    """The whole curve, and what it comes to."""

    points: tuple[GoodhartPoint, ...]
    rho: float | None  # within-task correlation (Pearson) of metric and quality: the slope of the honest line
    area_lost: float | None  # 1 - mean of E(n) over log2 n, n >= 2
    area_interval: Interval | None
    late_change: float | None  # quality at the largest n minus at a quarter of it; None below n = 4
    late_interval: Interval | None
    n_tasks: int
    n_left_out: int  # tasks with too few texts, or with no spread in the metric or in quality


def best_of_n_weights(n_texts: int, n: int) -> FloatArray:
    """Return the chance of each rank, in ascending order, to be the best of n texts drawn without replacement.

    Args:
        n_texts: N.
        n: Of them, from 1 to N.

    Raises:
        ValueError: n is not between 1 and N.

    Example:
        >>> best_of_n_weights(4, 2).round(4).tolist()
        [0.0, 0.1667, 0.3333, 0.5]
    """
    if not 1 <= n <= n_texts:
        raise ValueError(f"n: found {n}; allowed: 1 to {n_texts}")
    ranks = np.arange(1, n_texts + 1)
    weights = np.zeros(n_texts)
    total = _log_choose(n_texts, n)
    for place, rank in enumerate(ranks.tolist()):
        if rank >= n:
            weights[place] = np.exp(_log_choose(rank - 1, n - 1) - total)
    return weights


def expected_best(scores: FloatArray, values: FloatArray, n: int) -> float:
    """Return the expected value of the text that scores best among n drawn ones.

    Args:
        scores: (N,): by which the best is chosen; texts with equal scores are equally likely to be it.
        values: (N,): what is averaged.
        n: From 1 to N.

    Example:
        Choosing the best of two of three texts by a metric that ranks them the wrong way round:

        >>> round(expected_best(np.array([3.0, 2.0, 1.0]), np.array([0.0, 1.0, 2.0]), 2), 4)
        0.3333
    """
    order = np.argsort(scores, kind="stable")
    weights = best_of_n_weights(scores.size, n)
    _, group = np.unique(scores[order], return_inverse=True)
    shared = np.bincount(group, weights=weights) / np.bincount(group)
    return float(shared[group] @ values[order])


def grid(most: int) -> tuple[int, ...]:
    """Return 1, 2, 4, ... up to the largest power of two within ``most``.

    Example:
        >>> grid(16)
        (1, 2, 4, 8, 16)
    """
    return tuple(2**power for power in range(max(most, 1).bit_length()))


def goodhart_curve(
    tasks: Sequence[tuple[FloatArray, FloatArray]],
    *,
    most: int | None = None,
    n_resamples: int = N_RESAMPLES,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> GoodhartCurve | None:
    """Draw the curve of quality against optimisation by best-of-n.

    E(n) = sum over tasks of [Q(n by metric) - mean Q] / sum over tasks of [Q(n by quality) - mean Q]. Gains are in
    standard deviations within a task (pooled over tasks), so that the honest line is quality = rho x metric: an
    honest but noisy metric loses that much to regression alone, and only what lies below the line is gaming.
    Over-optimisation is the contrast Q(n) - Q(n / 4) at the largest n, fixed beforehand and never a maximum.

    Args:
        tasks: (metric, quality) of the texts of each task; no NaN.
        most: The largest n; by default the largest that four in five tasks have texts for.
        n_resamples: Of tasks.
        confidence_level: Of the intervals.
        seed: Of the resamples.

    Returns:
        The curve; None where fewer than two tasks can take part.
    """
    spread = [task for task in tasks if all(_varies(values) for values in task)]
    if len(spread) < 2:
        return None
    sizes = np.sort([task[0].size for task in spread])
    most = int(sizes[len(sizes) // 5]) if most is None else most
    numbers = grid(most)
    used = [task for task in spread if task[0].size >= numbers[-1]]
    if len(used) < 2 or len(numbers) < 2:
        return None
    gains = _gains(used, numbers)
    metric_sd, quality_sd, rho = _within(used)
    counts = resample_counts(len(used), n_resamples, seed).astype(np.float64)
    shares, share_draws = _shares(gains.quality, gains.ideal, counts)
    late = _late(gains.quality, quality_sd) if len(numbers) >= QUARTER + 1 else None
    metric = gains.metric.mean(axis=0) / metric_sd
    area, area_draws = (1 - part[..., 1:].mean(axis=-1) for part in (shares, share_draws))
    return GoodhartCurve(
        points=tuple(
            GoodhartPoint(
                n=n,
                metric=float(metric[place]),
                quality=float(gains.quality[:, place].mean() / quality_sd),
                honest=float(rho * metric[place]),
                share=float(shares[place]) if n > 1 else None,
                interval=_interval(share_draws[:, place], confidence_level) if n > 1 else None,
            )
            for place, n in enumerate(numbers)
        ),
        rho=float(rho),
        area_lost=float(area),
        area_interval=_interval(area_draws, confidence_level),
        late_change=None if late is None else float(late.mean()),
        late_interval=None if late is None else _interval(counts @ late / len(used), confidence_level),
        n_tasks=len(used),
        n_left_out=len(tasks) - len(used),
    )


def _varies(values: FloatArray) -> bool:
    return values.size > 1 and bool(np.ptp(values) > ROUNDING * np.abs(values).max())


@dataclass(frozen=True, slots=True)
class _Gains:
    """Gains over the mean text of a task: (tasks, n)."""

    metric: FloatArray
    quality: FloatArray
    ideal: FloatArray  # of quality, chosen by quality


def _gains(tasks: Sequence[tuple[FloatArray, FloatArray]], numbers: Sequence[int]) -> _Gains:
    metric, quality, ideal = (np.empty((len(tasks), len(numbers))) for _ in range(3))
    for row, (scores, values) in enumerate(tasks):
        for column, n in enumerate(numbers):
            metric[row, column] = expected_best(scores, scores, n) - scores.mean()
            quality[row, column] = expected_best(scores, values, n) - values.mean()
            ideal[row, column] = expected_best(values, values, n) - values.mean()
    return _Gains(metric, quality, ideal)


def _late(quality: FloatArray, quality_sd: float) -> FloatArray:
    """Return each task's quality at the largest n minus at a quarter of it."""
    return (quality[:, -1] - quality[:, -1 - QUARTER]) / quality_sd


def _within(tasks: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[float, float, float]:
    """Return the pooled standard deviations within tasks, and the correlation within tasks."""
    scores = np.concatenate([scores - scores.mean() for scores, _ in tasks])
    values = np.concatenate([values - values.mean() for _, values in tasks])
    freedom = scores.size - len(tasks)
    metric_sd, quality_sd = (float(np.sqrt((part**2).sum() / freedom)) for part in (scores, values))
    return metric_sd, quality_sd, float(scores @ values / (freedom * metric_sd * quality_sd))


def _shares(quality: FloatArray, ideal: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return E(n), and E(n) of every resample; NaN at n = 1, where choosing by quality itself gains nothing.

    Quality varies in every task that takes part, so at a larger n the divisor is above 0 in every resample.
    """
    chosen = slice(1, None)
    whole, draws = np.full(quality.shape[1], np.nan), np.full((len(counts), quality.shape[1]), np.nan)
    whole[chosen] = quality[:, chosen].sum(axis=0) / ideal[:, chosen].sum(axis=0)
    draws[:, chosen] = (counts @ quality[:, chosen]) / (counts @ ideal[:, chosen])
    return whole, draws


def _interval(draws: FloatArray, confidence_level: float) -> Interval:
    low, high = percentile_bounds(draws[None, :], confidence_level)[:, 0].tolist()
    return Interval(low=low, high=high)


def _log_choose(n: int, k: int) -> float:
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
