"""``gameproof doctor``: what works here."""

from dataclasses import asdict

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_json, print_rows

__all__ = ["register"]

EXAMPLES = """[bold]Examples[/bold]

gameproof doctor

gameproof doctor --llm http://localhost:8000/v1"""

WORKS = {True: "works", False: "does not", None: "unknown"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor", epilog=EXAMPLES)(doctor)


def doctor(*, llm: options.Llm = None, cache: options.Cache = None, json: options.Json = False) -> None:
    """Say what works here: optional packages, the store of model calls, a model.

    With --llm the model is asked a few short questions.

    They tell whether it answers, whether it keeps to limits and JSON schemas, and whether its log-probabilities hold.
    """
    from gameproof import _bridge  # noqa: PLC0415 - `--help` does not need them
    from gameproof.llm.doctor import examine  # noqa: PLC0415

    findings = _bridge.run(examine(llm, cache=cache))
    if json:
        print_json([asdict(finding) for finding in findings])
        return
    rows = [
        {"what": finding.probe, "state": WORKS[finding.works], "detail": finding.detail}
        for finding in findings
    ]
    print_rows(rows, ("what", "state", "detail"))
