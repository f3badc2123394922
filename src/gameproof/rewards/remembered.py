"""Scores of completions that came before: policies repeat themselves, within a group and between epochs."""

import hashlib
import threading
from collections import OrderedDict

__all__ = ["CacheKey", "Remembered", "cache_key"]

MOST = 200_000  # scores, some 40 MB

CacheKey = tuple[int, bytes]  # place of the item, digest of the completion


def cache_key(place: int, completion: str) -> CacheKey:
    """Return the key of a completion of an item."""
    text = completion.encode("utf-8", "surrogatepass")
    return place, hashlib.blake2b(text, digest_size=16).digest()


class Remembered:
    """Keeps the scores that were used last; any thread may ask."""

    def __init__(self, most: int = MOST) -> None:
        """Begin with none."""
        self._scores: OrderedDict[CacheKey, float] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    def recall(self, key: CacheKey) -> float | None:
        """Return a score that is known."""
        with self._lock:
            found = self._scores.get(key)
            if found is not None:
                self._scores.move_to_end(key)
            return found

    def remember(self, key: CacheKey, score: float) -> None:
        """Keep a score; the one that was not used for longest goes."""
        with self._lock:
            self._scores[key] = score
            if len(self._scores) > self._most:
                self._scores.popitem(last=False)
