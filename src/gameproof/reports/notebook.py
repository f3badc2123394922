"""Show results as small HTML tables inside a notebook."""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from gameproof.audits.result import AuditResult, MetricResult
from gameproof.reports.explain import explain_card, headline, run_notes, run_sentence
from gameproof.reports.printable import printable
from gameproof.reports.printable_result import printable_result
from gameproof.reports.words import MARKS, PROPERTIES, Tone, format_number

__all__ = ["html_rows", "html_table"]

MAX_ROWS = 20

# Readable on the light and the dark backgrounds of notebooks; the marks and words say the same without them.
COLOURS: dict[Tone, str] = {"good": "#2e9e5b", "bad": "#d6453d", "open": "#b07b00", "none": "#808080"}
CELL = "text-align:left;vertical-align:top"


def html_table(result: AuditResult) -> str:
    """Return the verdicts of an audit as an HTML table, with the reasons below the marks."""
    result = printable_result(result)
    notes = "".join(f"<p>{escape(note)}</p>" for note in run_notes(result.run))
    head = "".join(
        f'<th style="{CELL}" title="{escape(item.question)}">{item.name}</th>' for item in PROPERTIES
    )
    body = "".join(_metric_row(metric) for metric in result.metrics)
    return (
        f"<div><p><b>gameproof audit</b> {escape(run_sentence(result.run))}</p>{notes}"
        f'<table><thead><tr><th style="{CELL}">metric</th>{head}<th style="{CELL}">why</th></tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def html_rows(rows: Iterable[Mapping[str, object]], *, total: int | None = None) -> str:
    """Return rows of plain values as an HTML table; at most twenty are shown.

    Args:
        rows: One mapping per row; the first one names the columns.
        total: How many rows there are, where ``rows`` is only their beginning.
    """
    shown = list(rows)
    count = len(shown) if total is None else total
    shown = shown[:MAX_ROWS]
    columns = list(shown[0]) if shown else []
    head = "".join(f'<th style="{CELL}">{_text(column)}</th>' for column in columns)
    body = "".join(f"<tr>{_cells([row.get(column) for column in columns])}</tr>" for row in shown)
    rest = f"<p>{len(shown):,} of {count:,} rows</p>" if count > len(shown) else ""
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}</div>"


def _metric_row(metric: MetricResult) -> str:
    marks = [MARKS[getattr(metric.card, item.name)] for item in PROPERTIES]
    cells = "".join(
        f'<td style="{CELL};color:{COLOURS[mark.tone]};white-space:nowrap">{escape(str(mark))}</td>'
        for mark in marks
    )
    why = "<br>".join(
        [
            escape(headline(metric)),
            *(f"<b>{reason.verdict}</b>: {escape(reason.sentence)}" for reason in explain_card(metric)),
            *(f"<b>alarm</b>: {escape(alarm)}" for alarm in metric.alarms),
        ]
    )
    return f'<tr><td style="{CELL}"><code>{escape(metric.metric)}</code></td>{cells}<td style="{CELL}">{why}</td></tr>'


def _cells(values: Sequence[object]) -> str:
    return "".join(f'<td style="{CELL}">{_text(value)}</td>' for value in values)


def _text(value: object) -> str:
    if value is None:
        return ""
    return escape(printable(format_number(value, 4) if isinstance(value, float) else str(value)))
