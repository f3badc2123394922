"""The command line: puts the commands together."""

import io
import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gameproof._version import __version__
from gameproof.cli import (
    agree,
    attack,
    audit,
    cache,
    calibration,
    check,
    compare,
    data,
    demo,
    doctor,
    judge_pairs,
    list_,
    optimise,
    perturb,
    power,
    prefer,
    references,
    report,
    reproduce,
    score,
    sensitivity,
    settle,
    study,
    sweep,
    variance,
)
from gameproof.cli.bad_values import explain_bad_value
from gameproof.cli.printing import print_error, say
from gameproof.errors import GameproofError, RunFolderError

__all__ = ["app", "main"]

INTERRUPTED = 130  # 128 + SIGINT, as shells have it
PIPE_CLOSED = 141  # 128 + SIGPIPE
ISSUES = "the issue tracker of gameproof"


class _Commands(TyperGroup):
    """Turns what a command raises into a message and an exit code."""

    # Any: the class of a context is not the same in all versions of typer
    def invoke(self, ctx: Any) -> object:
        try:
            return super().invoke(ctx)
        except GameproofError as error:
            print_error(error)
            raise typer.Exit(error.exit_code) from error
        except typer.BadParameter as error:
            error.message = explain_bad_value(error)
            raise
        except KeyboardInterrupt as error:
            say(
                "Stopped. What models have answered is kept, and what functions with a version have scored in an audit: "
                "the same command goes on from there."
            )
            raise typer.Exit(INTERRUPTED) from error
        except BrokenPipeError as error:
            # Whoever read the output has left. Python flushes again when it ends: let it flush into nothing.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from error
        except OSError as error:
            from gameproof.files.atomic import FULL_DISK, writing_error  # noqa: PLC0415 - `--help` does not need it

            if error.errno not in FULL_DISK:
                raise
            # Files name themselves; what is left is the output: `gameproof list metrics > FILE`.
            print_error(writing_error(Path("the output"), error))
            raise typer.Exit(RunFolderError.exit_code) from error


app = typer.Typer(
    name="gameproof",
    cls=_Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Tell whether a text metric can be trusted as a target.\n\n"
    "A metric has to agree with people's ratings, see when a text gets worse, and refuse to pay for tricks. "
    "Start with `gameproof demo`; then `gameproof audit DATA -m METRIC` on your own rated texts.",
    epilog="Exit codes: 0 fine or trusted, 1 a bug, 2 your input, 3 a verdict failed, 4 inconclusive.",
)

for command in (
    demo,
    audit,
    attack,
    agree,
    score,
    perturb,
    check,
    report,
    compare,
    power,
    prefer,
    sweep,
    variance,
    calibration,
    references,
    settle,
):
    command.register(app)
for command in (judge_pairs, sensitivity, optimise, reproduce):
    command.register(app)
study.register(app)
list_.register(app)
data.register(app)
doctor.register(app)
cache.register(app)


def _print_version(value: bool) -> None:
    if value:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            metavar="",
            help="Print the version and stop.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    del version  # its callback has already printed it


def main() -> None:
    """Run the command line, and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows another one
    try:
        app()
    except Exception as error:  # noqa: BLE001 - the last stop before a traceback
        if os.environ.get("GAMEPROOF_DEBUG"):
            traceback.print_exc()
        say(
            f"Error: gameproof {__version__} met a bug: {type(error).__name__}: {error}\n\n"
            f"Please report it to {ISSUES}, with the command and what GAMEPROOF_DEBUG=1 prints before it."
        )
        sys.exit(1)
