"""Rank correlation at one level: the value, and what it becomes when tasks are resampled."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.stats.bootstrap import count_blocks
from gameproof.stats.ranks import midranks, midranks_within, rank_correlation
from gameproof.stats.sums import mean_by, sum_by

__all__ = [
    "MIN_RANKED",
    "Clusters",
    "Level",
    "LevelValue",
    "Table",
    "level_draws",
    "level_value",
    "make_table",
]

Level = Literal["pooled", "within_task", "system"]

MIN_RANKED = 3  # two things always correlate by -1, 0 or 1, which is no measurement
MAX_ENTRIES = 400_000_000  # items x resamples; beyond it resamples are thinned
MIN_RESAMPLES = 200
BLOCK_ENTRIES = 200_000  # items x resamples that are ranked at once: fits a processor's cache
FEW_VALUES = 50  # a column with so few distinct values is counted by a matrix product


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """What items belong to."""

    tasks: IntArray  # (n,): the task of each item, numbered from 0
    systems: IntArray | None = None  # (n,): who wrote it, numbered from 0, -1 where unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Scores and ratings without gaps; tasks are those of all items, so that tables share their resamples."""

    scores: FloatArray  # (n,)
    ratings: FloatArray  # (n,)
    tasks: IntArray  # (n,)
    n_tasks: int
    systems: IntArray | None  # (n,)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelValue:
    """A correlation, or why there is none."""

    rho: float | None
    n: int  # items, tasks or systems that entered
    undefined: str | None = None
    left_out: str | None = None  # what could not enter, in words


def make_table(scores: FloatArray, ratings: FloatArray, both: BoolArray, clusters: Clusters) -> Table:
    """Keep the items that ``both`` marks."""
    labels, numbers = np.unique(clusters.tasks, return_inverse=True)
    return Table(
        scores=scores[both],
        ratings=ratings[both],
        tasks=numbers[both].astype(np.int64),
        n_tasks=int(labels.size),
        systems=None if clusters.systems is None else clusters.systems[both],
    )


def level_value(level: Level, table: Table) -> LevelValue:
    """Correlate scores with ratings at one level."""
    return VALUES[level](table)


def level_draws(level: Level, table: Table, *, n_resamples: int, seed: int) -> FloatArray:
    """Correlate anew in each resample of tasks: (B,), NaN where a resample has no correlation.

    The value itself must exist (`level_value`).
    """
    return DRAWS[level](table, n_resamples, seed)


def _constant(scores: FloatArray, ratings: FloatArray) -> str | None:
    if float(np.ptp(scores)) == 0:
        return "constant scores"
    return "constant ratings" if float(np.ptp(ratings)) == 0 else None


def _pooled_value(table: Table) -> LevelValue:
    n = table.scores.size
    if n < MIN_RANKED:
        return LevelValue(rho=None, n=n, undefined=f"fewer than {MIN_RANKED} items")
    constant = _constant(table.scores, table.ratings)
    if constant is not None:
        return LevelValue(rho=None, n=n, undefined=constant)
    return LevelValue(rho=_rho(table.scores, table.ratings), n=n)


