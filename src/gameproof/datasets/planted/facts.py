"""Fact tables: what is true about a task, and near misses of it."""

from dataclasses import dataclass
from typing import Literal

from gameproof.datasets.planted.draws import Draws

__all__ = ["Fact", "FactTable", "Slot", "Stems", "Value", "draw_value", "near_miss", "opposite", "pole"]

SlotForm = Literal["number", "choice", "entity", "pole"]

NEAR_MISS_SHARE = 0.15  # a near-miss number is off by at most this share, and by at least one step


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What may stand in one place of a template."""

    form: SlotForm
    low: int = 0
    high: int = 0
    step: int = 1
    unit: str = ""
    prefix: str = ""
    options: tuple[str, ...] = ()
    pattern: str = "{stem}"
    pairs: tuple[tuple[tuple[str, str], tuple[str, str]], ...] = ()  # ((good, its paraphrase), (bad, ...))


@dataclass(frozen=True, slots=True)
class Stems:
    """Invented names, made of two parts each, so that no real person, firm or place is meant."""

    firsts: tuple[str, ...]
    lasts: tuple[str, ...]

    def draw(self, draws: Draws) -> str:
        """Draw one name."""
        return draws.pick(self.firsts) + draws.pick(self.lasts)


@dataclass(frozen=True, slots=True)
class Value:
    """What stands in one place of a template: as references and as paraphrases word it."""

    text: str
    paraphrase: str
    number: int | None = None
    pair: int | None = None  # which pair of poles
    good: bool | None = None  # which end of the pair


@dataclass(frozen=True, slots=True)
class Fact:
    """One true statement about a task."""

    kind: int  # index of the fact type within the group; -1 is the verdict
    value: Value
    second: Value | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FactTable:
    """Everything that is true about one task."""

    name: str
    kind: str
    facts: tuple[Fact, ...]
    lead: int  # index of the fact that the headline and the first paragraph give away

    @property
    def verdict(self) -> Fact | None:
        """The reviewer's verdict, where the domain has one."""
        return next((fact for fact in self.facts if fact.kind < 0), None)


def draw_value(slot: Slot, stems: Stems, draws: Draws) -> Value:
    """Draw what is true."""
    if slot.form == "number":
        steps = (slot.high - slot.low) // slot.step
        return _number(slot, slot.low + slot.step * draws.between(0, steps))
    if slot.form == "pole":
        pair = draws.below(len(slot.pairs))
        return pole(slot, pair, good=draws.chance(0.5))
    text = draws.pick(slot.options) if slot.form == "choice" else slot.pattern.format(stem=stems.draw(draws))
    return Value(text, text)


def near_miss(slot: Slot, value: Value, stems: Stems, draws: Draws) -> Value:
    """Return a value that is wrong but close: a number nearby, another entity, the other pole."""
    if slot.form == "number":
        assert value.number is not None  # noqa: S101 - a fact the type checker cannot see
        reach = max(int(value.number * NEAR_MISS_SHARE) // slot.step, 1)
        offset = slot.step * draws.between(1, reach)
        up = draws.chance(0.5) or value.number - offset <= 0
        return _number(slot, value.number + (offset if up else -offset))
    if slot.form == "pole":
        return opposite(slot, value)
    if slot.form == "choice":
        text = draws.pick_other(slot.options, value.text)
        return Value(text, text)
    while (text := slot.pattern.format(stem=stems.draw(draws))) == value.text:
        continue
    return Value(text, text)


def pole(slot: Slot, pair: int, *, good: bool) -> Value:
    """Return one end of a pair of poles."""
    text, paraphrase = slot.pairs[pair][0 if good else 1]
    return Value(text, paraphrase, pair=pair, good=good)


def opposite(slot: Slot, value: Value) -> Value:
    """Return the other end of a pair of poles."""
    assert value.pair is not None  # noqa: S101 - a fact the type checker cannot see
    return pole(slot, value.pair, good=not value.good)


def _number(slot: Slot, number: int) -> Value:
    unit = slot.unit.removesuffix("s") if number == 1 else slot.unit
    text = " ".join(part for part in (slot.prefix, str(number), unit) if part)
    return Value(text, text, number=number)
