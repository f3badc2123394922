"""Show the reader tests of an audit in a terminal."""

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gameproof.audits.result import AuditResult
from gameproof.reports.reader_tests import COLUMNS, TERMS, artefact_notes, reader_tests
from gameproof.reports.words import fold_name

__all__ = ["print_reader_tests"]


def print_reader_tests(result: AuditResult, console: Console) -> None:
    """Print a table for every metric that has such tests, what its words mean, and what is wrong with rho and M."""
    shown = [(metric.metric, tests) for metric in result.metrics if (tests := reader_tests(metric.checks))]
    if not shown:
        return
    console.print()
    console.print(
        Text("Reader tests, text by text, and the papers' numbers beside them", style="bold underline")
    )
    for name, tests in shown:
        console.print(Text("\n".join(fold_name(name, console.width)), style="bold"))
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
        for column in COLUMNS:
            table.add_column(column, no_wrap=True, justify="right" if column in {"rho", "M"} else "left")
        for test in tests:
            table.add_row(*test.cells)
        console.print(table)
        for test in tests:
            for remark in test.remarks:
                line = Text.assemble((f"{test.cells[0]} ", "dim"), remark)
                console.print(Padding(line, (0, 0, 0, 1)))
        console.print()
    terms = Table.grid(padding=(0, 2, 0, 0))
    for term, meaning in TERMS:
        terms.add_row(Text(term, style="dim", no_wrap=True), Text(meaning, style="dim"))
    console.print(terms)
    for note in artefact_notes(result):
        notes = Table.grid(padding=(0, 1))
        notes.add_row("•", Text(note))
        console.print(Padding(notes, (0, 0, 0, 1)))
