"""Take a planted text apart into a plan again, from nothing but the text itself."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.datasets.planted.banks import FactType, Group, load_groups, load_wording
from gameproof.datasets.planted.facts import Fact, FactTable, Slot, Value
from gameproof.datasets.planted.plan import Plan, Sentence, Subject, TaskContext
from gameproof.datasets.planted.reading import Clause, find_clause
from gameproof.text import sentences

__all__ = ["Parsed", "parse_text", "write_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A plan, and a table in which everything that the text claims counts as true."""

    plan: Plan
    context: TaskContext


def parse_text(text: str, *, about: str = "") -> Parsed | None:
    """Read a planted text back into a plan.

    Every fact is entered as the text claims it: a reader of the text alone cannot know better. Sentences of
    no planted wording are left out.

    Args:
        text: What to read.
        about: Another text about the same task, such as its source, which may tell the name of the subject.

    Returns:
        None where the text has no sentence of the planted world.
    """
    said = sentences(text)
    clauses = [find_clause(sentence) for sentence in said]
    group = _group_of([*clauses, *(find_clause(sentence) for sentence in sentences(about))])
    if group is None:
        return None
    facts: list[Fact] = []
    plan: list[Sentence] = []
    for sentence, clause in zip(said, clauses, strict=True):
        if clause is not None and clause.reading.group == group.name:
            plan.append(_claim(sentence, clause, group, facts))
        else:
            empty = _empty_phrase(sentence, group)
            plan += [empty] if empty is not None else []
    name, kind = _subject(f"{text} {about}", group)
    table = FactTable(name=name, kind=kind, facts=tuple(facts), lead=0)
    context = TaskContext(
        table=table, group=group, wording=load_wording(), own_bank="paraphrase", generic_facts=True
    )
    return Parsed(plan=tuple(plan), context=context)


def write_text(said: Sequence[str]) -> str:
    """Join sentences; a subject whose name is not known leaves no gap."""
    return re.sub(r" {2,}", " ", " ".join(said))


def _group_of(clauses: Sequence[Clause | None]) -> Group | None:
    counts = Counter(clause.reading.group for clause in clauses if clause is not None)
    if not counts:
        return None
    name = counts.most_common(1)[0][0]
    return next(group for group in load_groups() if group.name == name)


def _claim(sentence: str, clause: Clause, group: Group, facts: list[Fact]) -> Sentence:
    """Plan the sentence again, and enter what it claims in the table."""
    opener = _lowered(sentence[: clause.start].strip())
    closer = sentence[clause.end :].partition(",")[2].strip(" .!")
    subject = _subject_form(sentence[clause.start : clause.end], group)
    reading = clause.reading
    fact_type = clause.fact_type
    if fact_type is None:
        return Sentence(role="generic", index=int(reading.key), bank=reading.bank, subject=subject)
    second = fact_type.second
    value = _value(fact_type.slot, clause.value)
    other = _value(second, clause.second) if second is not None and clause.second is not None else None
    facts.append(Fact(_kind(group, fact_type), value, other))
    return Sentence(
        role="fact",
        index=len(facts) - 1,
        polarity=reading.polarity,
        value=value,
        second=other,
        bank=reading.bank,
        template=clause.template,
        subject=subject,
        opener=opener,
        closer=closer,
    )


def _kind(group: Group, fact_type: FactType) -> int:
    return group.fact_types.index(fact_type) if fact_type in group.fact_types else -1


def _value(slot: Slot, text: str) -> Value:
    lowered = text.lower()
    for number, pair in enumerate(slot.pairs):
        for place, words in enumerate(pair):
            if lowered in words:
                return Value(*words, pair=number, good=place == 0)
    if slot.form == "number":
        number = int("".join(re.findall(r"\d", text)))
        return Value(text, text, number=number)
    known = next((option for option in slot.options if option.lower() == lowered), None)
    if known is None:  # an invented name: only the letter that begins a sentence may differ
        known = _lowered(text) if text.startswith("The ") else text
    return Value(known, known)


def _subject_form(clause: str, group: Group) -> Subject:
    for kind in group.kinds:
        found = re.search(rf"\bthe ((?:(?!\bthe\b)[\w \-])*?)\b{re.escape(kind)}\b", clause, re.IGNORECASE)
        if found is not None:
            return Subject.FULL if found.group(1).strip() else Subject.SHORT
    return Subject.PRONOUN


def _subject(text: str, group: Group) -> tuple[str, str]:
    """Return the name and the kind of what a text is about; an empty name where it does not say."""
    stems = load_wording().stems
    stem = f"(?:{'|'.join(stems.firsts)})(?:{'|'.join(stems.lasts)})"
    fields = {"stem": stem, "root": stem, "code": r"[A-Z]\d"}
    pattern = group.name_pattern.format(**fields)
    for kind in sorted(group.kinds, key=len, reverse=True):
        # A root has lost its last vowel, which the full stems do not match: take any one word there.
        name = pattern if "{root}" not in group.name_pattern else r"\w+ite"
        found = re.search(rf"\bthe ({name}) {re.escape(kind)}\b", text, re.IGNORECASE)
        if found is not None:
            return found.group(1).lower() if group.name_lower else found.group(1), kind
    kind = next((kind for kind in group.kinds if re.search(rf"\b{re.escape(kind)}\b", text)), group.kinds[0])
    return "", kind


def _empty_phrase(sentence: str, group: Group) -> Sentence | None:
    said = sentence.lower().rstrip(".!? ")
    fillers = load_wording().fillers[group.domain]
    for index, filler in enumerate(fillers):
        if filler.lower() == said:
            return Sentence(role="filler", index=index)
    for index, intro in enumerate(group.intros):
        if _fits(intro, said):
            return Sentence(role="intro", index=index)
    return Sentence(role="reference_intro", index=0) if _fits(group.reference_intro, said) else None


def _fits(phrase: str, said: str) -> bool:
    before, _, after = phrase.lower().partition("{full}")
    return said.startswith(before) and said.endswith(after) and "the " in said


def _lowered(text: str) -> str:
    """Return a text that began a sentence as it stands inside one; `I` stays."""
    return text if text.startswith(("I ", "I'")) else text[:1].lower() + text[1:]
