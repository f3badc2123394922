"""Show an audit's result in a terminal, with and without colour, from 80 columns up."""

import io
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from rich.console import Console
from rich.table import Table
from rich.text import Text

from gameproof.audits.card import has_no_score
from gameproof.audits.result import AuditResult, CheckRow, CorrelationRow, MetricResult
from gameproof.reports.explain import (
    explain_card,
    explain_exit,
    find_unmeasured,
    headline,
    legend,
    run_notes,
    run_sentence,
)
from gameproof.reports.printable_result import printable_result
from gameproof.reports.tables import group_checks, measured_checks
from gameproof.reports.terminal_parts import (
    STYLES,
    bullet,
    indented,
    plain_table,
    print_section,
    print_terms,
)
from gameproof.reports.terminal_reader_tests import print_reader_tests
from gameproof.reports.words import (
    LEVEL_TITLES,
    MARKS,
    NOTES,
    PROPERTIES,
    STATES,
    check_title,
    fold_name,
    format_effect,
    format_interval,
    format_number,
    group_title,
    verdict_word,
)
from gameproof.stats.results import State

__all__ = ["print_result", "verdicts_text"]

CHECK_WIDTH = 23  # "meaningless elongation" on one line
NARROW_CHECK_WIDTH = 15
CELL_WIDTH = 12  # "inconclusive"
NOTED_CELL_WIDTH = 18  # "✗ fail, negligible"
ONE_LINE_CELL_WIDTH = 22  # "inconclusive +0.31 [F]"
CARD_NAME_WIDTH = 8  # of a metric beside its marks, at least
BETWEEN = 2  # columns: a blank and the padding
NAME_WIDTH = 12  # of a metric, at least: a narrower terminal cuts what stands to the right
SHOWN_NOTES = 4  # on the data, where all details are not asked for
NAMED_CHECKS = 2  # of those that lack the same thing; more are counted
WIDE = 100  # a correlation and its interval fit on one line from here on

CORRELATION_TERMS = (
    ("within task", "texts about the same thing compared with each other: this one decides the verdict"),
    ("pooled", "all texts at once"),
    ("per system", "the mean scores of the systems that wrote the texts"),
    (
        "human ceiling",
        "how well one rater agrees with the mean of the others: no metric can be expected to do better",
    ),
)


def print_result(
    result: AuditResult,
    console: Console,
    *,
    exit_code: int | None = None,
    report: str | None = None,
    details: bool = False,
) -> None:
    """Print the verdicts and why they are what they are: about a screen for three metrics.

    Args:
        result: What the audit found.
        console: Where to print; its width decides the layout.
        exit_code: Explained in the last line, where given.
        report: Path of the HTML report, where one was written.
        details: Print all checks, reader tests and correlations as well; before the verdicts, which then are what
            stays on the screen.
    """
    result = printable_result(result)
    console.print(Text(run_sentence(result.run), style="bold"))
    notes = run_notes(result.run)
    for note in notes if details else notes[:SHOWN_NOTES]:
        console.print(bullet(note, "yellow"))
    if len(notes) > SHOWN_NOTES and not details:
        console.print(bullet(f"and {len(notes) - SHOWN_NOTES} more notes", "yellow"))
    if details:
        _print_details(result, console)
    print_section(console, "Verdicts")
    _print_verdicts(result, console)
    if not details:
        _print_unmeasured_in_short(result, console)
    console.print()
    if report is not None:
        more = "" if details else "  (every check and number; --verbose shows them here)"
        console.print(Text.assemble(("Report: ", "bold"), report, (more, "dim")), soft_wrap=True)
    if exit_code is not None:
        console.print(Text(explain_exit(result, exit_code, result.gate), style="bold"))


def _print_details(result: AuditResult, console: Console) -> None:
    if any(metric.checks for metric in measured_checks(result.metrics)):
        print_section(console, "Checks")
        _print_checks(result, console)
        print_section(console, "How to read this")
        _print_legend(result, console)
    print_reader_tests(result, console)
    if any(metric.correlation for metric in result.metrics):
        print_section(console, "Agreement with ratings (Spearman, mean over dimensions, 95% interval)")
        console.print(_correlations(result, console.width))
        console.print()
        print_terms(CORRELATION_TERMS, console)
    _print_unmeasured(result, console)


