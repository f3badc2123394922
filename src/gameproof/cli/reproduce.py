"""``gameproof reproduce``: the papers' tables, as far as they can be recomputed here."""

from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress

if TYPE_CHECKING:
    from gameproof.reports.tables import Table

__all__ = ["register"]

EXAMPLES = """[bold]Examples[/bold]

gameproof reproduce

gameproof reproduce summeval:summeval/ scitldr:SciTLDR-A/test.jsonl pubmed:test.txt -o reproduced.md"""

HEADINGS = {
    "summary": "Recomputed from printed values alone",
    "recomputed": "Those that are not equal",
    "our_rule": "The printed manipulations of Scoring Rules! by our rule: resistance has to be shown",
    "measured": "On the data given, beside the printed values",
    "levels": "Reader tests on the data given: rho, M against each text that may have been the paper's reference",
    "signs": "Signs of rho that come out as published",
    "not_reproduced": "Not reproduced here, and why",
}
SHORT = {"Scoring Rules!, ": "SR ", "Information Satisfaction, ": "IS "}
LEGEND = """
SR is Scoring Rules! (arXiv:2608.01423), IS Information Satisfaction (arXiv:2608.14457).
paper: no significant increase. ours: a gain above .10 is excluded, and a loss is seen on the same data."""
COLUMNS = {
    "recomputed": ("table", "what", "published", "ours", "close", "detail"),
    "measured": ("what", "published", "ours", "difference", "close"),
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reproduce", epilog=EXAMPLES)(reproduce)


def reproduce(
    data: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DATA...]",
            help="Data sets of the tables as NAME:FILE or NAME:FOLDER: summeval, space, lfqa_e ... for Scoring Rules!, arxiv, "
            "pubmed, scitldr and elife for Information Satisfaction. Without any, what needs no data.",
            show_default=False,
        ),
    ] = None,
    *,
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="N",
            min=1,
            help="Of each rated set draw N texts at random, two to four of a task where there are more; all by default. "
            "The paper drew about 200.",
            show_default=False,
            rich_help_panel=options.DATA_PANEL,
        ),
    ] = None,
    seed: options.Seed = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write all of it to a .md or .json file.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Recompute the papers' tables, as far as that can be done here.

    Flags from printed effects, shares from counts, a regression's z and p from its coefficients: these need no data.

    On data sets that you have, metrics that count words are measured anew, and stand beside the printed values. What is
    left is counted, with the reason.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
    from gameproof.reports.reproduce import as_records, reproduction_tables  # noqa: PLC0415

    with show_progress(quiet=quiet or json) as progress:
        found = _bridge.run(
            aio.reproduce(data or [], sample=sample, seed=seed or 0, out=out, progress=progress)
        )
    if json:
        print_json(as_records(found))
    else:
        for name, table in reproduction_tables(found).items():
            _print(name, table)
        say(LEGEND)
        for note in found.notes:
            say(f"note: {note}")
    if out is not None:
        say(f"All of it: {out}")


def _print(name: str, table: "Table") -> None:
    rows = table.records()
    if name == "recomputed":
        rows = [row for row in rows if row["close"] != "equal"]
    if not rows:
        return
    for row in rows:
        for paper, short in SHORT.items():
            row.update({"table": str(row["table"]).replace(paper, short)} if "table" in row else {})
    stdout_console().print(f"\n{HEADINGS[name]}", style="bold")
    print_rows(rows, COLUMNS.get(name, table.columns))
