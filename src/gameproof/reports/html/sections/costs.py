"""What scoring costs: time, model calls and tokens, for a thousand texts."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.evidence import MetricEvidence
from gameproof.audits.result import MetricResult
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.words import NOTHING, format_number

__all__ = ["CostRow", "Costs", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """One metric."""

    metric: str
    texts: str
    missing: str
    seconds: str  # for 1,000 texts
    calls: str  # for 1,000 texts
    tokens: str  # for 1,000 texts, in and out


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """All metrics."""

    rows: Sequence[CostRow]
    some_unknown: bool  # scores that were taken from the folder have no time


def view(run: ReportedRun, prefix: str) -> Costs | None:
    """Return the table; None where nothing was scored."""
    del prefix
    evidence = {found.metric: found for found in run.evidence}
    rows = [_row(metric, evidence.get(metric.metric)) for metric in run.result.metrics]
    if not rows:
        return None
    return Costs(rows=rows, some_unknown=any(row.seconds == NOTHING for row in rows))


def _row(metric: MetricResult, found: MetricEvidence | None) -> CostRow:
    n = found.n_scored if found is not None else None
    cost, seconds = metric.cost, metric.summary.get("seconds")
    tokens = (
        f"{_per_thousand(cost.tokens_in, n)} / {_per_thousand(cost.tokens_out, n)}" if cost.calls else NOTHING
    )
    return CostRow(
        metric=metric.metric,
        texts=NOTHING if n is None else f"{n:,}",
        missing=NOTHING if found is None else f"{found.n_missing:,}",
        seconds=format_number(1000 * seconds / n) if seconds and n else NOTHING,
        calls=_per_thousand(cost.calls, n) if cost.calls else NOTHING,
        tokens=tokens,
    )


def _per_thousand(count: int, n: int | None) -> str:
    return f"{1000 * count / n:,.0f}" if n else NOTHING
