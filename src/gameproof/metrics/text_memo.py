"""Keep what metrics computed from texts, so that the metrics of one run do each piece of work once."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Protocol, TypeVar, cast

__all__ = ["CANDIDATE_BYTES", "REFERENCE_BYTES", "HasSize", "Store", "TextMemo"]

# References come back for every candidate of their task; a candidate is needed until all metrics of a run
# have had its batch. Both have their own room, so that a stream of candidates never drives references out.
REFERENCE_BYTES = 192 * 2**20
CANDIDATE_BYTES = 96 * 2**20


class HasSize(Protocol):
    """A value that knows about how much memory it takes."""

    @property
    def nbytes(self) -> int:
        """The size in bytes, roughly."""
        ...


Value = TypeVar("Value", bound=HasSize)


class Store:
    """Hold values up to a number of bytes; the ones not used for longest go first.

    A copy in another process starts empty: what is kept here can always be computed again.
    """

    def __init__(self, max_bytes: int) -> None:
        """Start empty."""
        self.max_bytes = max_bytes
        self.nbytes = 0
        self._values: OrderedDict[Hashable, HasSize] = OrderedDict()

    def __reduce__(self) -> tuple[type["Store"], tuple[int]]:
        return Store, (self.max_bytes,)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made now if it is not here.

        Args:
            key: Names the kind of value and all that it is made from.
            make: Makes the value; the same key must always come with the same kind of value.
        """
        found = self._values.get(key)
        if found is not None:
            self._values.move_to_end(key)
            return cast("Value", found)  # the caller promises one type per key
        made = make()
        self._values[key] = made
        self.nbytes += made.nbytes + _text_bytes(key)
        while self.nbytes > self.max_bytes:
            oldest_key, oldest = self._values.popitem(last=False)
            self.nbytes -= oldest.nbytes + _text_bytes(oldest_key)
        return made


class TextMemo:
    """What the metrics of one run share; it holds at most `REFERENCE_BYTES` + `CANDIDATE_BYTES`."""

    def __init__(
        self, *, reference_bytes: int = REFERENCE_BYTES, candidate_bytes: int = CANDIDATE_BYTES
    ) -> None:
        """Start empty."""
        self.references = Store(reference_bytes)
        self.candidates = Store(candidate_bytes)


def _text_bytes(key: Hashable) -> int:
    """Return the size of the texts in a key: as long as it is here, they cannot be freed."""
    if isinstance(key, tuple):
        return sum([_text_bytes(part) for part in cast("tuple[Hashable, ...]", key)])
    return sys.getsizeof(key)
