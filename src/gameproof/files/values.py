"""Clean the loose shapes in which people write references, ratings, raters and personas."""

import ast
import json
import math
import numbers
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import cast

__all__ = [
    "CLEANERS",
    "BadValue",
    "Tally",
    "clean_mark",
    "clean_references",
    "describe",
    "encodes",
    "mean_of_raters",
]

Tally = Counter[str]  # key of a note (notes.py) -> how often it happened

OVERALL = "overall"  # the dimension of a rating that is a single number
MISSING_MARKS = frozenset({"", "nan", "na", "n/a", "null", "none", "-"})
DOMAINS = ("reviews", "summaries", "answers")  # decides which perturbations apply
PERSONA_TEXTS = ("role", "domain", "needs", "use_case", "query")
SHOWN_CHARACTERS = 40
LIST_OF_TEXTS = re.compile(r"""\s*\[\s*(?:(?:\[\s*)?["'].*)?\]\s*""", re.DOTALL)


class BadValue(Exception):  # noqa: N818 - never leaves this package: it becomes a RowProblem
    """A value cannot be used: what was found, and what is allowed."""

    def __init__(self, found: str, allowed: str, *, part: str | None = None) -> None:
        """Keep the three parts of a problem; `part` names the piece of the field that is wrong."""
        super().__init__(found, allowed, part)
        self.found = found
        self.allowed = allowed
        self.part = part


def describe(value: object) -> str:
    """Say what a value is, in a few words."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        cut = value[:SHOWN_CHARACTERS]
        return f"the text {cut!r}" + (" ..." if len(value) > len(cut) else "")
    if isinstance(value, numbers.Number):
        return f"the number {value}"[:SHOWN_CHARACTERS]
    if isinstance(value, Mapping):
        keys = ", ".join(repr(key) for key in list(cast("Mapping[object, object]", value))[:4])
        return f"an object with the keys {keys}" if keys else "an empty object"
    if isinstance(value, list | tuple):
        return f"a list of {len(cast('Sequence[object]', value))}"
    return f"a value of type {type(value).__name__}"


def encodes(text: str) -> bool:
    """Return whether UTF-8 can hold a text: half a character (a lone surrogate) has no bytes."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def clean_name(value: object, tally: Tally) -> str | None:
    """Return an identifier as text: whole numbers are welcome, blank text counts as absent."""
    del tally
    if isinstance(value, str):
        return value or None
    if not isinstance(value, bool):
        if isinstance(value, numbers.Integral):
            return str(int(value))
        if isinstance(value, float) and value.is_integer():
            return str(int(value))  # a table turns whole numbers into 17.0 where one is missing
    raise BadValue(describe(value), "text or a whole number")


def clean_references(value: object, tally: Tally) -> tuple[str, ...]:
    """Return the reference texts of a row; a nested list is flattened by one level."""
    if isinstance(value, str):
        return clean_references([value], tally)
    if not isinstance(value, list | tuple):
        raise BadValue(describe(value), "a text or a list of texts")
    entries = cast("Sequence[object]", value)
    kept = [text for text in entries if type(text) is str and text and not text.isspace()]
    if len(kept) == len(entries):
        return tuple(kept)  # the usual case
    kept.clear()
    for entry in entries:
        if isinstance(entry, list | tuple):
            tally["nested_references"] += 1
            inner = [_reference(text) for text in cast("Sequence[object]", entry)]
        else:
            inner = [entry if type(entry) is str else _reference(entry)]
        for text in inner:
            if text and not text.isspace():
                kept.append(text)
            else:
                tally["blank_references"] += 1
    return tuple(kept)


def clean_flat_references(value: object, tally: Tally) -> tuple[str, ...]:
    """Return the references in a cell of a table: a list written as text, or one plain text."""
    if isinstance(value, str) and LIST_OF_TEXTS.fullmatch(value):
        value = _read_list(value.strip())
    return clean_references(value, tally)


