"""Keep count of what a reward has scored, and write it down with the metric's signature."""

import json
import logging
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gameproof.errors import InputError

__all__ = ["Counts", "Ledger"]

logger = logging.getLogger("gameproof.rewards")

WARN_FROM = 100  # scores, before a share of missing ones says something
MOST_MISSING = 0.1  # as for a check of an audit


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What has been scored so far.

    Attributes:
        n: Completions.
        n_cached: Of them, those whose score was known.
        missing: Reason -> completions without a score.
        total: Sum of the rewards that there are.
        seconds: Spent.
    """

    n: int = 0
    n_cached: int = 0
    missing: Mapping[str, int] = field(default_factory=dict[str, int])
    total: float = 0.0
    seconds: float = 0.0

    @property
    def n_missing(self) -> int:
        """Completions without a score."""
        return sum(self.missing.values())

    @property
    def mean(self) -> float | None:
        """The mean reward; None where there is none."""
        scored = self.n - self.n_missing
        return self.total / scored if scored else None

    def plus(self, other: "Counts") -> "Counts":
        """Return both together."""
        return Counts(
            n=self.n + other.n,
            n_cached=self.n_cached + other.n_cached,
            missing=dict(Counter(self.missing) + Counter(other.missing)),
            total=self.total + other.total,
            seconds=self.seconds + other.seconds,
        )


class Ledger:
    """Adds up counts, and appends a line for each batch to a file."""

    def __init__(self, name: str, signature: str, path: Path | None, *, every: int = 1) -> None:
        """Write nothing yet.

        Args:
            name: Of the reward.
            signature: Of the metric.
            path: Of the file, which is appended to; None for no file.
            every: Completions that make a line: hosts that ask for one at a time would write one for each.
        """
        self.counts = Counts()
        self._head = {"reward": name, "signature": signature}
        self._path = path
        self._every = every
        self._pending = Counts()
        self._step: int | None = None
        self._lock = threading.Lock()
        self._has_warned = False

    def add(self, counts: Counts, *, step: int | None = None) -> None:
        """Take note of a batch.

        Args:
            counts: Of the batch alone.
            step: Of the training, where the host says it.
        """
        with self._lock:
            self.counts = self.counts.plus(counts)
            self._pending = self._pending.plus(counts)
            self._step = step
            if self._pending.n >= self._every:
                self._write()
        self._warn()

    def close(self) -> None:
        """Write what is left."""
        with self._lock:
            if self._pending.n:
                self._write()

    def _write(self) -> None:
        pending, self._pending = self._pending, Counts()
        if self._path is None:
            return
        line = {
            **self._head,
            "step": self._step,
            "n": pending.n,
            "n_cached": pending.n_cached,
            "missing": dict(pending.missing),
            "mean": pending.mean,
            "seconds": round(pending.seconds, 4),
        }
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        except OSError as error:
            raise InputError(f"log: {self._path} cannot be written: {error.strerror}.") from error

    def _warn(self) -> None:
        counts = self.counts
        if self._has_warned or counts.n < WARN_FROM or counts.n_missing <= MOST_MISSING * counts.n:
            return
        self._has_warned = True
        reasons = ", ".join(f"{reason} ({n:,})" for reason, n in Counter(counts.missing).most_common(3))
        logger.warning(
            "%s: %d of %d completions have no reward: %s",
            self._head["reward"],
            counts.n_missing,
            counts.n,
            reasons,
        )
