"""Turn an audit's result into rows of plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gameproof.audits.result import AuditResult, CheckRow, MetricResult
from gameproof.reports.words import GROUP_TITLES, PROPERTIES
from gameproof.stats.results import State

__all__ = [
    "Cell",
    "Table",
    "card_table",
    "check_rows",
    "check_table",
    "correlation_table",
    "group_checks",
    "measured_checks",
]

Cell = str | int | float | None

CHECK_FIELDS = (
    "check",
    "family",
    "expect",
    "suite",
    "extra",
    "effect",
    "low",
    "high",
    "effect_original",
    "pvalue_zero",
    "pvalue_zero_adjusted",
    "pvalue_margin",
    "pvalue_margin_adjusted",
    "verdict",
    "note",
    "state",
    "detail",
    "parity_verdict",
    "parity_low",
    "parity_high",
    "parity_pvalue",
    "sign_flip_pvalue",
    "n",
    "n_tasks",
    "n_missing",
    "smallest_detectable",
    "rho",
    "match_rate",
    "share_right",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows of plain values under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def records(self) -> list[dict[str, Cell]]:
        """Return one mapping per row."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def card_table(result: AuditResult) -> Table:
    """Return the five answers for every metric."""
    names = [item.name for item in PROPERTIES]
    return Table(
        title="card",
        columns=("metric", *names),
        rows=tuple(
            (metric.metric, *(str(getattr(metric.card, name).value) for name in names))
            for metric in result.metrics
        ),
    )


def correlation_table(result: AuditResult) -> Table:
    """Return every correlation with ratings, with the human ceiling beside it."""
    return Table(
        title="correlation with ratings",
        columns=("metric", "dimension", "level", "rho", "low", "high", "ceiling", "n", "tied", "state"),
        rows=tuple(
            (
                metric.metric,
                row.dimension,
                row.level,
                row.rho,
                row.low,
                row.high,
                row.ceiling,
                row.n,
                row.n_tied,
                _state(row.state, row.state_detail),
            )
            for metric in result.metrics
            for row in metric.correlation
        ),
    )


def check_table(metric: MetricResult) -> Table:
    """Return every check of one metric, all columns."""
    return Table(
        title=metric.metric,
        columns=(*CHECK_FIELDS, "missing", "exchange", "exchange_low", "exchange_high", "exchange_verdict"),
        rows=tuple(_check_cells(row) for row in metric.checks),
    )


def check_rows(result: AuditResult) -> list[dict[str, Cell]]:
    """Return the checks of all metrics in one long table, as a spreadsheet wants it."""
    return [
        {"metric": metric.metric, **record}
        for metric in result.metrics
        for record in check_table(metric).records()
    ]


def group_checks(metrics: Sequence[MetricResult]) -> dict[tuple[str, str], list[str]]:
    """Return the names of the checks by family and expectation, over all metrics."""
    groups: dict[tuple[str, str], list[str]] = {}
    for metric in metrics:
        for row in metric.checks:
            names = groups.setdefault((row.family, row.expect), [])
            if row.check not in names:
                names.append(row.check)
    order = list(GROUP_TITLES)
    return dict(
        sorted(groups.items(), key=lambda group: order.index(group[0]) if group[0] in order else len(order))
    )


def measured_checks(metrics: Sequence[MetricResult]) -> list[MetricResult]:
    """Leave out checks that no metric could be put to: what could not be measured is told elsewhere."""
    shown = {
        row.check
        for metric in metrics
        for row in metric.checks
        if row.verdict is not None or row.effect is not None or row.state is State.UNDEFINED
    }
    return [
        replace(metric, checks=tuple(row for row in metric.checks if row.check in shown))
        for metric in metrics
    ]


def _check_cells(row: CheckRow) -> tuple[Cell, ...]:
    exchange = row.exchange
    return (
        *(_plain(getattr(row, name)) for name in CHECK_FIELDS),
        _missing(row.missing),
        exchange.value if exchange else None,
        exchange.interval.low if exchange else None,
        exchange.interval.high if exchange else None,
        str(exchange.verdict.value) if exchange else None,
    )


def _plain(value: Cell) -> Cell:
    return str(value) if isinstance(value, str) else value  # an enum becomes its own text


def _missing(missing: Mapping[str, int]) -> str | None:
    return "; ".join(f"{reason}: {count}" for reason, count in missing.items()) or None


def _state(state: str | None, detail: str | None) -> str | None:
    words: Sequence[str] = [str(part) for part in (state, detail) if part]
    return ": ".join(words) or None
