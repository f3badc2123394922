"""Fences around texts that are not ours, so that nothing in them can be taken for part of the question.

    <<<candidate 3f9a01c7d2e4>>>
    ... the text, as it is ...
    <<<end candidate 3f9a01c7d2e4>>>

The marker is drawn from a digest of the prompt. No text between the fences can contain it: another is drawn then, however
many of them a text holds. All questions of a prompt have the same marker otherwise, so that what they begin with alike
(the instructions, a source, a candidate before its statements) is alike to the byte, and a server that keeps the
beginnings of prompts reads them once; and the same question always has the same one, so that its stored answer is
found again.
"""

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

__all__ = ["Fenced", "draw_marker", "fence", "find_fences", "number_lines"]

MARKER_BYTES = 6

_FENCE = re.compile(
    r"^<<<(?P<label>[a-z_]+) (?P<marker>[0-9a-f]{12})>>>\n(?P<text>.*?)\n?^<<<end (?P=label) (?P=marker)>>>$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """A text between fences, found again in a rendered prompt."""

    label: str
    text: str


def draw_marker(prompt_digest: str, texts: Collection[str]) -> str:
    """Draw the marker of one rendered prompt: no text in it contains the marker."""
    for attempt in count():
        whole = f"{prompt_digest} {attempt}"
        marker = hashlib.blake2b(whole.encode("ascii"), digest_size=MARKER_BYTES).hexdigest()
        if not any(marker in text for text in texts):
            return marker
    raise AssertionError  # `count` never ends


def fence(label: str, text: str, marker: str) -> str:
    """Put a text between fences."""
    return f"<<<{label} {marker}>>>\n{text}\n<<<end {label} {marker}>>>"


def number_lines(entries: Mapping[str, str] | Sequence[str]) -> str:
    """Write texts one a line, each behind its id; a text cannot begin a line of its own.

    Example:
        >>> print(number_lines({"S1": "It rained.", "S2": "The bridge" + chr(10) + "S3: closed."}))
        S1: It rained.
        S2: The bridge S3: closed.
    """
    named = (
        entries.items()
        if isinstance(entries, Mapping)
        else ((str(place), text) for place, text in enumerate(entries, start=1))
    )
    return "\n".join(f"{name}: {' '.join(text.split())}" for name, text in named)


def find_fences(prompt: str) -> list[Fenced]:
    """Return the texts between the fences of a rendered prompt, in their order."""
    return [Fenced(label=found["label"], text=found["text"]) for found in _FENCE.finditer(prompt)]
