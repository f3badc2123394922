"""Variants by a language model: written, verified, and laid out for a person to look over."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gameproof.llm.asking import Asker
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.promises import PROMISES
from gameproof.perturbations.rewrites import Task, ask_for_rewrites, plan_rewrites
from gameproof.perturbations.support import OracleSupport, Support, prepare_overlap
from gameproof.perturbations.verify import Case, Finding, verify
from gameproof.records import Item, Variant

__all__ = [
    "NOT_AS_NAMED",
    "Verifier",
    "Written",
    "drop_broken",
    "review_rows",
    "summarise",
    "verify_written",
    "write_variants",
]

Verifier = Literal["overlap", "oracle"]

NOT_AS_NAMED = "not as its name says"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What a language model wrote: variants, those that broke their promise with a reason, and the findings."""

    variants: tuple[Variant, ...]
    findings: tuple[Finding, ...]


async def write_variants(
    items: Sequence[Item],
    perturbations: Sequence[Perturbation],
    *,
    writer: Asker,
    judge: Asker | None = None,
    given: Sequence[Variant] = (),
) -> Written:
    """Let a model write all variants that no rule makes, and drop those that are not what their name says.

    Args:
        items: The originals.
        perturbations: Rows of the catalogue.
        writer: Asks the model that writes.
        judge: Asks the model that verifies; without one, statements are compared by their words.
        given: Variants made elsewhere: theirs are neither written nor verified.
    """
    tasks = plan_rewrites(items, perturbations, given=given)
    made = await ask_for_rewrites(tasks, writer)
    findings = await verify_written(items, tasks, made, judge=judge)
    return Written(variants=drop_broken(made, findings), findings=findings)


async def verify_written(
    items: Sequence[Item], tasks: Sequence[Task], made: Sequence[Variant], *, judge: Asker | None = None
) -> tuple[Finding, ...]:
    """Verify the texts that tasks came to, one variant a task; `judge` as in `write_variants`."""
    cases = [
        Case(task.item, variant, variant.text)
        for task, variant in zip(tasks, made, strict=True)
        if variant.text is not None and variant.name in PROMISES
    ]
    return tuple(await verify(cases, await _support(items, cases, judge))) if cases else ()


def drop_broken(made: Sequence[Variant], findings: Sequence[Finding]) -> tuple[Variant, ...]:
    """Put a reason in the place of every text that breaks its promise."""
    broken = {
        (finding.case.item.id, finding.case.variant.key): finding.reason
        for finding in findings
        if finding.reason is not None
    }
    return tuple(_dropped(variant, broken.get((variant.item_id, variant.key))) for variant in made)


def review_rows(written: Written) -> list[dict[str, object]]:
    """Lay what was written out as rows of a file of variants, with what a person needs to overrule a verdict.

    `files.read_variants` reads them back: a row whose verdict is ``keep`` is a variant, whatever its reason.
    """
    found = {(one.case.variant.item_id, one.case.variant.key): one for one in written.findings}
    return [
        _review_row(found[variant.item_id, variant.key])
        if (variant.item_id, variant.key) in found
        else _failure_row(variant)
        for variant in written.variants
    ]


def summarise(findings: Sequence[Finding]) -> list[str]:
    """Say in a line for each rewrite how many were dropped, and why."""
    by_name: dict[str, list[Finding]] = {}
    for finding in findings:
        by_name.setdefault(finding.case.variant.name, []).append(finding)
    return [
        f"{name}: {len(found) - dropped.total():,} of {len(found):,} rewrites do what the name says"
        + "".join(f"; {reason}: {count:,}" for reason, count in dropped.most_common())
        for name, found in by_name.items()
        for dropped in [Counter(one.reason for one in found if one.reason is not None)]
    ]


async def _support(items: Sequence[Item], cases: Sequence[Case], judge: Asker | None) -> Support:
    if judge is not None:
        return OracleSupport(asker=judge)
    texts: dict[str, list[str]] = {}
    for case in cases:
        texts.setdefault(case.item.id, [case.item.candidate]).append(case.text)
    return await prepare_overlap(items, texts)


def _dropped(variant: Variant, reason: str | None) -> Variant:
    if reason is None:
        return variant
    return Variant(
        item_id=variant.item_id,
        name=variant.name,
        level=variant.level,
        reason=f"{NOT_AS_NAMED}: {reason}",
    )


def _failure_row(variant: Variant) -> dict[str, object]:
    return {
        "item": variant.item_id,
        "variant": variant.name,
        "level": variant.level,
        "text": None,
        "reason": variant.reason,
    }


def _review_row(finding: Finding) -> dict[str, object]:
    case = finding.case
    return {
        "item": case.variant.item_id,
        "variant": case.variant.name,
        "level": case.variant.level,
        "verdict": "keep" if finding.reason is None else "drop",
        "why": finding.reason,
        "original": case.item.candidate,
        "text": case.text,
        "evidence": _evidence(finding),
    }


def _evidence(finding: Finding) -> Mapping[str, object]:
    evidence = finding.evidence
    (before, after), (old, new) = evidence.n_words, evidence.tones
    shown: dict[str, object] = {
        "support": evidence.support,
        "words": [before, after],
        "statements": evidence.n_statements,
        "lost": list(evidence.lost),
        "added": list(evidence.added),
        "in favour": list(evidence.verdicts),
        "hedging": [round(old.hedging, 2), round(new.hedging, 2)],
        "certainty": [round(old.certainty, 2), round(new.certainty, 2)],
    }
    if evidence.reference_support is not None:
        shown["references borne out"] = list(evidence.reference_support)
    return shown
