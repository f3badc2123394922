"""Every metric by itself: a forest plot of its effects with the margin drawn, and all numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.audits.result import CheckRow, MetricResult
from gameproof.reports.explain import headline
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.html.sections.checks import CheckView, check_view
from gameproof.reports.html.sections.verdicts import metric_anchor
from gameproof.reports.svg.lanes import Scale, draw_lane, lane_of, lane_scale
from gameproof.reports.tables import group_checks
from gameproof.reports.words import check_title, format_number, group_title, margin_number

__all__ = ["Forests", "view"]

SUMMARY_WORDS = {
    "n": "texts scored",
    "n_missing": "texts without a score",
    "mean": "mean score",
    "sd": "standard deviation",
    "distinct": "distinct scores",
    "tie_share": "share of texts that share their score",
    "floor": "floor: mean score of texts that belong to another task",
    "rho_length": "correlation with the length of the text",
    "rescored": "texts scored again, among other neighbours",
    "rescored_sd": "standard deviation of one score when the same texts are scored again",
    "rescored_shift": "largest change of a score with its neighbours in the batch",
}
COUNTS = frozenset({"n", "n_missing", "distinct", "rescored"})
ELSEWHERE = frozenset({"seconds"})  # stands in the table of costs


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One check: its numbers, and its lane where it has an effect."""

    check: CheckView
    lane: Markup | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricView:
    """One metric."""

    metric: MetricResult
    anchor: str
    headline: str
    families: Sequence[tuple[str, Sequence[ForestRow]]]
    scale: Scale
    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forests:
    """All metrics."""

    metrics: Sequence[MetricView]
    margin: float | None


def view(run: ReportedRun, prefix: str) -> Forests | None:
    """Return every metric in the order of the run."""
    margin = margin_number(run.result.run.get("margin"))
    metrics = [
        _metric(metric, metric_anchor(prefix, number), margin)
        for number, metric in enumerate(run.result.metrics, start=1)
    ]
    return Forests(metrics=metrics, margin=margin) if metrics else None


def _metric(metric: MetricResult, anchor: str, margin: float | None) -> MetricView:
    scale = lane_scale(metric.checks)
    return MetricView(
        metric=metric,
        anchor=anchor,
        headline=headline(metric),
        families=[
            (
                group_title(*group),
                [
                    ForestRow(check=check_view(row), lane=_lane(row, scale, margin, f"{anchor}-{place}"))
                    for place, row in enumerate(metric.checks)
                    if (row.family, row.expect) == group
                ],
            )
            for group in group_checks([metric])
        ],
        scale=scale,
        facts=_facts(metric),
    )


def _lane(row: CheckRow, scale: Scale, margin: float | None, ident: str) -> Markup | None:
    lane = lane_of(row, scale, margin)
    return None if lane is None else draw_lane(lane, ident, check_title(row.check))


def _facts(metric: MetricResult) -> list[tuple[str, str]]:
    facts = [
        (SUMMARY_WORDS.get(name, check_title(name)), format_number(value, 0 if name in COUNTS else 3))
        for name, value in metric.summary.items()
        if name not in ELSEWHERE
    ]
    if not metric.higher_is_better:
        facts.append(("direction", "lower is better; effects are turned so that a gain is always positive"))
    return facts
