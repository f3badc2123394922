"""Count the calls that are made on behalf of somebody: of one metric among several that share a model.

Who asks is known to the code that scores, what is asked to the layer that keeps limits; between them lie memos, stores and
tasks. A context variable reaches through all of them: a task counts for whoever started it.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

__all__ = ["Tally", "count_call", "tallied"]


@dataclass(slots=True, kw_only=True)
class Tally:
    """Replies of models, and their tokens (estimated where an endpoint does not tell them).

    A question that the run has asked already, or whose answer was in the store, is no call.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def add(self, other: "Tally") -> None:
        """Add what another process has counted."""
        self.calls += other.calls
        self.tokens_in += other.tokens_in
        self.tokens_out += other.tokens_out


_tally: ContextVar[Tally | None] = ContextVar("_tally", default=None)


@contextmanager
def tallied(tally: Tally) -> Generator[None]:
    """Count what is asked meanwhile, in tasks that start meanwhile as well."""
    token = _tally.set(tally)
    try:
        yield
    finally:
        _tally.reset(token)


def count_call(tokens_in: int, tokens_out: int) -> None:
    """Count a reply for whoever asked."""
    tally = _tally.get()
    if tally is not None:
        tally.add(Tally(calls=1, tokens_in=tokens_in, tokens_out=tokens_out))
