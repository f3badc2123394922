"""What a public data set is: its facts, and the shapes in which its files are published."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from gameproof.files.formats import BadRow
from gameproof.files.values import describe

__all__ = [
    "BadRecord",
    "Convert",
    "Domain",
    "Download",
    "Kind",
    "LeftOut",
    "Numbered",
    "NumberedRow",
    "Place",
    "PublicDataset",
    "Record",
    "Row",
    "Shape",
    "at_commit",
    "each",
    "joined",
    "listed",
    "mean",
    "number",
    "part",
    "short_digest",
    "text",
    "texts",
]

Kind = Literal["items", "comparisons", "corpus"]
Domain = Literal["reviews", "summaries", "answers"]

Record = Mapping[str, Any]  # Any: the values of a stranger's file
Row = dict[str, Any]  # a row as `gameproof.files` reads it
Numbered = tuple[int, Record | BadRow]  # the line where a record begins, and the record


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where records come from."""

    path: Path  # the file (or, for shapes that are a folder, the folder)
    root: Path  # what the user named


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record that is no row, on purpose; reports count it under this reason."""

    reason: str


NumberedRow = tuple[int, Row | BadRow | LeftOut]
Convert = Callable[[Iterable[Numbered], Place], Iterator[NumberedRow]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One form in which a data set is published."""

    looks: str  # what a file of this shape looks like, as an error and the reference page say it
    convert: Convert
    keys: frozenset[str] = frozenset()  # a record with all of them has this shape
    fits: Callable[[Record], bool] | None = None  # instead of keys
    kind: Kind = "items"
    # Where the files lie in the official folder, as patterns: the first that finds any is taken; "A | B" is both.
    files: tuple[str, ...] = ()
    together: bool = False  # the files of the folder are read as one

    def has(self, record: Record) -> bool:
        """Say whether a record looks like this shape."""
        if self.fits is not None:
            return self.fits(record)
        return bool(self.keys) and self.keys <= set(record)


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file with a stable public address."""

    url: str
    name: str  # what it is called here
    sha256: str | None = None  # None: not known; the first download records it


def at_commit(repository: str, commit: str, *paths: str) -> tuple[Download, ...]:
    """Return files of a GitHub repository as they are at one commit: the address of such a file is stable.

    A path is written ``path`` or ``path -> name here``, with the folders that the loader looks for.
    """
    found: list[Download] = []
    for entry in paths:
        path, _, name = (piece.strip() for piece in entry.partition("->"))
        url = f"https://raw.githubusercontent.com/{repository}/{commit}/{path}"
        found.append(Download(url=url, name=name or path))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicDataset:
    """One row of the catalogue of public data sets."""

    name: str  # as in summeval:FILE
    title: str
    contains: str  # what is in it
    domain: Domain | None  # None: it differs from file to file
    licence: str
    size: str  # rows and, where it is known, bytes
    where: str  # where a person gets it
    shapes: tuple[Shape, ...]
    cite: str
    groups: Literal["all", "own"] = "all"  # negatives come from the whole data, or from groups of its own
    group_rule: str = "one group"  # in words
    paper: str | None = None  # its name in the tables of "Scoring Rules!"
    skip: frozenset[str] = frozenset()  # checks that do not apply, beyond those of other domains
    downloads: tuple[Download, ...] = ()
    marked_again: bool = False  # a text in several rows was marked by several people, who are not named


class BadRecord(Exception):  # noqa: N818 - it never leaves the loaders
    """A record has not what its shape needs."""

    def __init__(self, found: str, allowed: str) -> None:
        """Say what was found and what is allowed."""
        super().__init__(found)
        self.row = BadRow(found=found, allowed=allowed)


def each(make: Callable[[Record, int, Place], Iterable[Row | LeftOut]]) -> Convert:
    """Make rows of one record at a time; the function is told the record's place, counted from 0."""

    def convert(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
        for count, (line, record) in enumerate(records):
            if isinstance(record, BadRow):
                yield line, record
                continue
            try:
                rows = list(make(record, count, place))
            except BadRecord as bad:
                yield line, bad.row
                continue
            for row in rows:
                yield line, row

    return convert


def part(record: Record, key: str, kind: type, what: str) -> Any:  # Any: whatever the kind holds
    """Return a value of a record, which must be of one kind."""
    _refuse_other(record)
    if key not in record:
        raise BadRecord(
            f"no {key!r} (keys: {', '.join(map(str, list(record)[:12]))})", f"{what} under {key!r}"
        )
    value = record[key]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise BadRecord(f"{key!r} is {describe(value)}", f"{what} under {key!r}")
    return value


def text(record: Record, key: str) -> str:
    """Return a text of a record."""
    return part(record, key, str, "text")


def listed(record: Record, key: str) -> list[Any]:  # Any: whatever the list holds
    """Return a list of a record."""
    return part(record, key, list, "a list")


def texts(record: Record, key: str) -> list[str]:
    """Return a list of texts of a record."""
    return _all_texts(listed(record, key), key)


def joined(record: Record, key: str, by: str = " ") -> str:
    """Return a text of a record, or its sentences as one text."""
    _refuse_other(record)
    value = record.get(key)
    if isinstance(value, str):
        return value
    return by.join(_all_texts(part(record, key, list, "text, or a list of texts,"), key))


def number(record: Record, key: str) -> float:
    """Return a number of a record, also one that is written as text."""
    _refuse_other(record)
    value = record.get(key)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            pass
    elif isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    raise BadRecord(f"{key!r} is {describe(value)}", f"a number under {key!r}")


def _all_texts(values: list[Any], key: str) -> list[str]:  # Any: whatever the list holds
    for value in values:
        if not isinstance(value, str):
            raise BadRecord(f"{key!r} holds {describe(value)}", f"a list of texts under {key!r}")
    return values


def _refuse_other(record: object) -> None:
    """Refuse what stands in a list of objects and is none."""
    if not isinstance(record, Mapping):
        raise BadRecord(describe(record), "an object")


def mean(values: Iterable[float]) -> float | None:
    """Return the mean; None of nothing."""
    found = list(values)
    return sum(found) / len(found) if found else None


def short_digest(*parts: str) -> str:
    """Name a record without a name by its texts: eight characters of their SHA-1."""
    from hashlib import sha1  # noqa: PLC0415 - the one place

    return sha1("|".join(parts).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:8]
