"""Clean the loose shapes in which people write names, references, sources and personas."""

import ast
import numbers
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import cast

from gameproof.json_text import parse_json

__all__ = [
    "LIST_OF_TEXTS",
    "BadValue",
    "Tally",
    "clean_domain",
    "clean_flat_references",
    "clean_name",
    "clean_persona",
    "clean_references",
    "clean_source",
    "clean_title",
    "describe",
    "encodes",
    "first_flat_reference",
    "first_reference",
    "read_list",
    "read_object",
]

Tally = Counter[str]  # key of a note (notes.py) -> how often it happened

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


def read_object(value: object) -> object:
    """Return what a cell holds: an object or list written as text is read, anything else is as it was."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return parse_json(value)
    except ValueError:
        return _read_python(value.strip(), "an object written as JSON")


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
        value = read_list(value.strip())
    return clean_references(value, tally)


def first_reference(value: object, tally: Tally) -> str | None:
    """Return the first reference of a row as a text to be tested; None where it has none."""
    found = clean_references(value, Tally())  # what was mended is counted where references are read
    tally["tested_references"] += bool(found)
    return found[0] if found else None


def first_flat_reference(value: object, tally: Tally) -> str | None:
    """Return the first reference in a cell of a table, as `first_reference`."""
    found = clean_flat_references(value, Tally())
    tally["tested_references"] += bool(found)
    return found[0] if found else None


def clean_persona(value: object, tally: Tally) -> dict[str, object] | None:
    """Return the parts of a persona; a plain text is its role."""
    value = read_object(value)
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


def clean_title(value: object, tally: Tally) -> str | None:
    """Return the title; one that is no text counts as absent, for most runs have no use for it."""
    del tally
    return value if isinstance(value, str) and value.strip() else None


def _reference(value: object) -> str:
    if value is None:
        return ""  # dropped and counted with the blank ones
    if not isinstance(value, str):
        raise BadValue(f"a list with {describe(value)}", "a text or a list of texts")
    return value


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


def read_list(text: str) -> object:
    """Return the list that a cell of a table holds as text, in the spelling of JSON or of Python."""
    try:
        return parse_json(text)
    except ValueError:
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
