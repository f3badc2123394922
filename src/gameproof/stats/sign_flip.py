"""Test a mean of task means by flipping signs: robustness only, for "no change"."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from gameproof.records import FloatArray
from gameproof.seeds import rng_for

__all__ = ["MAX_EXACT_TASKS", "sign_flip_pvalue"]

MAX_EXACT_TASKS = 20  # 2^20 sign patterns are enumerated; beyond that they are drawn
# Sums that differ by less than this share of the largest are equal but for rounding.
ROUNDING = 1e-12
MAX_ENTRIES = 32_000_000  # random signs that are kept and shared between checks, one byte each
BLOCK_ENTRIES = 200_000  # signs that are worked on at once


def sign_flip_pvalue(task_means: FloatArray, *, n_resamples: int, seed: int) -> float:
    """Return the two-sided p-value of "the task means are symmetric about 0".

    Exact over all 2^G patterns for at most 20 tasks; else (1 + #{as extreme}) / (B + 1) over random patterns.
    It assumes symmetry, so it says nothing about a margin and is wrong for skewed gains.

    Example:
        >>> sign_flip_pvalue(np.array([1.0, 2.0, 3.0]), n_resamples=999, seed=0)
        0.25
    """
    sizes = np.sort(np.abs(task_means))  # flipping makes signs and order of tasks irrelevant
    observed = abs(float(task_means.sum()))
    threshold = observed - ROUNDING * float(sizes.sum())
    if sizes.size <= MAX_EXACT_TASKS:
        return _exact_share(sizes, threshold)
    extreme, total = _count_extreme(sizes, threshold, n_resamples, seed)
    return (1 + extreme) / (total + 1)


def _exact_share(sizes: FloatArray, threshold: float) -> float:
    """Return the share of all sign patterns whose sum is at least the threshold in absolute value.

    A sum over all tasks is a sum over one half of them plus one over the other: for each of the first, the
    second are counted in their sorted list.
    """
    if threshold <= 0:  # every pattern is at least as extreme as a sum of 0
        return 1.0
    middle = sizes.size // 2
    one, two = _all_sums(sizes[:middle]), np.sort(_all_sums(sizes[middle:]))
    above = two.size - np.searchsorted(two, threshold - one, side="left")
    below = np.searchsorted(two, -threshold - one, side="right")
    return float((above + below).sum()) / (one.size * two.size)


def _all_sums(sizes: FloatArray) -> FloatArray:
    sums = np.zeros(1)
    for size in sizes.tolist():
        sums = np.concatenate([sums + size, sums - size])
    return sums


def _count_extreme(sizes: FloatArray, threshold: float, n_resamples: int, seed: int) -> tuple[int, int]:
    n_resamples = max(min(n_resamples, MAX_ENTRIES // sizes.size), 1)
    positive = _positive(sizes.size, n_resamples, seed)
    rows = max(BLOCK_ENTRIES // sizes.size, 1)
    extreme = 0
    for start in range(0, n_resamples, rows):
        # sum of signs * sizes = 2 * (sum over the positive ones) - sum of all
        sums = 2.0 * (positive[start : start + rows].astype(np.float64) @ sizes) - sizes.sum()
        extreme += int((np.abs(sums) >= threshold).sum())
    return extreme, n_resamples


@lru_cache(maxsize=4)
def _positive(n_tasks: int, n_resamples: int, seed: int) -> npt.NDArray[np.uint8]:
    rng = rng_for(seed, "stats", "sign flip", n_tasks)
    positive = rng.integers(0, 2, size=(n_resamples, n_tasks), dtype=np.uint8)
    positive.flags.writeable = False
    return positive
