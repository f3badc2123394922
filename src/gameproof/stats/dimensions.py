"""Correlate many columns of scores with the same ratings, and compare them on the same resamples of tasks.

Every column keeps what its correlations become when tasks are resampled, so that any two columns can be
compared without ranking anything again.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gameproof.records import BoolArray, FloatArray
from gameproof.stats.bootstrap import percentile_bounds
from gameproof.stats.levels import Clusters, Level, level_draws, level_value, make_table
from gameproof.stats.results import Interval

__all__ = ["ALL_DIMENSIONS", "Estimate", "Ranked", "interval_of", "rank", "subtract"]

ALL_DIMENSIONS = "mean"  # the mean over dimensions of their correlations
MIN_DEFINED_SHARE = 0.5  # of the resamples must have the correlation, or there is no interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A correlation or a difference of two, with its interval over resampled tasks; None where undefined."""

    value: float | None
    interval: Interval | None = None
    n: int = 0  # items (pooled) or tasks (within task) that entered
    detail: str | None = None  # why it is undefined


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One column of scores against every dimension at one level."""

    estimates: Mapping[str, Estimate]  # dimension, and their mean
    draws: Mapping[str, FloatArray]  # of those that are defined: (B,), NaN where a resample has none


def rank(
    scores: FloatArray,
    ratings: Mapping[str, FloatArray],
    clusters: Clusters,
    level: Level,
    *,
    only: BoolArray | None = None,
    n_resamples: int = 2_000,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Ranked:
    """Correlate a column with every dimension, by Spearman's rho with midranks.

    Args:
        scores: (n,), NaN where missing.
        ratings: Dimension -> (n,), NaN where missing.
        clusters: The tasks of the items.
        level: ``pooled`` (one ranking of all items) or ``within_task`` (a mean over tasks).
        only: (n,): the items that may enter; all by default.
        n_resamples: Of tasks.
        confidence_level: Of the percentile intervals.
        seed: The same seed gives every column the same resamples.

    Example:
        >>> truth = np.arange(40.0)
        >>> ranked = rank(truth, {"quality": truth**3}, Clusters(tasks=np.arange(40) // 4), "within_task")
        >>> ranked.estimates["mean"].value
        1.0
    """
    estimates: dict[str, Estimate] = {}
    draws: dict[str, FloatArray] = {}
    for dimension, marks in ratings.items():
        both = ~(np.isnan(scores) | np.isnan(marks))
        table = make_table(scores, marks, both if only is None else both & only, clusters)
        found = level_value(level, table)
        if found.rho is None:
            estimates[dimension] = Estimate(value=None, n=found.n, detail=found.undefined)
            continue
        draws[dimension] = level_draws(level, table, n_resamples=n_resamples, seed=seed)
        interval = interval_of(draws[dimension], confidence_level)
        estimates[dimension] = Estimate(value=found.rho, interval=interval, n=found.n, detail=found.left_out)
    estimates[ALL_DIMENSIONS] = _mean(estimates, draws, confidence_level)
    if draws:
        draws[ALL_DIMENSIONS] = _mean_draws(draws)
    return Ranked(estimates=estimates, draws=draws)


def subtract(first: Ranked, second: Ranked, *, confidence_level: float = 0.95) -> dict[str, Estimate]:
    """Compare two columns that were ranked on the same items: first minus second, for every dimension.

    The mean is over the dimensions that both have.
    """
    found: dict[str, Estimate] = {}
    differences: dict[str, FloatArray] = {}
    for name in first.estimates:
        one, two = first.estimates[name], second.estimates[name]
        if name == ALL_DIMENSIONS:
            continue
        if one.value is None or two.value is None:
            found[name] = Estimate(value=None, detail=one.detail or two.detail)
            continue
        differences[name] = _difference(first.draws[name], second.draws[name])
        interval = interval_of(differences[name], confidence_level)
        found[name] = Estimate(value=one.value - two.value, interval=interval, n=one.n)
    found[ALL_DIMENSIONS] = _mean(dict(found), differences, confidence_level)
    return found


def interval_of(draws: FloatArray, confidence_level: float = 0.95) -> Interval | None:
    """Return the percentile interval of resampled values; None where too few resamples have one."""
    defined = draws[~np.isnan(draws)]
    if defined.size < MIN_DEFINED_SHARE * draws.size or defined.size < 2:
        return None
    bounds = percentile_bounds(defined[None, :], confidence_level)
    return Interval(low=float(bounds[0, 0]), high=float(bounds[1, 0]))


def _mean(
    estimates: Mapping[str, Estimate], draws: Mapping[str, FloatArray], confidence_level: float
) -> Estimate:
    known = {name: one.value for name, one in estimates.items() if one.value is not None}
    if not known:
        details = [one.detail for one in estimates.values() if one.detail is not None]
        return Estimate(value=None, detail=details[0] if details else "no ratings")
    without = [name for name in estimates if name not in known]
    return Estimate(
        value=float(np.mean(list(known.values()))),
        interval=interval_of(_mean_draws({name: draws[name] for name in known}), confidence_level),
        n=min(estimates[name].n for name in known),
        detail=f"without {', '.join(without)}, where it is undefined" if without else None,
    )


def _mean_draws(draws: Mapping[str, FloatArray]) -> FloatArray:
    shortest = min(drawn.size for drawn in draws.values())  # very many items have fewer resamples than a few
    return np.mean([drawn[:shortest] for drawn in draws.values()], axis=0)


def _difference(first: FloatArray, second: FloatArray) -> FloatArray:
    shortest = min(first.size, second.size)
    return first[:shortest] - second[:shortest]
