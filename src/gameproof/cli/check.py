"""``gameproof check``: the statistics of a run again, without scoring anything."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.audit import show_result
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

__all__ = ["Run", "register"]

Run = Annotated[
    str, typer.Argument(metavar="RUN", help="The folder of a run, as `gameproof audit` leaves it.")
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("check")(check)


def check(
    run: Run,
    *,
    margin: options.Margin = None,
    gate: Annotated[
        str | None,
        typer.Option(
            "--gate",
            metavar="METRIC",
            help="Let only this metric decide the exit code, as with `gameproof audit`.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Do the statistics of a run again.

    Nothing is scored; the margin may be another one. The result and the report
    in the folder are written again: copy the folder first to keep both.

    The exit code is that of `gameproof audit`; a gate is named again.
    """
    with show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        if gate is not None:
            from gameproof.aio.reported import read_result  # noqa: PLC0415

            _refuse_unknown(gate, [metric.metric for metric in read_result(Path(run)).metrics])
        result = _bridge.run(aio.check(run, margin=margin, progress=progress))
    raise typer.Exit(show_result(result, folder=run, gate=gate, json=json))


def _refuse_unknown(gate: str, audited: Sequence[str]) -> None:
    if gate not in audited:
        raise PlanError(f"--gate {gate!r} is not one of the metrics of this run: {', '.join(audited)}.")
