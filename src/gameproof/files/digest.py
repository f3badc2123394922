"""Digests that say whether anything that matters has changed."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from gameproof.files.plain import item_row, plain_value
from gameproof.records import Item

__all__ = ["digest_file", "digest_items", "digest_of"]

CHUNK = 1 << 20


def digest_of(value: object) -> str:
    """Return the sha256 of a value's canonical JSON: sorted keys, no white space, ASCII.

    Example:
        >>> digest_of({"b": 1, "a": [2]}) == digest_of({"a": (2,), "b": 1})
        True
    """
    return hashlib.sha256(_canonical(value)).hexdigest()


def digest_items(items: Iterable[Item]) -> str:
    """Return the sha256 of items in their order, in constant memory."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(_canonical(item_row(item)))
        digest.update(b"\n")
    return digest.hexdigest()


def digest_file(path: Path | str) -> str:
    """Return the sha256 of a file's bytes."""
    digest = hashlib.sha256()
    with Path(path).open("rb") as data:
        while chunk := data.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=plain_value).encode("ascii")
