"""Say in one sentence why the value of an option cannot be used."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Protocol, cast, runtime_checkable

import typer

__all__ = ["explain_bad_value"]

PREFIX = "Value error, "
QUOTED = re.compile(r"'([^']*)'")
NOT_ONE_OF = "is not one of"

# What is allowed, by the kind of problem that the parser of values names; {ge} and the like are what it knows of it.
ALLOWED = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_parsing": "a number",
    "bool_parsing": "true or false",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
}


@runtime_checkable
class _Problems(Protocol):
    """What newer versions of typer raise first: it knows the kind of problem and the value."""

    def errors(self) -> Sequence[Mapping[str, object]]:
        """Return one record for each problem."""
        ...


def explain_bad_value(error: typer.BadParameter) -> str:
    """Return the message of a value that the command line refuses: what was given, and what is allowed.

    Example:
        >>> explain_bad_value(typer.BadParameter("Value error, 'metric' is not one of 'metrics', 'cells'."))
        "'metric' is none of metrics, cells; did you mean metrics?"
    """
    cause = error.__cause__
    if isinstance(cause, _Problems):
        problem = cause.errors()[0]
        allowed = ALLOWED.get(str(problem["type"]))
        if allowed is not None:
            known = cast("Mapping[str, object]", problem.get("ctx") or {})
            return f"found {problem['input']!r:.80}; allowed: {allowed.format(**known)}."
    message = error.message.removeprefix(PREFIX)
    if NOT_ONE_OF not in message:
        return message
    given, names = (QUOTED.findall(part) for part in message.split(NOT_ONE_OF, maxsplit=1))
    if not given or not names:
        return message
    near = get_close_matches(given[-1], names, n=1)
    meant = f"; did you mean {near[0]}?" if near else "."
    return f"'{given[-1]}' is none of {', '.join(names)}{meant}"
