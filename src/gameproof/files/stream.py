"""Stream items in constant memory: one pass to validate the whole data, then one for each use."""

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import Self

from gameproof.files.scan import Reading, Scan, items_of, scan
from gameproof.files.sources import source_of
from gameproof.records import Item

__all__ = ["ItemStream", "open_items"]


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
