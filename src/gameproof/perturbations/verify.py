"""Verify rewrites: did each keep, lose or turn what its name says?

A language model that is asked for a rewrite may leave things out, make things up or hand the text back. What such
texts do to a score says nothing about the metric, so they are dropped, counted by reason and shown. What is
checked follows from the promise of each rewrite alone and, but for the surface report, never from its references:
choosing variants by what the references support would choose them by the score that is to be tested.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gameproof.metrics.representations import statements
from gameproof.perturbations.promises import PROMISES, Promise
from gameproof.perturbations.support import Asked, Support
from gameproof.prompts.probes import CONCRETE, FAVOURABLE, POSSIBLY, UNFAVOURABLE
from gameproof.records import Item, Variant
from gameproof.text import sentences, words
from gameproof.text.tone import Tone, measure_tone

__all__ = ["UNVERIFIED", "Case", "Evidence", "Finding", "verify"]

UNVERIFIED = "not verified: no verdict on its statements"

STANCES = (FAVOURABLE, UNFAVOURABLE)
TOLERATED = 0.05  # share of statements that may be lost or added: one of twenty, for no reader is perfect
LEAST_LOSS = 0.15  # share of statements that a rewrite must lose where it promises a loss
LEAST_HEDGED = 0.05  # share of statements that hold as possible only; remarks and denials cannot be hedged
MOST_DENIALS = 0.3  # negations for each sentence, by which a text may come to deny more or less
TOO_MANY_DENIALS = 2.5  # negations more or less in the whole text, likewise
LEAST_RISE = 0.2  # marks of tone for each sentence, by which hedging or certainty must rise

_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*")
_NAME = re.compile(r"(?<=[\w,;:] )[A-ZÀ-Þ][\w'’-]+")  # noqa: RUF001 - an apostrophe as people type it


@dataclass(frozen=True, slots=True)
class Case:
    """A rewrite of an item, to be verified."""

    item: Item
    variant: Variant
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What was found out about one rewrite."""

    support: str  # who judged
    n_statements: int  # of the original
    n_words: tuple[int, int]  # original, rewrite
    lost: tuple[str, ...] = ()  # statements that the rewrite no longer bears out
    added: tuple[str, ...] = ()  # statements of the rewrite that the original does not bear out
    verdicts: tuple[bool | None, bool | None] = (None, None)  # in favour or against: original, rewrite
    tones: tuple[Tone, Tone]  # original, rewrite
    hedged: int | None = None  # statements that the rewrite bears out as possible only
    reference_support: tuple[int, int] | None = None  # statements of references: original, rewrite
    complete: bool = True  # every statement has a verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The verdict on one rewrite."""

    case: Case
    reason: str | None  # what promise it breaks; None where it breaks none
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class _Plan:
    """What is asked about one case."""

    case: Case
    promise: Promise
    original: tuple[str, ...]  # statements of the original
    rewritten: tuple[str, ...]
    references: tuple[str, ...]

    def questions(self, support: Support) -> tuple[Asked, Asked]:
        """Ask about rewrite and original, one question each."""
        probes = STANCES if support.reads_meaning and self.moves_verdict else ()
        # What is only possible now was stated before, or the other way about: neither is a loss here.
        kept, known = self.original, self.rewritten
        as_stated = self.original if support.reads_meaning and self.promise.move == "hedged" else ()
        if as_stated:
            kept = tuple(POSSIBLY + each for each in kept)
        if support.reads_meaning and self.promise.move == "certain":
            known = tuple(POSSIBLY + each for each in known)
        return (
            Asked(self.case.text, (*kept, *as_stated, *probes, *self.references)),
            Asked(self.case.item.candidate, (*known, *probes, *self.references)),
        )

    @property
    def moves_verdict(self) -> bool:
        """Whether the verdict of the text is to move."""
        return self.promise.move in {"turned", "favourable", "unfavourable"}


