"""What a text says of each fact of its task: kept beside the items, never inside them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gameproof.datasets.planted.facts import Fact, FactTable
from gameproof.datasets.planted.plan import Plan, Polarity, Sentence

__all__ = ["FactState", "Truth", "VariantKey", "state_of", "truth_of"]


class FactState(StrEnum):
    """How a text treats one fact."""

    CORRECT = "correct"
    PARTLY = "partly"  # the main value is right, the second one is wrong
    HEDGED = "hedged"  # right, but only said to be possible
    NEGATED = "negated"  # a true fact is denied
    WRONG = "wrong"
    OMITTED = "omitted"


VariantKey = tuple[str, int | None]

CREDIT = {FactState.CORRECT: 1.0, FactState.PARTLY: 0.5, FactState.HEDGED: 0.5}
BLAME = {FactState.WRONG: 1.0, FactState.NEGATED: 1.0, FactState.PARTLY: 0.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """What one candidate or variant states of its task."""

    item_id: str
    variant: str | None  # the perturbation; None for the candidate itself
    level: int | None = None
    states: tuple[FactState, ...]  # one per fact of the task, the verdict included
    sentence_facts: tuple[int | None, ...]  # per sentence: the fact it is about, if any
    favourable: bool | None  # the verdict that the text gives, where it gives one
    n_words: int

    @property
    def key(self) -> VariantKey | None:
        """The key of the variant, as in `Variant.key`; None for the candidate itself."""
        return (self.variant, self.level) if self.variant is not None else None

    @property
    def true_share(self) -> float:
        """The share of the task's facts that the text gets right; partly right and hedged count half."""
        return sum(CREDIT.get(state, 0.0) for state in self.states) / len(self.states)

    @property
    def wrong_share(self) -> float:
        """The share of the task's facts that the text gets wrong; partly wrong counts half."""
        return sum(BLAME.get(state, 0.0) for state in self.states) / len(self.states)

    def count(self, *states: FactState) -> int:
        """Count the facts that are in one of the given states."""
        return sum(state in states for state in self.states)


def truth_of(
    item_id: str, variant: VariantKey | None, plan: Plan, table: FactTable, sentences: Sequence[str]
) -> Truth:
    """Read off a plan what the text made of it states."""
    states = [FactState.OMITTED] * len(table.facts)
    favourable = None
    for sentence in plan:
        if sentence.role != "fact":
            continue
        fact = table.facts[sentence.index]
        states[sentence.index] = state_of(sentence, fact)
        if fact.kind < 0 and sentence.value is not None:
            favourable = sentence.value.good
            if sentence.polarity == Polarity.DENIED:
                favourable = not favourable
    return Truth(
        item_id=item_id,
        variant=variant[0] if variant else None,
        level=variant[1] if variant else None,
        states=tuple(states),
        sentence_facts=tuple(sentence.index if sentence.role == "fact" else None for sentence in plan),
        favourable=favourable,
        n_words=sum(text.count(" ") + 1 for text in sentences),
    )


def state_of(sentence: Sentence, fact: Fact) -> FactState:
    """Return how a sentence treats the fact that it is about."""
    if sentence.value != fact.value:
        return FactState.WRONG
    if sentence.polarity == Polarity.DENIED:
        return FactState.NEGATED
    if sentence.second != fact.second:
        return FactState.PARTLY
    return FactState.HEDGED if sentence.polarity == Polarity.HEDGED else FactState.CORRECT
