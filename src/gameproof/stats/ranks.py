"""Ranks with ties, and the correlations made of them."""

from typing import Literal

import numpy as np

from gameproof.records import FloatArray, IntArray

__all__ = [
    "distinct_values",
    "kendall",
    "midranks",
    "midranks_within",
    "rank_correlation",
    "spearman",
    "tie_share",
]


def midranks(values: FloatArray) -> FloatArray:
    """Rank each column from 1, ties sharing the mean of their places.

    Args:
        values: (n,) or (n, columns), no NaN.

    Example:
        >>> midranks(np.array([3.0, 1.0, 3.0])).tolist()
        [2.5, 1.0, 2.5]
    """
    table = values if values.ndim == 2 else values[:, None]
    n = table.shape[0]
    order = np.argsort(table, axis=0, kind="stable")
    ordered = np.take_along_axis(table, order, axis=0)
    places = np.arange(n, dtype=np.int64).reshape(n, 1)
    starts = np.ones(table.shape, dtype=bool)
    starts[1:] = ordered[1:] != ordered[:-1]
    ends = np.ones(table.shape, dtype=bool)
    ends[:-1] = starts[1:]
    first = np.maximum.accumulate(np.where(starts, places, 0), axis=0)
    last = np.minimum.accumulate(np.where(ends, places, n)[::-1], axis=0)[::-1]
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=0)
    return ranks.reshape(values.shape)


def midranks_within(values: FloatArray, tasks: IntArray) -> FloatArray:
    """Rank from 1 within each task, ties sharing the mean of their places.

    Example:
        >>> midranks_within(np.array([5.0, 1.0, 2.0, 2.0]), np.array([0, 0, 1, 1])).tolist()
        [2.0, 1.0, 1.5, 1.5]
    """
    n = values.size
    if not n:
        return np.zeros(0)
    order = np.lexsort((values, tasks))
    new_task = np.append(True, np.diff(tasks[order]) != 0)
    starts = new_task | np.append(True, np.diff(values[order]) != 0)
    places = np.arange(n)
    first = np.maximum.accumulate(np.where(starts, places, 0))
    task_start = np.maximum.accumulate(np.where(new_task, places, 0))
    sizes = np.diff(np.append(np.flatnonzero(starts), n))
    ranks = np.empty(n)
    ranks[order] = first - task_start + (np.repeat(sizes, sizes) + 1) / 2
    return ranks


def rank_correlation(first: FloatArray, second: FloatArray) -> FloatArray:
    """Correlate each column of ranks of ``first`` with that of ``second``; NaN where one is constant."""
    one = first - first.mean(axis=0)
    two = second - second.mean(axis=0)
    spread = np.sqrt((one**2).sum(axis=0) * (two**2).sum(axis=0))
    product = (one * two).sum(axis=0)
    return np.divide(product, spread, out=np.full(np.shape(spread), np.nan), where=spread > 0)


def spearman(first: FloatArray, second: FloatArray) -> float | None:
    """Return Spearman's rank correlation with midranks, or None where one side is constant.

    Example:
        >>> spearman(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0]))
        0.5
        >>> spearman(np.array([3.0, 3.0, 3.0]), np.array([1.0, 3.0, 2.0])) is None
        True
    """
    if first.size < 2:
        return None
    columns = rank_correlation(midranks(first)[:, None], midranks(second)[:, None])
    value = float(columns[0])
    return None if np.isnan(value) else value


def kendall(first: FloatArray, second: FloatArray, *, variant: Literal["b", "c"]) -> float | None:
    """Return Kendall's tau-b or tau-c, or None where one side is constant.

    With C concordant, D discordant pairs, tau-b = (C - D) / sqrt((P - ties in x) (P - ties in y)) with
    P = n (n - 1) / 2, and tau-c = 2 (C - D) / (n^2 (k - 1) / k) with k the smaller number of distinct values.

    Example:
        >>> x, y = np.array([1.0, 1, 2, 2, 3]), np.array([1.0, 2, 2, 3, 3])
        >>> kendall(x, y, variant="b"), round(kendall(x, y, variant="c"), 4)
        (0.75, 0.72)
    """
    n = first.size
    fewest = min(distinct_values(first), distinct_values(second))
    if fewest < 2:
        return None
    difference = float(sum(_concordance(first, second, row) for row in range(n - 1)))
    if variant == "c":
        return 2 * difference / (n**2 * (fewest - 1) / fewest)
    pairs = n * (n - 1) / 2
    untied = (pairs - _tied_pairs(first)) * (pairs - _tied_pairs(second))
    return difference / float(np.sqrt(untied))


def tie_share(values: FloatArray) -> float:
    """Return the share of values that occur more than once; 0 where there are none.

    Example:
        >>> tie_share(np.array([1.0, 1.0, 2.0, 3.0]))
        0.5
    """
    counts = _counts(values)
    return float(counts[counts > 1].sum() / values.size) if values.size else 0.0


def distinct_values(values: FloatArray) -> int:
    """Count the different values."""
    return int(np.unique(values).size)


def _concordance(first: FloatArray, second: FloatArray, row: int) -> float:
    return float((np.sign(first[row + 1 :] - first[row]) * np.sign(second[row + 1 :] - second[row])).sum())


def _tied_pairs(values: FloatArray) -> float:
    counts = _counts(values)
    return float((counts * (counts - 1)).sum() / 2)


def _counts(values: FloatArray) -> IntArray:
    return np.unique(values, return_counts=True)[1].astype(np.int64)