def verdicts_text(result: AuditResult, width: int = 100) -> str:
    """Return the verdicts and their reasons as plain text."""
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    result = printable_result(result)
    console.print(Text(run_sentence(result.run)))
    for note in run_notes(result.run):
        console.print(bullet(note))
    console.print()
    _print_verdicts(result, console)
    return "\n".join(line.rstrip() for line in cast("io.StringIO", console.file).getvalue().splitlines())


def _print_verdicts(result: AuditResult, console: Console) -> None:
    console.print(_card(result, console.width))
    console.print()
    print_terms([(item.name, item.question) for item in PROPERTIES], console)
    console.print()
    for metric in result.metrics:
        _print_reasons(metric, console)


def _card(result: AuditResult, width: int) -> Table:
    cards = [[MARKS[getattr(metric.card, item.name)] for item in PROPERTIES] for metric in result.metrics]
    # The marks are what is asked for, and are shown whole; the name folds into what they leave.
    columns = zip(*cards, strict=True) if cards else [()] * len(PROPERTIES)
    widest = [
        max(map(len, (item.name, *map(str, marks)))) for item, marks in zip(PROPERTIES, columns, strict=True)
    ]
    name_width = max(CARD_NAME_WIDTH, width - sum(cell + BETWEEN for cell in widest) - 1)
    table = plain_table()
    table.add_column("metric", no_wrap=True)
    for item in PROPERTIES:
        table.add_column(item.name, no_wrap=True)
    for metric, marks in zip(result.metrics, cards, strict=True):
        table.add_row(
            Text("\n".join(fold_name(metric.metric, name_width))),
            *(Text(str(mark), style=STYLES[mark.tone]) for mark in marks),
        )
    return table


def _print_reasons(metric: MetricResult, console: Console) -> None:
    mark = MARKS[metric.card.trusted]
    line = Table.grid(padding=(0, 1, 0, 0))
    said = Text.assemble((metric.metric, "bold"), f": {headline(metric)}")
    line.add_row(Text(mark.mark or "?", style=STYLES[mark.tone]), said)
    console.print(line)
    for reason in explain_card(metric):
        tone = STYLES[MARKS[reason.mark].tone]
        console.print(indented(Text.assemble((reason.verdict, tone), f": {reason.sentence}")))
    for alarm in metric.alarms:
        console.print(indented(Text.assemble(("! ", "bold yellow"), alarm)))


