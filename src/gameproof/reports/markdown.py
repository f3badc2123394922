"""Write an audit's result as Markdown, and its checks as CSV."""

import csv
import io

from gameproof.audits.result import AuditResult, MetricResult
from gameproof.reports.explain import explain_card, find_unmeasured, headline, run_notes, run_sentence
from gameproof.reports.markdown_text import markdown_table, safe_markdown
from gameproof.reports.printable_result import printable_result
from gameproof.reports.tables import check_rows, group_checks
from gameproof.reports.words import (
    LEVEL_TITLES,
    MARKS,
    NOTES,
    PROPERTIES,
    check_title,
    format_effect,
    format_interval,
    format_number,
    group_title,
    verdict_word,
)

__all__ = ["render_csv", "render_markdown"]


def render_markdown(result: AuditResult) -> str:
    """Return verdicts, reasons, checks and correlations as Markdown, for a pull request or a paper's notes."""
    result = printable_result(result)
    names = [metric.metric for metric in result.metrics]
    parts = [
        f"# gameproof audit\n\n{safe_markdown(run_sentence(result.run))}",
        *(f"> {safe_markdown(note)}" for note in run_notes(result.run)),
        "## Verdicts",
        markdown_table(
            ["metric", *(item.name for item in PROPERTIES)],
            [
                [f"`{metric.metric}`", *(str(MARKS[getattr(metric.card, item.name)]) for item in PROPERTIES)]
                for metric in result.metrics
            ],
        ),
        *(_reasons(metric) for metric in result.metrics),
        "## Checks",
    ]
    for group, checks in group_checks(result.metrics).items():
        rows = [
            [check_title(name), *(_check_cell(metric, name) for metric in result.metrics)] for name in checks
        ]
        parts.extend(
            [f"**{group_title(*group)}**", markdown_table(["check", *(f"`{n}`" for n in names)], rows)]
        )
    parts.extend(["## Agreement with ratings", _correlations(result)])
    unmeasured = [
        f"- {safe_markdown(', '.join(entry.what))}: {safe_markdown(entry.why)}"
        + (f" ({safe_markdown(', '.join(entry.metrics))})" if entry.metrics else "")
        for entry in find_unmeasured(result)
    ]
    if unmeasured:
        parts.extend(["## What could not be measured, and why", "\n".join(unmeasured)])
    return "\n\n".join(parts) + "\n"


def render_csv(result: AuditResult) -> str:
    """Return the checks of all metrics as one long table, every column; missing numbers are empty."""
    rows = check_rows(result)
    file = io.StringIO()
    if rows:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return file.getvalue()


def _reasons(metric: MetricResult) -> str:
    lines = [f"- **`{metric.metric}`**: {headline(metric)}"]
    lines.extend(f"  - {reason.verdict}: {safe_markdown(reason.sentence)}" for reason in explain_card(metric))
    lines.extend(f"  - alarm: {safe_markdown(alarm)}" for alarm in metric.alarms)
    return "\n".join(lines)


def _check_cell(metric: MetricResult, name: str) -> str:
    row = next((row for row in metric.checks if row.check == name), None)
    if row is None:
        return "not run"
    parts = [str(verdict_word(row))]
    if row.note is not None:
        parts.append(f"({NOTES[row.note].word})")
    if row.effect is not None:
        parts.append(f"{format_effect(row.effect)} {format_interval(row.low, row.high)}")
    if row.parity_verdict:
        parts.append(f"papers: {row.parity_verdict}")
    return " ".join(parts)


def _correlations(result: AuditResult) -> str:
    rows = [
        [
            f"`{metric.metric}`",
            safe_markdown(row.dimension),
            LEVEL_TITLES.get(row.level, row.level),
            format_effect(row.rho)
            if row.rho is not None
            else f"undefined: {safe_markdown(row.state_detail or '')}",
            format_interval(row.low, row.high),
            format_number(row.ceiling),
            f"{row.n:,}",
        ]
        for metric in result.metrics
        for row in metric.correlation
    ]
    return markdown_table(["metric", "dimension", "level", "rho", "95% interval", "human ceiling", "n"], rows)
