"""Read and write Parquet, with the extra `data`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from gameproof.errors import InputError, MissingExtraError
from gameproof.files.opening import reading_errors

__all__ = ["parquet_rows", "write_parquet"]

BATCH_ROWS = 1024  # rows in memory at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class _Arrow:
    """The two modules that are needed; pyarrow ships no types."""

    core: Any
    parquet: Any


def parquet_rows(path: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a Parquet file, numbered from 1."""
    arrow = _require(f"reading {name}")
    number = 0
    with reading_errors(name):
        try:
            file = arrow.parquet.ParquetFile(path)
            maps = [field.name for field in file.schema_arrow if arrow.core.types.is_map(field.type)]
            for batch in file.iter_batches(batch_size=BATCH_ROWS):
                for row in batch.to_pylist():
                    number += 1
                    for column in maps:  # Arrow gives a map as a list of pairs
                        row[column] = dict(row[column] or ())
                    yield number, row
        except arrow.core.ArrowInvalid as error:
            raise InputError(f"{name} is no readable Parquet file: {error}.") from error


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
