"""How the scores of each metric are spread, and how often texts of another task score as well."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gameproof.reports.html.run import ReportedRun
from gameproof.reports.svg.histogram import draw_histogram
from gameproof.reports.words import format_number

__all__ = ["Scores", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """One histogram a metric, with a line below it."""

    histograms: Sequence[tuple[str, Markup, str]]


def view(run: ReportedRun, prefix: str) -> Scores | None:
    """Draw the histograms; None without a run folder."""
    summaries = {metric.metric: metric.summary for metric in run.result.metrics}
    histograms = [
        (
            found.metric,
            draw_histogram(found.metric, found.distribution, f"{prefix}scores-{number}"),
            _line(summaries.get(found.metric, {})),
        )
        for number, found in enumerate(run.evidence, start=1)
        if found.distribution is not None
    ]
    return Scores(histograms=histograms) if histograms else None


def _line(summary: Mapping[str, float | None]) -> str:
    parts = [f"mean {format_number(summary.get('mean'))}, sd {format_number(summary.get('sd'))}"]
    if summary.get("floor") is not None:
        parts.append(f"floor {format_number(summary.get('floor'))}")
    return "; ".join(parts)
