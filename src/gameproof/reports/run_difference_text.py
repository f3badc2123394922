"""Show the difference of two runs in a terminal and as Markdown."""

import io
from collections.abc import Sequence
from typing import cast

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gameproof.audits.run_difference_result import CheckChange, CorrelationChange, MetricChange, RunDifference
from gameproof.reports.explain import run_sentence
from gameproof.reports.markdown_text import markdown_table, safe_markdown
from gameproof.reports.printable import printable
from gameproof.reports.run_difference_words import (
    CHANGES,
    changes_of,
    difference_headline,
    exit_sentence,
    metric_line,
    pairing_lines,
    verdict_after,
    verdict_before,
)
from gameproof.reports.terminal_parts import STYLES
from gameproof.reports.words import (
    LEVEL_TITLES,
    Word,
    check_title,
    format_effect,
    format_interval,
    format_pvalue,
)

__all__ = ["difference_markdown", "difference_text", "print_difference", "shown_checks"]

ALPHA = 0.05  # from here on a difference counts as shown
CHECK_HEAD = ("check", "before", "after", "difference", "95% interval", "p (Holm)")
CORRELATION_HEAD = ("correlation, mean over dimensions", "before", "after", "difference", "95% interval")


def print_difference(difference: RunDifference, console: Console) -> None:
    """Print what changed; the conclusion comes last, so that it stays on the screen."""
    console.print(Text(f"before: {printable(run_sentence(difference.before))}", style="dim"))
    console.print(Text(f"after:  {printable(run_sentence(difference.after))}", style="dim"))
    for note in difference.notes:
        console.print(Text(f"• {printable(note)}", style="yellow"))
    for what, names in pairing_lines(difference):
        console.print(Text(f"{what}: {printable(names)}"))
    for metric in difference.metrics:
        console.print()
        console.print(Text(printable(metric_line(metric)), style="bold"))
        console.print(_properties(metric))
        checks = shown_checks(metric)
        if checks:
            console.print(_grid(CHECK_HEAD, [_check_cells(check) for check in checks]))
        rows = _means(metric.correlations)
        if rows:
            console.print(_grid(CORRELATION_HEAD, [_correlation_cells(row) for row in rows]))
    console.print()
    console.print(Text(f"{printable(difference_headline(difference))}.", style="bold"))
    console.print(Text(exit_sentence(difference)))


def difference_text(difference: RunDifference, width: int = 100) -> str:
    """Return what `print_difference` prints, as plain text."""
    console = Console(file=io.StringIO(), width=width, color_system=None, highlight=False)
    print_difference(difference, console)
    text = cast("io.StringIO", console.file).getvalue()
    return "\n".join(line.rstrip() for line in text.splitlines())


def difference_markdown(difference: RunDifference) -> str:
    """Return what changed as Markdown, for a pull request."""
    parts = [
        f"# {safe_markdown(printable(difference_headline(difference)))}",
        exit_sentence(difference),
        "\n".join(
            f"- {which}: {safe_markdown(printable(run_sentence(run)))}"
            for which, run in (("before", difference.before), ("after", difference.after))
        ),
        *(f"> {safe_markdown(printable(note))}" for note in difference.notes),
        "\n".join(
            f"- {what}: {safe_markdown(printable(names))}" for what, names in pairing_lines(difference)
        ),
    ]
    for metric in difference.metrics:
        parts.append(f"## {safe_markdown(printable(metric.metric))}")
        parts.append(safe_markdown(printable(metric_line(metric))))
        rows = [
            [name, str(before), str(after), str(change)] for name, before, after, change in changes_of(metric)
        ]
        parts.append(markdown_table(["property", "before", "after", ""], rows))
        checks = shown_checks(metric)
        if checks:
            parts.append(
                markdown_table(CHECK_HEAD, [[str(cell) for cell in _check_cells(one)] for one in checks])
            )
        correlations = _means(metric.correlations)
        if correlations:
            parts.append(markdown_table(CORRELATION_HEAD, [_correlation_cells(row) for row in correlations]))
    return "\n\n".join(parts) + "\n"


def shown_checks(metric: MetricChange) -> list[CheckChange]:
    """Return the checks that are worth a line: another verdict, or a difference that is shown."""
    return [
        check
        for check in metric.checks
        if check.change != "same"
        or check.verdict_before != check.verdict_after
        or (check.pvalue_adjusted is not None and check.pvalue_adjusted <= ALPHA)
    ]


def _means(rows: Sequence[CorrelationChange]) -> list[CorrelationChange]:
    return [row for row in rows if row.dimension == "mean" and row.difference is not None]


def _check_cells(check: CheckChange) -> list[str | Word]:
    before, after = verdict_before(check), verdict_after(check)
    return [
        printable(check_title(check.check)),
        f"{before} {format_effect(check.effect_before)}",
        f"{after} {format_effect(check.effect_after)}",
        format_effect(check.difference) if check.difference is not None else (check.detail or "not paired"),
        format_interval(check.low, check.high),
        format_pvalue(check.pvalue_adjusted),
    ]


def _correlation_cells(row: CorrelationChange) -> list[str]:
    return [
        LEVEL_TITLES.get(row.level, row.level),
        format_effect(row.before),
        format_effect(row.after),
        format_effect(row.difference),
        format_interval(row.low, row.high),
    ]


def _properties(metric: MetricChange) -> Table:
    table = _plain(("property", "before", "after", ""))
    for name, before, after, change in changes_of(metric):
        table.add_row(
            name,
            _styled(before),
            _styled(after),
            _styled(change) if change is not CHANGES["same"] else Text(""),
        )
    return table


def _grid(head: Sequence[str], rows: Sequence[Sequence[str | Word]]) -> Table:
    table = _plain(head)
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


def _plain(head: Sequence[str]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0), pad_edge=False)
    for name in head:
        table.add_column(name)
    return table


def _styled(word: Word) -> Text:
    return Text(str(word), style=STYLES[word.tone])
