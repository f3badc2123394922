"""How a run of texts is cut into parts: the same way by every engine, whatever the number of workers.

A part is a run of whole batches. Metrics see the batches that they would see in one process, so that what depends on a
batch comes out the same. What needs the whole data (negatives, weights of words, fits) is fixed before, on all of it: a
task may lie across two parts.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

__all__ = ["BATCH_SIZE", "Part", "batches", "cut"]

# Large enough to keep vectorised metrics busy, small enough that a batch of long texts stays in memory.
BATCH_SIZE = 512
MOST_BATCHES = 8  # of a part: what is lost and done again when a worker dies
PARTS = 64  # that data too small for parts of that size is cut into, as far as a batch of each allows

Text = TypeVar("Text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Texts by their numbers, counted from 0, without `stop`."""

    number: int
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


def cut(n_texts: int) -> list[Part]:
    """Cut texts into parts.

    Example:
        >>> [(part.start, part.stop) for part in cut(1200)]
        [(0, 512), (512, 1024), (1024, 1200)]
    """
    n_batches = -(-n_texts // BATCH_SIZE)
    size = BATCH_SIZE * min(MOST_BATCHES, max(1, n_batches // PARTS))
    starts = range(0, n_texts, size)
    return [
        Part(number=number, start=start, stop=min(start + size, n_texts))
        for number, start in enumerate(starts)
    ]


def batches(texts: Iterable[Text]) -> Iterator[list[Text]]:
    """Yield texts in the batches that metrics see."""
    iterator = iter(texts)
    while batch := list(islice(iterator, BATCH_SIZE)):
        yield batch
