"""How often and how much: rates of requests, sizes of bodies."""

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gameproof.study.flow import MAX_LIST
from gameproof.study.model import Study

__all__ = ["LIMITS", "MAX_FIELDS", "Limiter", "Rate", "body_limit"]

MAX_FIELDS = 200  # of one form
MAX_KEYS = 20_000  # whose rates are remembered; the ones that were seen longest ago are forgotten
LEAST_BODY, MOST_BODY = 16_384, 4_194_304  # bytes
BYTES_A_CHARACTER = 12  # of a form, at worst: four bytes, each written as %XX


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many at once, and so many a minute from then on."""

    burst: int
    per_minute: float


# What is limited -> how often one key may. A lab's readers may share one address, so those limits are wide.
LIMITS: Mapping[str, Rate] = {
    "address": Rate(burst=600, per_minute=1800),  # requests from one address
    "reader": Rate(burst=90, per_minute=180),  # requests of one reader, polls of progress included
    "unknown_link": Rate(burst=20, per_minute=4),  # links that are none, from one address
    "enrol": Rate(burst=60, per_minute=2),  # new readers of an open study, from one address
    "new_link": Rate(burst=5, per_minute=0.2),  # links that one reader makes for other devices
    "admin": Rate(burst=5, per_minute=1),  # wrong secrets, from one address
    "admin_everywhere": Rate(burst=30, per_minute=6),  # wrong secrets, from all addresses together
}


class Limiter:
    """Counts by token buckets, in memory: a restart forgives."""

    def __init__(self, rates: Mapping[str, Rate], clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with full buckets."""
        self._rates = rates
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, str], tuple[float, float]] = OrderedDict()

    def wait_s(self, what: str, key: str, *, take: bool = True) -> float:
        """Return 0 where one more is allowed, and take it; else the seconds until it will be.

        Args:
            what: A key of the rates.
            key: Whose.
            take: Whether to count this one.

        Example:
            >>> limiter = Limiter({"page": Rate(burst=1, per_minute=60)}, clock=lambda: 0.0)
            >>> limiter.wait_s("page", "me"), limiter.wait_s("page", "me")
            (0.0, 1.0)
        """
        rate, now = self._rates[what], self._clock()
        left, then = self._buckets.pop((what, key), (float(rate.burst), now))
        left = min(float(rate.burst), left + (now - then) * rate.per_minute / 60)
        allowed = left >= 1
        self._buckets[what, key] = (left - 1 if allowed and take else left, now)
        while len(self._buckets) > MAX_KEYS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - left) * 60 / rate.per_minute


def body_limit(study: Study) -> int:
    """Return how many bytes a posted form may have: what a study's questions allow, as forms write it."""
    profile = sum(
        question.max_length * (MAX_LIST if question.kind == "list" else 1) for question in study.questions
    )
    needed = BYTES_A_CHARACTER * max(profile, study.max_query_length)
    return min(MOST_BODY, LEAST_BODY + needed)
