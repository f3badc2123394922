"""What a bootstrap resamples: one kind of cluster, or two that cross.

Where each annotator judges many texts and each text has many annotators, neither alone is the sampling unit: both
are drawn anew, and a judgement counts as often as its annotator times its text (A. Owen 2007, "The pigeonhole
bootstrap"; its intervals are slightly too wide rather than too short).
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.records import FloatArray, IntArray
from gameproof.stats.bootstrap import count_blocks, resample_counts

__all__ = ["Resampling", "make_resampling", "number_labels"]

MAX_ENTRIES = 2_000_000  # weights (resamples x cells) that are worked on at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Resampling:
    """Cells of observations that always count equally often, and how often in each resample."""

    cells: IntArray  # (n,): the cell of each observation, numbered from 0
    n_cells: int
    factors: tuple[IntArray, ...]  # one or two: the cluster of each cell, numbered from 0
    sizes: tuple[int, ...]  # clusters of each factor

    def blocks(self, n_resamples: int, seed: int) -> Iterator[FloatArray]:
        """Yield weights (b, n_cells) of successive resamples; the same sizes and seed give the same."""
        if len(self.factors) == 1:
            yield from count_blocks(self.sizes[0], n_resamples, seed)
            return
        first, second = (
            resample_counts(size, n_resamples, seed + place) for place, size in enumerate(self.sizes)
        )
        step = max(MAX_ENTRIES // self.n_cells, 1)
        for start in range(0, n_resamples, step):
            rows = slice(start, start + step)
            yield (
                first[rows][:, self.factors[0]].astype(np.float64)
                * second[rows][:, self.factors[1]].astype(np.float64)
            )

    def take(self, rows: IntArray) -> "Resampling":
        """Return the same resamples of some of the observations."""
        return Resampling(
            cells=self.cells[rows], n_cells=self.n_cells, factors=self.factors, sizes=self.sizes
        )


def number_labels(labels: Sequence[Hashable]) -> IntArray:
    """Return a number from 0 for each label, in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def make_resampling(first: Sequence[Hashable], second: Sequence[Hashable] | None = None) -> Resampling:
    """Number clusters in order of appearance.

    Args:
        first: (n,) the cluster of each observation.
        second: (n,) its cluster of another kind, which crosses the first; None for one kind only.

    Example:
        >>> crossed = make_resampling(["p", "p", "q"], ["text 1", "text 2", "text 1"])
        >>> crossed.n_cells, crossed.sizes
        (3, (2, 2))
    """
    if second is None:
        labels = number_labels(first)
        size = int(labels.max()) + 1 if labels.size else 0
        return Resampling(cells=labels, n_cells=size, factors=(np.arange(size),), sizes=(size,))
    cells = number_labels(list(zip(first, second, strict=True)))
    n_cells = int(cells.max()) + 1 if cells.size else 0
    factors: list[IntArray] = []
    for labels in (number_labels(first), number_labels(second)):
        of_cell = np.zeros(n_cells, dtype=np.int64)
        of_cell[cells] = labels
        factors.append(of_cell)
    sizes = tuple(int(factor.max()) + 1 if factor.size else 0 for factor in factors)
    return Resampling(cells=cells, n_cells=n_cells, factors=tuple(factors), sizes=sizes)
