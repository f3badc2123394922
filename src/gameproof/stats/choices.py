"""How well score differences foretell choices between two texts, with intervals over resampled clusters.

A pair has a score difference d (first minus second text) and a choice: +1 the first, -1 the second, 0 neither.
Which text came first says nothing about the metric, so every statistic here is the same after swapping sides.
"""

from dataclasses import dataclass

import numpy as np

from gameproof.records import FloatArray, IntArray
from gameproof.stats.bootstrap import percentile_bounds
from gameproof.stats.resampling import Resampling
from gameproof.stats.results import Interval
from gameproof.stats.sums import sum_by

__all__ = [
    "ChoiceSample",
    "Estimate",
    "accuracy",
    "auc",
    "estimate_difference",
    "estimate_of_draws",
    "make_sample",
]

MAX_ENTRIES = 2_000_000  # weights (resamples x pairs) that are worked on at once
MIN_DEFINED_SHARE = 0.5  # an interval needs so large a share of resamples in which the statistic exists


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceSample:
    """Pairs that people decided and the metric scored, as agreements: d times the choice."""

    agreements: FloatArray  # (n,): above 0 where the chosen text scores higher
    resampling: Resampling  # of these pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A statistic with its resamples, so that two metrics on the same clusters may be compared."""

    value: float | None
    interval: Interval | None
    n: int  # pairs that entered
    draws: FloatArray  # (B,): the statistic in each resample; empty where there is no value


def make_sample(differences: FloatArray, choices: IntArray, resampling: Resampling) -> ChoiceSample:
    """Keep the pairs that say something: a choice for one text, and a score for both.

    Args:
        differences: (n,) score of the first text minus score of the second, in the direction of better; NaN
            where one of them is missing.
        choices: (n,) +1, -1, or 0 for neither.
        resampling: Of all n pairs, so that metrics with other missing scores share resamples.
    """
    kept = np.flatnonzero((choices != 0) & ~np.isnan(differences))
    return ChoiceSample(agreements=differences[kept] * choices[kept], resampling=resampling.take(kept))


def accuracy(
    sample: ChoiceSample, *, n_resamples: int, confidence_level: float = 0.95, seed: int = 0
) -> Estimate:
    """Return the share of decided pairs in which the chosen text scores higher; equal scores count one half.

    Example:
        >>> from gameproof.stats.resampling import make_resampling
        >>> differences, choices = np.array([0.2, -0.1, 0.0, 0.3]), np.array([1, 1, -1, 1])
        >>> sample = make_sample(differences, choices, make_resampling(range(4)))
        >>> accuracy(sample, n_resamples=99).value
        0.625
    """
    right: FloatArray = 0.5 + 0.5 * np.sign(sample.agreements)
    cells, n_cells = sample.resampling.cells, sample.resampling.n_cells
    sums, sizes = sum_by(cells, right, n_cells), sum_by(cells, np.ones(right.size), n_cells)
    pairs = [(weights @ sums, weights @ sizes) for weights in sample.resampling.blocks(n_resamples, seed)]
    hits, totals = (np.concatenate(part) for part in zip(*pairs, strict=True))
    draws = np.divide(hits, totals, out=np.full(hits.shape, np.nan), where=totals > 0)
    value = float(right.mean()) if right.size else None
    return estimate_of_draws(value, draws, right.size, confidence_level)


def auc(sample: ChoiceSample, *, n_resamples: int, confidence_level: float = 0.95, seed: int = 0) -> Estimate:
    """Return the probability that a difference where the first text was chosen exceeds one where it was not.

    Every pair enters twice, once with its sides swapped, so that it does not matter which text came first:
    with s_i = d_i times the choice, AUC = mean over i, j of [s_i > -s_j] + [s_i = -s_j] / 2. Unlike accuracy
    it asks whether *large* differences are the safe ones.

    Example:
        >>> from gameproof.stats.resampling import make_resampling
        >>> sample = make_sample(np.array([3.0, -1.0]), np.array([1, 1]), make_resampling(range(2)))
        >>> auc(sample, n_resamples=99).value, accuracy(sample, n_resamples=99).value
        (0.75, 0.5)
    """
    order = np.argsort(sample.agreements, kind="stable")
    ascending = sample.agreements[order]
    cells = sample.resampling.cells[order]
    above = np.searchsorted(ascending, -ascending, side="right")  # first place with s > -s_j
    from_equal = np.searchsorted(ascending, -ascending, side="left")
    value = None
    if ascending.size:
        value = float(_auc_of(np.ones((1, ascending.size)), above, from_equal)[0])
    step = max(MAX_ENTRIES // max(ascending.size, 1), 1)
    draws = [
        _auc_of(weights[start : start + step, cells], above, from_equal)
        for weights in sample.resampling.blocks(n_resamples, seed)
        for start in range(0, len(weights), step)
    ]
    return estimate_of_draws(value, np.concatenate(draws), ascending.size, confidence_level)


def estimate_difference(
    first: Estimate, second: Estimate, *, confidence_level: float = 0.95
) -> tuple[float, Interval | None] | None:
    """Return how much larger the first is, on the same resamples of clusters; None where one has no value."""
    if first.value is None or second.value is None:
        return None
    return first.value - second.value, _interval(first.draws - second.draws, confidence_level)


def _auc_of(weights: FloatArray, above: IntArray, from_equal: IntArray) -> FloatArray:
    """Return AUC under each row of weights of pairs in ascending order of s."""
    up_to = np.concatenate([np.zeros((len(weights), 1)), np.cumsum(weights, axis=1)], axis=1)
    total = up_to[:, -1]
    higher = total[:, None] - up_to[:, above]
    equal = up_to[:, above] - up_to[:, from_equal]
    sums = np.einsum("bn,bn->b", weights, higher + 0.5 * equal)
    return np.divide(sums, total**2, out=np.full(total.shape, np.nan), where=total > 0)


def estimate_of_draws(value: float | None, draws: FloatArray, n: int, confidence_level: float) -> Estimate:
    """Put a statistic and its resamples together; without a value there are no draws."""
    if value is None:
        return Estimate(value=None, interval=None, n=n, draws=np.empty(0))
    return Estimate(value=value, interval=_interval(draws, confidence_level), n=n, draws=draws)


def _interval(draws: FloatArray, confidence_level: float) -> Interval | None:
    defined = draws[~np.isnan(draws)]
    if defined.size < max(2, MIN_DEFINED_SHARE * draws.size) or defined.min() == defined.max():
        return None
    bounds = percentile_bounds(defined[None, :], confidence_level)
    return Interval(low=float(bounds[0, 0]), high=float(bounds[1, 0]))
