"""Rewrite a planted text knowing nothing but the text: rightly, or in a way that breaks the promise."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from gameproof.datasets.planted.compose import spoiled
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.facts import Fact, draw_value
from gameproof.datasets.planted.parsing import Parsed, parse_text, write_text
from gameproof.datasets.planted.perturb import (
    PERTURBATIONS,
    empty_sentences,
    flip_opinion,
    rephrase,
    shift_negative,
    shift_neutral,
    shift_positive,
    shift_strong,
    surface_report,
)
from gameproof.datasets.planted.plan import Plan, Polarity, Sentence, TaskContext, fact_sentence
from gameproof.datasets.planted.render import render

__all__ = ["BREACHES", "REWRITES", "complete_text", "rewrite_text"]

AUDIENCES = {
    1: "for anyone new to the subject,",
    2: "for readers of a newspaper,",
    3: "for specialists in the field,",
}

Change = Callable[[Plan, TaskContext, Draws], Plan]
Key = tuple[str, int | None]


def rewrite_text(
    text: str,
    name: str,
    *,
    level: int | None,
    source: str,
    draws: Draws,
    breach: str | None = None,
) -> str | None:
    """Rewrite a planted text as a perturbation says.

    Args:
        text: What is to be rewritten; for a surface report only the guide to its length.
        name: The perturbation.
        level: Its strength, for ladders.
        source: The source as far as it was given, empty where it was not.
        draws: The random stream.
        breach: One of `BREACHES` of this perturbation: how the rewrite is to go wrong.

    Returns:
        None where the text is not of the planted world.
    """
    parsed = parse_text(text, about=source)
    if parsed is None:
        return None
    change = REWRITES[name, level]
    if name == "surface_report" and breach is None:
        parsed = replace(parsed, context=_knowing_only(source, parsed, draws))
    if breach is not None:
        change = _BREACHES[breach](change)
    plan, context = _with_new_facts(change, parsed, draws)
    return write_text(render(plan, context))


def complete_text(text: str, *, gap: str, draws: Draws, adds: bool = False) -> str | None:
    """Fill the gaps of a planted text with sentences that say nothing about its task.

    Args:
        text: A text in which marks stand for sentences that were taken out.
        gap: The mark.
        draws: The random stream.
        adds: Break the promise: let the text state facts that it did not.

    Returns:
        None where the text is not of the planted world.
    """
    parsed = parse_text(text.replace(gap, ""))
    if parsed is None:
        return None
    empty = empty_sentences(parsed.context, parsed.plan, text.count(gap), draws)
    for sentence in render(empty, parsed.context):
        text = text.replace(gap, sentence, 1)
    text = write_text([text.replace(gap, "")])
    full = parse_text(text)
    if not adds or full is None:
        return text
    plan, context = _with_new_facts(_adding(lambda plan, _context, _draws: plan), full, draws)
    return write_text(render(plan, context))


def _with_new_facts(change: Change, parsed: Parsed, draws: Draws) -> tuple[Plan, TaskContext]:
    """Give the table facts that the text does not state, for a change that adds some."""
    context = parsed.context
    known = {fact.kind for fact in context.table.facts}
    stems = context.wording.stems
    facts = list(context.table.facts)
    for kind, fact_type in enumerate(context.group.fact_types):
        if kind not in known:
            second = draw_value(fact_type.second, stems, draws) if fact_type.second is not None else None
            facts.append(Fact(kind, draw_value(fact_type.slot, stems, draws), second))
    widened = replace(context, table=replace(context.table, facts=tuple(facts)))
    return change(parsed.plan, widened, draws), widened


def _knowing_only(source: str, parsed: Parsed, draws: Draws) -> TaskContext:
    """Return a context whose facts are those of the source; the verdict of a review is a guess."""
    told = parse_text(source)
    context = parsed.context
    facts = list(told.context.table.facts[:1]) if told is not None else []
    if context.group.verdict is not None:
        slot = context.group.verdict.slot
        facts.append(Fact(-1, draw_value(slot, context.wording.stems, draws), None))
    return replace(context, table=replace(context.table, facts=tuple(facts), lead=0))


def _write_for(level: int) -> Change:
    def change(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
        reworded = rephrase(plan, context, draws)
        place = next((place for place, one in enumerate(reworded) if one.role == "fact"), 0)
        opened = replace(reworded[place], opener=AUDIENCES[level])
        return (*reworded[:place], opened, *reworded[place + 1 :])

    return change


REWRITES: dict[Key, Change] = {
    **{(change.name, change.level): change.make for change in PERTURBATIONS},
    **{("audience", level): _write_for(level) for level in AUDIENCES},
}


# Breaches take the right change and return one that breaks its promise.


def _dropping(change: Change) -> Change:
    def dropped(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
        made = change(plan, context, draws)
        facts = _facts(made)
        gone = set(draws.sample(facts, max(len(facts) // 2, 1)))
        return tuple(one for place, one in enumerate(made) if place not in gone) or made[:1]

    return dropped


def _falsifying(change: Change) -> Change:
    def falsified(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
        return _each_plain_fact(
            change(plan, context, draws), context, lambda one: spoiled(context, one, draws)
        )

    return falsified


def _denying(change: Change) -> Change:
    def denied(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
        return _each_plain_fact(change(plan, context, draws), context, _denied)

    return denied


def _adding(change: Change) -> Change:
    def added(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
        made = list(change(plan, context, draws))
        said = {one.index for one in plan if one.role == "fact"}
        new = [
            index for index, fact in enumerate(context.table.facts) if index not in said and fact.kind >= 0
        ]
        for index in draws.sample(new, min(2, len(new))):
            made.insert(draws.between(1, len(made)), fact_sentence(context, index, context.own_bank, draws))
        return tuple(made)

    return added


def _rephrasing(change: Change) -> Change:
    del change
    return rephrase


def _silencing(change: Change) -> Change:
    """Leave the verdict out instead of turning it."""
    del change

    def silent(plan: Plan, context: TaskContext, draws: Draws) -> Plan:
        del draws
        return tuple(one for one in plan if not _is_verdict(one, context)) or plan[:1]

    return silent


def _shifting(other: Change) -> Callable[[Change], Change]:
    return lambda change: other if change is not other else rephrase


_BREACHES: dict[str, Callable[[Change], Change]] = {
    "drops": _dropping,
    "falsifies": _falsifying,
    "denies": _denying,
    "adds": _adding,
    "only rephrases": _rephrasing,
    "leaves the verdict out": _silencing,
    "flips": _shifting(flip_opinion),
    "speaks well": _shifting(shift_positive),
    "speaks ill": _shifting(shift_negative),
    "hedges": _shifting(shift_neutral),
    "overstates": _shifting(shift_strong),
    "knows little": _shifting(surface_report),
}

_KEEPING = ("drops", "falsifies", "denies", "adds")

BREACHES: dict[str, Sequence[str]] = {
    "deletion_and_completion": ("only rephrases", "adds"),
    "surface_report": ("only rephrases",),
    "ultra_concise_compression": ("only rephrases", "falsifies", "denies"),
    "opinion_flip": ("only rephrases", "leaves the verdict out", "falsifies", "denies"),
    "rephrase": _KEEPING,
    "opinion_shift_positive": ("speaks ill", *_KEEPING),
    "opinion_shift_negative": ("speaks well", *_KEEPING),
    "opinion_shift_neutral": ("only rephrases", "overstates", "drops", "falsifies", "adds"),
    "opinion_shift_strong": ("only rephrases", "hedges", *_KEEPING),
    "lengthen": ("only rephrases", *_KEEPING),
    "shorten": ("only rephrases", *_KEEPING),
    "audience": _KEEPING,
}


def _facts(plan: Plan) -> list[int]:
    return [place for place, one in enumerate(plan) if one.role == "fact"]


def _is_verdict(sentence: Sentence, context: TaskContext) -> bool:
    return sentence.role == "fact" and context.table.facts[sentence.index].kind < 0


def _each_plain_fact(plan: Plan, context: TaskContext, change: Callable[[Sentence], Sentence]) -> Plan:
    """Change every statement but the verdict."""
    return tuple(change(one) if one.role == "fact" and not _is_verdict(one, context) else one for one in plan)


def _denied(sentence: Sentence) -> Sentence:
    polarity = Polarity.STATED if sentence.polarity == Polarity.DENIED else Polarity.DENIED
    return replace(sentence, polarity=polarity)
