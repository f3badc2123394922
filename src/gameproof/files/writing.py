"""Write rows as JSON lines, CSV, TSV or Parquet, by the ending of the name."""

import gzip
import json
import tempfile
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, BinaryIO, cast

from gameproof.errors import InputError
from gameproof.files.atomic import AtomicFile, writing_error, writing_errors
from gameproof.files.plain import finite, plain_row, plain_value
from gameproof.files.tables import TABLES, Columns, convert

__all__ = ["RowWriter", "check_ending", "open_writer", "write_rows"]

ENDINGS = ".jsonl, .jsonl.gz, .csv, .tsv, .parquet"
LINES = (".jsonl", ".ndjson")
_FAST = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=plain_value)
_CAREFUL = json.JSONEncoder(ensure_ascii=True, allow_nan=False, default=plain_value)


def check_ending(path: Path | str) -> None:
    """Refuse a name that says no format, before anything is done for the rows.

    Raises:
        InputError: The ending of the name is none of those that are written.
    """
    _ending(Path(path))


class RowWriter:
    """Takes rows one at a time; `open_writer` makes one."""

    def __init__(self, path: Path, data: IO[bytes]) -> None:
        """Write JSON lines to `data`; `path` is what errors name."""
        self._path = path
        self._data = data
        self.n_rows = 0
        self.columns: Columns | None = None  # set where the lines become a table

    def write(self, row: object) -> None:
        """Write a record or a mapping; a number that is not finite is written as null."""
        plain = plain_row(row)
        if self.columns is not None:
            self.columns.see(plain)
        self._append(_encode(plain))

    def write_line(self, line: bytes) -> None:
        """Write a row that another writer has encoded: one line of JSON with its end."""
        if self.columns is not None:
            self.columns.see(json.loads(line))
        self._append(line)

    def _append(self, line: bytes) -> None:
        try:
            self._data.write(line)
        except OSError as error:
            raise writing_error(self._path, error) from error
        self.n_rows += 1


@contextmanager
def open_writer(path: Path | str) -> Generator[RowWriter]:
    """Open a file for writing many rows: it appears, whole, when the block ends without an error.

    CSV and Parquet need to know all columns first, so their rows wait in a temporary file.

    Raises:
        RunFolderError: the disk is full, or the path cannot be written.
    """
    path = Path(path)
    ending = _ending(path)
    with AtomicFile(path) as file:
        if ending in LINES:
            yield RowWriter(path, file.data)
        elif ending == ".gz":
            with _packed(path, file.data) as packed:
                yield RowWriter(path, packed)
        else:
            with _waiting_rows(path) as rows:
                writer = RowWriter(path, rows)
                writer.columns = Columns()
                yield writer
                with writing_errors(path):
                    rows.seek(0)
                    convert(rows, writer.columns, file.data, ending)


def write_rows(path: Path | str, rows: Iterable[object]) -> int:
    """Write rows and return how many there were.

    Example:
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "scores.jsonl")
        ...     write_rows(path, [{"item": "a", "score": float("nan")}])
        ...     print(path.read_text().strip())
        1
        {"item": "a", "score": null}
    """
    with open_writer(path) as writer:
        for row in rows:
            writer.write(row)
    return writer.n_rows


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    ending = suffixes[-1] if suffixes else ""
    if ending in LINES or ending in TABLES or (ending == ".gz" and suffixes[-2:-1] and suffixes[-2] in LINES):
        return ending
    if path.exists() and not path.is_file() and not path.is_dir():
        return ".jsonl"  # a pipe or a device has no ending
    raise InputError(f"cannot write {path}: the ending of its name is none of {ENDINGS}.")


@contextmanager
def _packed(path: Path, data: BinaryIO) -> Generator[BinaryIO]:
    # Without time and name, so that equal rows make equal files.
    packed = gzip.GzipFile(filename="", mode="wb", fileobj=data, mtime=0)
    try:
        yield cast("BinaryIO", packed)
        with writing_errors(path):
            packed.close()
    finally:
        with suppress(OSError):  # a full disk has been reported already
            packed.close()


@contextmanager
def _waiting_rows(path: Path) -> Generator[IO[bytes]]:
    with writing_errors(path):
        rows = tempfile.TemporaryFile(dir=path.parent)  # noqa: SIM115 - closed below, errors suppressed
    try:
        yield rows
    finally:
        with suppress(OSError):  # a full disk has been reported already
            rows.close()


def _encode(row: Mapping[str, object]) -> bytes:
    try:
        try:
            text = _FAST.encode(row)
        except ValueError:  # a number that is not finite
            row = cast("Mapping[str, object]", finite(row))
            text = _FAST.encode(row)
    except TypeError as error:
        raise InputError(f"a row cannot be written: {error}.") from error
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # half a character: JSON can escape it, UTF-8 cannot hold it
        return f"{_CAREFUL.encode(row)}\n".encode()
