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
        str, typer.Argument(metavar="RUN", help="The folder of a run, as `gameproof audit` leaves it.")
    ],
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where the report goes; the ending decides what it is: .html, .md (Markdown) or .csv "
            "(the checks).",
            show_default="RUN/report.html",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Write the report of a run again.

    One HTML file that needs no network, or Markdown, or the checks as CSV.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

    path = _bridge.run(aio.report(run, out=out))
    if json:
        print_json({"report": str(path)})
    else:
        typer.echo(str(path))
