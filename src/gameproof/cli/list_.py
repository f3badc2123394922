"""``gameproof list``: the catalogues."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_cards, print_entries, print_json, print_rows, say
from gameproof.errors import PlanError

if TYPE_CHECKING:
    from gameproof.reports.tables import Table

__all__ = ["register"]


CELLS_LEGEND = """
A cell is DIVERGENCE+ESTIMATOR+REPRESENTATION+PREDICTOR; these are all the legal ones.
direct scores a pair by its density ratio, fvar against references of other tasks.
token, statement and report are what a reference is taken apart into.
autoreg and nli run a model on this machine, oracle asks a language model (--llm), overlap counts words.
Options follow as ,key=value: `gameproof list options`. Published metrics have names: `gameproof list presets`."""


PUBLISHED_LEGEND = """
Values: gameproof list published --table p1_table10 --metric ROUGE-L --data SummEval
SR is Scoring Rules! (arXiv:2608.01423), IS Information Satisfaction (arXiv:2608.14457).
They stand beside measured ones in `gameproof report RUN --published`."""


class Kind(StrEnum):
    """A catalogue."""

    METRICS = "metrics"
    PERTURBATIONS = "perturbations"
    DIVERGENCES = "divergences"
    CELLS = "cells"
    PRESETS = "presets"
    OPTIONS = "options"
    PUBLISHED = "published"
    MOVES = "moves"


WHAT = {
    Kind.METRICS: "metrics that -m takes, with their options, needs and costs",
    Kind.PERTURBATIONS: "how texts are changed, and what each change should do to a score",
    Kind.DIVERGENCES: "f-divergences: generator, direct score and its bound",
    Kind.CELLS: "the design space of mutual-information metrics",
    Kind.PRESETS: "published metrics of that space by name",
    Kind.OPTIONS: "what can be set in a cell",
    Kind.PUBLISHED: "the values of the papers' tables",
    Kind.MOVES: "how `gameproof attack` changes a text",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("list")(list_)


def list_(
    kind: Annotated[
        Kind | None,
        typer.Argument(
            metavar="KIND",
            help="metrics, perturbations, divergences, cells, presets, options, published or moves (of an attack).",
            show_default=False,
        ),
    ] = None,
    *,
    table: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="Of published values: only of this table, for example p1_table10.",
            show_default=False,
        ),
    ] = None,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            metavar="NAME",
            help="Of published values: only of this metric; a part of its name is enough.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data",
            metavar="NAME",
            help="Of published values: only on this data set, for example SummEval.",
            show_default=False,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Show metrics, perturbations, the design space, or published values.

    The design space of mutual-information metrics is made of cells; presets are
    published ones by name, divergences and options what they are made of.
    Without KIND, the kinds are shown.
    """
    from gameproof.reports.catalogues import list_catalogue  # noqa: PLC0415 - `--help` does not need it

    filters = {"table": table, "metric": metric, "dataset": data}
    if kind is None and not any(filters.values()):
        _show_kinds(json=json)
        return
    kind = kind or Kind.PUBLISHED  # only published values have these filters
    if any(filters.values()):
        _show_published(kind, filters, json=json)
        return
    _show(kind, list_catalogue(kind.value), json=json)


def _show_kinds(*, json: bool) -> None:
    if json:
        print_json([{"kind": kind.value, "what": what} for kind, what in WHAT.items()])
        return
    print_rows(
        [{"gameproof list": kind.value, "": what} for kind, what in WHAT.items()], ("gameproof list", "")
    )


def _show_published(kind: Kind, filters: Mapping[str, str | None], *, json: bool) -> None:
    from gameproof.reports.data_catalogues import published_values  # noqa: PLC0415 - `--help` does not need it

    if kind is not Kind.PUBLISHED:
        raise PlanError(
            f"--table, --metric and --data choose published values, and not {kind.value}.",
            hint="Write: gameproof list published --metric ROUGE-L",
        )
    rows = published_values(**filters).records()
    if json:
        print_json(rows)
        return
    print_rows([_printed(row) for row in rows], ("table", "data", "metric", "check", "what", "printed"))


def _printed(row: Mapping[str, object]) -> dict[str, object]:
    """Write an interval beside its value, as the paper does."""
    source = str(row["source"])
    short = source.replace("Information Satisfaction (arXiv:2608.14457v1), table ", "IS ")
    half = f" ± {row['half_width']:.2f}" if row["half_width"] is not None else ""
    return {
        **row,
        "table": short.replace("Scoring Rules! (arXiv:2608.01423v1), table ", "SR "),
        "printed": f"{row['printed'] or '-'}{half}",
    }


def _show(kind: Kind, table: "Table", *, json: bool) -> None:
    if json:
        print_json(table.records())
    elif kind is Kind.METRICS:
        print_cards([_with_cost(row) for row in table.records()], table.columns[0])
        say("\nThe first value of an option is its default. Write: rougeL,refs=max,stem=true")
    elif kind is Kind.CELLS:
        print_rows([_marked(row) for row in table.records()], ("cell", "known as"))
        say(CELLS_LEGEND)
    elif kind is Kind.DIVERGENCES:
        print_entries([_divergence(row) for row in table.records()], "symbol")
        say(
            "\nr is the density ratio of a pair; the direct score is the one that increases in r (form=monotone)."
        )
    elif kind is Kind.PUBLISHED:
        print_entries([{**row, "values": f"{row['values']} values"} for row in table.records()], "table")
        say(PUBLISHED_LEGEND)
    elif kind is Kind.OPTIONS:
        print_entries([{**row, "default": f"default {row['default']}"} for row in table.records()], "option")
    else:
        print_entries(table.records(), table.columns[0])


def _with_cost(row: Mapping[str, object]) -> dict[str, object]:
    """Put what a metric needs and what it costs on one line."""
    shown = " · ".join(str(row[key]) for key in ("needs", "cost") if row[key])
    return {key: shown if key == "needs" else value for key, value in row.items() if key != "cost"}


def _marked(row: Mapping[str, object]) -> dict[str, object]:
    """Mark a cell that this version cannot score."""
    return {**row, "cell": f"{row['cell']}{'' if row['here'] == 'yes' else '*'}"}


def _divergence(row: Mapping[str, object]) -> dict[str, object]:
    """Write a divergence as one entry: its formulas do not fit the columns of a table."""
    bound = "no upper bound" if row["upper bound"] == "none" else f"at most {row['upper bound']:.4g}"
    return {
        "symbol": row["symbol"],
        "summary": f"{row['name']}{', in Scoring Rules!' if row['paper 1'] else ''}",
        "generator": f"f(t) = {row['f(t)']}",
        "score": f"direct score {row['direct score']}",
        "bound": bound,
    }
