"""Read verdicts from replies: a tolerant envelope, a strict value, never a number for a failure.

A verdict is read from the completion alone. What a reply repeats of its prompt is cut off first, then

1. JSON objects that have the asked field are looked for, between fences and chat; without any
2. labels such as ``[RESULT] 2``, ``Rating: 4/5`` or ``Verdict: yes``; without any
3. the whole reply must be the value.

Of several verdicts the last one counts, and if it is not on the menu there is none: an earlier or a looser
one never takes its place. Reasons are short, so that reports can count them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar, cast

from gameproof.llm.client import Reply
from gameproof.llm.loose_json import find_objects, is_cut_off
from gameproof.prompts.messages import Message

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "FILTERED",
    "MISSING",
    "OFF_MENU",
    "TRUNCATED",
    "UNREADABLE",
    "Read",
    "StatementVerdicts",
    "closed_object",
    "own_words",
    "read_choice",
    "read_json",
    "read_score",
    "read_statement_verdicts",
]

TRUNCATED = "truncated"  # cut at the limit of tokens
FILTERED = "filtered"  # held back by the endpoint's content filter
UNREADABLE = "unreadable"  # there is no verdict in it
OFF_MENU = "off the menu"  # there is one, and it is not among those that were asked for
MISSING = "missing"  # of one statement: no verdict, not even when asked again

Value = TypeVar("Value")
Model = TypeVar("Model", bound="BaseModel")

ECHO_TAIL = 80  # characters at the end of a prompt by which its echo is recognised
SHOWN = 24  # characters of a verdict that is off the menu

_LABEL = re.compile(
    r"""\b(?:rating|score|result|verdict|answer|decision|grade)\b ["'*_`]* \s* [:=\]] ["'*_`:=\[(\s]*
    (?P<value>(?> [+-]?\d+(?:\.\d+)?(?:\s*/\s*\d+)? | [^\W\d_]\w* ))
    (?! \s*(?:-|–|to\b)\s*\d )""",  # noqa: RUF001 - ranges are written with this dash; "1 to 5" is a scale, no verdict
    re.IGNORECASE | re.VERBOSE,
)
_LINE = re.compile(r"^\W*(?P<id>[A-Z]\d+)\W+(?P<value>[+-]?\w+)\W*$", re.MULTILINE)
# No grade has more digits; a model that writes thousands of them must not stop the run.
_FRACTION = re.compile(r"([+-]?\d{1,9})(?:\.0+)?\s*/\s*(\d{1,9})")
_WHOLE = re.compile(r"[+]?(-?\d{1,9})(?:\.0+)?")
_AROUND = " \t\r\n`*_\"'.,;:()[]“”"


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Generic[Value]):
    """What a reply says, or why it says nothing; exactly one of the two is there."""

    value: Value | None = None
    reason: str | None = None
    repaired: bool = False  # slips of its JSON were mended


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementVerdicts:
    """What a reply says of each statement; `missing` are those it says nothing legal of."""

    values: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: tuple[str, ...] = ()
    reason: str | None = None  # why nothing could be read at all
    repaired: bool = False


def read_choice(
    reply: Reply, menu: Sequence[str], *, field_name: str = "verdict", prompt: Sequence[Message] = ()
) -> Read[str]:
    """Read one of a closed menu of words.

    Args:
        reply: The whole reply.
        menu: The legal words; case does not matter.
        field_name: The JSON field that was asked for.
        prompt: What was asked, so that an echo of it is not read.

    Example:
        >>> read_choice(Reply(text='It fits. {"verdict": "Yes"}'), ("yes", "no")).value
        'yes'
    """
    words = {word.casefold(): word for word in menu}
    return _read_verdict(reply, lambda found: words.get(found.casefold()), field_name, prompt)


def read_score(
    reply: Reply, low: int, high: int, *, field_name: str = "score", prompt: Sequence[Message] = ()
) -> Read[int]:
    """Read a whole number from low to high; ``4/5`` is one if 5 is the highest.

    Example:
        >>> read_score(Reply(text="It was [RESULT] 5 at first. [RESULT] 2"), 1, 5).value
        2
        >>> read_score(Reply(text="Score: 11"), 1, 10).reason
        "off the menu: '11'"
    """

    def accept(found: str) -> int | None:
        fraction = _FRACTION.fullmatch(found)
        if fraction is not None:
            found = fraction[1] if int(fraction[2]) == high else ""
        whole = _WHOLE.fullmatch(found)
        return int(whole[1]) if whole is not None and low <= int(whole[1]) <= high else None

    return _read_verdict(reply, accept, field_name, prompt)


def read_json(reply: Reply, model: type[Model], *, prompt: Sequence[Message] = ()) -> Read[Model]:
    """Read the last JSON object that has a required field of a pydantic model, and check it.

    Example:
        >>> from pydantic import BaseModel
        >>> class Shades(BaseModel):
        ...     shades: list[str]
        >>> read_json(Reply(text='{"shades": ["red"]} there you are'), Shades).value
        Shades(shades=['red'])
    """
    from pydantic import ValidationError  # noqa: PLC0415 - slow to load, and most runs ask no model

    stopped = _stopped(reply)
    if stopped is not None:
        return Read(reason=stopped)
    for found in reversed(find_objects(own_words(reply, prompt))):
        if not any(name in found.value for name in model.model_fields):
            continue
        try:
            value = model.model_validate(found.value)
        except ValidationError:
            return Read(reason=f"{UNREADABLE}: the JSON has other fields than were asked for")
        return Read(value=value, repaired=found.repaired)
    return Read(reason=TRUNCATED if is_cut_off(own_words(reply, prompt)) else UNREADABLE)


def read_statement_verdicts(
    reply: Reply, ids: Sequence[str], menu: Sequence[str], *, prompt: Sequence[Message] = ()
) -> StatementVerdicts:
    """Read the verdicts of numbered statements, matched by their ids; unknown ids are ignored.

    Example:
        >>> reply = Reply(text='{"verdicts": [{"id": "S1", "verdict": "yes"}, {"id": "S9", "verdict": "no"}]}')
        >>> read_statement_verdicts(reply, ["S1", "S2"], ["yes", "no"])
        StatementVerdicts(values={'S1': 'yes'}, missing=('S2',), reason=None, repaired=False)
    """
    stopped = _stopped(reply)
    if stopped is not None:
        return StatementVerdicts(missing=tuple(ids), reason=stopped)
    text = own_words(reply, prompt)
    objects = find_objects(text)
    if not objects and is_cut_off(text):
        return StatementVerdicts(missing=tuple(ids), reason=TRUNCATED)
    found = [pair for each in objects for pair in _pairs(each.value)]
    found = found or [(line["id"], line["value"]) for line in _LINE.finditer(text)]
    words = {word.casefold(): word for word in menu}
    spoken = {key.strip().upper(): words.get(_plain(value).casefold()) for key, value in found}
    values = {key: value for key in ids if (value := spoken.get(key)) is not None}
    if not values:
        return StatementVerdicts(missing=tuple(ids), reason=UNREADABLE)
    return StatementVerdicts(
        values=values,
        missing=tuple(key for key in ids if key not in values),
        repaired=any(each.repaired for each in objects),
    )


def closed_object(properties: Mapping[str, object]) -> dict[str, object]:
    """Return the JSON schema of an object that has these fields and no others."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def own_words(reply: Reply, prompt: Sequence[Message] = ()) -> str:
    """Return the reply without what it repeats of its prompt, and without thinking aloud that it has closed."""
    text = reply.text.rpartition("</think>")[2]
    for message in prompt:
        words = message.content[-ECHO_TAIL:].split()
        if not words:
            continue
        echoes = list(re.finditer(r"\s+".join(map(re.escape, words)), text))
        if echoes:
            text = text[echoes[-1].end() :]
    return text


def _stopped(reply: Reply) -> str | None:
    """Say why a reply is no whole reply, or None."""
    return {"length": TRUNCATED, "filter": FILTERED}.get(reply.finish)


def _read_verdict(
    reply: Reply, accept: Callable[[str], Value | None], field_name: str, prompt: Sequence[Message]
) -> Read[Value]:
    stopped = _stopped(reply)
    if stopped is not None:
        return Read(reason=stopped)
    text = own_words(reply, prompt)
    objects = [found for found in find_objects(text) if field_name in found.value]
    if not objects and is_cut_off(text):
        return Read(reason=TRUNCATED)  # some servers say "stop" where they ran into their own limit
    labels = list(_LABEL.finditer(text)) if not objects else []
    if objects:
        spoken = _plain(objects[-1].value[field_name])
    elif labels:
        spoken = _plain(labels[-1]["value"])
    else:
        spoken = _plain(text)
    value = accept(spoken)
    if value is not None:
        return Read(value=value, repaired=bool(objects) and objects[-1].repaired)
    if not objects and not labels:
        return Read(reason=UNREADABLE)
    return Read(reason=f"{OFF_MENU}: {spoken[:SHOWN]!r}")


def _plain(value: object) -> str:
    """Return a JSON value as the text it is compared by."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip(_AROUND)


def _pairs(value: Mapping[str, object]) -> list[tuple[str, object]]:
    """Return ids and verdicts of one object: a list of entries, one entry, or ids as keys."""
    inner = value.get("verdicts", value)
    entries = cast("list[object]", inner) if isinstance(inner, list) else [inner]
    pairs: list[tuple[str, object]] = []
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        fields = cast("dict[str, object]", entry)  # JSON objects have texts as keys
        if "id" in fields:
            pairs.append((str(fields["id"]), fields.get("verdict")))
        else:
            pairs.extend(fields.items())
    return pairs