def clean_ratings(value: object, tally: Tally) -> dict[str, float]:
    """Return dimension -> rating; a single number is the dimension `overall`."""
    value = _read_object(value)
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
    value = _read_object(value)
    raters: dict[str, dict[str, float]] = {}
    for rater, marks in _named_raters(value, tally):
        into = raters.setdefault(rater, {})
        for dimension, mark in _rater_marks(marks, rater, tally).items():
            if into.setdefault(dimension, mark) != mark:
                found = f"two marks of rater {rater!r}: {into[dimension]:g} and {mark:g}"
                raise BadValue(found, "one mark of a rater for each dimension", part=dimension)
    return {rater: marks for rater, marks in raters.items() if marks}


def clean_persona(value: object, tally: Tally) -> dict[str, object] | None:
    """Return the parts of a persona; a plain text is its role."""
    value = _read_object(value)
    if isinstance(value, str):
        tally["persona_text"] += 1
        value = {"role": value}
    allowed = f"an object with {', '.join(PERSONA_TEXTS)} (texts) and knows (a list of texts)"
    if not isinstance(value, Mapping):
        raise BadValue(describe(value), allowed)
    persona: dict[str, object] = {}
    for key, part in cast("Mapping[object, object]", value).items():
        name = str(key).strip().lower().replace(" ", "_").replace("-", "_")
        if name == "knows":
            persona[name] = _known_things(part)
        elif name not in PERSONA_TEXTS:
            tally["persona_keys"] += 1
        elif isinstance(part, str):
            persona[name] = part
        elif part is not None:
            raise BadValue(describe(part), "text", part=name)
    return persona if any(persona.values()) else None


def clean_domain(value: object, tally: Tally) -> str | None:
    """Return reviews, summaries or answers; any other domain is unknown to the catalogue and is noted."""
    if not isinstance(value, str):
        raise BadValue(describe(value), f"one of {', '.join(DOMAINS)}")
    plain = value.strip().lower()
    for domain, singular in zip(DOMAINS, ("review", "summary", "answer"), strict=True):
        if plain in {domain, singular}:
            return domain
    tally["unknown_domain"] += bool(plain)
    return None


def clean_source(value: object, tally: Tally) -> object:
    """Return the source; a list of passages is joined with blank lines."""
    if not isinstance(value, list | tuple):
        return value
    passages = cast("Sequence[object]", value)
    texts = [passage for passage in passages if isinstance(passage, str)]
    if len(texts) < len(passages):
        raise BadValue("a list with values that are not text", "a text or a list of texts")
    tally["joined_source"] += 1
    return "\n\n".join(texts) if texts else None


def mean_of_raters(raters: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    """Return the mean mark of each dimension over the raters who gave one."""
    marks: dict[str, list[float]] = {}
    for given in raters.values():
        for dimension, mark in given.items():
            marks.setdefault(dimension, []).append(mark)
    return {dimension: math.fsum(values) / len(values) for dimension, values in marks.items()}


CLEANERS: Mapping[str, Callable[[object, Tally], object]] = {
    "id": clean_name,
    "task_id": clean_name,
    "group": clean_name,
    "candidate_id": clean_name,
    "system": clean_name,
    "references": clean_references,
    "ratings": clean_ratings,
    "raters": clean_raters,
    "persona": clean_persona,
    "domain": clean_domain,
    "source": clean_source,
}


def _reference(value: object) -> str:
    if value is None:
        return ""  # dropped and counted with the blank ones
    if not isinstance(value, str):
        raise BadValue(f"a list with {describe(value)}", "a text or a list of texts")
    return value


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


def _known_things(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple):
        things = cast("Sequence[object]", value)
        texts = tuple(thing for thing in things if isinstance(thing, str))
        if len(texts) == len(things):
            return texts
        raise BadValue("a list with values that are not text", "a text or a list of texts", part="knows")
    raise BadValue(describe(value), "a text or a list of texts", part="knows")


def _read_object(value: object) -> object:
    """Return what a cell holds: an object or list written as text is read, anything else is as it was."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return _read_python(value.strip(), "an object written as JSON")


def _read_list(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _read_python(text, "one text, or a list of texts written as JSON")


def _read_python(text: str, allowed: str) -> object:
    # Tables are often written with Python's own spelling of lists and objects. Only text that Python
    # would write in exactly this way counts: "['a' 'b']", as numpy writes it, would become one text.
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise BadValue(describe(text), allowed) from None
    if repr(value) != text:
        raise BadValue(describe(text), allowed)
    return value
