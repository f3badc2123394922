"""``gameproof cache``: look after the store of model calls."""

from contextlib import closing
from typing import Annotated

import typer

from gameproof.cli import options
from gameproof.cli.printing import print_json, print_rows, say
from gameproof.errors import PlanError

__all__ = ["register"]

cache = typer.Typer(
    name="cache",
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Look after the store of model calls: count, prune, export, merge.",
)

Model = Annotated[
    str | None,
    typer.Option("--model", metavar="NAME", help="Only the calls of this model.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.add_typer(cache)


@cache.command("stats")
def stats(*, cache: options.Cache = None, json: options.Json = False) -> None:
    """Count finished calls and their tokens, by model and purpose."""
    from gameproof.llm.store_files import open_existing  # noqa: PLC0415 - `--help` does not need it

    with closing(open_existing(cache)) as store:
        rows = store.statistics()
        path = store.path
    if json:
        print_json({"file": str(path), "bytes": path.stat().st_size, "calls": rows})
        return
    print_rows(rows, ("model", "purpose", "calls", "tokens_in", "tokens_out"))
    say(f"{sum(int(str(row['calls'])) for row in rows):,} finished calls are in {path}.")


@cache.command("prune")
def prune(
    *,
    cache: options.Cache = None,
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than",
            metavar="DAYS",
            min=0,
            help="Only calls older than so many days.",
            show_default=False,
        ),
    ] = None,
    model: Model = None,
    everything: Annotated[bool, typer.Option("--all", metavar="", help="All calls.")] = False,
) -> None:
    """Delete finished calls, and give their space back. A later run asks, and pays, for them again."""
    from gameproof.llm.store_files import open_existing  # noqa: PLC0415 - `--help` does not need it

    if (older_than is None and model is None) != everything:
        raise PlanError("say which calls to delete: --older-than DAYS, --model NAME or both; or --all.")
    with closing(open_existing(cache)) as store:
        deleted = store.prune(older_than_days=older_than, model=model)
        say(f"{deleted:,} calls were deleted from {store.path}.")


@cache.command("export")
def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A .jsonl file to write.", show_default=False)],
    *,
    cache: options.Cache = None,
    model: Model = None,
) -> None:
    """Write finished calls to a file of JSON lines; --llm replay:FILE answers from it, anywhere."""
    from gameproof.llm.store_files import export_calls, open_existing  # noqa: PLC0415 - `--help` does not need it

    with closing(open_existing(cache)) as store:
        written = export_calls(store, file, model=model)
    say(f"{written:,} calls are in {file}.")


@cache.command("merge")
def merge(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="Another store (.sqlite), or an exported file.", show_default=False
        ),
    ],
    *,
    cache: options.Cache = None,
) -> None:
    """Take over the calls of another store or of an exported file. Calls that are here already stay."""
    from pathlib import Path  # noqa: PLC0415 - `--help` does not need them

    from gameproof.llm.store import CallStore, default_path  # noqa: PLC0415
    from gameproof.llm.store_files import merge_calls  # noqa: PLC0415

    with closing(CallStore(default_path() if cache is None else Path(cache))) as store:
        new = merge_calls(store, file)
        say(f"{new:,} new calls are in {store.path}.")
