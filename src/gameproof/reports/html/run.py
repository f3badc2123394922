"""What a report is made of: a run's result, and what its folder adds to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gameproof.attacks.result import Attacks
from gameproof.audits.evidence import MetricEvidence
from gameproof.audits.result import AuditResult
from gameproof.reports.printable import printable as whole_printable
from gameproof.reports.printable_result import printable, printable_result, printable_value

__all__ = ["ReportedRun", "printable_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRun:
    """One run as a report shows it; without a run folder only the result is there."""

    result: AuditResult
    exit_code: int | None = None  # explained on the page, where given
    gate: str | None = None  # the metric that alone decides the exit code, where one does
    evidence: tuple[MetricEvidence, ...] = ()  # distributions, ladders and texts
    plan: Mapping[str, object] = field(default_factory=dict[str, object])  # as the run folder has it
    versions: Mapping[str, str] = field(default_factory=dict[str, str])
    attacks: tuple[Attacks, ...] = ()  # on metrics of the same data
    published: bool = False  # show the papers' values beside those measured


def printable_run(run: ReportedRun) -> ReportedRun:
    """Return the run with every text in it made printable."""
    return replace(
        run,
        result=printable_result(run.result),
        gate=None if run.gate is None else printable(run.gate),
        evidence=tuple(_evidence(found) for found in run.evidence),
        plan={printable(key): printable_value(value) for key, value in run.plan.items()},
        versions={printable(key): printable(value) for key, value in run.versions.items()},
    )


def _evidence(found: MetricEvidence) -> MetricEvidence:
    return replace(
        found,
        metric=printable(found.metric),
        curves=tuple(replace(curve, check=printable(curve.check)) for curve in found.curves),
        moves=tuple(
            replace(
                move,
                check=printable(move.check),
                item=printable(move.item),
                before=whole_printable(move.before),
                after=whole_printable(move.after),
            )
            for move in found.moves
        ),
    )
