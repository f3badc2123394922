"""``gameproof check``: the statistics of a run again, without scoring anything."""

from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.audit import GatedCommand, show_result
from gameproof.cli.progress import show_progress

__all__ = ["Run", "register"]

Run = Annotated[
    str, typer.Argument(metavar="RUN", help="The folder of a run, as `gameproof audit` leaves it.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check", cls=GatedCommand)(check)


def check(
    run: Run,
    *,
    margin: options.Margin = None,
    gate: Annotated[
        str | None,
        typer.Option(
            "--gate",
            metavar="[METRIC]",
            help="Let only this metric decide the exit code; alone, all of them decide.",
            show_default="as in the audit",
        ),
    ] = None,
    verbose: options.Verbose = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Do the statistics of a run again.

    Nothing is scored; the margin may be another one. The result and the report
    in the folder are written again: copy the folder first to keep both.

    The exit code is that of `gameproof audit`, decided by the same metrics unless --gate
    names others.
    """
    with show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        result = _bridge.run(aio.check(run, margin=margin, gate=gate, progress=progress))
    raise typer.Exit(show_result(result, folder=run, json=json, details=verbose))