async def verify(cases: Sequence[Case], support: Support) -> list[Finding]:
    """Verify rewrites, all questions of a kind together.

    Args:
        cases: Rewrites whose perturbations have promises.
        support: Says which statements a text bears out. One that reads words only cannot tell a rewording from
            a change: then numbers and names stand for the claims of a text, and counted words for its verdict.
    """
    plans = [_plan(case) for case in cases]
    pairs = [plan.questions(support) for plan in plans]
    answers = await support.holds([asked for pair in pairs for asked in pair])
    collected = [
        _collect(plan, support, answers[2 * place], answers[2 * place + 1])
        for place, plan in enumerate(plans)
    ]
    if support.reads_meaning:
        collected = await _only_content(plans, collected, support)
    return [
        Finding(case=plan.case, reason=_broken(plan, evidence, support), evidence=evidence)
        for plan, evidence in zip(plans, collected, strict=True)
    ]


def _plan(case: Case) -> _Plan:
    promise = PROMISES[case.variant.name]
    references = case.item.references if promise.by_references else ()
    return _Plan(
        case=case,
        promise=promise,
        original=_statements(case.item.candidate),
        rewritten=_statements(case.text),
        references=tuple(dict.fromkeys(one for text in references for one in _statements(text))),
    )


def _statements(text: str) -> tuple[str, ...]:
    found = statements(text)
    return () if isinstance(found, str) else tuple(dict.fromkeys(found))


def _collect(
    plan: _Plan,
    support: Support,
    of_rewrite: Sequence[bool | None],
    of_original: Sequence[bool | None],
) -> Evidence:
    n_kept, n_known, n_references = len(plan.original), len(plan.rewritten), len(plan.references)
    lost = [one for one, holds in zip(plan.original, of_rewrite[:n_kept], strict=True) if holds is False]
    added = [one for one, holds in zip(plan.rewritten, of_original[:n_known], strict=True) if holds is False]
    hedged = None
    if support.reads_meaning and plan.promise.move == "hedged":
        possible, stated = of_rewrite[:n_kept], of_rewrite[n_kept : 2 * n_kept]
        hedged = sum(one is True and other is False for one, other in zip(possible, stated, strict=True))
    original, text = plan.case.item.candidate, plan.case.text
    tones = (measure_tone(original), measure_tone(text))
    verdicts = (_verdict_by_words(tones[0]), _verdict_by_words(tones[1]))
    if support.reads_meaning and plan.moves_verdict:
        verdicts = (_verdict(of_original[n_known:]), _verdict(of_rewrite[n_kept:]))
    told = (sum(map(bool, verdict[-n_references:])) for verdict in (of_original, of_rewrite))
    return Evidence(
        support=support.name,
        n_statements=n_kept,
        n_words=(len(words(original)), len(words(text))),
        lost=tuple(lost),
        added=tuple(added),
        verdicts=verdicts,
        tones=tones,
        hedged=hedged,
        reference_support=(next(told), next(told)) if n_references else None,
        complete=not support.reads_meaning or None not in (*of_rewrite, *of_original),
    )


async def _only_content(
    plans: Sequence[_Plan], found: Sequence[Evidence], support: Support
) -> list[Evidence]:
    """Leave out of what was lost and added the remarks that claim nothing, and verdicts that are to move."""
    asked = [
        Asked(one, (CONCRETE, *STANCES)) for evidence in found for one in (*evidence.lost, *evidence.added)
    ]
    unique = list(dict.fromkeys(asked))
    told = dict(zip(unique, await support.holds(unique), strict=True))

    def matters(one: str, plan: _Plan) -> bool:
        concrete, *stance = told[Asked(one, (CONCRETE, *STANCES))]
        return concrete is not False and not (plan.moves_verdict and True in stance)

    return [
        replace(
            evidence,
            lost=tuple(one for one in evidence.lost if matters(one, plan)),
            added=tuple(one for one in evidence.added if matters(one, plan)),
        )
        for plan, evidence in zip(plans, found, strict=True)
    ]


def _verdict(stances: Sequence[bool | None]) -> bool | None:
    """Read in favour and against: one of them, or neither."""
    in_favour, against = stances[:2]
    return None if in_favour == against else bool(in_favour)


def _verdict_by_words(tone: Tone) -> bool | None:
    return None if tone.favour == 0 else tone.favour > 0


def _broken(plan: _Plan, evidence: Evidence, support: Support) -> str | None:
    """Return the first promise that a rewrite breaks."""
    if not evidence.complete:
        return UNVERIFIED
    checks = (
        _broken_length(plan, evidence),
        _broken_content(plan, evidence, support),
        _broken_addition(plan, evidence, support),
        None if support.reads_meaning else _broken_denial(plan, evidence),
        _broken_move(plan, evidence),
        _broken_direction(evidence),
    )
    return next((reason for reason in checks if reason is not None), None)


