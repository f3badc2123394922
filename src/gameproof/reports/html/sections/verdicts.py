"""The card of every metric: five answers, the reasons, the alarms."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.result import MetricResult
from gameproof.reports.explain import Reason, explain_card, explain_exit, headline
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.words import MARKS, PROPERTIES, Word

__all__ = ["CardView", "Verdicts", "metric_anchor", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardView:
    """One metric's card."""

    metric: MetricResult
    anchor: str  # of the metric's own section
    headline: str
    marks: Sequence[tuple[str, str, Word]]  # property, question, answer
    reasons: Sequence[Reason]
    trusted: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """All cards, and what the exit code stands for."""

    cards: Sequence[CardView]
    exit_line: str | None


def view(run: ReportedRun, prefix: str) -> Verdicts:
    """Return the cards in the order of the metrics."""
    cards = [
        CardView(
            metric=metric,
            anchor=metric_anchor(prefix, number),
            headline=headline(metric),
            marks=[(item.name, item.question, MARKS[getattr(metric.card, item.name)]) for item in PROPERTIES],
            reasons=explain_card(metric),
            trusted=MARKS[metric.card.trusted],
        )
        for number, metric in enumerate(run.result.metrics, start=1)
    ]
    exit_line = None if run.exit_code is None else explain_exit(run.result, run.exit_code, run.gate)
    return Verdicts(cards=cards, exit_line=exit_line)


def metric_anchor(prefix: str, number: int) -> str:
    """Return the id of a metric's section; metrics count from 1."""
    return f"{prefix}metric-{number}"
