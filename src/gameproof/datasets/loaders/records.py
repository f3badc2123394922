"""Read the records of a published file: JSON lines, one JSON list or object, a table, Parquet."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from gameproof.errors import InputError
from gameproof.files.formats import BadRow, rows_of_file
from gameproof.files.opening import find_file, open_bytes, sniff_format
from gameproof.files.values import describe
from gameproof.json_text import parse_json

__all__ = ["is_data_file", "records_of"]

TEXT_ENDINGS = frozenset({".jsonl", ".ndjson", ".json", ".txt", ".csv", ".tsv", ".parquet", ".pq", ".gz"})
MAX_OBJECT = 2_000_000_000


def is_data_file(path: Path) -> bool:
    """Say whether a file may hold records."""
    return path.is_file() and path.suffix.lower() in TEXT_ENDINGS


def records_of(path: Path) -> Iterator[tuple[int, dict[str, Any] | BadRow]]:  # Any: a stranger's values
    """Yield the records of a file with the lines where they begin; one JSON object is one record."""
    find_file(path)
    file_format = sniff_format(path, path.name)
    if file_format == "json" and _is_spread(path):
        yield 1, _object(path)
        return
    for line, record in rows_of_file(path, path.name, file_format):
        yield line, record if isinstance(record, BadRow) else dict(record)


def _is_spread(path: Path) -> bool:
    """Say whether the file is one JSON object over several lines."""
    with open_bytes(path, path.name) as data:
        first = next((line.strip() for line in data if not line.isspace()), b"")
    if not first.startswith(b"{"):
        return False
    try:
        parse_json(first)
    except ValueError:
        return True
    return False


def _object(path: Path) -> dict[str, Any] | BadRow:
    with open_bytes(path, path.name) as data:
        content = data.read(MAX_OBJECT)
    try:
        found = parse_json(content, strict=False)
    except ValueError as error:
        raise InputError(
            f"{path.name} cannot be read: neither JSON lines nor one JSON object or list ({error})."
        ) from error
    return (
        cast("dict[str, Any]", found)
        if isinstance(found, dict)
        else BadRow(found=describe(found), allowed="an object")
    )
