"""Plan the texts of a task: its candidates, its references, its source."""

from collections.abc import Sequence
from dataclasses import replace

from gameproof.datasets.planted.banks import Bank
from gameproof.datasets.planted.design import FAR_SHARE, NEAR_SHARE, Factors
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.facts import near_miss
from gameproof.datasets.planted.plan import Plan, Polarity, Sentence, Subject, TaskContext, fact_sentence
from gameproof.datasets.planted.render import render_sentence, subjects

__all__ = ["plan_candidate", "plan_reference", "plan_source", "spoiled"]

FEWEST_STATED, MOST_STATED = 3, 5  # facts that a candidate is about, besides the verdict
FEWEST_GENERAL, MOST_GENERAL = 1, 3  # statements in a reference that fit every task of the group
WORDS_SLACK = 5
REFERENCE_INTRO_CHANCE = 0.6
CLOSER_CHANCE = 0.45  # that padding tries a trailing clause rather than a sentence of its own
# What becomes of a stated fact that is not simply right: chances of each, the rest is a wrong value.
HEDGED_CHANCE, NEGATED_CHANCE, PARTLY_CHANCE = 0.2, 0.2, 0.2
SWAP_CHANCE = 0.7  # that two entities of one sort are exchanged rather than one replaced


def plan_candidate(
    context: TaskContext, factors: Factors, draws: Draws, *, stated: Sequence[int] | None = None
) -> Plan:
    """Plan one candidate: some facts, right or not, dressed and padded as its factors say.

    Args:
        context: The task.
        factors: How it is written.
        draws: The random stream.
        stated: The facts it is about; some of them and the verdict where None.
    """
    near = NEAR_SHARE if factors.near else FAR_SHARE
    table = context.table
    if stated is None:
        plain = [index for index, fact in enumerate(table.facts) if fact.kind >= 0]
        stated = draws.sample(plain, min(draws.between(FEWEST_STATED, MOST_STATED), len(plain)))
        stated += [index for index, fact in enumerate(table.facts) if fact.kind < 0]
    sentences = [_fact(context, index, near, factors.right_share, draws) for index in stated]
    sentences = _dress(context, sentences, factors, draws)
    sentences = _pad(context, sentences, factors, draws)
    if draws.chance(0.5):
        sentences.insert(0, Sentence(role="intro", index=draws.below(len(context.group.intros))))
    return tuple(_name_subjects(sentences, factors, draws))


def plan_reference(context: TaskContext, draws: Draws) -> Plan:
    """Plan one reference: nearly all facts, right, and some that fit every task of the group."""
    table = context.table
    plain = [index for index, fact in enumerate(table.facts) if fact.kind >= 0]
    order = [table.lead, *draws.shuffled([index for index in plain if index != table.lead])]
    if len(order) > 4 and draws.chance(0.4):
        order.pop()
    sentences = [fact_sentence(context, index, "reference", draws) for index in order]
    if context.generic_facts:
        for index in draws.sample(
            range(len(context.group.generics)), draws.between(FEWEST_GENERAL, MOST_GENERAL)
        ):
            sentences.insert(draws.between(1, len(sentences)), Sentence(role="generic", index=index))
    verdict = [index for index, fact in enumerate(table.facts) if fact.kind < 0]
    sentences += [fact_sentence(context, index, "reference", draws) for index in verdict]
    subjects_left = [Subject.SHORT if draws.chance(0.3) else Subject.PRONOUN for _ in sentences]
    subjects_left[0] = Subject.FULL
    named = [
        replace(sentence, subject=subject) for sentence, subject in zip(sentences, subjects_left, strict=True)
    ]
    if draws.chance(REFERENCE_INTRO_CHANCE):
        named.insert(0, Sentence(role="reference_intro", index=0))
    return tuple(named)


