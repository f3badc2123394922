"""``gameproof study export``: a study's data as files."""

from enum import StrEnum
from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_json, say
from gameproof.cli.study import shared

__all__ = ["export"]


class Format(StrEnum):
    """Which files."""

    ALL = "all"
    LAYOUT = "layout"
    JSONL = "jsonl"
    CSV = "csv"


def export(
    data: shared.Data,
    *,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="FOLDER", help="A new folder.", rich_help_panel=options.RUN_PANEL
        ),
    ] = "study-export",
    kind: Annotated[
        Format,
        typer.Option(
            "--format",
            metavar="KIND",
            help="layout: paper 2's users.json and results/annotator-*.json. jsonl: comparisons for `agree`. csv: tables. "
            "all of them by default.",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = Format.ALL,
    json: options.Json = False,
) -> None:
    """Write a study's data: paper 2's layout, JSON lines, CSV tables and a data dictionary.

    Readers are their random ids. What they typed about themselves is in the files: read it before you publish it.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

    files = _bridge.run(aio.export_study(data, out, kind=kind.value))
    if json:
        print_json([str(path) for path in files])
        return
    say(f"Wrote {len(files):,} files to {out}; dictionary.md says what is in them.")
