"""Write audits' results as Markdown."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gameproof.audits.result import AuditResult, MetricResult
from gameproof.reports.attack import markdown_parts
from gameproof.reports.conclusion import conclude
from gameproof.reports.explain import explain_card, find_unmeasured, headline, run_notes, run_sentence
from gameproof.reports.html.overview import make_overview, run_names
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.html.sections.letters import letter_tables
from gameproof.reports.markdown_text import code, markdown_table, safe_markdown
from gameproof.reports.printable_result import printable_result
from gameproof.reports.published import published_markdown
from gameproof.reports.tables import group_checks, measured_checks
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

__all__ = ["render_markdown"]


def render_markdown(runs: Sequence[ReportedRun]) -> str:
    """Return verdicts, reasons, tables and gaps as Markdown, for a pull request or a paper's notes.

    Several runs stand below each other, after a table of all of them.
    """
    runs = [replace(run, result=printable_result(run.result)) for run in runs]
    parts = ["# gameproof audit"] if len(runs) == 1 else _overview(runs)
    names = run_names(runs)
    for name, run in zip(names, runs, strict=True):
        if len(runs) > 1:
            parts.append(f"# {safe_markdown(name)}")
        parts.extend(_run_parts(run.result))
        for attacks in run.attacks:
            parts += ["## What an attack found", *markdown_parts(attacks, "###")]
        if run.published:
            parts.append(published_markdown(run.result))
    return "\n\n".join(parts) + "\n"


def _run_parts(result: AuditResult) -> Iterator[str]:
    names = [metric.metric for metric in result.metrics]
    found = conclude(result)
    yield f"**{safe_markdown(found.headline)}.**"
    yield safe_markdown(run_sentence(result.run))
    yield from (f"> {safe_markdown(note)}" for note in run_notes(result.run))
    yield "## Verdicts"
    yield markdown_table(
        ["metric", *(item.name for item in PROPERTIES)],
        [
            [code(metric.metric), *(str(MARKS[getattr(metric.card, item.name)]) for item in PROPERTIES)]
            for metric in result.metrics
        ],
    )
    yield from (_reasons(metric) for metric in result.metrics)
    yield from _letter_parts([("", ReportedRun(result=result))])
    yield "## Checks"
    metrics = measured_checks(result.metrics)
    for group, checks in group_checks(metrics).items():
        rows = [[check_title(name), *(_check_cell(metric, name) for metric in metrics)] for name in checks]
        yield f"**{group_title(*group)}**"
        yield markdown_table(["check", *(code(name) for name in names)], rows)
    yield "## Agreement with ratings"
    yield _correlations(result)
    unmeasured = [
        f"- {safe_markdown(', '.join(entry.what))}: {safe_markdown(entry.why)}"
        + (f" ({safe_markdown(', '.join(entry.metrics))})" if entry.metrics else "")
        for entry in find_unmeasured(result)
    ]
    if unmeasured:
        yield "## What could not be measured, and why"
        yield "\n".join(unmeasured)


def _overview(runs: Sequence[ReportedRun]) -> list[str]:
    found = make_overview(runs, [""] * len(runs))
    rows = [
        [
            code(metric),
            *(
                "not run"
                if cell is None
                else f"{cell.trusted}" + (f" (not {', not '.join(cell.lacks)})" if cell.lacks else "")
                for cell in cells
            ),
        ]
        for metric, cells in found.cards
    ]
    named = list(zip(run_names(runs), runs, strict=True))
    head = ["metric", *(safe_markdown(name) for name, _ in named)]
    return [
        f"# {safe_markdown(found.headline)}",
        markdown_table(head, rows),
        *_letter_parts(named),
    ]


def _letter_parts(runs: Sequence[tuple[str, ReportedRun]]) -> Iterator[str]:
    """Yield the papers' tables of failures; undecided checks stand in brackets."""
    for table in letter_tables(runs):
        several = len(table.columns) > 1
        head = ["metric"]
        for name, n in table.columns:
            about = f"{safe_markdown(name)}, " if several else ""
            head += [f"{about}ours (m = {n})", f"{about}papers"]
        rows = [
            [
                code(row.metric),
                *("\N{EN DASH}" if cell is None else cell.text() for cells in row.cells for cell in cells),
                row.total,
            ]
            for _, members in table.groups
            for row in members
        ]
        yield f"**{table.title}**"
        yield markdown_table([*head, "failed (undecided)"], rows)
        yield "; ".join(f"{letter}: {check}" for letter, check in table.letters)


def _reasons(metric: MetricResult) -> str:
    lines = [f"- **{code(metric.metric)}**: {headline(metric)}"]
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
            code(metric.metric),
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
