"""What all results are put together from in a terminal: headings, bullets, terms, tables."""

from collections.abc import Iterable, Mapping, Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gameproof.reports.words import Tone

__all__ = ["STYLES", "bullet", "indented", "plain_table", "print_section", "print_terms", "text_table"]

STYLES: dict[Tone, str] = {"good": "green", "bad": "bold red", "open": "yellow", "none": "dim"}


def print_section(console: Console, title: str) -> None:
    """Print the heading of a section."""
    console.print()
    console.print(Text(title, style="bold underline"))


def bullet(text: str, style: str = "") -> Padding:
    """Return a paragraph whose further lines are indented under the first."""
    grid = Table.grid(padding=(0, 1))
    grid.add_row("•", Text(text, style=style))
    return Padding(grid, (0, 0, 0, 1))


def indented(text: Text) -> Padding:
    """Return a text four columns to the right."""
    return Padding(text, (0, 0, 0, 4))


def plain_table() -> Table:
    """Return a table with a line under its head, and no other."""
    return Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)


def text_table(rows: Sequence[Mapping[str, str]], *, folds: str | None = None) -> Table:
    """Return rows of texts as a table; no cell is broken but those of the column that folds."""
    table = plain_table()
    for column in rows[0] if rows else ():
        table.add_column(column, no_wrap=column != folds, overflow="fold")
    for row in rows:
        table.add_row(*(Text(value) for value in row.values()))
    return table


def print_terms(terms: Iterable[tuple[str, str]], console: Console) -> None:
    """Print what words mean, beside them."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    for term, meaning in terms:
        grid.add_row(Text(term, style="dim", no_wrap=True), Text(meaning, style="dim"))
    console.print(grid)
