"""Count once which n-grams a reference has, then match all its candidates against the counts."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gameproof.records import IntArray

__all__ = ["UNKNOWN", "NgramIndex", "Sequences", "index_ngrams", "number_tokens", "numbering", "sequences_of"]

UNKNOWN = 0  # the symbol of everything that the reference does not have; its own symbols start at 1

# Nodes of the tree of n-grams: one for "not in the reference", one for the empty n-gram, then the n-grams.
DEAD, ROOT, FIRST = 0, 1, 2

# A tree is walked by look-ups in a table of nodes x symbols while that has at most so many places (1 MB); in
# the tree of a very long reference children are found by bisection, at a third of the speed.
MAX_TABLE = 2**18

# Candidates are counted together, in a table of candidates x nodes with at most so many places (32 MB).
MAX_CELLS = 2**22

AnyIntArray = npt.NDArray[np.int32] | IntArray

_thread = threading.local()


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

    Nodes are numbered by length, then in alphabetical order, so that `keys` is sorted and the n-grams of one
    length lie side by side.
    """

    n_symbols: int  # one more than the largest symbol
    keys: IntArray  # per n-gram: its parent's node * n_symbols + its last symbol
    counts: IntArray  # per node
    starts: IntArray  # per length: its first node

    @property
    def nbytes(self) -> int:
        """Return the memory that the arrays take."""
        return self.keys.nbytes + self.counts.nbytes + self.starts.nbytes

    def matches(self, candidates: Sequences) -> IntArray:
        """Count the n-grams that each candidate shares with the reference, one column a length.

        An n-gram counts at most as often as the reference has it.
        """
        n_candidates, n_nodes = len(candidates.lengths), len(self.counts)
        if n_candidates > 1 and n_candidates * n_nodes > MAX_CELLS:
            halves = candidates.halves()
            return np.concatenate([self.matches(half) for half in halves])
        if n_nodes * self.n_symbols > MAX_TABLE:
            return self._count(candidates, self._bisect)
        table = _shared_table()
        table[self.keys] = np.arange(FIRST, FIRST + len(self.keys), dtype=np.int32)
        try:
            return self._count(candidates, table.take)
        finally:
            table[self.keys] = DEAD

    def _count(self, candidates: Sequences, children: Callable[[IntArray], AnyIntArray]) -> IntArray:
        symbols, n_symbols = candidates.symbols, self.n_symbols
        n_candidates, n_nodes = len(candidates.lengths), len(self.counts)
        first_cells = np.repeat(np.arange(n_candidates) * n_nodes, candidates.lengths + 1)
        nodes = children(symbols + ROOT * n_symbols)
        cells = [first_cells + nodes]
        for length in range(1, len(self.starts)):
            nodes = children(nodes[:-1] * n_symbols + symbols[length:])
            cells.append(first_cells[: len(nodes)] + nodes)
        found = np.bincount(np.concatenate(cells), minlength=n_candidates * n_nodes)
        shared = np.minimum(found.reshape(n_candidates, n_nodes), self.counts)
        return np.add.reduceat(shared, self.starts, axis=1)

    def _bisect(self, keys: IntArray) -> IntArray:
        places = np.searchsorted(self.keys, keys)
        known = self.keys.take(places, mode="clip") == keys
        return np.where(known, places + FIRST, DEAD)


def _shared_table() -> npt.NDArray[np.int32]:
    """Return this thread's table, all DEAD: filling and clearing a few places beats a new table each time."""
    table: npt.NDArray[np.int32] | None = getattr(_thread, "table", None)
    if table is None:
        table = np.full(MAX_TABLE, DEAD, dtype=np.int32)
        _thread.table = table
    return table


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
    n = len(symbols)
    if not n:
        return _index_of_nothing(max_length)
    n_symbols = int(symbols.max()) + 1
    padded = np.zeros(n + max_length - 1, dtype=np.int64)  # zero is UNKNOWN
    padded[:n] = symbols
    windows = np.array([padded[before : before + n] for before in range(max_length)])
    # In alphabetical order equal n-grams are neighbours, whatever their length.
    grid = windows.take(_alphabetical(windows, n_symbols), axis=1)
    is_new = np.ones(grid.shape, dtype=np.bool_)
    np.not_equal(grid[:, 1:], grid[:, :-1], out=is_new[:, 1:])
    np.logical_or.accumulate(is_new, axis=0, out=is_new)
    nodes = is_new.cumsum().reshape(grid.shape) + (FIRST - 1)
    keys = grid + ROOT * n_symbols
    keys[1:] = grid[1:] + nodes[:-1] * n_symbols
    return NgramIndex(
        n_symbols=n_symbols,
        keys=keys[is_new],
        # n-grams that reach beyond the end hold UNKNOWN: they are nodes, but they count nothing.
        counts=np.bincount(nodes[grid != UNKNOWN], minlength=int(nodes[-1, -1]) + 1),
        starts=nodes[:, 0].copy(),
    )


def _index_of_nothing(max_length: int) -> NgramIndex:
    """Return an index with one n-gram, which nothing can match and which counts nothing."""
    return NgramIndex(
        n_symbols=UNKNOWN + 1,
        keys=np.array([DEAD]),
        counts=np.zeros(FIRST + 1, dtype=np.int64),
        starts=np.full(max_length, FIRST),
    )


def _alphabetical(windows: IntArray, n_symbols: int) -> IntArray:
    """Return the order that sorts columns by their first row, then by their second, and so on."""
    if n_symbols ** len(windows) >= 2**63:
        return np.lexsort(windows[::-1])
    words = windows[0]
    for window in windows[1:]:
        words = words * n_symbols + window
    return words.argsort()
