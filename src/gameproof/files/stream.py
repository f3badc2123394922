"""Stream items in constant memory: one pass to validate the whole data, then one for each use."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from gameproof.files.parts import ParquetParts
from gameproof.files.scan import Reading, Scan, items_of, scan
from gameproof.files.sources import parts_source, source_of
from gameproof.records import IntArray, Item

__all__ = ["ItemRuns", "ItemStream", "open_items"]


class ItemStream:
    """Items of a file, standard input or a table, as often as they are asked for.

    Nothing is yielded before the whole data has been found good. Only hashes of 24 bytes a row are kept, so
    a million rows take little memory; a file that holds one JSON list is read whole, as are objects that
    are in memory already. Standard input is copied to a temporary file, which `close` removes.
    """

    def __init__(self, reading: Reading) -> None:
        """Take what to read; use `open_items` to make one."""
        self._reading = reading
        self._scan: Scan | None = None

    @property
    def name(self) -> str:
        """Return what errors and reports call the data."""
        return self._reading.source.name

    @property
    def n_items(self) -> int:
        """Return how many items there are, exact duplicates merged."""
        return self._validated().n_items

    @property
    def n_duplicates(self) -> int:
        """Return how many exact duplicates were merged away."""
        return len(self._validated().repeats.exact)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what a reader of results must know about how the rows were read."""
        return self._validated().notes

    def validate(self) -> None:
        """Read everything once.

        Raises:
            DataError: some rows are bad; it carries all of them.
        """
        self._validated()

    def __iter__(self) -> Iterator[Item]:
        return items_of(self._reading, self._validated().repeats.exact)

    def runs(self) -> "ItemRuns | None":
        """Return what reads any run of the items, also in another process; None if only the whole can be read."""
        parts = self._reading.source.parts
        if parts is None:
            return None
        reading = self._reading
        return ItemRuns(
            paths=tuple(str(path.resolve()) for path in parts.paths),
            rename=dict(reading.rename),
            group_by=reading.group_by,
            reference=reading.reference,
            repeats=np.array(sorted(self._validated().repeats.exact), dtype=np.int64),
        )

    def close(self) -> None:
        """Remove the temporary copy of standard input, if there is one."""
        self._reading.source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _validated(self) -> Scan:
        if self._scan is None:
            found = scan(self._reading)
            found.raise_problems()
            self._scan = found
        return self._scan


@dataclass(frozen=True, kw_only=True)
class ItemRuns:
    """Reads runs of the items of Parquet files that have been validated, without what comes before them."""

    paths: tuple[str, ...]
    rename: Mapping[str, str]
    group_by: str | None
    reference: str | None
    repeats: IntArray  # places of rows that repeat another one and make no item, counted from 1, in order

    def between(self, start: int, stop: int) -> Iterator[Item]:
        """Yield items by their numbers, counted from 0, without `stop`."""
        if start < stop:
            first, last = self._places([start, stop - 1]).tolist()
            yield from self._items([range(first, last + 1)])

    def at(self, numbers: Iterable[int]) -> Iterator[Item]:
        """Yield items by their numbers, which are in order."""
        places = self._places(list(numbers)).tolist()
        breaks = [0, *(at for at, (one, two) in enumerate(pairwise(places), 1) if two > one + 1), len(places)]
        if places:
            yield from self._items([range(places[a], places[b - 1] + 1) for a, b in pairwise(breaks)])

    def _places(self, numbers: list[int]) -> IntArray:
        """Return the places of the rows of items: their numbers, and one more for each repeated row before them."""
        before = self.repeats - np.arange(len(self.repeats))
        wanted = np.array(numbers, dtype=np.int64) + 1
        return wanted + np.searchsorted(before, wanted, side="right")

    def _items(self, places: list[range]) -> Iterator[Item]:
        return items_of(self._reading, self._repeated, rows=self._parts.rows_in(places))

    @cached_property
    def _repeated(self) -> frozenset[int]:
        return frozenset(int(place) for place in self.repeats.tolist())

    @cached_property
    def _parts(self) -> ParquetParts:
        paths = tuple(Path(path) for path in self.paths)
        return ParquetParts(paths=paths, names=tuple(path.name for path in paths))

    @cached_property
    def _reading(self) -> Reading:
        source = parts_source("data", self._parts)
        return Reading.checked(source, self.rename, self.group_by, None, self.reference)


def open_items(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    limit: int | None = None,
    reference: str | None = None,
) -> ItemStream:
    """Open data of any size for streaming.

    Args:
        data: A path (``-`` is standard input), a list of dicts or items, a pandas or polars frame, an Arrow
            table or a Hugging Face data set.
        rename: Field -> column, as ``--map``.
        group_by: The column whose values are the groups, or ``all`` for a single group.
        limit: Read the first so many rows only.
        reference: The text that serves as the reference, as in `load`.

    Example:
        >>> stream = open_items([{"candidate": "It rained.", "reference": "Rain fell.", "system": "A"}])
        >>> [(item.system, item.references) for item in stream]
        [('A', ('Rain fell.',))]
    """
    return ItemStream(Reading.checked(source_of(data), rename, group_by, limit, reference))
