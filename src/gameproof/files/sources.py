"""Recognise what the user gave as data and make a stream of rows of it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from gameproof.errors import InputError
from gameproof.files.formats import BadRow, RawRow, rows_of_file
from gameproof.files.opening import (
    SHOWN_CHARACTERS,
    find_file,
    guess_format,
    is_pipe,
    reading_errors,
    sniff_format,
    spool,
)
from gameproof.files.parts import ParquetParts, parquet_parts
from gameproof.files.plain import item_row
from gameproof.files.values import describe
from gameproof.records import Dataset, Item

__all__ = ["Source", "parts_source", "source_of"]

STDIN = "-"
ALLOWED = "a path, '-', a list of dicts or of items, a pandas or polars frame, an Arrow table, or a data set"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Rows that can be read any number of times."""

    name: str
    flat: bool  # cells hold lists written as text
    rows: Callable[[], Iterator[RawRow]]
    file: bool = False  # rows are named by their line
    spooled: IO[bytes] | None = None  # a temporary copy, which goes when this is closed
    quiet: bool = False  # columns that are no field are known, and go without a note
    parts: ParquetParts | None = None  # where any run of rows can be read without those before it

    def where(self, number: int) -> str:
        """Say where a row is, as an error names it."""
        if self.parts is not None:
            return self.parts.where(number)
        return f"{self.name}:{number}" if self.file else f"{self.name}, row {number}"

    def close(self) -> None:
        """Remove the temporary copy, if there is one."""
        if self.spooled is not None:
            self.spooled.close()


def source_of(data: object) -> Source:
    """Return the rows of whatever the user gave."""
    if isinstance(data, Source):
        return data
    if isinstance(data, str | Path):
        return _file_source(data)
    if isinstance(data, Dataset):
        return _object_source(data.name, data.items, flat=False)
    for package, make in FRAMES.items():
        if type(data).__module__.split(".")[0] == package:
            return make(data)
    if isinstance(data, Mapping):
        splits = ", ".join(map(repr, list(cast("Mapping[object, object]", data))[:5]))
        message = f"the data is one object with the keys {splits}; a list of rows is needed."
        raise InputError(message, hint="Choose one of its parts, or put a single row in a list.")
    if isinstance(data, Iterable) and not isinstance(data, bytes):
        rows = cast("Iterable[object]", data)
        return _object_source("data", rows if isinstance(rows, list | tuple) else list(rows), flat=False)
    raise InputError(f"the data is {describe(data)}; allowed: {ALLOWED}.")


def _file_source(data: str | Path) -> Source:
    if str(data) == STDIN:
        return _spooled_source(None, "stdin")
    path = Path(data)
    with reading_errors(str(path)[:SHOWN_CHARACTERS]):
        is_folder = path.is_dir()
    if is_folder:
        return parts_source(path.name, parquet_parts(path))
    find_file(path)
    if is_pipe(path):
        return _spooled_source(path, path.name)
    file_format = guess_format(path)
    if file_format == "parquet":
        return parts_source(path.name, ParquetParts(paths=(path,), names=(path.name,)))
    return Source(
        name=path.name,
        flat=file_format != "json",
        rows=lambda: rows_of_file(path, path.name, file_format),
        file=True,
    )


def parts_source(name: str, parts: ParquetParts) -> Source:
    """Return the rows of Parquet files."""
    return Source(name=name, flat=True, rows=parts.rows, parts=parts)


def _spooled_source(path: Path | None, name: str) -> Source:
    copy = spool(path)
    copied = Path(copy.name)
    try:
        file_format = sniff_format(copied, name)
    except InputError:
        copy.close()
        raise
    return Source(
        name=name,
        flat=file_format != "json",
        rows=lambda: rows_of_file(copied, name, file_format),
        file=file_format != "parquet",
        spooled=copy,
    )


def _object_source(name: str, rows: Iterable[object], *, flat: bool) -> Source:
    return Source(name=name, flat=flat, rows=lambda: _object_rows(rows))


def _object_rows(rows: Iterable[object]) -> Iterator[RawRow]:
    for number, row in enumerate(rows, start=1):
        if isinstance(row, Item):
            yield number, item_row(row)
        elif isinstance(row, Mapping):
            yield number, {str(k): v for k, v in cast("Mapping[object, Any]", row).items()}
        else:
            yield number, BadRow(found=describe(row), allowed="a dict or an item")


def _pandas_source(data: object) -> Source:
    frame = cast("Any", data)  # Any: pandas is optional and never imported here
    if type(data).__name__ != "DataFrame":
        raise InputError(f"the data is a pandas {type(data).__name__}; a DataFrame is needed.")

    columns = [str(column) for column in frame.columns]
    if len(set(columns)) < len(columns):
        twice = next(column for column in columns if columns.count(column) > 1)
        raise InputError(
            f"the DataFrame has two columns with the name {twice!r}.", hint="Rename one of them."
        )

    def rows() -> Iterator[RawRow]:
        values = [frame.iloc[:, place].tolist() for place in range(len(columns))]
        for number, cells in enumerate(zip(*values, strict=True), start=1):
            yield number, dict(zip(columns, map(_plain_cell, cells), strict=True))

    return Source(name="DataFrame", flat=True, rows=rows)


def _polars_source(data: object) -> Source:
    frame = cast("Any", data)  # Any: polars is optional and never imported here
    if type(data).__name__ == "LazyFrame":
        frame = frame.collect()
    if type(frame).__name__ != "DataFrame":
        raise InputError(f"the data is a polars {type(data).__name__}; a DataFrame is needed.")

    def rows() -> Iterator[RawRow]:
        yield from enumerate(frame.iter_rows(named=True), start=1)

    return Source(name="DataFrame", flat=True, rows=rows)


def _arrow_source(data: object) -> Source:
    table = cast("Any", data)  # Any: pyarrow ships no types
    if type(data).__name__ != "Table":
        raise InputError(f"the data is an Arrow {type(data).__name__}; a Table is needed.")

    def rows() -> Iterator[RawRow]:
        number = 0
        for batch in table.to_batches():
            for row in batch.to_pylist():
                number += 1
                yield number, row

    return Source(name="Table", flat=True, rows=rows)


def _hub_source(data: object) -> Source:
    if isinstance(data, Mapping):
        splits = [str(key) for key in cast("Mapping[object, object]", data)]
        hint = f"Choose one: data[{splits[0]!r}]." if splits else None
        raise InputError(f"the data set has splits ({', '.join(splits)}); one is needed.", hint=hint)
    name = str(getattr(getattr(data, "info", None), "dataset_name", None) or "dataset")
    return _object_source(name, cast("Iterable[object]", data), flat=True)


FRAMES: Mapping[str, Callable[[object], Source]] = {
    "pandas": _pandas_source,
    "polars": _polars_source,
    "pyarrow": _arrow_source,
    "datasets": _hub_source,
}


def _plain_cell(cell: Any) -> Any:  # Any: a cell of a frame holds anything
    if hasattr(cell, "tolist"):
        cell = cell.tolist()
        if isinstance(cell, list):
            return [_plain_cell(part) for part in cast("list[Any]", cell)]
    # pandas has two values for a missing cell that are not equal to themselves, and one that is not even
    # comparable (pandas.NA).
    if isinstance(cell, float) and cell != cell:  # noqa: PLR0124 - NaN
        return None
    return None if type(cell).__name__ in {"NAType", "NaTType"} else cell
