"""Reader tests: how each metric climbs the ladders, with the papers' own numbers beside ours."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.audits.evidence import MetricEvidence
from gameproof.audits.result import MetricResult
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.html.sections.checks import CheckView, check_view
from gameproof.reports.svg.ladder import draw_ladder
from gameproof.reports.words import check_title

__all__ = ["Readers", "view"]

SMALLEST_REACH = 0.25  # in standard deviations: smaller movements look small
LARGEST_REACH = 1.5  # larger ones run along the edge, so that one metric does not flatten all others


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderCell:
    """One metric on one ladder."""

    check: CheckView
    drawing: Markup | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Metrics by ladders."""

    ladders: Sequence[tuple[str, str, str]]  # name, what is done, where the score should go
    rows: Sequence[tuple[str, Sequence[ReaderCell | None]]]
    reach: float
    drawn: bool


WANTED = {"decrease": "should drop", "increase": "should rise", "stable": "should stay level"}


def view(run: ReportedRun, prefix: str) -> Readers | None:
    """Return the table; None where no ladder was measured."""
    measured: dict[str, CheckView] = {}
    for metric in run.result.metrics:
        for row in metric.checks:
            if row.family == "ladder" and (row.verdict is not None or row.effect is not None):
                measured.setdefault(row.check, check_view(row))
    if not measured:
        return None
    evidence = {found.metric: found for found in run.evidence}
    reach = _reach(run.evidence, list(measured))
    rows = [
        (
            metric.metric,
            _cells(metric, evidence.get(metric.metric), list(measured), reach, f"{prefix}ladder-{number}"),
        )
        for number, metric in enumerate(run.result.metrics, start=1)
    ]
    return Readers(
        ladders=[
            (check_title(name), found.summary, WANTED.get(found.row.expect, ""))
            for name, found in measured.items()
        ],
        rows=rows,
        reach=reach,
        drawn=any(cell is not None and cell.drawing is not None for _, cells in rows for cell in cells),
    )


def _reach(evidence: Sequence[MetricEvidence], names: Sequence[str]) -> float:
    sizes = [
        abs(change)
        for found in evidence
        for curve in found.curves
        if curve.check in names
        for change in curve.changes
    ]
    return min(max([SMALLEST_REACH, *sizes]), LARGEST_REACH)


def _cells(
    metric: MetricResult, found: MetricEvidence | None, names: Sequence[str], reach: float, ident: str
) -> list[ReaderCell | None]:
    rows = {row.check: row for row in metric.checks}
    curves = {curve.check: curve for curve in found.curves} if found is not None else {}
    cells: list[ReaderCell | None] = []
    for place, name in enumerate(names):
        if name not in rows:
            cells.append(None)
            continue
        check, curve = check_view(rows[name]), curves.get(name)
        drawing = None if curve is None else draw_ladder(curve, check.word.tone, reach, f"{ident}-{place}")
        cells.append(ReaderCell(check=check, drawing=drawing))
    return cells
