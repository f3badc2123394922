"""Make a whole result safe to show: every text in it printable."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from gameproof.audits.result import AuditResult, CheckRow, CorrelationRow, MetricResult
from gameproof.reports.printable import printable as _printable

__all__ = ["printable", "printable_result", "printable_value"]


LONGEST_TEXT = 4_000  # of a name, a note or a reason; nobody reads more, and pages must stay pages


def printable_result(result: AuditResult) -> AuditResult:
    """Return the result with every text in it made printable."""
    return replace(
        result,
        run={printable(key): printable_value(value) for key, value in result.run.items()},
        metrics=tuple(_metric(metric) for metric in result.metrics),
    )


def printable_value(value: object) -> object:
    """Return plain values with every text in them made printable."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return {printable(str(key)): printable_value(entry) for key, entry in entries.items()}
    if isinstance(value, list | tuple):
        return [printable_value(entry) for entry in cast("Sequence[object]", value)]
    return value


def printable(text: str) -> str:
    """Return a text without harmful characters, cut where it is far longer than anybody reads."""
    left = len(text) - LONGEST_TEXT
    return _printable(text if left <= 0 else f"{text[:LONGEST_TEXT]}… ({left:,} characters more)")


def _metric(metric: MetricResult) -> MetricResult:
    return replace(
        metric,
        metric=printable(metric.metric),
        signature=printable(metric.signature),
        correlation=tuple(_correlation(row) for row in metric.correlation),
        checks=tuple(_check(row) for row in metric.checks),
        alarms=tuple(printable(alarm) for alarm in metric.alarms),
    )


def _correlation(row: CorrelationRow) -> CorrelationRow:
    return replace(row, dimension=printable(row.dimension), state_detail=_optional(row.state_detail))


def _check(row: CheckRow) -> CheckRow:
    return replace(
        row,
        check=printable(row.check),
        detail=_optional(row.detail),
        missing={printable(reason): count for reason, count in row.missing.items()},
    )


def _optional(text: str | None) -> str | None:
    return None if text is None else printable(text)
