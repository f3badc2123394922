"""``gameproof compare``: what changed between two runs."""

from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_json, say, stdout_console
from gameproof.errors import PlanError

__all__ = ["parse_pairs", "register"]

SEPARATOR = "::"

EXAMPLES = """[bold]Examples[/bold]

gameproof compare runs/main runs/branch

gameproof compare runs/a runs/b --pair judge::judge,scale=5 -o changes.html"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare", epilog=EXAMPLES)(compare)


def compare(
    before: Annotated[
        str,
        typer.Argument(metavar="RUN", help="The folder of the first run, as `gameproof audit` leaves it."),
    ],
    after: Annotated[str, typer.Argument(metavar="RUN", help="The folder of the second run.")],
    *,
    pair: Annotated[
        list[str] | None,
        typer.Option(
            "--pair",
            metavar="OLD::NEW",
            help="Take two metrics of different names for one, before and after. Repeat it for more. Where each run "
            "has one metric that the other lacks, and both are of a kind (judge and judge,scale=5; two functions of one "
            "module), these two are taken.",
            show_default=False,
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write one page as well; the ending decides what it is: .html, .md (Markdown) or .json.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Say what changed between two runs.

    Which verdicts changed, and how effects and correlations differ on the texts that both runs scored.

    The exit code is 0 if nothing that was shown before is lost, 3 if a trusted metric no longer is, or a property fails
    that did not fail before, and 4 if something can no longer be shown.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
    from gameproof.reports.run_difference_json import difference_record  # noqa: PLC0415
    from gameproof.reports.run_difference_text import print_difference  # noqa: PLC0415
    from gameproof.reports.run_difference_words import exit_sentence  # noqa: PLC0415

    difference = _bridge.run(aio.compare(before, after, pairs=parse_pairs(pair or []), out=out))
    if json:
        print_json(difference_record(difference))
        say(exit_sentence(difference))
    else:
        print_difference(difference, stdout_console())
        if out is not None:
            typer.echo(f"Page: {out}")
    raise typer.Exit(difference.exit_code)


def parse_pairs(texts: list[str]) -> list[tuple[str, str]]:
    """Read pairs of names.

    Example:
        >>> parse_pairs(["judge::judge,scale=5"])
        [('judge', 'judge,scale=5')]
    """
    pairs: list[tuple[str, str]] = []
    for text in texts:
        old, separator, new = text.partition(SEPARATOR)
        if not separator or not old or not new:
            raise PlanError(
                f"--pair {text!r} does not name two metrics: write the name before, {SEPARATOR!r}, and the name after.",
                hint="For example --pair judge::judge,scale=5",
            )
        pairs.append((old, new))
    return pairs
