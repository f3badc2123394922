"""The perturbations that no rule on text can make, carried out on plans: their effect on truth is known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import zip_longest

from gameproof.datasets.planted.compose import spoiled
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.facts import Value, opposite, pole
from gameproof.datasets.planted.length import lengthen, shorten
from gameproof.datasets.planted.plan import (
    Plan,
    Polarity,
    Sentence,
    Subject,
    TaskContext,
    fact_sentence,
    reworded,
)

__all__ = ["CONTROLS", "PERTURBATIONS", "PlanChange", "empty_sentences"]

Change = Callable[[Plan, TaskContext, Draws], Plan]

REVIEWS = frozenset({"reviews"})
OPINIONS = frozenset({"reviews", "answers"})
ALL = frozenset({"reviews", "summaries", "answers"})


def delete_and_complete(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Drop every other sentence; fill each gap with a sentence that says nothing about the task."""
    kept = plan[::2]
    empty = empty_sentences(context, kept, len(plan) - len(kept), draws)
    return tuple(sentence for pair in zip_longest(kept, empty) for sentence in pair if sentence is not None)


def surface_report(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Write a text of the same number of sentences from the headline and the lead alone."""
    intro = Sentence(role="intro", index=draws.below(len(context.group.intros)))
    lead = fact_sentence(context, context.table.lead, context.own_bank, draws)
    rest = empty_sentences(context, (), max(len(plan) - 2, 1), draws)
    guess = _guessed_verdict(context, draws)
    if guess is not None:
        rest[-1] = guess
    return tuple(_named([intro, lead, *rest]))


def compress(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Keep one sentence, the first that states something, without its trimmings."""
    del context, draws
    first = next((sentence for sentence in plan if sentence.role == "fact"), plan[0])
    return tuple(_named([replace(first, opener="", closer="")]))


def flip_opinion(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Turn the verdict and every judgement round; leave the structure and all other facts as they are."""
    del draws
    return tuple(_turned(context, sentence) for sentence in plan)


def rephrase(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Say the same in other words, sentence by sentence."""
    shift = draws.between(1, 2)
    return tuple(reworded(context, sentence, shift, draws) for sentence in plan)


def shift_positive(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Frame what is said favourably and recommend; keep the facts."""
    return _shifted(plan, context, draws, good=True)


def shift_negative(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Frame what is said unfavourably and advise against; keep the facts."""
    return _shifted(plan, context, draws, good=False)


def shift_neutral(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Hedge every statement that is not denied."""
    hedges = draws.shuffled(context.wording.hedges)

    def hedged(sentence: Sentence) -> Sentence:
        if sentence.role != "fact" or sentence.polarity == Polarity.DENIED:
            return sentence
        opener = sentence.opener or (hedges.pop() if hedges and draws.chance(0.4) else "")
        return replace(sentence, polarity=Polarity.HEDGED, opener=opener)

    return tuple(hedged(sentence) for sentence in plan)


def shift_strong(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """State everything with the greatest certainty; keep the facts."""
    boosters = draws.shuffled(context.wording.boosters)

    def boosted(sentence: Sentence) -> Sentence:
        if sentence.role != "fact":
            return sentence
        polarity = Polarity.DENIED if sentence.polarity == Polarity.DENIED else Polarity.STATED
        opener = _framed(sentence, context, boosters.pop())
        return replace(sentence, polarity=polarity, opener=opener)

    return tuple(boosted(sentence) for sentence in plan)


def falsify(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Put a near miss in place of every right value: a control that a metric of content must punish."""
    return tuple(
        spoiled(context, sentence, draws) if _is_right(context, sentence) else sentence for sentence in plan
    )


def deny(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Deny every right statement in otherwise the same words: a control for metrics that count words."""
    del draws
    return tuple(
        replace(sentence, polarity=Polarity.DENIED) if _is_right(context, sentence) else sentence
        for sentence in plan
    )


def rephrase_held_out(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
    """Say the same in the held-out wordings: a control that a metric of content must not punish."""
    return rephrase(plan, replace(context, own_bank="held_out"), draws)


@dataclass(frozen=True, slots=True)
class PlanChange:
    """A perturbation of plans: one row of the tables below."""

    name: str
    make: Change
    domains: frozenset[str] = ALL
    level: int | None = None


# Which domains: tables 7 and 8 of the paper that defines the twelve (arXiv:2608.01423). The rules on text
# make the other three: random replacement, sentence deletion, meaningless elongation.
PERTURBATIONS = (
    PlanChange("deletion_and_completion", delete_and_complete),
    PlanChange("surface_report", surface_report),
    PlanChange("ultra_concise_compression", compress),
    PlanChange("opinion_flip", flip_opinion, REVIEWS),
    PlanChange("rephrase", rephrase),
    PlanChange("opinion_shift_positive", shift_positive, REVIEWS),
    PlanChange("opinion_shift_negative", shift_negative, REVIEWS),
    PlanChange("opinion_shift_neutral", shift_neutral, OPINIONS),
    PlanChange("opinion_shift_strong", shift_strong, OPINIONS),
    PlanChange("lengthen", partial(lengthen, percent=25), level=25),
    PlanChange("lengthen", partial(lengthen, percent=50), level=50),
    PlanChange("shorten", partial(shorten, percent=25), level=25),
    PlanChange("shorten", partial(shorten, percent=50), level=50),
)

# Not in the data set: made on request, to show what a metric is blind to.
CONTROLS = (
    PlanChange("wrong_facts", falsify),
    PlanChange("negated_facts", deny),
    PlanChange("held_out_rephrase", rephrase_held_out),
)


def _is_right(context: TaskContext, sentence: Sentence) -> bool:
    if sentence.role != "fact" or sentence.polarity == Polarity.DENIED:
        return False
    return sentence.value == context.table.facts[sentence.index].value


def _turned(context: TaskContext, sentence: Sentence) -> Sentence:
    if sentence.role != "fact" or sentence.value is None or sentence.value.pair is None:
        return sentence
    if sentence.polarity == Polarity.DENIED:
        return replace(sentence, polarity=Polarity.STATED)
    slot = context.group.fact_type(context.table.facts[sentence.index].kind).slot
    return replace(sentence, value=opposite(slot, sentence.value))


def _shifted(plan: Plan, context: TaskContext, draws: Draws, *, good: bool) -> Plan:
    frames = draws.shuffled(context.wording.positive if good else context.wording.negative)
    shifted: list[Sentence] = []
    for sentence in plan:
        if sentence.role != "fact":
            shifted.append(sentence)
            continue
        fact = context.table.facts[sentence.index]
        if fact.kind < 0:
            slot = context.group.fact_type(fact.kind).slot
            pair = sentence.value.pair if sentence.value is not None else None
            value: Value = pole(slot, pair or 0, good=good)
            shifted.append(replace(sentence, value=value, polarity=Polarity.STATED))
        else:
            opener = sentence.opener
            if draws.chance(0.7):
                opener = _framed(sentence, context, frames.pop())
            shifted.append(replace(sentence, opener=opener))
    return tuple(shifted)


def _framed(sentence: Sentence, context: TaskContext, frame: str) -> str:
    """Put a frame in place of a turn of phrase, and in front of words about the topic."""
    return f"{frame} {sentence.opener}" if sentence.opener in context.group.topic else frame


def empty_sentences(
    context: TaskContext, beside: Sequence[Sentence], count: int, draws: Draws
) -> list[Sentence]:
    """Return sentences that say nothing about this task and do not repeat those beside them."""
    used = {(sentence.role, sentence.index) for sentence in beside}
    fillers = [
        index
        for index in range(len(context.wording.fillers[context.domain]))
        if ("filler", index) not in used
    ]
    general = [index for index in range(len(context.group.generics)) if ("generic", index) not in used]
    fillers = draws.shuffled(fillers)
    general = draws.shuffled(general) if context.generic_facts else []
    empty: list[Sentence] = []
    for _ in range(count):
        if general and (not fillers or draws.chance(0.4)):
            empty.append(Sentence(role="generic", index=general.pop(), bank=context.own_bank))
        elif fillers:
            empty.append(Sentence(role="filler", index=fillers.pop()))
    return empty


def _guessed_verdict(context: TaskContext, draws: Draws) -> Sentence | None:
    for index, fact in enumerate(context.table.facts):
        if fact.kind < 0:
            sentence = fact_sentence(context, index, context.own_bank, draws)
            slot = context.group.fact_type(fact.kind).slot
            return replace(sentence, value=pole(slot, fact.value.pair or 0, good=draws.chance(0.5)))
    return None


def _named(sentences: list[Sentence]) -> list[Sentence]:
    """Let the first sentence name the subject."""
    return [replace(sentences[0], subject=Subject.FULL), *sentences[1:]]
