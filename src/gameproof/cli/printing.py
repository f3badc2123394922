"""Put data on standard output and talk on standard error."""

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from gameproof.errors import GameproofError
from gameproof.reports.printable import printable

if TYPE_CHECKING:
    from rich.console import Console

__all__ = [
    "LINE",
    "lay_out_terms",
    "print_cards",
    "print_entries",
    "print_error",
    "print_json",
    "print_json_lines",
    "print_rows",
    "say",
    "stdout_console",
]

LINE = 80  # columns of what is told beside a table, also where it goes to a file


def stdout_console() -> "Console":
    """Return where human tables go; its width is the terminal's, or 80 columns."""
    from rich.console import Console  # noqa: PLC0415 - `--help` does not need it

    class Stdout(Console):
        """Leaves a closed pipe to the program: rich would end it with the exit code of a bug."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Stdout(highlight=False, soft_wrap=False)


def say(text: str) -> None:
    """Tell the user something that is not data."""
    typer.echo(_fold(printable(text)), err=True)


def lay_out_terms(terms: Sequence[tuple[str, str]]) -> str:
    """Return what words mean as lines of at most 80 columns, the meanings under each other.

    Example:
        >>> print(lay_out_terms([("p", "of chance"), ("AUC", "area under the curve")]))
        p    of chance
        AUC  area under the curve
    """
    indent = max(len(term) for term, _ in terms) + 2
    return "\n".join(
        textwrap.fill(
            meaning,
            LINE,
            initial_indent=term.ljust(indent),
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for term, meaning in terms
    )


def print_error(error: GameproofError) -> None:
    """Print what went wrong and what to do next."""
    typer.secho("Error: ", fg="red", bold=True, nl=False, err=True)
    typer.echo(_fold(printable(error.message), first=len("Error: ")), err=True)
    if error.hint:
        typer.echo(f"\n{_fold(printable(error.hint))}", err=True)


def print_json(value: object) -> None:
    """Print one JSON value, in UTF-8 whatever the locale."""
    _write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False))


def print_json_lines(rows: Iterable[Mapping[str, object]]) -> None:
    """Print one JSON object per line, as the rows come."""
    for row in rows:
        _write(json.dumps(row, ensure_ascii=False, allow_nan=False))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines of plain text, as data."""
    for line in lines:
        typer.echo(printable(line))


def print_rows(rows: Sequence[Mapping[str, object]], columns: Sequence[str]) -> None:
    """Print rows of plain values as a table; long texts wrap inside their column, numbers never."""
    from rich import box  # noqa: PLC0415 - `--help` does not need it
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), pad_edge=False)
    console = stdout_console()
    for place, column in enumerate(columns):
        values = [row.get(column) for row in rows]
        name = place == 0 and max((len(_text(value)) for value in values), default=0) <= console.width // 2
        table.add_column(column, overflow="fold", no_wrap=name or _all_numbers(values))
    for row in rows:
        table.add_row(*(Text(printable(_text(row.get(column)))) for column in columns))
    console.print(table)


def print_entries(rows: Sequence[Mapping[str, object]], name: str) -> None:
    """Print a catalogue: the name on the left, the summary on the right, everything else below it."""
    from rich.table import Table  # noqa: PLC0415 - `--help` does not need it
    from rich.text import Text  # noqa: PLC0415

    grid = Table.grid(padding=(0, 2, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for row in rows:
        rest = [_text(value) for key, value in row.items() if key not in {name, "summary"} and value]
        text = Text(printable(_text(row.get("summary"))))
        text.append("\n" + printable(" · ".join(rest)), style="dim")
        grid.add_row(Text(printable(_text(row.get(name))), style="bold", no_wrap=True), text)
    stdout_console().print(grid)


def print_cards(rows: Sequence[Mapping[str, object]], name: str) -> None:
    """Print a catalogue whose entries say much: the name, and below it a paragraph for each other column."""
    from rich.padding import Padding  # noqa: PLC0415 - `--help` does not need it
    from rich.text import Text  # noqa: PLC0415

    console = stdout_console()
    for row in rows:
        console.print(Text(printable(_text(row.get(name))), style="bold"))
        for key, value in row.items():
            if key != name and value:
                lines = _wrap(printable(_text(value)), console.width - 4)
                text = Text("\n".join(lines), style="" if key == "summary" else "dim", no_wrap=True)
                console.print(Padding(text, (0, 0, 0, 4), expand=False))


def _all_numbers(values: Sequence[object]) -> bool:
    return all(value is None or isinstance(value, int | float) for value in values)


def _fold(text: str, first: int = 0) -> str:
    """Break long lines at spaces where a person reads them: a terminal would tear words.

    Args:
        text: One or more lines; what a term in front of two spaces or more explains is indented below itself.
        first: Columns of the first line that are taken already.
    """
    if not sys.stderr.isatty():
        return text
    width = max(shutil.get_terminal_size().columns, 40)
    lines: list[str] = []
    for place, line in enumerate(text.split("\n")):
        taken = " " * first if place == 0 else ""
        term = re.match(r"\s*\S.{0,30}?\s{2,}|\s+", line)
        folded = textwrap.wrap(
            line,
            width,
            initial_indent=taken,
            subsequent_indent=" " * len(term.group()) if term else "",
            drop_whitespace=True,
            break_long_words=False,
            break_on_hyphens=False,
        )
        lines += [(folded[0][len(taken) :]), *folded[1:]] if len(taken + line) > width else [line]
    return "\n".join(lines)


def _wrap(text: str, width: int) -> list[str]:
    """Break a text at spaces, and a word too long for a line behind bars, so that no legal value is torn."""
    lines = [""]
    for word in re.split(r"(?<= )", text):
        pieces = [word] if len(word) <= width else re.split(r"(?<=\|)", word)
        for piece in pieces:
            if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > width:
                lines.append("")
            lines[-1] += piece
    return [line.rstrip() for line in lines]


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _write(text: str) -> None:
    # Lone surrogates cannot be written as UTF-8; as JSON escapes they can.
    data = text.encode("utf-8", "backslashreplace") + b"\n"
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
