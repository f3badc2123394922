"""``gameproof list``: the catalogues."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_cards, print_entries, print_json, print_rows, say

__all__ = ["register"]


class Kind(StrEnum):
    """A catalogue."""

    METRICS = "metrics"
    PERTURBATIONS = "perturbations"
    DIVERGENCES = "divergences"
    CELLS = "cells"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("list")(list_)


def list_(
    kind: Annotated[
        Kind,
        typer.Argument(
            metavar="KIND", help="metrics, perturbations, divergences or cells.", show_default=False
        ),
    ],
    *,
    json: options.Json = False,
) -> None:
    """Show metrics, perturbations, divergences or cells."""
    from gameproof.reports.catalogues import list_catalogue  # noqa: PLC0415 - `--help` does not need it

    table = list_catalogue(kind.value)
    if json:
        print_json(table.records())
    elif kind is Kind.METRICS:
        print_cards([_with_cost(row) for row in table.records()], table.columns[0])
        say("\nThe first value of an option is its default. Write: rougeL,refs=max,stem=true")
    elif "summary" in table.columns:
        print_entries(table.records(), table.columns[0])
    else:
        rows = [_marked(row) if kind is Kind.CELLS else row for row in table.records()]
        print_rows(rows, [column for column in table.columns if column != "here"])
        if kind is Kind.CELLS:
            say("\n* not in this version. The predictor oracle asks a language model: --llm MODEL")


def _with_cost(row: Mapping[str, object]) -> dict[str, object]:
    """Put what a metric needs and what it costs on one line."""
    shown = " · ".join(str(row[key]) for key in ("needs", "cost") if row[key])
    return {key: shown if key == "needs" else value for key, value in row.items() if key != "cost"}


def _marked(row: Mapping[str, object]) -> dict[str, object]:
    """Mark a cell that this version cannot score: a column of its own would not fit 80 columns."""
    return {**row, "predictor": f"{row['predictor']}{'' if row['here'] == 'yes' else '*'}"}
