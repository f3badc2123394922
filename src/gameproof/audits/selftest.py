"""The audit audited: does it name planted flaws, and does it pass a metric that has none?"""

import importlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass

from gameproof.audits.checks import CheckSettings
from gameproof.audits.planted_flaws import FLAWS, PERFECT, Evidence, Flaw, Texts, build_perfect
from gameproof.audits.planted_texts import LONG_CHECKS, SHORT_CHECKS, make_long_texts, make_short_texts
from gameproof.audits.result import AuditResult, CardMark, CheckRow, MetricResult
from gameproof.audits.run import Run, run_audit
from gameproof.engine.progress import Progress
from gameproof.metrics.base import Metric
from gameproof.records import Dataset
from gameproof.stats.results import Note, State, Verdict

__all__ = ["Auditor", "Finding", "SelfTestResult", "SelfTestRow", "run_self_test"]

Auditor = Callable[[Run, Sequence[Metric]], Awaitable[AuditResult]]

FAILED = frozenset({Verdict.FAIL, Verdict.WRONG_WAY})
HARDLY = frozenset({Note.BLIND, Note.NEGLIGIBLE})
PROPERTIES = ("statistical", "sensitive", "resistant", "satisfied", "trusted")
CHECKS = {"short": SHORT_CHECKS, "long": LONG_CHECKS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the audit has to say of a metric, and what it says."""

    looked_for: str  # a check, the beginning of an alarm, or a property of the card
    expected: str  # in words: "fails, the score moves up"
    said: str  # verdict with its note, alarm, or mark
    effect: float | None = None  # standardised change, or the within-task correlation with ratings
    low: float | None = None
    high: float | None = None
    remark: str | None = None  # why the effect has no interval
    found: bool  # whether it says what it has to


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestRow:
    """One planted metric, and whether the audit told the truth about it."""

    metric: str
    flaw: str | None  # None: the perfect reader
    texts: Texts
    trusted: CardMark
    findings: tuple[Finding, ...]

    @property
    def as_planted(self) -> bool:
        """Whether the flaw was named, by everything that has to name it; the perfect reader: passed."""
        return all(finding.found for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfTestResult:
    """What the audit says of metrics about which the truth is known."""

    seed: int
    n_texts: int
    n_tasks: int
    rows: tuple[SelfTestRow, ...]

    @property
    def missed(self) -> tuple[SelfTestRow, ...]:
        """The metrics about which the audit did not say what is true."""
        return tuple(row for row in self.rows if not row.as_planted)

    @property
    def as_planted(self) -> bool:
        """Whether every flaw was named and the perfect reader passed."""
        return not self.missed

    def __str__(self) -> str:
        """Show the table as plain text."""
        return str(importlib.import_module("gameproof.reports.self_test").as_text(self))


async def run_self_test(
    *,
    seed: int = 0,
    flaws: Sequence[Flaw] = FLAWS,
    auditor: Auditor = run_audit,
    progress: Progress | None = None,
) -> SelfTestResult:
    """Audit planted metrics on planted texts, and compare what is said with what is true.

    Args:
        seed: Of the texts, of their variants and of the audit's draws.
        flaws: The flawed metrics, and by what the audit has to name each.
        auditor: The audit that is tested.
        progress: Told about every stage.
    """
    rows: list[SelfTestRow] = []
    n_texts, n_tasks = 0, 0
    for texts in ("short", "long"):
        own = [flaw for flaw in flaws if flaw.texts == texts]
        dataset = _make_texts(texts, seed)
        run = Run(
            dataset=dataset,
            perturbations=CHECKS[texts],
            settings=CheckSettings(seed=seed),
            seed=seed,
            progress=progress,
        )
        result = await auditor(run, [build_perfect(), *(flaw.build(seed) for flaw in own)])
        perfect, *flawed = result.metrics
        rows += [_judge_flawed(flaw, found) for flaw, found in zip(own, flawed, strict=True)]
        rows.append(_judge_perfect(perfect, texts))
        n_texts += len(dataset.items)
        n_tasks += len({item.task_id for item in dataset.items})
    return SelfTestResult(seed=seed, n_texts=n_texts, n_tasks=n_tasks, rows=tuple(rows))


def _make_texts(texts: Texts, seed: int) -> Dataset:
    return make_short_texts(seed) if texts == "short" else make_long_texts(seed)


def _judge_flawed(flaw: Flaw, result: MetricResult) -> SelfTestRow:
    trusted = result.card.trusted
    distrust = Finding(
        looked_for="trusted", expected="no or inconclusive", said=trusted, found=trusted is not CardMark.YES
    )
    return SelfTestRow(
        metric=flaw.name,
        flaw=flaw.what,
        texts=flaw.texts,
        trusted=trusted,
        findings=(*(_look_for(evidence, result) for evidence in flaw.evidence), distrust),
    )


def _judge_perfect(result: MetricResult, texts: Texts) -> SelfTestRow:
    return SelfTestRow(
        metric=PERFECT,
        flaw=None,
        texts=texts,
        trusted=result.card.trusted,
        findings=tuple(_properties(result)),
    )


def _properties(result: MetricResult) -> Iterator[Finding]:
    """Yield what is said of each property that was measured, and of the sum of them."""
    for name in PROPERTIES:
        mark: CardMark = getattr(result.card, name)
        if mark is CardMark.NOT_MEASURED:
            continue
        ratings = next(
            (row for row in result.correlation if (row.level, row.dimension) == ("within_task", "mean")), None
        )
        shown = ratings if name == "statistical" else None
        yield Finding(
            looked_for=name,
            expected="yes",
            said=mark,
            effect=shown.rho if shown is not None else None,
            low=shown.low if shown is not None else None,
            high=shown.high if shown is not None else None,
            found=mark is CardMark.YES,
        )


def _look_for(evidence: Evidence, result: MetricResult) -> Finding:
    return (_look_at_alarms if evidence.kind == "alarm" else _look_at_check)(evidence, result)


def _look_at_alarms(evidence: Evidence, result: MetricResult) -> Finding:
    said = next((alarm for alarm in result.alarms if alarm.startswith(evidence.name)), None)
    return Finding(
        looked_for=evidence.name,
        expected="an alarm",
        said=said or "no such alarm",
        found=said is not None,
    )


def _look_at_check(evidence: Evidence, result: MetricResult) -> Finding:
    row = next((row for row in result.checks if row.check == evidence.name), None)
    if row is None:
        return Finding(looked_for=evidence.name, expected="fails", said="not in the audit", found=False)
    return Finding(
        looked_for=evidence.name,
        expected=f"fails, the score moves {evidence.moves or 'the wrong way'}",
        said=_said(row),
        effect=row.effect,
        low=row.low,
        high=row.high,
        remark=_without_interval(row),
        found=row.verdict in FAILED and _moves_as_it_should(evidence, row),
    )


def _moves_as_it_should(evidence: Evidence, row: CheckRow) -> bool:
    if evidence.moves == "hardly":
        return row.note in HARDLY
    if evidence.moves is None:
        return True
    return row.effect is not None and (row.effect > 0) == (evidence.moves == "up")


def _without_interval(row: CheckRow) -> str | None:
    """Say why an effect has no interval, where it has none."""
    if row.state is State.NO_CHANGE:
        return f"not one of {row.n:,} scores moves"
    return f"the same for all {row.n:,} texts" if row.state is State.DETERMINISTIC else None


def _said(row: CheckRow) -> str:
    said = str(row.verdict or row.state or "no verdict")
    return f"{said} ({row.note})" if row.note is not None else said
