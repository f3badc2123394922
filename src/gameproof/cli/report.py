"""``gameproof report``: the page of a run."""

from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_json

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("report")(report)


def report(
    run: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN...",
            help="The folder of a run, as `gameproof audit` leaves it; several are put side by side. That of a "
            "`gameproof attack` on the same data becomes a section.",
        ),
    ],
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where the report goes; the ending decides what it is: .html, .md (Markdown), .tex (the papers' "
            "tables), .csv (the checks) or .json (all tables).",
            show_default="RUN/report.html",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    tables: Annotated[
        str | None,
        typer.Option(
            "--tables",
            metavar="FOLDER",
            help="Write every table as a file of its own, CSV and LaTeX, into this folder.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            metavar="",
            help="Put the papers' values beside those measured, where data set, metric and check are the same.",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Write the report of a run again, or one report of several runs.

    One HTML file that needs no network, or Markdown, or tables for LaTeX, spreadsheets and programs.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

    path = _bridge.run(aio.report(run, out=out, tables=tables, published=published))
    if json:
        print_json({"report": str(path)})
    else:
        typer.echo(str(path))
