"""Tell somebody how far the questions to models are that a verb asks, however deep they are asked.

As with what is counted (`gameproof.llm.tally`), a context variable reaches through memos, stores and tasks.
"""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

__all__ = ["Watch", "current_watch", "watched"]


class Watch(Protocol):
    """Told about questions to models."""

    def more(self, questions: int) -> None:
        """Take note of so many questions that will be asked."""
        ...

    def answered(self) -> None:
        """Take note that one of them has its answer, or will have none."""
        ...


class _Nobody:
    """Takes no note."""

    def more(self, questions: int) -> None:
        """Ignore them."""

    def answered(self) -> None:
        """Ignore it."""


_watch: ContextVar[Watch] = ContextVar("_watch")
NOBODY = _Nobody()


@contextmanager
def watched(watch: Watch) -> Generator[None]:
    """Tell of what is asked meanwhile, in tasks that start meanwhile as well."""
    token = _watch.set(watch)
    try:
        yield
    finally:
        _watch.reset(token)


def current_watch() -> Watch:
    """Return who wants to be told."""
    return _watch.get(NOBODY)
