"""Read planted sentences back: what a perfect reader of the text alone would understand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from string import Formatter

from gameproof.datasets.planted.banks import Bank, FactType, Group, Template, load_groups, load_wording
from gameproof.datasets.planted.facts import Slot
from gameproof.datasets.planted.plan import Polarity

__all__ = ["Clause", "Reading", "find_clause", "read_statement"]

SUBJECT = r"(?:the [\w \-]{1,60}?|it)"
REMEMBERED = 65_536  # sentences whose reading is kept: a run asks about the same ones again and again


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one sentence says, whichever of the planted wordings it uses."""

    group: str
    key: str  # of the fact type, such as "weight"; of a general statement, its number
    value: str  # as references word it; empty for a general statement
    second: str | None
    polarity: Polarity
    bank: Bank  # whose wording the sentence uses

    @property
    def general(self) -> bool:
        """Whether the statement fits every task of the group."""
        return not self.value

    def agrees_with(self, other: "Reading") -> bool:
        """Return whether both plainly state the same, in whatever words."""
        same = (self.group, self.key, self.value, self.second) == (
            other.group,
            other.key,
            other.value,
            other.second,
        )
        return same and self.polarity == other.polarity == Polarity.STATED


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """Where in a sentence a planted wording stands, and which one it is."""

    reading: Reading
    fact_type: FactType | None  # None: a general statement
    template: int  # number of the wording in its bank
    start: int
    end: int
    value: str  # as the sentence has it
    second: str | None


@dataclass(frozen=True, slots=True)
class _Pattern:
    hint: str  # the longest literal part, looked for first because that is cheap
    regex: re.Pattern[str]
    group: str
    key: str
    fact_type: FactType | None  # None: a general statement
    polarity: Polarity
    bank: Bank
    template: int


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
    clause = find_clause(sentence)
    return clause.reading if clause is not None else None


@lru_cache(maxsize=REMEMBERED)
def find_clause(sentence: str) -> Clause | None:
    """Return the first planted wording that a sentence contains, or None where it contains none."""
    text = sentence.lower()
    for pattern in _patterns():
        match = pattern.regex.search(sentence) if pattern.hint in text else None
        if match is not None:
            return _clause(pattern, match)
    return None


def _clause(pattern: _Pattern, match: re.Match[str]) -> Clause:
    found = match.groupdict()
    return Clause(
        reading=_reading(pattern, match),
        fact_type=pattern.fact_type,
        template=pattern.template,
        start=match.start(),
        end=match.end(),
        value=found.get("value") or "",
        second=found.get("second"),
    )


def _reading(pattern: _Pattern, match: re.Match[str]) -> Reading:
    found = match.groupdict()
    second = found.get("second")
    return Reading(
        group=pattern.group,
        key=pattern.key,
        value=_canonical(pattern.fact_type.slot, found["value"]) if pattern.fact_type is not None else "",
        second=second.lower() if second is not None else None,
        polarity=pattern.polarity,
        bank=pattern.bank,
    )


@cache
def _patterns() -> tuple[_Pattern, ...]:
    patterns = [pattern for group in load_groups() for pattern in _group_patterns(group)]
    # Longer literals first: "may be" must not be read as the tail of a longer form.
    return tuple(sorted(patterns, key=lambda pattern: -len(pattern.regex.pattern)))


def _group_patterns(group: Group) -> Iterator[_Pattern]:
    for fact_type in (*group.fact_types, *((group.verdict,) if group.verdict is not None else ())):
        for bank, templates in fact_type.wording.items():
            for number, template in enumerate(templates):
                for polarity in Polarity:
                    regex = _regex(_form(template, polarity), fact_type)
                    yield _Pattern(*regex, group.name, fact_type.key, fact_type, polarity, bank, number)
    for number, generic in enumerate(group.generics):
        reference, paraphrase = _regex(generic.reference, None), _regex(generic.paraphrase, None)
        yield _Pattern(*reference, group.name, str(number), None, Polarity.STATED, "reference", 0)
        yield _Pattern(*paraphrase, group.name, str(number), None, Polarity.STATED, "paraphrase", 0)


def _form(template: Template, polarity: Polarity) -> str:
    return (template.stated, template.denied, template.hedged)[polarity]


def _regex(form: str, fact_type: FactType | None) -> tuple[str, re.Pattern[str]]:
    """Return the longest literal part of a form, and the pattern that finds it with any values."""
    values = _value_regexes(fact_type)
    regex, literals = "", [""]
    for literal, place, _, _ in Formatter().parse(form):
        literals.append(literal)
        regex += re.escape(literal)
        if place is not None:
            regex += SUBJECT if place == "subj" else f"(?P<{place}>{values[place]})"
    return max(literals, key=len).strip().lower(), re.compile(rf"(?<!\w){regex}(?!\w)", re.IGNORECASE)


def _value_regexes(fact_type: FactType | None) -> dict[str, str]:
    if fact_type is None:
        return {}
    value = _slot_regex(fact_type.slot)
    second = _slot_regex(fact_type.second) if fact_type.second is not None else ""
    if fact_type.swap:
        value = second = f"{value}|{second}"
    return {"value": value, "second": second}


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
