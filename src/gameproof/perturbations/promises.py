"""What each rewrite promises by its name, as data: what stays, what goes, how long it is, where its tone moves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["PROMISES", "Bounds", "Move", "Promise"]

Move = Literal["none", "turned", "favourable", "unfavourable", "hedged", "certain"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Limits of the length of a rewrite, as shares of the length of the original."""

    low: float
    high: float


LengthRule = Callable[[int | None], Bounds]


def _between(low: float, high: float) -> LengthRule:
    return lambda _level: Bounds(low=low, high=high)


def _longer(level: int | None) -> Bounds:
    share = (level or 0) / 100
    return Bounds(low=1 + 0.4 * share, high=1 + 1.8 * share)


def _shorter(level: int | None) -> Bounds:
    share = (level or 0) / 100
    return Bounds(low=1 - 1.4 * share, high=1 - 0.4 * share)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """What must hold of a rewrite.

    Attributes:
        content: ``keeps`` every claim, ``loses`` at least one, or keeps those with numbers and names
            (``turns``), because the rewrite turns judgements round; ``chooses`` what its reader needs, with no
            number or name that neither the original nor the source has.
        length: Limits of its length.
        may_add: Whether it may claim what the original does not.
        move: Where verdict and tone go.
        at_least_words: A text of so many words is never too long, where a tenth of a short text is nothing.
        by_references: The direction is verified against the references: it must support fewer of their
            statements than the original.
    """

    content: Literal["keeps", "loses", "turns", "chooses"]
    length: LengthRule
    may_add: bool = False
    move: Move = "none"
    at_least_words: int = 0
    by_references: bool = False


PROMISES: Mapping[str, Promise] = {
    "deletion_and_completion": Promise(content="loses", length=_between(0.6, 1.7)),
    "surface_report": Promise(content="loses", length=_between(0.3, 3.0), may_add=True, by_references=True),
    "ultra_concise_compression": Promise(content="loses", length=_between(0.0, 0.3), at_least_words=25),
    "opinion_flip": Promise(content="turns", length=_between(0.6, 1.6), move="turned"),
    "rephrase": Promise(content="keeps", length=_between(0.6, 1.7)),
    "opinion_shift_positive": Promise(content="keeps", length=_between(0.7, 2.0), move="favourable"),
    "opinion_shift_negative": Promise(content="keeps", length=_between(0.7, 2.0), move="unfavourable"),
    "opinion_shift_neutral": Promise(content="keeps", length=_between(0.7, 2.0), move="hedged"),
    "opinion_shift_strong": Promise(content="keeps", length=_between(0.7, 2.0), move="certain"),
    "lengthen": Promise(content="keeps", length=_longer),
    "shorten": Promise(content="keeps", length=_shorter),
    "audience": Promise(content="keeps", length=_between(0.5, 2.0)),
    "audience_rewritten": Promise(content="chooses", length=_between(0.5, 2.0)),
}
