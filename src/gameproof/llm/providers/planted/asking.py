"""Find in a rendered prompt what is asked: the fenced texts, and the answers that are allowed."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gameproof.llm.client import Request
from gameproof.prompts.fences import find_fences

__all__ = ["Question", "read_question"]

YES_NO = ("yes", "no")
SEVEN_POINTS = ("-3", "-2", "-1", "0", "1", "2", "3")

_NUMBERED = re.compile(r"^(?P<id>[A-Z]?\d+): (?P<text>.*)$", re.MULTILINE)
_RANGE = re.compile(r"\bfrom\s+(?P<low>\d+)\s+to\s+(?P<high>\d+)\b")
_SEVEN = re.compile(r"(?<!\d)-3\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a prompt asks, read from its own words."""

    words: str  # everything outside the fences
    texts: Mapping[str, str]  # label -> fenced text; of several with one label, the first
    statements: Mapping[str, str]  # id -> statement, where several are asked about at once
    menu: tuple[str, ...]  # the verdicts that are allowed, unless a mark is asked for
    low: int  # of the marks that are allowed
    high: int

    def text(self, *labels: str) -> str:
        """Return the text of the first label that the prompt has, empty where it has none."""
        return next((self.texts[label] for label in labels if label in self.texts), "")


def read_question(request: Request) -> Question:
    """Read a request as its model does: nothing but the rendered prompt and the schema of the answer."""
    whole = "\n".join(message.content for message in request.messages)
    texts: dict[str, str] = {}
    words = whole
    for found in find_fences(whole):
        texts.setdefault(found.label, found.text)
        words = words.replace(found.text, "")
    numbered = {found["id"]: found["text"] for found in _NUMBERED.finditer(texts.get("statements", ""))}
    choices = list(_choices(request.schema or {}))
    low, high = _range(request, words)
    return Question(
        words=words,
        texts=texts,
        statements=numbered,
        menu=_menu(choices, words),
        low=low,
        high=high,
    )


def _menu(choices: Sequence[Sequence[str]], words: str) -> tuple[str, ...]:
    for choice in choices:
        if set(choice) in ({*YES_NO}, {*SEVEN_POINTS}):
            return YES_NO if "yes" in choice else SEVEN_POINTS
    return SEVEN_POINTS if _SEVEN.search(words) else YES_NO


def _range(request: Request, words: str) -> tuple[int, int]:
    for node in _nodes(request.schema or {}):
        low, high = node.get("minimum"), node.get("maximum")
        if isinstance(low, int) and isinstance(high, int):
            return low, high
    found = [(int(match["low"]), int(match["high"])) for match in _RANGE.finditer(words)]
    return next(((low, high) for low, high in found if low < high), (1, 10))


def _choices(schema: Mapping[str, object]) -> Iterator[tuple[str, ...]]:
    for node in _nodes(schema):
        menu = node.get("enum")
        if isinstance(menu, list):
            yield tuple(str(entry) for entry in cast("list[object]", menu))


def _nodes(schema: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield a schema and everything in it."""
    yield schema
    for value in schema.values():
        if isinstance(value, dict):
            yield from _nodes(cast("dict[str, object]", value))  # JSON objects have texts as keys
        elif isinstance(value, list):
            for entry in cast("list[object]", value):
                if isinstance(entry, dict):
                    yield from _nodes(cast("dict[str, object]", entry))
