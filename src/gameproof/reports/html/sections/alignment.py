"""The alignment map: every metric as a point, agreement with ratings against the worst trick."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.audits.checks import MIN_RHO
from gameproof.audits.result import CheckRow, CorrelationRow, MetricResult
from gameproof.reports.conclusion import mean_within_task, worst_manipulation
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.svg.alignment_map import MapPoint, Sheet, draw_map
from gameproof.reports.words import MARKS, Word, margin_number

__all__ = ["Alignment", "view"]

SHEETS = (
    Sheet(name="wide", width=760, height=440, label_letters=26),
    Sheet(name="narrow", width=330, height=400, label_letters=16),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PointView:
    """One metric in the list below the map."""

    metric: str
    correlation: CorrelationRow
    worst: CheckRow
    word: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """The map in two sizes, its numbers, and the metrics that have no place on it."""

    maps: Sequence[Markup]
    points: Sequence[PointView]
    absent: Sequence[tuple[str, str]]  # metric, why
    margin: float | None
    least_rho: float


def view(run: ReportedRun, prefix: str) -> Alignment | None:
    """Draw the map; None where no metric has both numbers."""
    points: list[PointView] = []
    absent: list[tuple[str, str]] = []
    for metric in run.result.metrics:
        correlation, worst = mean_within_task(metric), worst_manipulation(metric)
        if correlation is None or correlation.rho is None:
            absent.append((metric.metric, "no correlation with ratings within tasks"))
        elif worst is None:
            absent.append((metric.metric, "no manipulation was measured"))
        else:
            points.append(_point(metric, correlation, worst))
    if not points:
        return None
    margin = margin_number(run.result.run.get("margin"))
    drawn = [
        MapPoint(
            name=point.metric,
            rho=point.correlation.rho or 0.0,
            gain=point.worst.effect or 0.0,
            tone=point.word.tone,
        )
        for point in points
    ]
    return Alignment(
        maps=[
            draw_map(drawn, sheet, margin=margin, least_rho=MIN_RHO, ident=f"{prefix}map-{sheet.name}")
            for sheet in SHEETS
        ],
        points=points,
        absent=absent,
        margin=margin,
        least_rho=MIN_RHO,
    )


def _point(metric: MetricResult, correlation: CorrelationRow, worst: CheckRow) -> PointView:
    return PointView(
        metric=metric.metric, correlation=correlation, worst=worst, word=MARKS[metric.card.trusted]
    )
