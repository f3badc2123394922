"""What a text is going to say, before it is put into words."""

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Literal

from gameproof.datasets.planted.banks import Bank, Group, Wording
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.facts import FactTable, Value

__all__ = ["Plan", "Polarity", "Role", "Sentence", "Subject", "TaskContext", "fact_sentence", "reworded"]

Role = Literal["fact", "generic", "filler", "intro", "reference_intro"]


class Polarity(IntEnum):
    """Which of a template's three forms is used."""

    STATED = 0
    DENIED = 1
    HEDGED = 2


class Subject(IntEnum):
    """How a sentence names what it is about."""

    FULL = 0
    SHORT = 1
    PRONOUN = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a plan."""

    role: Role
    index: int  # of the fact in the table, or of the phrase in its list
    polarity: Polarity = Polarity.STATED
    value: Value | None = None  # what the sentence claims; differs from the fact where it is wrong
    second: Value | None = None
    bank: Bank = "reference"
    template: int = 0
    subject: Subject = Subject.PRONOUN
    opener: str = ""
    closer: str = ""


Plan = tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskContext:
    """What is needed to say something about one task."""

    table: FactTable
    group: Group
    wording: Wording
    own_bank: Bank  # where wordings that differ from the references come from: paraphrase or held_out
    generic_facts: bool

    @property
    def domain(self) -> str:
        """The domain of the task."""
        return self.group.domain


def fact_sentence(context: TaskContext, index: int, bank: Bank, draws: Draws) -> Sentence:
    """Plan a sentence that states a fact of the table correctly, in one of a bank's wordings."""
    fact = context.table.facts[index]
    templates = context.group.fact_type(fact.kind).wording[bank]
    return Sentence(
        role="fact",
        index=index,
        value=fact.value,
        second=fact.second,
        bank=bank,
        template=draws.below(len(templates)),
    )


def reworded(context: TaskContext, sentence: Sentence, shift: int, draws: Draws) -> Sentence:
    """Return a sentence that claims the same in another wording of the task's own bank.

    Args:
        context: The task.
        sentence: What is said now.
        shift: How far to move in the lists of empty phrases; one number for a whole text keeps them apart.
        draws: The random stream.
    """
    bank = context.own_bank
    if sentence.role == "generic":
        return replace(sentence, bank=bank)
    if sentence.role == "fact":
        fact = context.table.facts[sentence.index]
        count = len(context.group.fact_type(fact.kind).wording[bank])
        template = draws.below(count)
        if bank == sentence.bank and count > 1:
            template = (sentence.template + 1 + draws.below(count - 1)) % count
        return replace(sentence, bank=bank, template=template)
    phrases = context.group.intros if sentence.role == "intro" else context.wording.fillers[context.domain]
    return replace(sentence, index=(sentence.index + shift) % len(phrases))
