"""Count once which n-grams a reference has, then match all its candidates against the counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gameproof.records import IntArray

__all__ = ["UNKNOWN", "NgramIndex", "Sequences", "index_ngrams", "number_tokens", "numbering", "sequences_of"]

UNKNOWN = 0  # the symbol of everything that the reference does not have; its own symbols start at 1

# Nodes of the tree of n-grams: one for "not in the reference", one for the empty n-gram, then the n-grams.
DEAD, ROOT, FIRST = 0, 1, 2

# A tree is walked by one look-up in a table of nodes x symbols while that table has at most so many places
# (1 MB); in the tree of a very long reference children are found by bisection, at a third of the speed.
MAX_TABLE = 2**18

# Candidates are counted together, in a table of candidates x nodes with at most so many places (32 MB).
MAX_CELLS = 2**22

TableArray = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequences:
    """The symbols of several candidates in one row, each candidate closed by `UNKNOWN`."""

    symbols: IntArray
    lengths: IntArray  # of each candidate, without what closes it

    def halves(self) -> tuple["Sequences", "Sequences"]:
        """Return the first candidates and the others."""
        middle = len(self.lengths) // 2
        end = int((self.lengths[:middle] + 1).sum())
        return (
            Sequences(symbols=self.symbols[:end], lengths=self.lengths[:middle]),
            Sequences(symbols=self.symbols[end:], lengths=self.lengths[middle:]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NgramIndex:
    """The n-grams of one sequence of symbols as a tree: a child extends its parent by one symbol.

    Nodes are numbered by length, then by `keys`, so that `keys` is sorted and the n-grams of one length lie
    side by side.
    """

    n_symbols: int  # one more than the largest symbol
    keys: IntArray  # per n-gram: its parent's node * n_symbols + its last symbol
    counts: IntArray  # per node
    starts: IntArray  # per length: its first node
    table: TableArray | None  # (node * n_symbols + symbol) -> child

    @property
    def nbytes(self) -> int:
        """Return the memory that the arrays take."""
        table = 0 if self.table is None else self.table.nbytes
        return self.keys.nbytes + self.counts.nbytes + self.starts.nbytes + table

    def matches(self, candidates: Sequences) -> IntArray:
        """Count the n-grams that each candidate shares with the reference, one column a length.

        An n-gram counts at most as often as the reference has it.
        """
        n_candidates, n_nodes = len(candidates.lengths), len(self.counts)
        if n_candidates > 1 and n_candidates * n_nodes > MAX_CELLS:
            halves = candidates.halves()
            return np.concatenate([self.matches(half) for half in halves])
        symbols = candidates.symbols
        first_cells = np.repeat(np.arange(n_candidates) * n_nodes, candidates.lengths + 1)
        nodes = self._children(symbols + ROOT * self.n_symbols)
        cells = [first_cells + nodes]
        for length in range(1, len(self.starts)):
            nodes = self._children(nodes[:-1] * self.n_symbols + symbols[length:])
            cells.append(first_cells[: len(nodes)] + nodes)
        found = np.bincount(np.concatenate(cells), minlength=n_candidates * n_nodes)
        shared = np.minimum(found.reshape(n_candidates, n_nodes), self.counts)
        return np.add.reduceat(shared, self.starts, axis=1)

    def _children(self, keys: IntArray) -> npt.NDArray[np.int32] | IntArray:
        if self.table is not None:
            return self.table.take(keys)
        places = np.searchsorted(self.keys, keys)
        known = self.keys.take(places, mode="clip") == keys
        return np.where(known, places + FIRST, DEAD)


def numbering(tokens: Iterable[str]) -> dict[str, int]:
    """Number the different tokens of a reference from 1."""
    return {token: number for number, token in enumerate(dict.fromkeys(tokens), start=UNKNOWN + 1)}


def sequences_of(candidates: Sequence[Sequence[int]]) -> Sequences:
    """Put candidates, already in numbers, into one row."""
    row: list[int] = []
    for candidate in candidates:
        row.extend(candidate)
        row.append(UNKNOWN)
    lengths = np.array([len(candidate) for candidate in candidates], dtype=np.int64)
    return Sequences(symbols=np.array(row, dtype=np.int64), lengths=lengths)


def number_tokens(tokens: Sequence[str], numbers: Mapping[str, int]) -> list[int]:
    """Return tokens as numbers; the ones that the reference does not have are all `UNKNOWN`."""
    get = numbers.get
    return [get(token, UNKNOWN) for token in tokens]


def index_ngrams(symbols: IntArray, *, max_length: int) -> NgramIndex:
    """Index a reference's n-grams of 1 to ``max_length`` symbols; lengths it does not have count nothing.

    Args:
        symbols: The reference, as numbers from 1.
        max_length: The longest n-grams to count.
    """
    n_symbols = int(symbols.max(initial=UNKNOWN)) + 1
    nodes = np.full(len(symbols), ROOT, dtype=np.int64)
    keys: list[IntArray] = []
    counts: list[IntArray] = [np.zeros(FIRST, dtype=np.int64)]
    starts: list[int] = []
    n_nodes = FIRST
    for length in range(1, max_length + 1):
        level = _distinct(nodes[: len(symbols) - length + 1] * n_symbols + symbols[length - 1 :])
        starts.append(n_nodes)
        keys.append(level.values)
        counts.append(level.counts)
        nodes = level.places + n_nodes
        n_nodes += len(level.values)
    counts.append(np.zeros(1, dtype=np.int64))  # lengths without n-grams start here, where there is nothing
    all_keys = np.concatenate(keys)
    return NgramIndex(
        n_symbols=n_symbols,
        keys=all_keys,
        counts=np.concatenate(counts),
        starts=np.array(starts, dtype=np.int64),
        table=_table(all_keys, n_nodes * n_symbols),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Distinct:
    values: IntArray  # sorted
    counts: IntArray
    places: IntArray  # of each given value in `values`


def _distinct(values: IntArray) -> _Distinct:
    """Do what `numpy.unique` does with counts and inverse, in half the time for short arrays."""
    order = values.argsort(kind="stable")
    ordered = values[order]
    is_new = np.ones(len(values), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    ranks = is_new.cumsum() - 1
    places = np.empty(len(values), dtype=np.int64)
    places[order] = ranks
    return _Distinct(values=ordered[is_new], counts=np.bincount(ranks), places=places)


def _table(keys: IntArray, size: int) -> TableArray | None:
    if size > MAX_TABLE:
        return None
    table = np.full(size, DEAD, dtype=np.int32)
    table[keys] = np.arange(FIRST, FIRST + len(keys), dtype=np.int32)
    return table
