"""Mark the words in which two texts differ, and cut long texts to what a page can show."""

import difflib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

__all__ = ["MOST_SHOWN", "Excerpt", "Piece", "mark_differences"]

MOST_SHOWN = 500  # characters of a text
MOST_COMPARED = 2_500  # characters of a text that are looked at for differences
LONGEST_WORD = 60
KEPT_WORDS = 5  # unchanged words that stay beside a difference
ELLIPSIS = " … "

Kind = Literal["same", "changed", "gap"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """What is shown of a text."""

    pieces: tuple[Piece, ...]
    n: int  # characters of the whole text
    cut: bool  # something after the shown part is left out


def mark_differences(before: str, after: str) -> tuple[Excerpt, Excerpt]:
    """Compare two texts word by word; long unchanged stretches become an ellipsis.

    Example:
        >>> one, two = mark_differences("It rained all night.", "It snowed all night.")
        >>> [(piece.text, piece.kind) for piece in two.pieces]
        [('It ', 'same'), ('snowed ', 'changed'), ('all night.', 'same')]
    """
    texts = (before, after)
    words = [_words(text[:MOST_COMPARED]) for text in texts]
    bare = [[word.strip() for word in own] for own in words]  # what follows a word is no part of it
    matcher = difflib.SequenceMatcher(a=bare[0], b=bare[1], autojunk=False)
    changed = [[True] * len(words[0]), [True] * len(words[1])]
    for block in matcher.get_matching_blocks():
        for place in range(block.size):
            changed[0][block.a + place] = changed[1][block.b + place] = False
    one, two = (_excerpt(text, own, marks) for text, own, marks in zip(texts, words, changed, strict=True))
    return one, two


def _words(text: str) -> list[str]:
    return [
        word if len(word) <= LONGEST_WORD else f"{word[:LONGEST_WORD]}… "
        for word in re.findall(r"\S+\s*|^\s+", text)
    ]


def _excerpt(text: str, words: Sequence[str], changed: Sequence[bool]) -> Excerpt:
    pieces: list[Piece] = []
    left = MOST_SHOWN
    for piece in _stretches(words, changed):
        if left <= 0:
            break
        shown = piece.text if len(piece.text) <= left else f"{piece.text[:left].rstrip()}…"
        pieces.append(Piece(text=shown, kind=piece.kind))
        left -= len(piece.text)
    return Excerpt(pieces=tuple(pieces), n=len(text), cut=left < 0 or len(text) > MOST_COMPARED)


def _stretches(words: Sequence[str], changed: Sequence[bool]) -> Iterator[Piece]:
    start = 0
    for is_changed, run in groupby(changed):
        size = len(list(run))
        own = words[start : start + size]
        first, last = start == 0, start + size == len(words)
        start += size
        head, tail = (0 if first else KEPT_WORDS), (0 if last else KEPT_WORDS)
        if is_changed or size <= 3 * KEPT_WORDS or (first and last):
            yield Piece(text="".join(own), kind="changed" if is_changed else "same")
            continue
        if first:
            head = KEPT_WORDS  # how the text begins, so that one can find it
        yield Piece(text="".join(own[:head]).rstrip(), kind="same")
        yield Piece(text=ELLIPSIS, kind="gap")
        if tail:
            yield Piece(text="".join(own[len(own) - tail :]), kind="same")
