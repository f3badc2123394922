"""Find rows that come twice, in 24 bytes a row."""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from gameproof.records import IntArray, Item

__all__ = ["IdentityLog", "Repeats"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Which rows to leave out, and which contradict an earlier row."""

    exact: frozenset[int]  # places of rows that repeat an earlier row word for word
    conflicts: tuple[tuple[int, int], ...]  # (first, later) places: one id, different content; by the later


class IdentityLog:
    """Keeps one hash of the id and one of the content of every row.

    The hashes are Python's own (64 bits, keyed per process, so they live no longer than it does): two of a
    million different rows share one with a probability of about 3 in 100 million.
    """

    def __init__(self) -> None:
        """Begin with no rows."""
        self._ids = array("q")
        self._contents = array("q")
        self._places = array("q")

    def add(self, place: int, item: Item) -> None:
        """Take note of the item that was read from the row at a place."""
        own_name = f"row-{place}"  # given by the reader: it says nothing about identity
        content = hash(
            (
                "" if item.task_id == own_name else item.task_id,
                item.candidate,
                item.references,
                item.reference_kinds,
                item.source,
                item.title,
                item.group,
                item.system,
                item.domain,
                item.query,
                item.persona,
                item.requirements,
                _marks(item.ratings) if item.ratings else None,
                _raters(item) if item.raters else None,
            )
        )
        self._ids.append(content if item.id == own_name else hash(item.id))
        self._contents.append(content)
        self._places.append(place)

    def repeats(self) -> Repeats:
        """Return the repeated rows; of equal rows the first stays."""
        ids = np.frombuffer(self._ids, dtype=np.int64)
        order = np.argsort(ids, kind="stable")
        again = np.flatnonzero(ids[order][1:] == ids[order][:-1]) + 1
        if not again.size:
            return Repeats(exact=frozenset(), conflicts=())
        starts = np.arange(len(order))
        starts[again] = 0
        first = order[np.maximum.accumulate(starts)[again]]
        later = order[again]
        contents = np.frombuffer(self._contents, dtype=np.int64)
        places = np.frombuffer(self._places, dtype=np.int64)
        equal = contents[first] == contents[later]
        conflicts = zip(_plain(places[first[~equal]]), _plain(places[later[~equal]]), strict=True)
        return Repeats(
            exact=frozenset(_plain(places[later[equal]])),
            conflicts=tuple(sorted(conflicts, key=itemgetter(1))),
        )


def _marks(marks: Mapping[str, float]) -> object:
    pairs = sorted(marks.items())
    # -1.0 and -2.0 have the same hash: where they may occur, their text tells them apart.
    return (tuple(pairs), repr(pairs) if -1.0 in marks.values() else "")


def _raters(item: Item) -> object:
    return tuple(sorted((rater, _marks(marks)) for rater, marks in item.raters.items()))


def _plain(values: IntArray) -> list[int]:
    return [int(value) for value in values.tolist()]
