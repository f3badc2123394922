"""``gameproof data``: find data sets, and look at data before it is used."""

import textwrap
from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import LINE, print_entries, print_json, print_lines, print_rows, say
from gameproof.cli.progress import show_transfers
from gameproof.errors import MAX_SHOWN_PROBLEMS as SHOWN_PROBLEMS
from gameproof.errors import InputError

if TYPE_CHECKING:
    from gameproof.files import FileReport
    from gameproof.files.report import Spread

__all__ = ["register"]

# Part of a report, its field, what a text lacks, and what follows from that.
LACKING = (
    ("candidate text", "candidate", "have no words", "they get no score, for the reason 'empty'"),
    ("references", "references", "have no reference", "metrics that need one give them no score"),
    ("source", "source", "have no source", "metrics and checks that need one leave them out"),
    ("ratings", "ratings", "have no rating", "they count in checks, not in correlations"),
)

data = typer.Typer(
    name="data",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Find data sets, download them, check a file.",
)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(data)


@data.command("list")
def list_datasets(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Everything about this data set.", show_default=False),
    ] = None,
    *,
    json: options.Json = False,
) -> None:
    """Show data sets: what is in them, their licence and size, where they are had.

    A public data set is used as NAME:FILE or NAME:FOLDER, with its files as they
    are published: gameproof audit summeval:model_annotations.aligned.jsonl -m rougeL
    """
    from gameproof.reports.catalogues import list_catalogue  # noqa: PLC0415 - `--help` does not need it
    from gameproof.reports.data_catalogues import describe_dataset  # noqa: PLC0415

    if name is not None:
        facts = describe_dataset(name).records()
        if json:
            print_json({str(fact["what"]): fact["value"] for fact in facts})
        else:
            print_rows(facts, ("what", "value"))
        return
    rows = list_catalogue("datasets").records()
    if json:
        print_json(rows)
    else:
        print_entries(rows, "name")
        say(
            "\nUse a public one as NAME:FILE or NAME:FOLDER; `gameproof data list NAME` says what its files look like."
        )


@data.command("get")
def get_dataset(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A data set of `gameproof data list`.", show_default=False)
    ],
    *,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FOLDER",
            help="Where its files go.",
            show_default="gameproof-data/NAME",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    mirror: Annotated[
        str | None,
        typer.Option(
            "--mirror",
            metavar="ADDRESS",
            help="Download from here instead; the files must lie under it with the same names.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            metavar="",
            help="Download again what is there.",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Download a public data set from where it is published.

    A download that broke off goes on where it ended; a file that is there is checked and left alone.
    """
    from gameproof import _bridge  # noqa: PLC0415 - `--help` does not need them
    from gameproof.aio.fetching import default_data_folder, get  # noqa: PLC0415

    folder = out or str(default_data_folder(name))
    with show_transfers(quiet=quiet or json) as told:
        found = _bridge.run(get(name, out=folder, mirror=mirror, force=force, told=told))
    if json:
        rows = [
            {
                "path": str(file.path), "url": file.url, "bytes": file.n_bytes, "sha256": file.sha256,
                "state": file.state, "checked": file.checked,
            }
            for file in found
        ]  # fmt: skip
        print_json({"folder": folder, "files": rows})
        return
    for file in found:
        print_lines(
            [f"{file.path}: {file.n_bytes:,} bytes, {file.state}; {file.checked} ({file.sha256[:12]})"]
        )
    say(f"\nUse it: gameproof audit {name}:{folder} -m rougeL -m length")


@data.command("check")
def check_file(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A JSONL, CSV or Parquet file, '-', the embedded data set 'planted', or a public one as summeval:FILE.",
            show_default=False,
        ),
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
    from gameproof.audits.checks import MIN_TASKS  # noqa: PLC0415 - `--help` does not need it
    from gameproof.datasets.opening import check_data  # noqa: PLC0415 - `--help` does not need it

    report = check_data(
        file,
        rename=options.parse_map(map_),
        reference=options.one_reference(reference),
        group_by=group_by,
    )
    if json:
        print_json(report.to_json() | {"tasks_for_a_pass": MIN_TASKS})
    else:
        _print_report(report, MIN_TASKS)
    if not report.is_good:
        raise typer.Exit(InputError.exit_code)


def _print_report(report: "FileReport", min_tasks: int) -> None:
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
    print_lines([report.name])
    if report.n_items:
        print_rows(rows, ("what", "found"))
        _print_columns(report)
        _print_tasks_needed(report.n_tasks, min_tasks)
        _print_missing(report)
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


def _print_columns(report: "FileReport") -> None:
    """Say which column was read as what."""
    if not report.read_from:
        return
    own = [name for name, columns in report.read_from.items() if columns == (name,)]
    others = [
        {"field": name, "column": ", ".join(columns)}
        for name, columns in report.read_from.items()
        if name not in own
    ]
    print_lines(["", "Read from columns"])
    if others:
        print_rows(others, ("field", "column"))
    if own:
        print_lines([_folded(f"{'Others' if others else 'All'} by their own names: {', '.join(own)}")])


def _print_tasks_needed(n_tasks: int, min_tasks: int) -> None:
    enough = n_tasks >= min_tasks
    said = (
        f"{n_tasks:,} {'task' if n_tasks == 1 else 'tasks'}: a check passes with {min_tasks} tasks or more, and "
        + (
            "that many there are"
            if enough
            else f"{min_tasks - n_tasks} are missing; failures can be shown with fewer"
        )
    )
    print_lines(["", _folded(f"{said}.")])


def _print_missing(report: "FileReport") -> None:
    """Count what is empty, and say what follows."""
    lines = [
        f"{report.missing[part]:,} of {report.n_items:,} texts {lack}: {_why_missing(report, name)}{then}"
        for part, name, lack, then in LACKING
        if report.missing[part]
    ]
    if lines:
        print_lines(["", "Empty", *(_folded(line, "  ") for line in lines)])


def _why_missing(report: "FileReport", name: str) -> str:
    columns = report.read_from.get(name)
    if name == "ratings" and columns is None:
        columns = tuple(key for key in report.read_from if key.startswith("ratings."))
    if not report.read_from:
        return ""
    return f"nothing in {' and '.join(map(repr, columns))}; " if columns else "no such column; "


def _folded(text: str, indent: str = "") -> str:
    hanging = f"{indent}  " if indent else ""
    return textwrap.fill(
        text,
        LINE,
        initial_indent=indent,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _spread(spread: "Spread") -> str:
    if spread.low == spread.high:
        return f"{spread.low:,}"
    return f"{spread.low:,} to {spread.high:,}, half of them up to {spread.median:,g}"