def plan_source(context: TaskContext, draws: Draws) -> Plan:
    """Plan the body of the source: the lead first, then what a source of this domain tells.

    A review's source is a description, so it holds no opinion and only half of the other facts.
    """
    table, group = context.table, context.group
    told = [
        index
        for index, fact in enumerate(table.facts)
        if index != table.lead and group.fact_type(fact.kind).slot.form != "pole"
    ]
    told = draws.shuffled(told)
    if group.verdict is not None:
        told = told[: (len(told) + 1) // 2]
    sentences = [replace(fact_sentence(context, table.lead, "reference", draws), subject=Subject.FULL)]
    for index in told:
        bank: Bank = "reference" if draws.chance(0.5) else context.own_bank
        sentences.append(replace(fact_sentence(context, index, bank, draws), subject=Subject.SHORT))
    if context.generic_facts:
        sentences += [
            Sentence(role="generic", index=index, subject=Subject.SHORT)
            for index in draws.sample(range(len(group.generics)), 2)
        ]
    return tuple(sentences)


def spoiled(context: TaskContext, sentence: Sentence, draws: Draws) -> Sentence:
    """Return the sentence with a near miss in place of what it says, or with its two entities swapped."""
    fact = context.table.facts[sentence.index]
    fact_type = context.group.fact_type(fact.kind)
    if fact_type.swap and draws.chance(SWAP_CHANCE):
        return replace(sentence, value=fact.second, second=fact.value)
    return replace(sentence, value=near_miss(fact_type.slot, fact.value, context.wording.stems, draws))


def _fact(context: TaskContext, index: int, near: float, right_share: float, draws: Draws) -> Sentence:
    bank: Bank = "reference" if draws.chance(near) else context.own_bank
    sentence = fact_sentence(context, index, bank, draws)
    if draws.chance(right_share):
        return sentence
    if context.table.facts[index].kind < 0:
        return spoiled(context, sentence, draws)
    fate = draws.uniform()
    if fate < HEDGED_CHANCE:
        return replace(sentence, polarity=Polarity.HEDGED)
    if fate < HEDGED_CHANCE + NEGATED_CHANCE:
        return replace(sentence, polarity=Polarity.DENIED)
    if fate < HEDGED_CHANCE + NEGATED_CHANCE + PARTLY_CHANCE and sentence.second is not None:
        return _half_spoiled(context, sentence, draws)
    return spoiled(context, sentence, draws)


def _half_spoiled(context: TaskContext, sentence: Sentence, draws: Draws) -> Sentence:
    slot = context.group.fact_type(context.table.facts[sentence.index].kind).second
    assert slot is not None  # noqa: S101 - a fact the type checker cannot see
    assert sentence.second is not None  # noqa: S101 - a fact the type checker cannot see
    wrong = near_miss(slot, sentence.second, context.wording.stems, draws)
    return replace(sentence, second=wrong)


def _dress(context: TaskContext, sentences: list[Sentence], factors: Factors, draws: Draws) -> list[Sentence]:
    """Open some sentences with the topic's vocabulary or with turns of phrase."""
    openers: list[str] = []
    if factors.topical:
        openers += draws.sample(context.group.topic, draws.between(1, 2))
    if factors.ornate:
        openers += draws.sample(context.wording.style, draws.between(1, 2))
    dressed = list(sentences)
    for place, opener in zip(draws.shuffled(range(len(dressed))), openers, strict=False):
        dressed[place] = replace(dressed[place], opener=opener)
    return dressed


def _pad(context: TaskContext, sentences: list[Sentence], factors: Factors, draws: Draws) -> list[Sentence]:
    """Add general statements, empty ones and trailing clauses until the text is as long as it should be."""
    names = subjects(context)
    padded = list(sentences)
    n_words = sum(render_sentence(sentence, context, names).count(" ") + 1 for sentence in padded)
    generics: list[int] = []
    if context.generic_facts:
        generics = draws.sample(range(len(context.group.generics)), draws.below(4))
    fillers = draws.shuffled(range(len(context.wording.fillers[context.domain])))
    closers = draws.shuffled(context.wording.closers)
    while n_words < factors.target_words - WORDS_SLACK and fillers:
        if draws.chance(CLOSER_CHANCE):
            place = draws.below(len(padded))
            if padded[place].role == "fact" and not padded[place].closer:
                closer = closers.pop()
                padded[place] = replace(padded[place], closer=closer)
                n_words += closer.count(" ") + 1
            continue
        if generics:
            bank: Bank = "reference" if factors.near else context.own_bank
            added = Sentence(role="generic", index=generics.pop(), bank=bank)
        else:
            added = Sentence(role="filler", index=fillers.pop())
        n_words += render_sentence(added, context, names).count(" ") + 1
        padded.insert(draws.between(0, len(padded)), added)
    return padded


def _name_subjects(sentences: list[Sentence], factors: Factors, draws: Draws) -> list[Sentence]:
    named: list[Sentence] = []
    for place, sentence in enumerate(sentences):
        subject = Subject.PRONOUN
        if factors.topical:
            subject = Subject.FULL if draws.chance(0.35) else Subject.SHORT
        elif place == 0:
            subject = Subject.SHORT
        named.append(replace(sentence, subject=subject))
    return named
