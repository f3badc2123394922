"""What a reader of the planted language understands: how a text bears on a statement."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache, lru_cache

from gameproof.datasets.planted.banks import load_groups
from gameproof.datasets.planted.plan import Polarity
from gameproof.datasets.planted.reading import Reading, read_statement
from gameproof.prompts.probes import CONCRETE, FAVOURABLE, POSSIBLY, UNFAVOURABLE
from gameproof.text import sentences

__all__ = ["ABOUT_THE_TEXT", "Bearing", "Support", "bearing", "read_text", "verdict_of"]

REMEMBERED = 8192
FEW = 2  # sentences that must all be borne out; more are a report, of which the greater part must be


class Support(IntEnum):
    """How far a text bears a statement out, on the seven points of the scale."""

    DENIED = -3
    OTHERWISE = -2  # it states something else in its place
    SILENT = 0
    MAYBE = 1  # it calls possible what is stated, or is right in one part of two
    STATED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Bearing:
    """How a text bears on a statement, and what may lead a careless reader astray."""

    support: Support
    same_topic: bool = False  # they are of one group, and the text does not bear the statement out
    held_out: bool = False  # it is borne out in wordings of the held-out bank only


@lru_cache(maxsize=REMEMBERED)
def read_text(text: str) -> tuple[Reading, ...]:
    """Return what a text states, sentence by sentence."""
    found = (read_statement(sentence) for sentence in sentences(text))
    return tuple(reading for reading in found if reading is not None)


def bearing(text: str, statement: str) -> Bearing:
    """Say how a text bears on a statement, which may be about its subject or about the text itself.

    Example:
        >>> bearing("It weighs 230 grams without its packaging.", "In the hand it amounts to 230 grams.").support.name
        'STATED'
        >>> bearing("It weighs 230 grams without its packaging.", "In the hand it amounts to 250 grams.").support.name
        'OTHERWISE'
    """
    about = ABOUT_THE_TEXT.get(statement)
    if about is not None:
        return Bearing(support=Support.STATED if about(text) else Support.SILENT)
    found = [_bear_on(text, part, meant) for part, meant in _claims(statement)]
    if len(found) <= FEW:
        return min(found, key=lambda one: one.support, default=Bearing(support=Support.SILENT))
    return _majority(found)


def verdict_of(text: str) -> bool | None:
    """Say whether a text comes down in favour of its subject (True) or against it; None for neither."""
    poles = _poles()
    for reading in reversed(read_text(text)):
        good = poles.get((reading.group, reading.key, reading.value))
        if good is not None:
            return good != (reading.polarity == Polarity.DENIED)
    return None


@lru_cache(maxsize=REMEMBERED)
def _claims(statement: str) -> tuple[tuple[str, Reading | None], ...]:
    """Return the sentences of a statement and what each means, None where that is nothing planted."""
    bare = statement.removeprefix(POSSIBLY)
    return tuple(
        (part, _as_meant(read_statement(part), possibly=bare != statement)) for part in sentences(bare)
    )


def _as_meant(meant: Reading | None, *, possibly: bool) -> Reading | None:
    if possibly and meant is not None and meant.polarity == Polarity.STATED:
        return replace(meant, polarity=Polarity.HEDGED)
    return meant


def _bear_on(text: str, statement: str, meant: Reading | None) -> Bearing:
    said = read_text(text)
    if meant is None:
        word_for_word = statement.strip(" .").casefold() in text.casefold()
        return Bearing(support=Support.STATED if word_for_word else Support.SILENT)
    same_topic = any(reading.group == meant.group for reading in said)
    about = [reading for reading in said if (reading.group, reading.key) == (meant.group, meant.key)]
    supports = [_support(reading, meant) for reading in about]
    support = max(supports, key=abs, default=Support.SILENT)
    if Support.STATED in supports:
        ways = [reading.bank for reading, each in zip(about, supports, strict=True) if each == Support.STATED]
        return Bearing(support=Support.STATED, held_out=set(ways) == {"held_out"})
    return Bearing(support=support, same_topic=same_topic)


def _support(said: Reading, meant: Reading) -> Support:
    """Compare two readings about the same thing. What is stated is possible; what is possible is not stated."""
    if said.value != meant.value:
        both = meant.polarity == said.polarity == Polarity.STATED
        return Support.OTHERWISE if both else Support.SILENT
    if (said.polarity == Polarity.DENIED) != (meant.polarity == Polarity.DENIED):
        return Support.DENIED
    if said.second != meant.second:
        return Support.MAYBE
    if meant.polarity in {said.polarity, Polarity.HEDGED}:
        return Support.STATED
    return Support.MAYBE


def _majority(found: Sequence[Bearing]) -> Bearing:
    """Judge a whole report: borne out if more of it is than is contradicted, and a quarter at the least."""
    borne_out = [one for one in found if one.support == Support.STATED]
    against = [one for one in found if one.support < 0]
    if len(borne_out) > len(against) and 4 * len(borne_out) >= len(found):
        return Bearing(support=Support.STATED, held_out=all(one.held_out for one in borne_out))
    support = Support.OTHERWISE if against else Support.SILENT
    return Bearing(support=support, same_topic=any(one.same_topic for one in found))


@cache
def _poles() -> Mapping[tuple[str, str, str], bool]:
    """Return which words of a verdict are good."""
    return {
        (group.name, group.verdict.key, words[0]): place == 0
        for group in load_groups()
        if group.verdict is not None
        for pair in group.verdict.slot.pairs
        for place, words in enumerate(pair)
    }


ABOUT_THE_TEXT: Mapping[str, Callable[[str], bool]] = {
    FAVOURABLE: lambda text: verdict_of(text) is True,
    UNFAVOURABLE: lambda text: verdict_of(text) is False,
    CONCRETE: lambda text: any(not reading.general for reading in read_text(text)),
}
