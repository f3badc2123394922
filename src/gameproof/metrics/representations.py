"""How a reference becomes units: the whole report, or statements found by rule."""

import re
from collections.abc import Callable, Mapping

from gameproof import text as texts

__all__ = ["NO_STATEMENT", "REPRESENTATIONS", "UNSPLITTABLE", "Units", "report", "statements"]

# Units of a reference, or the reason why it has none.
Units = tuple[str, ...] | str

NO_STATEMENT = "no statement in the reference"
UNSPLITTABLE = "unsplittable: the script of the reference has no rule for where statements end"

MIN_WORDS = 4  # a shorter piece says nothing alone and joins its neighbour

# Where a sentence holds two claims that can stand alone: at a semicolon, or where a comma and a conjunction
# are followed by a new subject. A pronoun is one for certain, while "and the ..." may go on with a list.
_CLAUSE_END = re.compile(
    r"\s*[;；]\s*|\s*,\s+(?=(?:and|but|so|while|whereas)\s+(?:he|she|it|they|we|you|i|there)\b)",  # noqa: RUF001 - full-width semicolon
    re.IGNORECASE,
)


def report(reference: str) -> Units:
    """Take the whole reference as one unit."""
    return (reference,) if texts.words(reference) else NO_STATEMENT


def statements(reference: str) -> Units:
    """Split a reference into statements: its sentences, cut where a clause can stand alone.

    Every word of the reference is in exactly one statement. Pieces of fewer than four words join the piece
    before them, or the one behind at the start of a text.

    Example:
        >>> statements("The bridge fell at dawn; nobody was hurt there. Rain had weakened it, and it was old.")
        ('The bridge fell at dawn', 'nobody was hurt there.', 'Rain had weakened it', 'and it was old.')
    """
    if not texts.is_splittable(reference):
        return UNSPLITTABLE
    pieces = [
        piece
        for sentence in texts.sentences(reference)
        for piece in _CLAUSE_END.split(sentence)
        if texts.words(piece)
    ]
    return tuple(_join_short(pieces)) or NO_STATEMENT


def _join_short(pieces: list[str]) -> list[str]:
    joined: list[str] = []
    for piece in pieces:
        is_short = len(texts.words(piece)) < MIN_WORDS
        if joined and (is_short or len(texts.words(joined[-1])) < MIN_WORDS):
            joined[-1] = f"{joined[-1]} {piece}"
        else:
            joined.append(piece)
    return joined


REPRESENTATIONS: Mapping[str, Callable[[str], Units]] = {
    "report": report,
    "statement": statements,
    "token": report,  # the tokens of a reference are one sequence, and one unit
}
