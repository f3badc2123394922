"""Show the reader tests of an audit in a terminal."""

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from gameproof.audits.result import AuditResult
from gameproof.reports.reader_tests import COLUMNS, TERMS, artefact_notes, reader_tests
from gameproof.reports.terminal_parts import bullet, plain_table, print_section, print_terms
from gameproof.reports.words import fold_name

__all__ = ["print_reader_tests"]


def print_reader_tests(result: AuditResult, console: Console) -> None:
    """Print a table for every metric that has such tests, what its words mean, and what is wrong with rho and M."""
    shown = [(metric.metric, tests) for metric in result.metrics if (tests := reader_tests(metric.checks))]
    if not shown:
        return
    print_section(console, "Reader tests, text by text, and the papers' numbers beside them")
    for name, tests in shown:
        console.print(Text("\n".join(fold_name(name, console.width)), style="bold"))
        table = plain_table()
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
    print_terms(TERMS, console)
    for note in artefact_notes(result):
        console.print(bullet(note))
