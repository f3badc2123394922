"""``gameproof data``: look at data before it is used."""

from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_entries, print_json, print_lines, print_rows
from gameproof.errors import MAX_SHOWN_PROBLEMS as SHOWN_PROBLEMS
from gameproof.errors import InputError

if TYPE_CHECKING:
    from gameproof.files import FileReport
    from gameproof.files.report import Spread

__all__ = ["register"]

data = typer.Typer(
    name="data",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Check a file, or show the embedded data sets.",
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(data)


@data.command("list")
def list_datasets(*, json: options.Json = False) -> None:
    """Show the embedded data sets."""
    from gameproof.reports.catalogues import list_catalogue  # noqa: PLC0415 - `--help` does not need it

    rows = list_catalogue("datasets").records()
    if json:
        print_json(rows)
    else:
        print_entries(rows, "name")


@data.command("check")
def check_file(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A JSONL, CSV or Parquet file, or '-'.", show_default=False)
    ],
    *,
    map_: options.Map = None,
    reference: options.Reference = None,
    group_by: options.GroupBy = None,
    json: options.Json = False,
) -> None:
    """Say what a file holds and what is wrong with it.

    All problems are told together; nothing is scored.

    The exit code is 2 where the file cannot be used.
    """
    from gameproof import files  # noqa: PLC0415 - `--help` does not need it

    report = files.check(
        file,
        rename=options.parse_map(map_),
        reference=options.one_reference(reference),
        group_by=group_by,
    )
    if json:
        print_json(report.to_json())
    else:
        _print_report(report)
    if not report.is_good:
        raise typer.Exit(InputError.exit_code)


def _print_report(report: "FileReport") -> None:
    counts = (
        ("rows", report.n_rows),
        ("texts that can be used", report.n_items),
        ("tasks", report.n_tasks),
        ("groups", report.n_groups),
        ("systems", report.n_systems),
        ("exact duplicates, merged", report.n_duplicates),
    )
    spreads = (
        ("texts of one task", report.items_per_task),
        ("references of one text", report.references_per_item),
        ("characters of one text", report.candidate_characters),
    )
    rows = [{"what": what, "found": f"{count:,}"} for what, count in counts]
    rows.extend({"what": what, "found": _spread(spread)} for what, spread in spreads if spread is not None)
    rows.extend(
        {"what": f"texts without {part}", "found": f"{report.missing[part]:,}"}
        for part in ("references", "source", "ratings")
        if 0 < report.missing[part] < report.n_items
    )
    print_lines([report.name])
    if report.n_items:
        print_rows(rows, ("what", "found"))
    else:
        print_lines(
            [f"{report.n_rows:,} {'row' if report.n_rows == 1 else 'rows'}, of which none can be used"]
        )
    if report.dimensions:
        print_lines(["", "Ratings"])
        columns = ("dimension", "texts", "low", "high", "mean", "distinct")
        print_rows(
            [
                dict(zip(columns, (d.name, d.n, d.low, d.high, d.mean, d.n_distinct), strict=True))
                for d in report.dimensions
            ],
            columns,
        )
    for title, lines in (
        ("Can be measured", report.measurable if report.n_items else ()),
        ("Cannot be measured", report.not_measurable if report.n_items else ()),
        ("Notes", report.notes),
        (f"Problems: {report.n_problems:,}", [str(problem) for problem in report.problems[:SHOWN_PROBLEMS]]),
    ):
        if lines:
            print_lines(["", title, *(f"  {line}" for line in lines)])
    rest = report.n_problems - SHOWN_PROBLEMS
    if rest > 0:
        print_lines([f"  and {rest:,} more"])
    if report.hint:
        print_lines(["", report.hint])


def _spread(spread: "Spread") -> str:
    if spread.low == spread.high:
        return f"{spread.low:,}"
    return f"{spread.low:,} to {spread.high:,}, half of them up to {spread.median:,g}"
