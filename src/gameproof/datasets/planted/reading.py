"""Read planted sentences back: what a perfect reader of the text alone would understand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from string import Formatter

from gameproof.datasets.planted.banks import Bank, FactType, Group, Template, load_groups, load_wording
from gameproof.datasets.planted.facts import Slot
from gameproof.datasets.planted.plan import Polarity

__all__ = ["Reading", "read_statement"]

SUBJECT = r"(?:the [\w \-]{1,60}?|it)"
REMEMBERED = 65_536  # sentences whose reading is kept: a run asks about the same ones again and again


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one sentence says, whichever of the planted wordings it uses."""

    group: str
    key: str  # of the fact type, such as "weight"
    value: str  # as references word it
    second: str | None
    polarity: Polarity
    bank: Bank  # whose wording the sentence uses

    def agrees_with(self, other: "Reading") -> bool:
        """Return whether both plainly state the same, in whatever words."""
        same = (self.group, self.key, self.value, self.second) == (
            other.group,
            other.key,
            other.value,
            other.second,
        )
        return same and self.polarity == other.polarity == Polarity.STATED


@dataclass(frozen=True, slots=True)
class _Pattern:
    hint: str  # the longest literal part, looked for first because that is cheap
    regex: re.Pattern[str]
    group: str
    fact_type: FactType
    polarity: Polarity
    bank: Bank


@lru_cache(maxsize=REMEMBERED)
def read_statement(sentence: str) -> Reading | None:
    """Return what a sentence states about a task, or None where it states no fact of the planted world.

    Nothing but the sentence is used, so the reading may stand in for a reader who knows the language of the
    planted world and nothing about the task.

    Example:
        >>> reading = read_statement("On the whole, the battery may have lasted 12 hours in daily use.")
        >>> reading.key, reading.value, reading.polarity.name
        ('runtime', '12 hours', 'HEDGED')
    """
    text = sentence.lower()
    for pattern in _patterns():
        if pattern.hint not in text:
            continue
        match = pattern.regex.search(sentence)
        if match is not None:
            second = match["second"] if pattern.fact_type.second is not None else None
            return Reading(
                group=pattern.group,
                key=pattern.fact_type.key,
                value=_canonical(pattern.fact_type.slot, match["value"]),
                second=second.lower() if second is not None else None,
                polarity=pattern.polarity,
                bank=pattern.bank,
            )
    return None


@cache
def _patterns() -> tuple[_Pattern, ...]:
    patterns = [pattern for group in load_groups() for pattern in _group_patterns(group)]
    # Longer literals first: "may be" must not be read as the tail of a longer form.
    return tuple(sorted(patterns, key=lambda pattern: -len(pattern.regex.pattern)))


def _group_patterns(group: Group) -> Iterator[_Pattern]:
    for fact_type in (*group.fact_types, *((group.verdict,) if group.verdict is not None else ())):
        for bank, templates in fact_type.wording.items():
            for template in templates:
                for polarity in Polarity:
                    yield _pattern(group.name, fact_type, _form(template, polarity), polarity, bank)


def _form(template: Template, polarity: Polarity) -> str:
    return (template.stated, template.denied, template.hedged)[polarity]


def _pattern(group: str, fact_type: FactType, form: str, polarity: Polarity, bank: Bank) -> _Pattern:
    regex, literals = "", [""]
    either = "|".join(_slot_regex(slot) for slot in (fact_type.slot, fact_type.second) if slot is not None)
    for literal, place, _, _ in Formatter().parse(form):
        regex += re.escape(literal)
        literals.append(literal)
        if place == "subj":
            regex += SUBJECT
        elif place == "value":
            regex += f"(?P<value>{either if fact_type.swap else _slot_regex(fact_type.slot)})"
        elif place == "second" and fact_type.second is not None:
            regex += f"(?P<second>{either if fact_type.swap else _slot_regex(fact_type.second)})"
    return _Pattern(
        hint=max(literals, key=len).strip().lower(),
        regex=re.compile(rf"(?<!\w){regex}(?!\w)", re.IGNORECASE),
        group=group,
        fact_type=fact_type,
        polarity=polarity,
        bank=bank,
    )


def _slot_regex(slot: Slot) -> str:
    if slot.form == "number":
        prefix = re.escape(slot.prefix) + " " if slot.prefix else ""
        unit = f" {re.escape(slot.unit)}?" if slot.unit else ""
        return rf"{prefix}\d+{unit}"
    if slot.form == "choice":
        return "|".join(re.escape(option) for option in sorted(slot.options, key=len, reverse=True))
    if slot.form == "pole":
        words = {word for pair in slot.pairs for end in pair for word in end}
        return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    stems = load_wording().stems
    stem = f"(?:{'|'.join(stems.firsts)})(?:{'|'.join(stems.lasts)})"
    return re.escape(slot.pattern).replace(re.escape("{stem}"), stem)


def _canonical(slot: Slot, text: str) -> str:
    lowered = text.lower()
    for pair in slot.pairs:
        for reference, paraphrase in pair:
            if lowered in {reference, paraphrase}:
                return reference
    return lowered
