"""Open what may hold rows: a plain or gzipped file, standard input, a pipe."""

import difflib
import gzip
import os
import shutil
import sys
import tempfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from gameproof.errors import InputError

__all__ = [
    "FORMATS",
    "SHOWN_CHARACTERS",
    "find_file",
    "guess_format",
    "is_pipe",
    "open_bytes",
    "reading_errors",
    "sniff_format",
    "spool",
]

FORMATS = {
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
}
ENDINGS = ".jsonl, .json, .csv, .tsv, .parquet (the first four also with .gz)"
SPREADSHEETS = frozenset({".xlsx", ".xls", ".ods"})
COMPRESSED = frozenset({".bz2", ".xz", ".zst", ".zip"})
GZIP_START = b"\x1f\x8b"
PARQUET_START = b"PAR1"
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
SNIFFED_BYTES = 4096
SHOWN_CHARACTERS = 80


def find_file(path: Path) -> None:
    """Refuse a path that is not there, and say what is there instead."""
    text = str(path)
    with reading_errors(text[:SHOWN_CHARACTERS]):
        if path.exists():
            return
    if "://" in text or text.startswith(("http:/", "https:/")):
        raise InputError(f"{text} is an address; a file is needed.", hint="Download it first.")
    near: list[str] = []
    if path.parent.is_dir():
        near = difflib.get_close_matches(path.name, [child.name for child in path.parent.iterdir()], n=1)
    hint = f"Did you mean {path.parent / near[0]}?" if near else "Check the path; `-` reads standard input."
    raise InputError(f"there is no file {text}.", hint=hint)


def guess_format(path: Path) -> str:
    """Return the format that the ending of a file's name stands for."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    ending = suffixes[-1] if suffixes else ""
    if ending in FORMATS:
        return FORMATS[ending]
    if ending in SPREADSHEETS:
        raise InputError(f"{path} is a spreadsheet.", hint="Save it as CSV (UTF-8) and use that.")
    if ending in COMPRESSED:
        raise InputError(f"{path} is compressed in a way that is not read; allowed: {ENDINGS}.")
    raise InputError(
        f"{path} has {f'the ending {ending!r}' if ending else 'no ending'}; allowed: {ENDINGS}.",
        hint="Rename the file, or pipe it in: `- < FILE` finds the format by itself.",
    )


def sniff_format(path: Path, name: str) -> str:
    """Return the format of data that has no name, by its first bytes."""
    with open_bytes(path, name) as data:
        start = data.read(SNIFFED_BYTES)
    if start.startswith(PARQUET_START):
        return "parquet"
    text = start.removeprefix(UTF8_MARK).lstrip()
    if text.startswith((b"{", b"[")):
        return "json"
    return "tsv" if b"\t" in text.split(b"\n", 1)[0] else "csv"


def spool(path: Path | None) -> IO[bytes]:
    """Copy standard input (None) or a pipe into a temporary file, so that it can be read twice."""
    copy = tempfile.NamedTemporaryFile(prefix="gameproof-", suffix=".data")  # noqa: SIM115 - caller closes
    try:
        if path is None:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, copy)
        copy.flush()
    except OSError as error:
        copy.close()
        raise InputError(f"cannot keep a copy of the input: {error.strerror}.") from error
    return cast("IO[bytes]", copy)


@contextmanager
def open_bytes(path: Path, name: str) -> Generator[BinaryIO]:
    """Open a file for reading as bytes: unpacked, without a byte order mark, refusing UTF-16 and nothing."""
    with reading_errors(name), path.open("rb") as raw:
        packed = raw.read(2) == GZIP_START
        raw.seek(0)
        with gzip.GzipFile(fileobj=raw) if packed else raw as data:
            start = data.read(len(UTF8_MARK))
            if not start:
                raise InputError(f"{name} is empty.")
            if start.startswith(UTF16_MARKS):
                raise InputError(f"{name} is written in UTF-16.", hint="Save it as UTF-8 and use that.")
            data.seek(len(UTF8_MARK) if start == UTF8_MARK else 0)
            yield cast("BinaryIO", data)


@contextmanager
def reading_errors(name: str) -> Generator[None]:
    """Turn what the operating system says while reading into an error for the user."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{name} is cut off or damaged: it cannot be unpacked to its end.") from error
    except PermissionError as error:
        raise InputError(f"{name} cannot be read: permission denied.") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from error


def is_pipe(path: Path) -> bool:
    """Return whether a path can be read only once: a pipe, a device, a process substitution."""
    return path.exists() and not path.is_file() and not path.is_dir() and os.access(path, os.R_OK)
