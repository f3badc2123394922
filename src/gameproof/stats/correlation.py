"""Correlate scores with ratings at three levels, with intervals over resampled tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

import numpy as np

from gameproof.records import FloatArray
from gameproof.stats.dimensions import interval_of
from gameproof.stats.levels import Clusters, Level, Table, level_draws, level_value, make_table
from gameproof.stats.results import Interval, State

__all__ = [
    "LEVELS",
    "MEAN_DIMENSION",
    "Clusters",
    "Correlation",
    "CorrelationDifference",
    "Level",
    "correlate",
    "correlation_differences",
    "human_ceiling",
]

LEVELS: tuple[Level, ...] = get_args(Level)
MEAN_DIMENSION = "mean"  # the mean over dimensions of their correlations
N_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """A Spearman correlation at one level, or the reason why there is none."""

    dimension: str
    level: Level
    rho: float | None
    interval: Interval | None
    n: int  # items (pooled), tasks (within_task) or systems (system) that entered
    state: State | None = None
    detail: str | None = None  # why it is undefined; or what was left out


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationDifference:
    """How much better the first of two metrics correlates, on the items that both scored."""

    dimension: str
    level: Level
    difference: float | None
    interval: Interval | None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bootstrap:
    n_resamples: int
    confidence_level: float
    seed: int


def correlate(
    scores: FloatArray,
    ratings: Mapping[str, FloatArray],
    clusters: Clusters,
    *,
    n_resamples: int = N_RESAMPLES,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> tuple[Correlation, ...]:
    """Correlate scores with every rating dimension, and take the mean over dimensions.

    Pooled: all items in one ranking, between-task differences included. Within task: one correlation a task,
    averaged over the tasks where it exists. System: means of systems. Ties share their mean rank. The
    intervals are percentiles over resampled tasks.

    Args:
        scores: (n,), NaN where missing.
        ratings: Dimension -> (n,), NaN where missing.
        clusters: The tasks and systems of the items.
        n_resamples: Of the bootstrap.
        confidence_level: Of the intervals.
        seed: The same seed shares resamples between metrics.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> truth = rng.normal(size=40)
        >>> rows = correlate(truth, {"quality": truth**3}, Clusters(tasks=np.arange(40) // 4))
        >>> [(row.dimension, row.level, row.rho) for row in rows][:2]
        [('quality', 'pooled', 1.0), ('quality', 'within_task', 1.0)]
    """
    bootstrap = _Bootstrap(n_resamples=n_resamples, confidence_level=confidence_level, seed=seed)
    rows: list[Correlation] = []
    draws: dict[Level, list[FloatArray]] = {level: [] for level in LEVELS}
    for dimension, marks in ratings.items():
        table = make_table(scores, marks, ~(np.isnan(scores) | np.isnan(marks)), clusters)
        for level in LEVELS:
            row, drawn = _correlate(dimension, level, table, bootstrap)
            rows.append(row)
            if drawn is not None:
                draws[level].append(drawn)
    for level in LEVELS:
        same_level = [row for row in rows if row.level == level and row.dimension in ratings]
        rows.append(_mean_row(level, same_level, draws[level], confidence_level))
    return tuple(rows)


def correlation_differences(
    first: FloatArray,
    second: FloatArray,
    ratings: Mapping[str, FloatArray],
    clusters: Clusters,
    *,
    n_resamples: int = N_RESAMPLES,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> tuple[CorrelationDifference, ...]:
    """Compare the correlations of two metrics by a paired bootstrap: both see the same resampled tasks.

    Args:
        first: (n,) scores, NaN where missing.
        second: (n,) scores of the other metric.
        ratings: Dimension -> (n,).
        clusters: As in `correlate`.
        n_resamples: Of the bootstrap.
        confidence_level: Of the intervals.
        seed: As in `correlate`.
    """
    bootstrap = _Bootstrap(n_resamples=n_resamples, confidence_level=confidence_level, seed=seed)
    rows: list[CorrelationDifference] = []
    for dimension, marks in ratings.items():
        shared = ~(np.isnan(first) | np.isnan(second) | np.isnan(marks))
        one, two = (make_table(scores, marks, shared, clusters) for scores in (first, second))
        rows.extend(_difference(dimension, level, one, two, bootstrap) for level in LEVELS)
    return tuple(rows)


def human_ceiling(
    raters: Mapping[str, FloatArray], clusters: Clusters
) -> dict[tuple[str, Level], float | None]:
    """Correlate each rater with the mean of the others, and average over raters: what a person reaches.

    Args:
        raters: Dimension -> (n, R): one column a rater, NaN where he gave no mark.
        clusters: As in `correlate`.

    Returns:
        (Dimension, level) -> mean correlation, None where no rater has one; ``mean`` is over dimensions.
    """
    ceilings: dict[tuple[str, Level], float | None] = {}
    for dimension, marks in raters.items():
        found: dict[Level, list[float]] = {level: [] for level in LEVELS}
        for column in range(marks.shape[1]):
            own, others = marks[:, column], _mean_of_others(marks, column)
            both = ~(np.isnan(own) | np.isnan(others))
            for level in LEVELS:
                value = level_value(level, make_table(own, others, both, clusters))
                if value.rho is not None:
                    found[level].append(value.rho)
        for level in LEVELS:
            ceilings[dimension, level] = float(np.mean(found[level])) if found[level] else None
    for level in LEVELS:
        values = [ceilings[dimension, level] for dimension in raters]
        known = [value for value in values if value is not None]
        ceilings[MEAN_DIMENSION, level] = float(np.mean(known)) if known else None
    return ceilings


def _correlate(
    dimension: str, level: Level, table: Table, bootstrap: _Bootstrap
) -> tuple[Correlation, FloatArray | None]:
    value = level_value(level, table)
    if value.rho is None:
        row = Correlation(
            dimension=dimension, level=level, rho=None, interval=None, n=value.n,
            state=State.UNDEFINED, detail=value.undefined,
        )  # fmt: skip
        return row, None
    draws = level_draws(level, table, n_resamples=bootstrap.n_resamples, seed=bootstrap.seed)
    row = Correlation(
        dimension=dimension,
        level=level,
        rho=value.rho,
        interval=interval_of(draws, bootstrap.confidence_level),
        n=value.n,
        detail=value.left_out,
    )
    return row, draws


def _mean_row(
    level: Level, rows: list[Correlation], draws: list[FloatArray], confidence_level: float
) -> Correlation:
    rhos = [row.rho for row in rows if row.rho is not None]
    if not rhos:
        return Correlation(
            dimension=MEAN_DIMENSION, level=level, rho=None, interval=None, n=0,
            state=State.UNDEFINED, detail=rows[0].detail if rows else "no ratings",
        )  # fmt: skip
    without = [row.dimension for row in rows if row.rho is None]
    shortest = min(drawn.size for drawn in draws)  # very many items have fewer resamples than a few
    return Correlation(
        dimension=MEAN_DIMENSION,
        level=level,
        rho=float(np.mean(rhos)),
        interval=interval_of(np.mean([drawn[:shortest] for drawn in draws], axis=0), confidence_level),
        n=min(row.n for row in rows if row.rho is not None),
        detail=f"without {', '.join(without)}, where it is undefined" if without else None,
    )


def _difference(
    dimension: str, level: Level, one: Table, two: Table, bootstrap: _Bootstrap
) -> CorrelationDifference:
    left, right = level_value(level, one), level_value(level, two)
    if left.rho is None or right.rho is None:
        return CorrelationDifference(
            dimension=dimension, level=level, difference=None, interval=None,
            detail=left.undefined or right.undefined,
        )  # fmt: skip
    drawn = [
        level_draws(level, table, n_resamples=bootstrap.n_resamples, seed=bootstrap.seed)
        for table in (one, two)
    ]
    return CorrelationDifference(
        dimension=dimension,
        level=level,
        difference=left.rho - right.rho,
        interval=interval_of(drawn[0] - drawn[1], bootstrap.confidence_level),
    )


def _mean_of_others(marks: FloatArray, column: int) -> FloatArray:
    others = np.delete(marks, column, axis=1)
    counts = (~np.isnan(others)).sum(axis=1)
    sums: FloatArray = np.nansum(others, axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
