"""``gameproof judge-pairs``: a language model chooses between the texts of each task."""

from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

if TYPE_CHECKING:
    from gameproof.audits.judged_pairs import JudgedPairs

__all__ = ["register"]

JUDGE_PANEL = "The judge"
SHOWN_PAIRS = 20

EXAMPLES = """[bold]Examples[/bold]

gameproof judge-pairs items.jsonl --llm gpt-4o-mini --baseline ours-v1

gameproof judge-pairs planted --llm planted:judge --pairs 2 -o pairs.csv"""


class Shown(StrEnum):
    """Which references a judge sees."""

    ALL = "all"
    FIRST = "first"
    NONE = "none"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("judge-pairs", epilog=EXAMPLES)(judge_pairs)


def judge_pairs(
    data: options.Data,
    *,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="SYSTEM",
            help="Only pairs of a text of this system and one of another; all pairs of a task by default.",
            show_default=False,
            rich_help_panel=options.DATA_PANEL,
        ),
    ] = None,
    pairs: Annotated[
        int | None,
        typer.Option(
            "--pairs",
            metavar="N",
            min=1,
            help="At most N pairs of each task, drawn at random.",
            show_default=False,
            rich_help_panel=options.DATA_PANEL,
        ),
    ] = None,
    dimension: Annotated[
        str | None,
        typer.Option(
            "--dimension",
            metavar="NAME",
            help="What the judge compares: overall, coherence, faithfulness and so on.",
            show_default="overall",
            rich_help_panel=JUDGE_PANEL,
        ),
    ] = None,
    refs: Annotated[
        Shown | None,
        typer.Option(
            "--refs",
            metavar="WHICH",
            help="The references that the judge sees: all, first or none.",
            show_default="all",
            rich_help_panel=JUDGE_PANEL,
        ),
    ] = None,
    source: Annotated[
        bool,
        typer.Option("--source", metavar="", help="Show the source.", rich_help_panel=JUDGE_PANEL),
    ] = False,
    query: Annotated[
        bool,
        typer.Option("--query", metavar="", help="Show what was asked for.", rich_help_panel=JUDGE_PANEL),
    ] = False,
    persona: Annotated[
        bool,
        typer.Option("--persona", metavar="", help="Say who reads the texts.", rich_help_panel=JUDGE_PANEL),
    ] = False,
    map_: options.Map = None,
    reference: options.Reference = None,
    sample: options.Sample = None,
    limit: options.Limit = None,
    llm: options.Llm = None,
    cache: options.Cache = None,
    max_calls: models.MaxCalls = None,
    max_cost: models.MaxCost = None,
    price_in: models.PriceIn = None,
    price_out: models.PriceOut = None,
    max_requests_per_minute: models.MaxRequests = None,
    max_tokens_per_minute: models.MaxTokens = None,
    max_concurrency: models.MaxConcurrency = None,
    seed: options.Seed = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the pairs to a .jsonl, .csv or .parquet file.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Let a language model choose between the texts of each task.

    Every pair is shown in both orders, two calls a pair.

    Where the order decides, the pair is a tie and counted as flipped.
    """
    if llm is None:
        raise PlanError("no judge is named: use --llm MODEL.")
    # Any: handed on to two verbs that share these arguments
    shared: dict[str, Any] = {
        "baseline": baseline,
        "pairs_per_task": pairs,
        "dimension": dimension or "overall",
        "refs": refs.value if refs is not None else "all",
        "source": source,
        "query": query,
        "persona": persona,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "sample": sample,
        "limit": limit,
        "seed": seed or 0,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(aio.plan_judge_pairs(data, llm=llm, cache=cache, **shared))
        show_dry_run(
            counted,
            f"{counted.n_items:,} texts make {counted.n_scores:,} pairs in both orders",
            json=json,
            prices={"price_in": price_in, "price_out": price_out},
        )
        return
    asked = {
        "llm": llm,
        "cache": cache,
        "max_calls": max_calls,
        "max_cost": max_cost,
        "price_in": price_in,
        "price_out": price_out,
        "max_requests_per_minute": max_requests_per_minute,
        "max_tokens_per_minute": max_tokens_per_minute,
        "max_concurrency": max_concurrency,
    }
    with models.model_pool(asked) as pool, show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        found = _bridge.run(
            aio.judge_pairs(
                data,
                llm=pool,
                out=out,
                progress=progress,
                **shared,
            )
        )
    if json:
        from gameproof.reports.command_json import judge_pairs_record  # noqa: PLC0415 - `--help` does not need it

        print_json(judge_pairs_record(found))
        return
    _show(found)
    if out is not None:
        say(f"{len(found.pairs):,} pairs are in {out}.")


def _show(found: "JudgedPairs") -> None:
    from gameproof.audits.judged_pairs import pair_rows  # noqa: PLC0415 - `--help` does not need it

    if found.systems:
        rows = [asdict(system) for system in found.systems]
        print_rows(rows, ("system", "pairs", "wins", "ties", "losses", "win_rate"))
    else:
        rows = list(pair_rows(found))[:SHOWN_PAIRS]
        print_rows(rows, ("task", "first", "second", "winner", "flipped", "reason"))
    console = stdout_console()
    n_compared = len(found.pairs) - found.n_missing
    console.print()
    if found.flip_rate is not None:
        console.print(
            f"{n_compared:,} pairs in both orders; in {found.n_flipped:,} ({found.flip_rate:.0%}) the order decides: ties"
        )
    if found.first_rate is not None:
        console.print(f"of single answers with a winner {found.first_rate:.0%} are for the text shown first")
    for reason, count in found.missing.items():
        console.print(f"{count:,} pairs without a verdict: {reason}", markup=False)
    for note in found.notes:
        console.print(f"note: {note}", markup=False)
