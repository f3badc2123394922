"""A reader under fuzz: a function of bytes, and what it can read, to start from."""

import tempfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from starlette.exceptions import HTTPException

from gameproof.errors import GameproofError
from gameproof.study.flow import AnswerError

__all__ = ["REFUSED", "Reader", "folder", "from_file", "from_text", "in_folder", "named_lines"]

REFUSED = (GameproofError, HTTPException, AnswerError)  # what a reader may raise


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """A reader, and what it can read, to start from."""

    read: Callable[[bytes], object]
    seeds: tuple[bytes, ...]

    def __call__(self, data: bytes) -> None:
        """Read; any error but one for the user comes through."""
        with suppress(*REFUSED):
            self.read(data)


@cache
def folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="gameproof-fuzz-"))


def from_file(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        path = folder() / name
        path.write_bytes(data)
        return read(path)

    return run


def in_folder(name: str, read: Callable[[Path], object]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        place = folder() / name.replace(".", "-")
        place.mkdir(exist_ok=True)
        (place / name).write_bytes(data)
        return read(place)

    return run


def from_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def named_lines(read: Callable[[str, bytes], object]) -> Callable[[bytes], object]:
    """Read data whose first line is a name in JSON, so that one reader serves many formats."""

    def run(data: bytes) -> object:
        first, _, rest = data.partition(b"\n")
        return read(first.strip(b'"').decode("utf-8", "replace"), rest)

    return run