def _print_checks(result: AuditResult, console: Console) -> None:
    """Print checks by metrics: as many metrics beside each other as the width allows."""
    per_block = max(1, (console.width - NARROW_CHECK_WIDTH) // (CELL_WIDTH + 1))
    n_blocks = -(-len(result.metrics) // per_block)
    size = -(-len(result.metrics) // n_blocks) if n_blocks else 1  # blocks of even size read best
    for start in range(0, len(result.metrics), size):
        if start:
            console.print()
        _print_check_block(result, result.metrics[start : start + size], console)


def _print_check_block(result: AuditResult, metrics: Sequence[MetricResult], console: Console) -> None:
    check_width = CHECK_WIDTH
    cell_width = (console.width - check_width) // len(metrics) - 1
    if cell_width < NOTED_CELL_WIDTH:
        check_width = NARROW_CHECK_WIDTH
        cell_width = (console.width - check_width) // len(metrics) - 1
    cell_width = min(cell_width, ONE_LINE_CELL_WIDTH)
    headers = [Text("\n".join(fold_name(metric.metric, cell_width)), style="bold") for metric in metrics]
    header = _fixed_grid(check_width, cell_width, len(metrics))
    header.add_row(Text("verdict, effect,\n[papers' rule]", style="dim"), *headers)
    console.print(header)
    for group, names in group_checks(measured_checks(result.metrics)).items():
        console.print(Text(group_title(*group), style="bold cyan"))
        grid = _fixed_grid(check_width, cell_width, len(metrics))
        for name in names:
            cells = [_cell(_row_of(metric, name), cell_width) for metric in metrics]
            grid.add_row(Text(check_title(name)), *cells)
        console.print(grid)


def _fixed_grid(check_width: int, cell_width: int, n_metrics: int) -> Table:
    """Return a grid of fixed widths, so that one family's columns stand under another's."""
    grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=True)
    grid.add_column(width=check_width - 1)
    for _ in range(n_metrics):
        grid.add_column(width=cell_width, no_wrap=True)
    return grid


def _row_of(metric: MetricResult, check: str) -> CheckRow | None:
    return next((row for row in metric.checks if row.check == check), None)


def _cell(row: CheckRow | None, width: int) -> Text:
    """Show the verdict with its note, and the effect with the papers' own verdict: on one to three lines."""
    if row is None:
        return Text("not run", style=STYLES["none"])
    word = verdict_word(row)
    cell = Text(str(word), style=STYLES[word.tone])
    if row.note is not None:
        note = NOTES[row.note].word
        beside = f", {note}"
        fits = width >= max(NOTED_CELL_WIDTH, len(cell.plain) + len(beside))
        cell.append(beside if fits else f"\n({note})", style="not bold")
    if row.effect is not None:
        alike = f"{STATES[State.DETERMINISTIC].mark} " if row.state is State.DETERMINISTIC else ""
        parity = f" [{row.parity_verdict[0].upper()}]" if row.parity_verdict else ""
        cell.append(" " if width >= ONE_LINE_CELL_WIDTH and row.note is None else "\n")
        cell.append(f"{alike}{format_effect(row.effect)}{parity}", style="default not bold")
    return cell


def _print_legend(result: AuditResult, console: Console) -> None:
    """Explain the words that occur in this result, and no others."""
    entries = legend(replace(result, metrics=tuple(measured_checks(result.metrics))))
    print_terms([(entry.term, entry.meaning) for entry in entries], console)


def _correlations(result: AuditResult, width: int) -> Table:
    """Show the mean over rating dimensions at each level, beside it the human ceiling within tasks."""
    table = plain_table()
    table.add_column("metric", no_wrap=True)
    for title in LEVEL_TITLES.values():
        table.add_column(title, no_wrap=True)
    table.add_column("human ceiling\nwithin task", no_wrap=True)
    one_line = width >= WIDE
    for metric in result.metrics:
        rows = {row.level: row for row in metric.correlation if row.dimension == "mean"}
        within = rows.get("within_task")
        table.add_row(
            Text("\n".join(fold_name(metric.metric, max(NAME_WIDTH, width - (77 if one_line else 59))))),
            *(_correlation_cell(rows.get(level), one_line=one_line) for level in LEVEL_TITLES),
            Text(format_number(None if within is None else within.ceiling)),
        )
    return table


def _correlation_cell(row: CorrelationRow | None, *, one_line: bool) -> Text:
    if row is None:
        return Text("not measured", style=STYLES["none"])
    if row.rho is None:
        return Text("undefined", style=STYLES["none"])
    gap = " " if one_line else "\n"
    return Text(f"{format_effect(row.rho)}{gap}{format_interval(row.low, row.high)}")


def _print_unmeasured_in_short(result: AuditResult, console: Console) -> None:
    """Say how many checks are missing for which reason; a metric without any score has said why above."""
    scored = tuple(metric for metric in result.metrics if not has_no_score(metric))
    entries = find_unmeasured(replace(result, metrics=scored), texts=False)
    if not entries:
        return
    console.print()
    console.print("Not measured:")
    for entry in entries:
        n = len(entry.what)
        what = f"each of {n} checks" if n > NAMED_CHECKS else ", ".join(entry.what)
        whose = f" ({', '.join(entry.metrics)})" if entry.metrics else ""
        console.print(bullet(f"{what}: {entry.why}{whose}"))


def _print_unmeasured(result: AuditResult, console: Console) -> None:
    entries = find_unmeasured(result)
    if not entries:
        return
    print_section(console, "What could not be measured, and why")
    for entry in entries:
        whose = f" ({', '.join(entry.metrics)})" if entry.metrics else ""
        console.print(bullet(f"{', '.join(entry.what)}: {entry.why}{whose}"))
