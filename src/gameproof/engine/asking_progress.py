"""Show the questions to models as the progress of a verb whose time goes into asking."""

from collections.abc import Generator
from contextlib import contextmanager

from gameproof.engine.progress import Progress
from gameproof.llm.watching import watched

__all__ = ["ASKING", "shows_questions"]

ASKING = "ask"


class _Questions:
    """One stage whose total grows as more questions become known."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._total = self._done = 0

    def more(self, questions: int) -> None:
        """Begin the stage again with the larger total, as far as it was."""
        if questions:
            self._total += questions
            self._progress.start(ASKING, self._total)
            self._progress.advance(self._done)

    def answered(self) -> None:
        """Move on by one."""
        self._done += 1
        self._progress.advance(1)


@contextmanager
def shows_questions(progress: Progress) -> Generator[None]:
    """Tell of every question to a model that is asked meanwhile."""
    with watched(_Questions(progress)):
        yield
    progress.done()
