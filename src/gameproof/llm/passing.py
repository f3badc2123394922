"""How reasons say that a call failed for the time being, so that it is worth asking again later."""

import re

__all__ = ["gave_up", "is_passing", "no_answer", "no_time_left"]

_PASSING = re.compile(r"\(\d+ attempts\)|\bno answer within [\d.e+]+ s\b|\(no time left of [\d.e+]+ s\)")


def gave_up(reason: str, attempts: int) -> str:
    """Say that every attempt failed."""
    return f"{reason} ({attempts} attempts)"


def no_answer(seconds: float) -> str:
    """Say that a call took too long."""
    return f"no answer within {seconds:g} s"


def no_time_left(reason: str, seconds: float) -> str:
    """Say that there was no time for another attempt."""
    return f"{reason} (no time left of {seconds:g} s)"


def is_passing(text: str) -> bool:
    """Say whether a reason, or what is made of one, tells of a failure that another run may not meet.

    What a model refuses, what is too long for it and what cannot be read stays as it is.

    Example:
        >>> is_passing("2/3 statements (HTTP 500: Oops. (4 attempts))"), is_passing("unreadable: no JSON")
        (True, False)
    """
    return _PASSING.search(text) is not None