def _pooled_draws(table: Table, n_resamples: int, seed: int) -> FloatArray:
    n = table.scores.size
    n_resamples = max(min(n_resamples, MAX_ENTRIES // n), min(n_resamples, MIN_RESAMPLES))
    scores, ratings = _Ranking.of(table.scores, table), _Ranking.of(table.ratings, table)
    draws: list[FloatArray] = []
    for counts in _thin_blocks(table.n_tasks, n_resamples, seed, rows=max(BLOCK_ENTRIES // n, 1)):
        one, two = scores.ranks(counts), ratings.ranks(counts)
        weights = counts[table.tasks]
        weighted = weights * one
        squares = np.einsum("ib,ib->b", weighted, one) * np.einsum("ib,ib,ib->b", weights, two, two)
        draws.append(_quotient(np.einsum("ib,ib->b", weighted, two), squares))
    return np.concatenate(draws)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranking:
    """A column ready to be ranked in many resamples by counting copies of its distinct values."""

    codes: IntArray  # (n,): which of the k distinct values each item has
    sorted_tasks: IntArray  # (n,): tasks in ascending order of the value
    last: IntArray  # (k,): place of the last item of each distinct value
    table: FloatArray | None  # (k, G): items of each task with each value; None where k is large

    @staticmethod
    def of(values: FloatArray, table: Table) -> "_Ranking":
        _, codes, sizes = np.unique(values, return_inverse=True, return_counts=True)
        counted: FloatArray | None = None
        if sizes.size <= FEW_VALUES:
            cells = codes * table.n_tasks + table.tasks
            flat = np.bincount(cells, minlength=sizes.size * table.n_tasks)
            counted = flat.reshape(sizes.size, table.n_tasks).astype(np.float64)
        return _Ranking(
            codes=codes.astype(np.int64),
            sorted_tasks=table.tasks[np.argsort(codes, kind="stable")],
            last=(np.cumsum(sizes) - 1).astype(np.int64),
            table=counted,
        )

    def ranks(self, counts: FloatArray) -> FloatArray:
        """Return midranks minus their mean, of every item in every resample: (n, b).

        With E_u the copies of values up to u and N those of all, the midrank is (E_(u-1) + E_u + 1) / 2 and
        the mean rank (N + 1) / 2.
        """
        if self.table is None:
            upto = np.cumsum(counts[self.sorted_tasks], axis=0)[self.last]
        else:
            upto = np.cumsum(self.table @ counts, axis=0)
        ranks = upto.copy()
        ranks[1:] += upto[:-1]
        ranks -= upto[-1]
        ranks /= 2
        return ranks[self.codes]


def _within_value(table: Table) -> LevelValue:
    rhos, reasons = _task_correlations(table)
    defined = int((~np.isnan(rhos)).sum())
    told = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())
    if not defined:
        if len(reasons) == 1:
            told = f"{next(iter(reasons))} in every task"
        return LevelValue(rho=None, n=0, undefined=told or "no item has both")
    n_left_out = reasons.total()
    left_out = f"{n_left_out:,} of {n_left_out + defined:,} tasks left out: {told}" if reasons else None
    return LevelValue(rho=float(np.nanmean(rhos)), n=defined, left_out=left_out)


def _within_draws(table: Table, n_resamples: int, seed: int) -> FloatArray:
    rhos, _ = _task_correlations(table)
    defined, known = (~np.isnan(rhos)).astype(np.float64), np.nan_to_num(rhos)
    return np.concatenate(
        [_ratio(block @ known, block @ defined) for block in count_blocks(rhos.size, n_resamples, seed)]
    )


def _task_correlations(table: Table) -> tuple[FloatArray, Counter[str]]:
    """Return each task's correlation, NaN where it has none, and how often each reason occurs."""
    tasks, n_tasks = table.tasks, table.n_tasks
    sizes = np.bincount(tasks, minlength=n_tasks)
    middle = (sizes[tasks] + 1) / 2
    one = midranks_within(table.scores, tasks) - middle
    two = midranks_within(table.ratings, tasks) - middle
    spread_one, spread_two = sum_by(tasks, one**2, n_tasks), sum_by(tasks, two**2, n_tasks)
    few = sizes < MIN_RANKED
    rhos = np.where(few, np.nan, _quotient(sum_by(tasks, one * two, n_tasks), spread_one * spread_two))
    flat_scores = ~few & (spread_one == 0)
    counts = {
        f"fewer than {MIN_RANKED} items": int((few & (sizes > 0)).sum()),
        "constant scores": int(flat_scores.sum()),
        "constant ratings": int((~few & ~flat_scores & (spread_two == 0)).sum()),
    }
    return rhos, Counter({reason: count for reason, count in counts.items() if count})


def _system_value(table: Table) -> LevelValue:
    if table.systems is None or not bool((table.systems >= 0).any()):
        return LevelValue(rho=None, n=0, undefined="no systems are named")
    known = table.systems >= 0
    labels, numbers = np.unique(table.systems[known], return_inverse=True)
    n = int(labels.size)
    if n < MIN_RANKED:
        return LevelValue(rho=None, n=n, undefined=f"fewer than {MIN_RANKED} systems")
    numbers = numbers.astype(np.int64)
    scores, ratings = mean_by(numbers, table.scores[known]), mean_by(numbers, table.ratings[known])
    constant = _constant(scores, ratings)
    if constant is not None:
        return LevelValue(rho=None, n=n, undefined=f"{constant}: the systems' means are equal")
    unknown = int((~known).sum())
    left_out = f"{unknown:,} items without a system" if unknown else None
    return LevelValue(rho=_rho(scores, ratings), n=n, left_out=left_out)


def _system_draws(table: Table, n_resamples: int, seed: int) -> FloatArray:
    systems = np.full(table.tasks.size, -1) if table.systems is None else table.systems
    known = systems >= 0
    labels, numbers = np.unique(systems[known], return_inverse=True)
    shape = (labels.size, table.n_tasks)
    cells = (numbers * table.n_tasks + table.tasks[known]).astype(np.int64)
    counts, scores, ratings = (
        sum_by(cells, column, shape[0] * shape[1]).reshape(shape)
        for column in (np.ones(cells.size), table.scores[known], table.ratings[known])
    )
    draws: list[FloatArray] = []
    for block in count_blocks(table.n_tasks, n_resamples, seed):
        # A system that a resample lacks leaves that resample without a value.
        present = counts @ block.T
        divisor = np.where(present > 0, present, 1.0)
        one, two = midranks(scores @ block.T / divisor), midranks(ratings @ block.T / divisor)
        draws.append(np.where(present.min(axis=0) > 0, rank_correlation(one, two), np.nan))
    return np.concatenate(draws)


def _rho(scores: FloatArray, ratings: FloatArray) -> float:
    ranks = midranks(np.stack([scores, ratings], axis=1))
    return float(rank_correlation(ranks[:, :1], ranks[:, 1:])[0])


def _thin_blocks(n_tasks: int, n_resamples: int, seed: int, *, rows: int) -> Iterator[FloatArray]:
    """Yield resample counts as (G, b) blocks of at most ``rows`` resamples."""
    for block in count_blocks(n_tasks, n_resamples, seed):
        for start in range(0, block.shape[0], rows):
            yield np.ascontiguousarray(block[start : start + rows].T)


def _quotient(product: FloatArray, squares: FloatArray) -> FloatArray:
    return np.divide(product, np.sqrt(squares), out=np.full(product.shape, np.nan), where=squares > 0)


def _ratio(top: FloatArray, bottom: FloatArray) -> FloatArray:
    return np.divide(top, bottom, out=np.full(top.shape, np.nan), where=bottom > 0)


VALUES: dict[Level, Callable[[Table], LevelValue]] = {
    "pooled": _pooled_value,
    "within_task": _within_value,
    "system": _system_value,
}
DRAWS: dict[Level, Callable[[Table, int, int], FloatArray]] = {
    "pooled": _pooled_draws,
    "within_task": _within_draws,
    "system": _system_draws,
}
