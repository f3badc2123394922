"""A folder of Parquet files, read as one table in the order of their names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path

from gameproof.errors import InputError
from gameproof.files.formats import RawRow
from gameproof.files.opening import FORMATS, reading_errors
from gameproof.files.parquet import count_parquet_rows, parquet_rows

__all__ = ["ParquetParts", "parquet_parts"]

MOST_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class ParquetParts:
    """Files whose rows are numbered through; a single file is a folder of one."""

    paths: tuple[Path, ...]
    names: tuple[str, ...]  # what errors call them

    def rows(self) -> Iterator[RawRow]:
        """Yield all rows, numbered from 1."""
        before = 0
        for path, name in zip(self.paths, self.names, strict=True):
            number = 0
            for number, row in parquet_rows(path, name):
                yield before + number, row
            before += number

    def rows_in(self, wanted: Sequence[range]) -> Iterator[RawRow]:
        """Yield the rows with numbers in ranges, which are in order and do not overlap; other files stay closed."""
        for place, (start, stop) in enumerate(zip(self._ends[:-1], self._ends[1:], strict=True)):
            own = [
                range(max(each.start - start, 1), min(each.stop, stop + 1) - start)
                for each in wanted
                if each.start <= stop and each.stop > start + 1
            ]
            if own:
                for number, row in parquet_rows(self.paths[place], self.names[place], own):
                    yield start + number, row

    def where(self, number: int) -> str:
        """Say where a row is: the file, and its number there."""
        if len(self.paths) == 1:
            return f"{self.names[0]}, row {number}"
        place = next(place for place, end in enumerate(self._ends[1:]) if number <= end)
        return f"{self.names[place]}, row {number - self._ends[place]}"

    @cached_property
    def _ends(self) -> list[int]:
        """The number of rows before each file, and of all."""
        counts = (count_parquet_rows(path, name) for path, name in zip(self.paths, self.names, strict=True))
        return [0, *accumulate(counts)]


def parquet_parts(folder: Path) -> ParquetParts:
    """Return the Parquet files of a folder as one table.

    Files whose names begin with a dot or an underscore are no data, as everywhere where such folders are written.

    Raises:
        InputError: The folder has none, or data in other formats beside them.
    """
    with reading_errors(str(folder)):
        found = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "_")))
    parts = [path for path in found if FORMATS.get(path.suffix.lower()) == "parquet" and path.is_file()]
    others = [path.name for path in found if path not in parts and path.suffix.lower() in FORMATS]
    if not parts or others:
        names = [path.name for path in parts[:1]] + others
        more = ", ..." if len(names) > MOST_SHOWN else ""
        inside = f"It holds {', '.join(names[:MOST_SHOWN])}{more}." if names else "It holds no data file."
        raise InputError(
            f"{folder} is a folder; a data file, or a folder of Parquet files alone, is needed.", hint=inside
        )
    return ParquetParts(paths=tuple(parts), names=tuple(f"{folder.name}/{path.name}" for path in parts))
