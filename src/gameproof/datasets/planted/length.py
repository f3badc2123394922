"""Make a plan longer or shorter without touching what it states."""

from dataclasses import replace

from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.plan import Plan, Sentence, TaskContext
from gameproof.datasets.planted.render import count_words

__all__ = ["lengthen", "shorten"]

CLOSER_CHANCE = 0.6  # that a statement is adorned rather than an empty sentence added
EMPTIEST_FIRST = ("filler", "adornment", "intro", "generic")


def lengthen(plan: Plan, context: TaskContext, draws: Draws, *, percent: int) -> Plan:
    """Add turns of phrase, trailing clauses and empty sentences; keep every statement."""
    longer = list(plan)
    missing = count_words(plan, context) * percent / 100
    phrases = context.wording.fillers[context.domain]
    used = {sentence.index for sentence in plan if sentence.role == "filler"}
    said = {sentence.closer for sentence in plan}
    closers = draws.shuffled([closer for closer in context.wording.closers if closer not in said])
    fillers = draws.shuffled([index for index in range(len(phrases)) if index not in used])
    while missing > 0:
        bare = next(
            (place for place, one in enumerate(longer) if one.role == "fact" and not one.closer), None
        )
        if bare is not None and (draws.chance(CLOSER_CHANCE) or not fillers):
            adorned = _adorned(longer[bare], closers.pop(), context, draws)
            missing -= _adornment_words(adorned) - _adornment_words(longer[bare])
            longer[bare] = adorned
        elif fillers:
            added = Sentence(role="filler", index=fillers.pop())
            missing -= _words(phrases[added.index])
            longer.insert(draws.between(1, len(longer)), added)
        else:
            break
    return tuple(longer)


def shorten(plan: Plan, context: TaskContext, draws: Draws, *, percent: int) -> Plan:
    """Leave out what is not a statement about the task, the emptiest first; keep every such statement."""
    del draws
    surplus = count_words(plan, context) * percent / 100
    shorter = list(plan)
    for emptiness in EMPTIEST_FIRST:
        for sentence in reversed(shorter.copy()):
            if surplus <= 0:
                break
            if sentence.role == emptiness and len(shorter) > 1:
                surplus -= count_words([sentence], context)
                shorter.remove(sentence)
            elif emptiness == "adornment" and sentence.role == "fact":
                surplus -= _adornment_words(sentence)
                shorter[shorter.index(sentence)] = replace(sentence, opener="", closer="")
    return tuple(shorter)


def _adorned(sentence: Sentence, closer: str, context: TaskContext, draws: Draws) -> Sentence:
    opener = sentence.opener or draws.pick(context.wording.style)
    return replace(sentence, opener=opener, closer=closer)


def _adornment_words(sentence: Sentence) -> int:
    return _words(sentence.opener) + _words(sentence.closer)


def _words(phrase: str) -> int:
    return phrase.count(" ") + 1 if phrase else 0
