"""Show the difference of two runs as one self-contained HTML page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from gameproof.audits.run_difference_result import CheckChange, CorrelationChange, MetricChange, RunDifference
from gameproof.reports.explain import run_sentence
from gameproof.reports.html.environment import page_environment, policy_for, styles
from gameproof.reports.printable_result import printable, printable_value
from gameproof.reports.run_difference_words import (
    CHANGES,
    changes_of,
    difference_headline,
    exit_sentence,
    metric_line,
    verdict_after,
    verdict_before,
)
from gameproof.reports.svg.lanes import Scale, draw_difference
from gameproof.reports.words import LEVEL_TITLES, Word, check_title

__all__ = ["render_difference"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckLine:
    """One check, before and after."""

    check: CheckChange
    title: str
    before: Word
    after: Word
    change: Word
    lane: Markup | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPart:
    """One metric, before and after."""

    metric: MetricChange
    line: str
    properties: Sequence[tuple[str, Word, Word, Word]]
    checks: Sequence[CheckLine]
    correlations: Sequence[tuple[str, CorrelationChange]]
    scale: Scale


def render_difference(difference: RunDifference) -> str:
    """Return the page: which verdicts changed, and the paired differences with their intervals drawn."""
    difference = _printable(difference)
    style = styles()
    return (
        page_environment()
        .get_template("compare.html")
        .render(
            headline=difference_headline(difference),
            exit_line=exit_sentence(difference),
            difference=difference,
            before=run_sentence(difference.before),
            after=run_sentence(difference.after),
            metrics=[_part(metric, number) for number, metric in enumerate(difference.metrics, start=1)],
            changes=[word for name, word in CHANGES.items() if name != "same"],
            style=style,
            policy=policy_for(str(style)),
        )
    )


def _part(metric: MetricChange, number: int) -> MetricPart:
    ends = [
        abs(end)
        for check in metric.checks
        for end in (check.difference, check.low, check.high)
        if end is not None and abs(end) < float("inf")
    ]
    scale = Scale(reach=round(min(max([0.2, *ends]), 1.5) + 0.05, 1))
    return MetricPart(
        metric=metric,
        line=metric_line(metric),
        properties=changes_of(metric),
        checks=[
            CheckLine(
                check=check,
                title=check_title(check.check),
                before=verdict_before(check),
                after=verdict_after(check),
                change=CHANGES[check.change],
                lane=draw_difference(
                    (check.difference, check.low, check.high),
                    scale,
                    f"metric-{number}-{place}",
                    check_title(check.check),
                ),
            )
            for place, check in enumerate(metric.checks)
        ],
        correlations=[(LEVEL_TITLES.get(row.level, row.level), row) for row in metric.correlations],
        scale=scale,
    )


def _printable(difference: RunDifference) -> RunDifference:
    return replace(
        difference,
        before={key: printable_value(value) for key, value in difference.before.items()},
        after={key: printable_value(value) for key, value in difference.after.items()},
        only_before=tuple(map(printable, difference.only_before)),
        only_after=tuple(map(printable, difference.only_after)),
        notes=tuple(map(printable, difference.notes)),
        metrics=tuple(
            replace(
                metric,
                metric=printable(metric.metric),
                metric_after=printable(metric.metric_after),
                signature_before=printable(metric.signature_before),
                signature_after=printable(metric.signature_after),
                checks=tuple(replace(check, check=printable(check.check)) for check in metric.checks),
                correlations=tuple(
                    replace(row, dimension=printable(row.dimension)) for row in metric.correlations
                ),
            )
            for metric in difference.metrics
        ),
    )
