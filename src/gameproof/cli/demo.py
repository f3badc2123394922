"""``gameproof demo``: an audit of five metrics on the embedded data set."""

import typer

from gameproof.cli import options
from gameproof.cli.audit import RUNS, show_result
from gameproof.cli.printing import say
from gameproof.cli.progress import show_progress

__all__ = ["METRICS", "register"]

METRICS = (
    "length",
    "rougeL",
    "chrf",
    "TV+fvar+statement+overlap",
    "KL+direct+statement+overlap",
)
FOLDER = f"{RUNS}/demo"

INTRODUCTION = """\
An audit of five metrics on the embedded data set: no network, no key, no model.

Its texts are made from tables of facts, so it is known what each of them is worth. Its ratings are
planted: computed from those facts with noise, not given by people. The demo therefore shows what an
audit finds; it does not say which metric is best on real texts.
"""
CLOSING = "This was a demonstration, so the command itself ends with exit code 0."


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    *,
    out: options.Out = None,
    force: options.Force = False,
    verbose: options.Verbose = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Audit five metrics on the embedded data set.

    Needs no network, no key and no model, and takes less than a minute.
    """
    say(INTRODUCTION)
    folder = out or FOLDER
    with show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
        from gameproof.datasets.catalogue import load_dataset  # noqa: PLC0415

        result = _bridge.run(
            aio.audit(load_dataset("planted"), METRICS, out=folder, force=force, progress=progress)
        )
    show_result(result, folder=folder, json=json, details=verbose)
    say(CLOSING)