def _broken_length(plan: _Plan, evidence: Evidence) -> str | None:
    before, after = evidence.n_words
    bounds = plan.promise.length(plan.case.variant.level)
    if after > max(bounds.high * before, plan.promise.at_least_words):
        return "too long"
    return "too short" if after < bounds.low * before else None


def _broken_content(plan: _Plan, evidence: Evidence, support: Support) -> str | None:
    if plan.promise.content == "chooses":
        return None
    n, n_lost = evidence.n_statements, len(evidence.lost)
    if plan.promise.content == "loses":
        lost = n_lost >= max(1, LEAST_LOSS * n) and (support.reads_meaning or _lost_specifics(plan))
        return None if lost else "lost nothing"
    if not support.reads_meaning:
        gone = _gone(plan)
        return "lost a number or name" if gone else None
    if plan.promise.content == "turns":
        return "changed more than judgements" if any(map(_specifics, evidence.lost)) else None
    return "lost a statement" if n_lost > TOLERATED * n else None


def _gone(plan: _Plan) -> frozenset[str]:
    """Return the numbers and names of the original that are nowhere in the rewrite."""
    return _specifics(plan.case.item.candidate) - _specifics(plan.case.text, everywhere=True)


def _lost_specifics(plan: _Plan) -> bool:
    """Where only words are read, other words look like a loss: some number or name has to be gone, if there are any."""
    return bool(_gone(plan)) or not _specifics(plan.case.item.candidate)


def _broken_addition(plan: _Plan, evidence: Evidence, support: Support) -> str | None:
    if plan.promise.may_add:
        return None
    if not support.reads_meaning or plan.promise.content in {"turns", "chooses"}:
        known = f"{plan.case.item.candidate} {plan.case.item.source or ''}"
        new = _specifics(plan.case.text) - _specifics(known, everywhere=True)
        return "added a number or name" if new else None
    return "added a statement" if len(evidence.added) > TOLERATED * len(plan.rewritten) else None


def _broken_denial(plan: _Plan, evidence: Evidence) -> str | None:
    """Where only words are read, count negations: words alone do not show that a claim was denied."""
    before, after = evidence.tones
    if plan.promise.content != "keeps":
        return None
    n_before, n_after = (max(len(sentences(text)), 1) for text in (plan.case.item.candidate, plan.case.text))
    counted = abs(after.denial * n_after - before.denial * n_before)
    is_same = abs(after.denial - before.denial) <= MOST_DENIALS and counted < TOO_MANY_DENIALS
    return None if is_same else "denies more or less than the original"


def _broken_move(plan: _Plan, evidence: Evidence) -> str | None:
    move, (before, after) = plan.promise.move, evidence.verdicts
    old, new = evidence.tones
    if move == "turned":
        return "verdict not turned" if None in (before, after) or before == after else None
    if move in {"favourable", "unfavourable"}:
        wanted = move == "favourable"
        rose = new.favour > old.favour if wanted else new.favour < old.favour
        return None if after == wanted and (rose or before != wanted) else f"tone not {move}"
    if move == "hedged":
        enough = new.hedging >= old.hedging + LEAST_RISE
        if evidence.hedged is not None:
            enough = evidence.hedged >= max(1, LEAST_HEDGED * evidence.n_statements)
        return None if enough else "not hedged"
    if move == "certain":
        stronger = new.certainty >= old.certainty + LEAST_RISE and new.hedging <= old.hedging
        return None if stronger else "not stronger"
    return None


def _broken_direction(evidence: Evidence) -> str | None:
    if evidence.reference_support is None:
        return None
    before, after = evidence.reference_support
    return "tells as much as the original" if after >= before else None


def _specifics(text: str, *, everywhere: bool = False) -> frozenset[str]:
    """Return numbers and names: words with a capital inside a sentence, or all words where names may begin one."""
    names = _NAME.findall(text) if not everywhere else re.findall(r"[\w'’-]+", text)  # noqa: RUF001 - as above
    return frozenset([*_NUMBER.findall(text), *(name for name in names if name not in {"I", "I'm"})])
