"""``gameproof prefer``: which of two candidates supports each statement better."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

if TYPE_CHECKING:
    from gameproof.audits.comparing import Compared

__all__ = ["register"]

EXAMPLES = """[bold]Examples[/bold]

gameproof prefer planted,tasks=20 --llm planted:oracle

gameproof prefer items.jsonl --llm gpt-4o-mini --sample 60 --opponents 2 -o compared.json"""

SHOWN_ROWS = 12

# Key of the summary -> what it is, for people.
SAID: Mapping[str, str] = {
    "flips": "verdicts that change with the order of the texts",
    "contradictions": "verdicts for the one text in one order, for the other in the other",
    "first_place": "share of decided verdicts for the text shown first (.50 is fair)",
    "circle_share": "circles a > b > c > a among decided triads (.25 is chance)",
    "same_sign": "pairs with the same winner as by absolute scores",
    "absolute_rho": "rank correlation with the difference of absolute scores",
    "absolute_gap": "mean distance from the difference of absolute scores",
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("prefer", epilog=EXAMPLES)(prefer)


def prefer(
    data: options.Data,
    *,
    cell: Annotated[
        str | None,
        typer.Option(
            "--cell",
            metavar="CELL",
            help="Whose statements, negatives and absolute scores are used, with its options.",
            show_default="TV+fvar+statement+oracle",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    opponents: Annotated[
        str,
        typer.Option(
            "--opponents",
            metavar="N",
            help="How many others of its task each candidate meets, or all.",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = "4",
    map_: options.Map = None,
    reference: options.Reference = None,
    group_by: options.GroupBy = None,
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
            help="Write all pairs and scores to a .json file.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Ask a model which of two candidates supports each statement better.

    Pairs of candidates of one task meet over the statements of their own
    references and of other tasks' references, in both orders. The strengths
    they show are scores, beside the absolute scores of the same statements.
    """
    from gameproof.metrics.comparative import CELL  # noqa: PLC0415 - `--help` does not need it

    # Any: handed on to two verbs that share these arguments
    shared: dict[str, Any] = {
        "cell": cell or CELL,
        "opponents": _read_opponents(opponents),
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "seed": seed or 0,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(aio.plan_prefer(data, llm=llm, cache=cache, **shared))
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

        result = _bridge.run(
            aio.prefer(
                data,
                llm=pool,
                out=out,
                progress=progress,
                **shared,
            )
        )
    if json:
        print_json(result.record())
        return
    say(f"signature: {result.signature}")
    for note in result.notes:
        say(f"note: {note}")
    _print(result)
    if out is not None:
        say(f"\nAll pairs and scores are in {out}.")


def _print(result: "Compared") -> None:
    summary = result.summary
    rows = [row for row in result.items if row["comparative"] is not None]
    columns = ("item", "comparative", "own", "foreign", "absolute")
    print_rows(rows[:SHOWN_ROWS], columns)
    if len(rows) > SHOWN_ROWS:
        say(f"and {len(rows) - SHOWN_ROWS:,} more scores; --json or -o FILE gives all of them.")
    stdout_console().print()
    print_rows(
        [{"what": what, "value": summary[key]} for key, what in SAID.items() if summary[key] is not None],
        ("what", "value"),
    )
    correlations = list(_correlations(result))
    if correlations:
        stdout_console().print("\nRank correlation with ratings, within tasks", style="bold")
        print_rows(correlations, ("score", "dimension", "rho", "low", "high"))
    say(
        f"\n{summary['pairs']:,} pairs, {summary['missing_pairs']:,} of them missing. Comparative scores are strengths"
        " (log odds) over own statements less those over foreign ones; pairs of one task share a scale, tasks do not."
    )


def _correlations(result: "Compared") -> Iterator[dict[str, object]]:
    for name, rows in result.correlations.items():
        for row in rows:
            if row.level == "within_task" and row.rho is not None:
                yield {
                    "score": name,
                    "dimension": row.dimension,
                    "rho": row.rho,
                    "low": row.low,
                    "high": row.high,
                }


def _read_opponents(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal() or int(text) < 1:
        raise PlanError(f"--opponents: found {text!r}; allowed: a whole number from 1, or all.")
    return int(text)
