"""Clean the loose shapes in which people write ratings and the marks of raters."""

import math
import numbers
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import cast

from gameproof.files.values import BadValue, Tally, clean_name, describe, read_object

__all__ = ["clean_mark", "clean_raters", "clean_ratings", "mean_of_raters"]

OVERALL = "overall"  # the dimension of a rating that is a single number
DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
MISSING_MARKS = frozenset({"", "nan", "na", "n/a", "null", "none", "-"})


def clean_ratings(value: object, tally: Tally) -> dict[str, float]:
    """Return dimension -> rating; a single number is the dimension `overall`."""
    value = read_object(value)
    if not isinstance(value, Mapping):
        mark = clean_mark(value, tally)
        return {} if mark is None else {OVERALL: mark}
    ratings: dict[str, float] = {}
    for dimension, rating in cast("Mapping[object, object]", value).items():
        # The usual case comes first, without a call: this runs for every rating of every row.
        if type(rating) is float and math.isfinite(rating):
            ratings[str(dimension)] = rating
        elif (mark := clean_mark(rating, tally, str(dimension))) is not None:
            ratings[str(dimension)] = mark
    return ratings


def clean_mark(value: object, tally: Tally, part: str | None = None) -> float | None:
    """Return one rating, or None where it is missing (null, empty, NaN): those are counted."""
    allowed = "a finite number, or null for a missing rating"
    number: float | None = None
    if isinstance(value, str):
        if value.strip().lower() not in MISSING_MARKS:
            try:
                number = float(value)
            except ValueError:
                point = " with a decimal point" if DECIMAL_COMMA.fullmatch(value.strip()) else ""
                allowed = allowed.replace("number", f"number{point}", 1)
                raise BadValue(describe(value), allowed, part=part) from None
    elif isinstance(value, numbers.Real | Decimal):
        try:
            number = float(value)
        except OverflowError:
            raise BadValue("a number too large to be a rating", allowed, part=part) from None
    elif value is not None:
        raise BadValue(describe(value), allowed, part=part)
    if number is None or math.isnan(number):
        tally["missing_ratings"] += 1
        return None
    if math.isinf(number):
        raise BadValue(f"the number {number}", allowed, part=part)
    return number


def clean_raters(value: object, tally: Tally) -> dict[str, dict[str, float]]:
    """Return rater -> dimension -> mark, from a list of objects or from a mapping."""
    value = read_object(value)
    raters: dict[str, dict[str, float]] = {}
    for rater, marks in _named_raters(value, tally):
        into = raters.setdefault(rater, {})
        for dimension, mark in _rater_marks(marks, rater, tally).items():
            if into.setdefault(dimension, mark) != mark:
                found = f"two marks of rater {rater!r}: {into[dimension]:g} and {mark:g}"
                raise BadValue(found, "one mark of a rater for each dimension", part=dimension)
    return {rater: marks for rater, marks in raters.items() if marks}


def mean_of_raters(raters: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean mark of each dimension over the raters who gave one."""
    marks: dict[str, list[float]] = {}
    for given in raters.values():
        for dimension, mark in given.items():
            marks.setdefault(dimension, []).append(mark)
    return {dimension: math.fsum(values) / len(values) for dimension, values in marks.items()}


def _named_raters(value: object, tally: Tally) -> list[tuple[str, object]]:
    if isinstance(value, Mapping):
        return [(str(rater), marks) for rater, marks in cast("Mapping[object, object]", value).items()]
    allowed = 'a list of {"rater": name, dimension: mark}, or an object of raters'
    if not isinstance(value, list | tuple):
        raise BadValue(describe(value), allowed)
    named: list[tuple[str, object]] = []
    for place, entry in enumerate(cast("Sequence[object]", value), start=1):
        if not isinstance(entry, Mapping):
            raise BadValue(f"a list with {describe(entry)}", allowed)
        marks = dict(cast("Mapping[object, object]", entry))
        rater = clean_name(marks.pop("rater", ""), tally)
        tally["unnamed_raters"] += rater is None
        named.append((rater or f"rater_{place}", marks))
    return named


def _rater_marks(marks: object, rater: str, tally: Tally) -> dict[str, float]:
    if not isinstance(marks, Mapping):
        mark = clean_mark(marks, tally, rater)
        return {} if mark is None else {OVERALL: mark}
    clean: dict[str, float] = {}
    for dimension, value in cast("Mapping[object, object]", marks).items():
        try:
            mark = clean_mark(value, tally, f"{rater}, {dimension}")
        except BadValue:
            if not isinstance(value, str):
                raise
            tally["rater_texts"] += 1  # a comment beside the marks
            continue
        if mark is not None:
            clean[str(dimension)] = mark
    return clean
