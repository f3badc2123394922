"""Find JSON objects in what a model wrote: between fences, in chat, with comments or slips of escaping.

Comments and commas before a closing bracket are taken for what they are. A backslash that starts no legal
escape and a raw control character inside a string are mended, and the object is marked as repaired.
"""

import json
import re
from dataclasses import dataclass
from typing import cast

from gameproof.json_text import parse_json

__all__ = ["FoundObject", "find_objects", "is_cut_off"]

MAX_FAILED = 20  # opening braces that begin no object: bounds the work on a reply made of braces

_OPENING = re.compile(r"\{(?=\s*(?:[\"}]|//|/\*))")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_CLOSED = re.compile(
    r'\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\}', re.DOTALL
)  # the innermost object, which is the last
_PLAIN = json.JSONDecoder()
_ESCAPES = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|\\|[\x00-\x1f]', re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundObject:
    """One JSON object and where it stood."""

    value: dict[str, object]
    start: int
    end: int
    repaired: bool


def find_objects(text: str) -> list[FoundObject]:
    """Return the outermost JSON objects of a text, in their order.

    Example:
        >>> [found.value for found in find_objects('Sure: {"score": 3, /* fine */} Bye.')]
        [{'score': 3}]
    """
    found: list[FoundObject] = []
    end = n_failed = 0
    for opening in _OPENING.finditer(text):
        if opening.start() < end:
            continue  # inside an object that has been read
        read = _read_object(text, opening.start())
        if read is not None:
            found.append(read)
            end = read.end
            continue
        n_failed += 1
        if n_failed == MAX_FAILED:
            break
    return found


def is_cut_off(text: str) -> bool:
    """Say whether the last object of a text opens and never closes.

    Example:
        >>> is_cut_off('{"score": 4, "reason": "the second cla')
        True
    """
    openings = list(_OPENING.finditer(text))
    if not openings:
        return False
    start = openings[-1].start()
    return _CLOSED.match(text, start) is None


def _read_object(text: str, start: int) -> FoundObject | None:
    """Read the object that opens at a brace, or return None if none closes or it is no JSON."""
    try:
        value, end = _PLAIN.raw_decode(text, start)
    except (ValueError, RecursionError):
        return _mend_object(text, start)
    return FoundObject(value=value, start=start, end=end, repaired=False)


def _mend_object(text: str, start: int) -> FoundObject | None:
    """Read an object that is not quite JSON, character by character and each of them once."""
    parts: list[str] = []
    comma: int | None = None  # the part that is one, where nothing but spaces and comments has come since
    last_end = text.rfind("*/")  # a comment that opens behind it never closes
    repaired = False
    depth, place = 0, start
    while place < len(text):
        character = text[place]
        if character == '"':
            string = _STRING.match(text, place)
            if string is None:
                return None
            mended = _ESCAPES.sub(_mend, string.group())
            repaired = repaired or mended != string.group()
            parts.append(mended)
            comma, place = None, string.end()
            continue
        opens = character == "/" and (text.startswith("//", place) or place < last_end)
        comment = _COMMENT.match(text, place) if opens else None
        if comment is not None:
            place = comment.end()
            continue
        place += 1
        if character in "}]" and comma is not None:
            parts[comma] = ""
        if not character.isspace():
            comma = len(parts) if character == "," else None
        parts.append(character)
        depth += (character in "{[") - (character in "}]")
        if depth == 0:
            return _parsed("".join(parts), start, place, repaired=repaired)
    return None


def _mend(escape: re.Match[str]) -> str:
    """Double a backslash that starts no escape; write a raw control character as its escape."""
    found = escape.group()
    if found == "\\":
        return "\\\\"
    return f"\\u{ord(found):04x}" if len(found) == 1 else found


def _parsed(text: str, start: int, end: int, *, repaired: bool) -> FoundObject | None:
    try:
        value = parse_json(text)
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    return FoundObject(
        value=cast("dict[str, object]", value),  # JSON objects have texts as keys
        start=start,
        end=end,
        repaired=repaired,
    )
