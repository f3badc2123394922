"""Clean the shapes in which people write down what a reader requires of a text."""

import math
from collections.abc import Mapping, Sequence
from typing import cast

from gameproof.files.values import LIST_OF_TEXTS, BadValue, Tally, describe, read_list, read_object

__all__ = ["clean_requirements"]

ALLOWED = "a list of texts, or of objects with text and importance (a number above 0)"


def clean_requirements(value: object, tally: Tally) -> tuple[dict[str, object], ...]:
    """Return requirements as the parts of records; blank ones are left out, a repeated text counts once."""
    del tally
    if isinstance(value, str):
        value = read_list(value.strip()) if LIST_OF_TEXTS.fullmatch(value) else read_object(value.strip())
    if not isinstance(value, list | tuple):
        raise BadValue(describe(value), ALLOWED)
    found: dict[str, dict[str, object]] = {}
    for entry in cast("Sequence[object]", value):
        text, importance = _parts(entry)
        if text and not text.isspace():
            found.setdefault(text, {"text": text, "importance": importance})
    return tuple(found.values())


def _parts(entry: object) -> tuple[str, float]:
    if isinstance(entry, str):
        return entry, 1.0
    if not isinstance(entry, Mapping):
        raise BadValue(f"a list with {describe(entry)}", ALLOWED)
    parts = cast("Mapping[object, object]", entry)
    text, importance = parts.get("text"), parts.get("importance", 1.0)
    if not isinstance(text, str):
        raise BadValue(describe(text), ALLOWED, part="text")
    is_number = isinstance(importance, int | float) and not isinstance(importance, bool)
    if not is_number or not 0 < float(cast("float", importance)) < math.inf:
        raise BadValue(describe(importance), "a number above 0", part="importance")
    return text, float(cast("float", importance))
