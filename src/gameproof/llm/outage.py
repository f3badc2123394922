"""When an endpoint has stopped answering: so many calls failed in a row that asking on would be in vain."""

from gameproof.errors import OutageError
from gameproof.llm.passing import is_passing

__all__ = ["Outage"]

AT_FIRST = 8  # calls without an answer before any has come
LATER = 40  # more than are usually under way together, so that a hiccup does not end a long run
HINT = (
    "Nothing more was asked. Replies so far are kept, and the same command goes on from there; "
    "`gameproof doctor --llm ...` shows what answers now."
)


class Outage:
    """Counts the calls in a row that failed after all their attempts."""

    def __init__(self) -> None:
        """Begin with no call made."""
        self._in_a_row = 0
        self._has_answered = False

    def answered(self) -> None:
        """Take note of an answer."""
        self._in_a_row = 0
        self._has_answered = True

    def failed(self, reason: str) -> OutageError | None:
        """Take note of a call that was given up; return the error that ends the run, once it is time.

        A refusal is an answer of a kind: only failures that may pass are counted.
        """
        if not is_passing(reason):
            return None
        self._in_a_row += 1
        if self._in_a_row < (LATER if self._has_answered else AT_FIRST):
            return None
        since = "in a row" if self._has_answered else "and none was answered"
        return OutageError(
            f"the endpoint does not answer: {self._in_a_row} calls failed {since}, the last with {reason}.",
            hint=HINT,
        )
