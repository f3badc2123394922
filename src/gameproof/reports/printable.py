"""Make strangers' text safe to show: no terminal commands, no characters that reorder a line."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from gameproof.audits.result import AuditResult, CheckRow, CorrelationRow, MetricResult

__all__ = ["printable", "printable_result"]

# Control characters but tab and line end; marks that embed, override or isolate a writing direction.
HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""Replace characters that would command a terminal or reorder a line by their visible names.

    Example:
        >>> printable("safe\x1b[2J")
        'safe<U+001B>[2J'
    """
    return HARMFUL.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)


def printable_result(result: AuditResult) -> AuditResult:
    """Return the result with every text in it made printable."""
    return replace(
        result,
        run={printable(key): _value(value) for key, value in result.run.items()},
        metrics=tuple(_metric(metric) for metric in result.metrics),
    )


def _value(value: object) -> object:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return {printable(str(key)): _value(entry) for key, entry in entries.items()}
    if isinstance(value, list | tuple):
        return [_value(entry) for entry in cast("Sequence[object]", value)]
    return value


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
