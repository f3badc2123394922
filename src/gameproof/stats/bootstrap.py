"""Resample tasks, and infer means of pseudo-values from the resamples."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from gameproof.records import FloatArray
from gameproof.seeds import rng_for

__all__ = ["StudentisedMeans", "count_blocks", "percentile_bounds", "resample_counts", "studentise"]

CountArray = npt.NDArray[np.uint8]

# Entries (resamples x tasks) of a count matrix that is kept: one byte each.
MAX_KEPT_ENTRIES = 32_000_000
MAX_KEPT_FLOATS = 2_000_000  # entries of a count matrix that is also kept as floats: eight bytes each
# Beyond so many entries the resamples are thinned: with so many tasks a mean is close to normal and the
# smallest p-value is all that is lost. At least MIN_RESAMPLES are always made.
MAX_ENTRIES = 400_000_000
MIN_RESAMPLES = 999
# Entries that are worked on at once: small enough to stay in a processor's cache.
BLOCK_ENTRIES = 200_000
# Variances below this share of the mean square are rounding errors.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentisedMeans:
    """Inference on the means of K columns of pseudo-values; NaN where a column has no spread."""

    means: FloatArray  # (K,)
    errors: FloatArray  # (K,): standard errors of the means
    below: FloatArray  # (K,): p of "the mean is 0 or more"; small where it is shown to be below 0
    above: FloatArray  # (K,): p of "the mean is 0 or less"
    low: FloatArray  # (K,): bootstrap-t interval; infinite where the resamples bound one side only
    high: FloatArray


def resample_counts(n_tasks: int, n_resamples: int, seed: int) -> CountArray:
    """Draw how often each task occurs in each resample: one row a resample, each row sums to ``n_tasks``.

    The same arguments give the same counts, so that all checks of a run share one set of resamples. The
    result may be shared: do not write to it.

    Example:
        >>> counts = resample_counts(5, 3, seed=0)
        >>> counts.shape, counts.sum(axis=1).tolist()
        ((3, 5), [5, 5, 5])
    """
    if n_tasks * n_resamples <= MAX_KEPT_ENTRIES:
        return _kept_counts(n_tasks, n_resamples, seed)
    return np.concatenate(list(_drawn_blocks(n_tasks, n_resamples, seed)))


def count_blocks(n_tasks: int, n_resamples: int, seed: int) -> Iterator[FloatArray]:
    """Yield the rows of `resample_counts` in blocks of a handy size, as floats for matrix products.

    Where tasks are very many, fewer resamples are made than asked for (never fewer than 999 of them).
    """
    n_resamples = max(min(n_resamples, MAX_ENTRIES // n_tasks), min(n_resamples, MIN_RESAMPLES))
    if n_tasks * n_resamples > MAX_KEPT_ENTRIES:
        for block in _drawn_blocks(n_tasks, n_resamples, seed):
            yield block.astype(np.float64)
        return
    small = n_tasks * n_resamples <= MAX_KEPT_FLOATS
    counts = (_kept_floats if small else _kept_counts)(n_tasks, n_resamples, seed)
    rows = _block_rows(n_tasks)
    for start in range(0, n_resamples, rows):
        yield counts[start : start + rows].astype(np.float64, copy=False)


def studentise(
    pseudo_values: FloatArray, *, n_resamples: int, confidence_level: float, seed: int
) -> StudentisedMeans:
    """Test and bound the means of columns of pseudo-values by a studentised bootstrap over tasks.

    With psi the pseudo-values of G tasks, se = sd(psi) / sqrt(G) and t* = (mean psi* - mean psi) / se* in
    each resample: p for "the mean is 0 or more" is (1 + #{t* <= mean psi / se}) / (B + 1), mirrored for the
    other side, and the interval is [mean - t*_high se, mean - t*_low se] (Efron's bootstrap-t). A resample
    without spread has t* = 0 or infinite, which can only make the test more careful.

    The values of a column are sorted first, so the result does not depend on how tasks are numbered.

    Args:
        pseudo_values: One row a task (at least 2), one column a question.
        n_resamples: B.
        confidence_level: Of the two-sided interval.
        seed: Of the resamples.
    """
    n_tasks = pseudo_values.shape[0]
    means = pseudo_values.mean(axis=0)
    deviations = np.sort(pseudo_values, axis=0) - means
    errors = np.sqrt((deviations**2).sum(axis=0) / (n_tasks * (n_tasks - 1)))
    largest = np.abs(pseudo_values).max(axis=0)
    flat = ~(errors > ROUNDING * largest)  # NaN counts as flat: such a column has no inference
    errors = np.where(flat, np.nan, errors)
    scaled = np.where(flat, 0.0, deviations / np.where(flat, 1.0, errors))
    draws = _studentised_draws(scaled, n_resamples, seed)
    observed = means / errors
    total = draws.shape[1]
    with np.errstate(invalid="ignore"):  # NaN columns stay NaN
        bounds = percentile_bounds(draws, confidence_level)
        return StudentisedMeans(
            means=means,
            errors=errors,
            below=_pvalue((draws <= observed[:, None]).sum(axis=1), total, flat),
            above=_pvalue((draws >= observed[:, None]).sum(axis=1), total, flat),
            low=means - bounds[1] * errors,
            high=means - bounds[0] * errors,
        )


def percentile_bounds(draws: FloatArray, confidence_level: float) -> FloatArray:
    """Return the order statistics (2, K) that leave half of the error outside on either side of each row.

    Order statistics are not interpolated: with infinite values there is nothing in between.
    """
    n_draws = draws.shape[1]
    outside = int(np.floor((n_draws + 1) * (1 - confidence_level) / 2 + 1e-9))
    first = max(outside, 1) - 1
    last = n_draws - 1 - first
    ordered = np.partition(draws, (first, last), axis=1)
    return np.stack([ordered[:, first], ordered[:, last]])


def _studentised_draws(values: FloatArray, n_resamples: int, seed: int) -> FloatArray:
    """Return t* of centred and scaled columns: (K, B)."""
    n_tasks, n_columns = values.shape
    both = np.concatenate([values, values**2], axis=1)
    blocks: list[FloatArray] = []
    for counts in count_blocks(n_tasks, n_resamples, seed):
        moments = counts @ both / n_tasks
        mean, square = moments[:, :n_columns], moments[:, n_columns:]
        variance = square - mean**2
        spread = variance > ROUNDING * square
        t = mean / np.sqrt(np.where(spread, variance, 1.0) / (n_tasks - 1))
        edge = np.where(np.abs(mean) > ROUNDING, np.copysign(np.inf, mean), 0.0)
        blocks.append(np.where(spread, t, edge).T)
    return np.ascontiguousarray(np.concatenate(blocks, axis=1))


def _pvalue(count: npt.NDArray[np.int_], n_resamples: int, flat: npt.NDArray[np.bool_]) -> FloatArray:
    return np.where(flat, np.nan, (1.0 + count) / (n_resamples + 1.0))


def _block_rows(n_tasks: int) -> int:
    return max(BLOCK_ENTRIES // n_tasks, 1)


@lru_cache(maxsize=8)
def _kept_counts(n_tasks: int, n_resamples: int, seed: int) -> CountArray:
    counts = np.concatenate(list(_drawn_blocks(n_tasks, n_resamples, seed)))
    counts.flags.writeable = False
    return counts


@lru_cache(maxsize=4)
def _kept_floats(n_tasks: int, n_resamples: int, seed: int) -> FloatArray:
    counts = _kept_counts(n_tasks, n_resamples, seed).astype(np.float64)
    counts.flags.writeable = False
    return counts


def _drawn_blocks(n_tasks: int, n_resamples: int, seed: int) -> Iterator[CountArray]:
    rng = rng_for(seed, "stats", "resample", n_tasks)
    rows = _block_rows(n_tasks)
    for start in range(0, n_resamples, rows):
        n_rows = min(rows, n_resamples - start)
        drawn = rng.integers(0, n_tasks, size=(n_rows, n_tasks))
        drawn += np.arange(n_rows)[:, None] * n_tasks
        counts = np.bincount(drawn.ravel(), minlength=n_rows * n_tasks)
        # A task is drawn about once a resample: counts above 255 do not occur.
        yield counts.reshape(n_rows, n_tasks).astype(np.uint8)
