"""Show what attacks found in a terminal, with and without colour."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from gameproof.attacks.result import AttackResult, Attacks, Example
from gameproof.reports import attack as tables
from gameproof.reports.attack_words import ATTACK_VERDICTS, explain_attack_exit, terms_of
from gameproof.reports.html.differences import mark_differences
from gameproof.reports.printable import printable
from gameproof.reports.terminal_parts import (
    STYLES,
    bullet,
    plain_table,
    print_section,
    print_terms,
    text_table,
)
from gameproof.reports.words import NOTHING, fold_name, format_number

__all__ = ["print_attacks"]

MOST_MOVES = 5
MOST_SHOWN = 200  # characters of a text
BESIDE_NAME = 58  # columns that the verdicts take beside a metric's name
NAME_WIDTH = 12


def print_attacks(found: Attacks, console: Console, *, report: str | None = None) -> None:
    """Print everything: details first, so that the verdicts are what stays on the screen.

    Args:
        found: The attacks of a run.
        console: Where to print; its width decides the layout.
        report: Path of the page, where one was written.
    """
    console.print(
        Text(
            f"Attack on {len(found.results):,} {'metric' if len(found.results) == 1 else 'metrics'} · ",
            style="bold",
        )
        + Text(f"{printable(found.data)} · seed {found.seed}", style="bold")
    )
    for note in found.notes:
        console.print(bullet(printable(note), "yellow"))
    columns: list[str] = []
    for result in found.results:
        columns += _print_one(result, console)
    print_section(console, "How to read this")
    print_terms(terms_of(columns), console)
    print_section(console, "Verdicts")
    _print_verdicts(found, console)
    console.print()
    if report is not None:
        console.print(Text.assemble(("Report: ", "bold"), report), soft_wrap=True)
    console.print(Text(printable(explain_attack_exit(found)), style="bold"))


def _print_one(result: AttackResult, console: Console) -> list[str]:
    """Print the details of one attack; return the columns of its tables."""
    print_section(console, printable(result.metric))
    console.print(Text(printable(tables.about(result)), style="dim"))
    columns: list[str] = []
    parts: dict[str, Sequence[Mapping[str, str]]] = {
        "What each budget buys": tables.budget_rows(result),
        "Moves in the winning texts": tables.move_rows(result, MOST_MOVES),
        "Texts that say nothing, and orders to a judge (the worst of each kind)": tables.probe_rows(
            result, short=True
        ),
        "The best of n texts by the metric, with no attack at all": tables.curve_rows(result.goodhart),
    }
    for title, rows in parts.items():
        if rows:
            console.print()
            console.print(Text(title, style="bold cyan"))
            console.print(text_table(rows, folds="text"))
            columns += rows[0]
    console.print(Text(printable(tables.goodhart_sentence(result.goodhart))))
    console.print()
    console.print(Text("One addition for all texts", style="bold cyan"))
    console.print(Text(tables.universal_sentence(result.universal)))
    if result.examples:
        console.print()
        console.print(Text("The text that gained most where it was measured", style="bold cyan"))
        console.print(_example(result.examples[0]))
    for note in tables.attack_notes(result):
        console.print(bullet(printable(note), "yellow"))
    return columns


def _example(example: Example) -> Padding:
    """Show a text beside the one it was made of; long unchanged stretches are left out."""
    grid = Table.grid(padding=(0, 2, 0, 0))
    before, after = mark_differences(tables.one_line(example.original), tables.one_line(example.attacked))
    moved = ", ".join(
        f"{name} {' → '.join(format_number(value) for value in values)}"
        for name, values in (("metric", example.metric), ("quality", example.quality))
    )
    grid.add_row(Text("item", style="dim"), Text(f"{printable(example.item)}: {moved}"))
    grid.add_row(Text("moves", style="dim"), Text(printable(tables.counted(example.moves))))
    for name, excerpt in (("original", before), ("attacked", after)):
        text = Text()
        for piece in excerpt.pieces:
            text.append(piece.text, style="bold" if piece.kind == "changed" else "")
        if excerpt.cut or len(text) > MOST_SHOWN:
            text.truncate(MOST_SHOWN)
            text.append("…")
        grid.add_row(Text(name, style="dim"), text)
    return Padding(grid, (0, 0, 0, 1))


def _print_verdicts(found: Attacks, console: Console) -> None:
    table = plain_table()
    for column in ("metric", "verdict", "gap [95%]", "enough", "strongest move"):
        table.add_column(column, no_wrap=column != "strongest move", overflow="fold")
    width = max(NAME_WIDTH, console.width - BESIDE_NAME)
    for result in found.results:
        word = ATTACK_VERDICTS[result.verdict]
        smallest, move = result.smallest_gamed, next(iter(result.moves), None)
        table.add_row(
            Text("\n".join(fold_name(printable(result.metric), width))),
            Text(str(word), style=STYLES[word.tone]),
            Text(tables.gap_words(result) or NOTHING),
            Text(NOTHING if smallest is None else f"{smallest:,}"),
            Text(NOTHING if move is None else printable(f"{move.move} {move.share:.0%}")),
        )
    console.print(table)
    console.print()
    verdicts = {result.verdict for result in found.results}
    words = [(str(word), word.meaning) for verdict, word in ATTACK_VERDICTS.items() if verdict in verdicts]
    print_terms(
        [*words, ("enough", "the smallest budget of scored proposals at which gaming is shown")], console
    )
    console.print()
    for result in found.results:
        word = ATTACK_VERDICTS[result.verdict]
        console.print(
            Text.assemble(
                (f"{word.mark or '?'} ", STYLES[word.tone]),
                (printable(result.metric), "bold"),
                f": {printable(tables.conclusion(result))}",
            )
        )
