"""Change what a reader can read into what it may not: bytes, words of the format, and the tree of a JSON document."""

import copy
import json
import random
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["mutate"]

WORDS = (
    b"null", b"true", b"-1", b"0", b"1e999", b"-0.0", b"NaN", b"Infinity", b"99999999999999999999", b'""', b"{}", b"[]",
    b"{", b"}", b"[", b"]", b'"', b"'", b"\\", b"\\u0000", b"\\ud800", b",", b";", b":", b"=", b"\n", b"\r\n", b"\t", b"\x00",
    b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xff\xfe", b"```", b"//", b"/*", b"#", b"[[a]]", b"a.b=1\n", b"\xe2\x80\xa8",
    b"+", b"%00", b"&", b"1979-05-27T07:32:00Z", b"0x1F", b"1_000", b'"""', b"S1", b"yes", b"[" * 3000, b'{"a":' * 3000,
    b"PK\x03\x04", b"PAR1", b"\x1f\x8b\x08", "e\u0301\u202e\u07f7".encode(), b"9" * 5000,
)  # fmt: skip
VALUES = (
    None, True, False, 0, -1, 1.5, 10**30, float("nan"), float("inf"), "", "x", "\x00", "\ud800", "9" * 5000, [], [None], [[]], {},
    {"": None}, {"x": {"y": []}}, ["a", 1, None], "2026-01-01", "gameproof.result/2", "NaN", "1e400", -(2**63), 2**64,
)  # fmt: skip


def mutate(data: bytes, rng: random.Random, others: Sequence[bytes] = ()) -> bytes:
    """Return changed data."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        tree = _tree(data) if rng.random() < 0.6 else None
        data = _bytes(data, rng, others) if tree is None else _json(tree, rng)
    return data[:60_000]


def _tree(data: bytes) -> tuple[list[object], bool] | None:
    """Return the JSON documents in the data, and whether they stand one a line."""
    with suppress(ValueError, RecursionError):
        return [json.loads(data)], False
    with suppress(ValueError, RecursionError):
        found = [json.loads(line) for line in data.splitlines() if line.strip()]
        return (found, True) if found else None
    return None


def _json(tree: tuple[list[object], bool], rng: random.Random) -> bytes:
    documents = copy.deepcopy(tree[0])
    parent: list[object] | dict[str, object] = documents
    key: int | str = rng.randrange(len(documents))
    while isinstance(child := parent[key], dict | list) and child and rng.random() < 0.85:  # type: ignore[index]
        parent = child
        key = rng.choice(list(child)) if isinstance(child, dict) else rng.randrange(len(child))
    kind = rng.randrange(5)
    if kind == 0 and (isinstance(parent, dict) or len(parent) > 1):
        del parent[key]  # type: ignore[arg-type]
    elif kind == 1 and isinstance(parent, dict):
        parent[str(rng.choice(VALUES))] = parent[key]  # type: ignore[index]
    elif kind == 2 and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[key]))  # type: ignore[index]
    else:
        parent[key] = copy.deepcopy(rng.choice(VALUES))  # type: ignore[index]
    text = ("\n" if tree[1] else "").join(json.dumps(each) for each in documents)
    return text.encode("utf-8", "surrogatepass")


def _bytes(data: bytes, rng: random.Random, others: Sequence[bytes]) -> bytes:
    start = rng.randrange(len(data) + 1)
    end = min(len(data), start + rng.choice((0, 1, 1, 2, 8, 64)))
    kind = rng.randrange(6)
    if kind == 0:
        return data[:start] + data[end:]
    if kind == 1:
        return data[:start] + bytes(rng.randrange(256) for _ in range(rng.choice((1, 2, 4)))) + data[end:]
    if kind == 2:
        return data[:start] + data[start:end] * rng.choice((2, 3, 100)) + data[end:]
    if kind == 3 and others:
        other = rng.choice(others)
        return data[:start] + other[rng.randrange(len(other) + 1) :]
    if kind == 4:
        return data[:start]
    return data[:start] + rng.choice(WORDS) + data[end:]
