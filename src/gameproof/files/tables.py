"""Turn JSON lines into a CSV, TSV or Parquet table."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import IO, Any, BinaryIO, cast

from gameproof.errors import InputError
from gameproof.files.parquet import write_parquet
from gameproof.files.plain import plain_value

__all__ = ["TABLES", "Columns", "convert"]

DELIMITERS = {".csv": ",", ".tsv": "\t"}
TABLES = (*DELIMITERS, ".parquet")
KINDS: Mapping[type, str] = {str: "text", bool: "flag", int: "whole", float: "real"}
INT64 = 2**63


class Columns:
    """Remembers which columns the rows of a table have and what they hold."""

    def __init__(self) -> None:
        """Begin with no columns."""
        self.kinds: dict[str, set[str]] = {}

    def see(self, row: Mapping[str, object]) -> None:
        """Take note of one row."""
        for column, value in row.items():
            kinds = self.kinds.setdefault(str(column), set())
            if value is not None:
                kinds.add(_kind(value))

    def kind(self, column: str) -> str:
        """Return what a column holds: one kind, a number where whole and real ones mix, else JSON text."""
        kinds = self.kinds[column]
        if not kinds:
            return "text"
        if len(kinds) == 1:
            return next(iter(kinds))
        return "real" if kinds == {"whole", "real"} else "json"


def convert(lines: IO[bytes], columns: Columns, into: BinaryIO, ending: str) -> None:
    """Write JSON lines as a table; lists and objects become JSON text (in Parquet, lists of texts stay)."""
    rows = map(json.loads, lines)
    try:
        if ending == ".parquet":
            write_parquet(rows, {column: columns.kind(column) for column in columns.kinds}, into)
        else:
            _write_csv(rows, list(columns.kinds), into, DELIMITERS[ending])
    except UnicodeEncodeError as error:
        raise InputError(
            f"a text holds half a character ({error.object[error.start]!r}), which a table cannot hold.",
            hint="Write .jsonl, which can, or mend the text.",
        ) from error


def _write_csv(rows: Iterable[dict[str, Any]], columns: list[str], into: BinaryIO, delimiter: str) -> None:
    text = io.TextIOWrapper(into, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=delimiter)
    try:
        writer.writerow(columns)
        for row in rows:
            writer.writerow([_cell(row.get(column)) for column in columns])
    finally:
        text.detach()  # closing it would close the file below


def _kind(value: object) -> str:
    kind = KINDS.get(type(value))
    if kind == "whole" and not -INT64 <= cast("int", value) < INT64:
        return "json"
    if kind is not None:
        return kind
    if isinstance(value, list | tuple):
        texts = all(isinstance(entry, str) for entry in cast("list[object]", value))
        return "texts" if texts else "json"
    if isinstance(value, str):
        return "text"
    return "json" if isinstance(value, Mapping) else _kind(plain_value(value))


def _cell(value: object) -> object:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
