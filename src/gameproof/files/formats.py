"""Read rows from bytes: JSON lines, a JSON list, CSV, TSV and Parquet."""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, cast

from gameproof.errors import InputError
from gameproof.files.opening import open_bytes
from gameproof.files.parquet import parquet_rows
from gameproof.files.values import describe
from gameproof.json_text import parse_json

__all__ = ["CONVERT", "NOT_UTF8", "BadRow", "RawRow", "rows_of_file"]

MAX_CELL = 2**31 - 1  # the csv module stops at 131,072 characters by default; texts may be longer
NOT_UTF8 = "text in UTF-8"
CONVERT = "If the file is written in Latin-1, convert it: iconv -f LATIN1 -t UTF-8 FILE"
ONE_OBJECT = "one JSON object in a line, as {...}"
CLOSED_QUOTES = 'cells in closed quotes, a quote inside written as ""'


@dataclass(frozen=True, slots=True, kw_only=True)
class BadRow:
    """A row that cannot be read at all."""

    found: str
    allowed: str


# The line (or row) where the row begins, and the row.
RawRow = tuple[int, Mapping[str, Any] | BadRow]


def rows_of_file(path: Path, name: str, file_format: str) -> Iterator[RawRow]:
    """Yield the rows of a file in one of the known formats."""
    if file_format == "parquet":
        yield from parquet_rows(path, name)
        return
    with open_bytes(path, name) as data:
        if file_format == "json":
            yield from _json_rows(data, name)
        else:
            yield from _table_rows(data, name, "\t" if file_format == "tsv" else None)


def _json_rows(data: BinaryIO, name: str) -> Iterator[RawRow]:
    begin = data.tell()
    first = next((line.strip() for line in data if not line.isspace()), b"")
    data.seek(begin)
    if not first:
        raise InputError(f"{name} is empty.")
    if first.startswith(b"["):
        yield from _list_rows(data, name)
        return
    if first == b"{":
        raise InputError(
            f"{name} holds a JSON object spread over lines; allowed: one object in each line, or [{{...}}, ...].",
            hint="If the rows lie under one of its keys, save that list as a file of its own.",
        )
    for number, line in enumerate(data, start=1):
        if not line.isspace():
            yield number, _parse_line(line)


def _parse_line(line: bytes) -> Mapping[str, Any] | BadRow:
    try:
        row = _fast_parser()(line)
    except ValueError:
        # The fast parser refuses some text that is legal or harmless (half characters, raw control
        # characters); what the slow one refuses too gets its message.
        try:
            row = parse_json(line.decode().rstrip(), strict=False)
        except UnicodeDecodeError as error:
            return _not_utf8(line, error)
        except json.JSONDecodeError as error:
            return BadRow(found=f"JSON that ends or breaks at character {error.pos + 1}", allowed=ONE_OBJECT)
        except ValueError as error:
            return BadRow(found=f"JSON that cannot be read ({error})", allowed=ONE_OBJECT)
    if isinstance(row, dict):
        return cast("dict[str, Any]", row)
    return BadRow(found=describe(row), allowed=ONE_OBJECT)


@cache
def _fast_parser() -> Any:  # Any: the parser returns whatever the JSON holds
    from pydantic import TypeAdapter  # noqa: PLC0415 - the module must load without pydantic

    return TypeAdapter(Any).validate_json


def _list_rows(data: BinaryIO, name: str) -> Iterator[RawRow]:
    try:
        rows = cast(
            "list[object]", parse_json(data.read().decode(), strict=False)
        )  # it begins with a bracket
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not written in UTF-8 (byte {error.start:,}).") from error
    except json.JSONDecodeError as error:
        message = f"{name} is no JSON list: it breaks at line {error.lineno:,}, character {error.colno:,}."
        hint = "Allowed: [{...}, {...}], or one object in each line."
        raise InputError(message, hint=hint) from error
    except ValueError as error:
        raise InputError(f"{name} cannot be read as JSON: {error}.") from error
    for number, row in enumerate(rows, start=1):
        if isinstance(row, dict):
            yield number, cast("dict[str, Any]", row)
        else:
            yield number, BadRow(found=describe(row), allowed="a list of objects")


def _table_rows(data: BinaryIO, name: str, delimiter: str | None) -> Iterator[RawRow]:
    if csv.field_size_limit() < MAX_CELL:
        csv.field_size_limit(MAX_CELL)
    delimiter = delimiter or _delimiter(data, name)
    undecodable: list[tuple[int, BadRow]] = []
    reader = csv.reader(_decoded(data, undecodable), delimiter=delimiter, strict=True)
    columns: list[str] = []
    for number, cells in _records(reader):
        if undecodable and not columns:
            raise InputError(
                f"{name} is not written in UTF-8: its first line has {undecodable[0][1].found}.", hint=CONVERT
            )
        if undecodable:
            yield from undecodable
            undecodable.clear()
        elif isinstance(cells, BadRow):
            yield number, cells
        elif cells and not columns:
            columns = _header(cells, name)
        elif cells and len(cells) == len(columns):
            yield number, dict(zip(columns, cells, strict=True))
        elif cells:
            yield (
                number,
                BadRow(found=f"a row of {len(cells)}", allowed=f"{len(columns)} cells, as in the first line"),
            )


def _delimiter(data: BinaryIO, name: str) -> str:
    begin = data.tell()
    head = next((line for line in data if not line.isspace()), b"")
    if not head:
        raise InputError(f"{name} is empty.")
    data.seek(begin)
    # A spreadsheet set to many European languages separates by semicolon.
    return ";" if b";" in head and b"," not in head else ","


def _records(reader: Any) -> Iterator[tuple[int, list[str] | BadRow]]:  # Any: the type has no public name
    while True:
        number = reader.line_num + 1
        try:
            yield number, next(reader)
        except csv.Error as error:
            yield number, BadRow(found=f"a table row that breaks ({error})", allowed=CLOSED_QUOTES)
        except StopIteration:
            return


def _decoded(data: BinaryIO, undecodable: list[tuple[int, BadRow]]) -> Iterator[str]:
    for number, line in enumerate(data, start=1):
        try:
            yield line.decode()
        except UnicodeDecodeError as error:
            undecodable.append((number, _not_utf8(line, error)))
            yield line.decode(errors="replace")


def _header(cells: list[str], name: str) -> list[str]:
    columns = [cell.strip() or f"unnamed_{place}" for place, cell in enumerate(cells, start=1)]
    twice = sorted({column for column in columns if columns.count(column) > 1})
    if twice:
        raise InputError(f"{name} has two columns with the name {twice[0]!r}.", hint="Rename one of them.")
    return columns


def _not_utf8(line: bytes, error: UnicodeDecodeError) -> BadRow:
    found = f"the byte 0x{line[error.start]:02X} at place {error.start + 1} of the line"
    return BadRow(found=found, allowed=NOT_UTF8)
