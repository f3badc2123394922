"""Read and write Parquet, with the extra `data`."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from gameproof.errors import InputError, MissingExtraError
from gameproof.files.opening import reading_errors

__all__ = ["count_parquet_rows", "parquet_rows", "write_parquet"]

BATCH_ROWS = 1024  # rows in memory at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrow:
    """The two modules that are needed; pyarrow ships no types."""

    core: Any
    parquet: Any


def parquet_rows(
    path: Path, name: str, wanted: Sequence[range] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file, numbered from 1.

    Args:
        path: The file.
        name: What errors call it.
        wanted: Only rows with numbers in these ranges, which are in order and do not overlap; row groups without any are not read.
    """
    arrow = _require(f"reading {name}")
    with reading_errors(name):
        try:
            file = arrow.parquet.ParquetFile(path)
            maps = [field.name for field in file.schema_arrow if arrow.core.types.is_map(field.type)]
            for first, batch in _batches(file, wanted):
                for number, row in enumerate(batch.to_pylist(), start=first):
                    for column in maps:  # Arrow gives a map as a list of pairs
                        row[column] = dict(row[column] or ())
                    yield number, row
        except (arrow.core.ArrowException, ValueError, OverflowError) as error:
            raise InputError(f"{name} is no readable Parquet file: {error}.") from error


def count_parquet_rows(path: Path, name: str) -> int:
    """Return how many rows a Parquet file says it has."""
    arrow = _require(f"reading {name}")
    with reading_errors(name):
        try:
            return int(arrow.parquet.read_metadata(path).num_rows)
        except (arrow.core.ArrowException, ValueError, OverflowError) as error:
            raise InputError(f"{name} is no readable Parquet file: {error}.") from error


# Any: pyarrow ships no types
def _batches(file: Any, wanted: Sequence[range] | None) -> Iterator[tuple[int, Any]]:
    """Yield batches of rows with the number of the first row of each."""
    if wanted is None:
        number = 1
        for batch in file.iter_batches(batch_size=BATCH_ROWS):
            yield number, batch
            number += batch.num_rows
        return
    number = 1
    for group in range(file.metadata.num_row_groups):
        rows = range(number, number + file.metadata.row_group(group).num_rows)
        number = rows.stop
        if any(_overlap(rows, each) for each in wanted):
            yield from _wanted_of(file, group, rows.start, wanted)


def _wanted_of(file: Any, group: int, first: int, wanted: Sequence[range]) -> Iterator[tuple[int, Any]]:
    for batch in file.iter_batches(batch_size=BATCH_ROWS, row_groups=[group]):
        for each in wanted:
            here = _overlap(range(first, first + batch.num_rows), each)
            if here:
                yield here.start, batch.slice(here.start - first, len(here))
        first += batch.num_rows


def _overlap(rows: range, others: range) -> range:
    return range(max(rows.start, others.start), min(rows.stop, others.stop))


def write_parquet(rows: Iterable[dict[str, Any]], kinds: Mapping[str, str], into: BinaryIO) -> None:
    """Write rows with columns of known kinds: text, flag, whole, real, texts, or json (as text)."""
    arrow = _require("writing Parquet")
    core = arrow.core
    types = {
        "text": core.string(),
        "flag": core.bool_(),
        "whole": core.int64(),
        "real": core.float64(),
        "texts": core.list_(core.string()),
        "json": core.string(),
    }
    schema = core.schema([(column, types[kind]) for column, kind in kinds.items()])
    nested = [column for column, kind in kinds.items() if kind == "json"]
    rows = iter(rows)
    with arrow.parquet.ParquetWriter(into, schema) as writer:
        while batch := list(islice(rows, BATCH_ROWS)):
            for row in batch:
                for column in nested:
                    if row.get(column) is not None:
                        row[column] = json.dumps(row[column], ensure_ascii=False)
            writer.write_batch(core.RecordBatch.from_pylist(batch, schema=schema))


def _require(what: str) -> _Arrow:
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional
        import pyarrow.parquet as pq  # noqa: PLC0415 - optional
    except ImportError as error:
        raise MissingExtraError(what, extra="data") from error
    return _Arrow(core=cast("Any", pa), parquet=cast("Any", pq))
