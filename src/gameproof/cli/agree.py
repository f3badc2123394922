"""``gameproof agree``: metrics against people's choices between two texts."""

import textwrap
from enum import StrEnum
from typing import Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import LINE, lay_out_terms, print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

__all__ = ["register"]

EXAMPLES = """[bold]Examples[/bold]

gameproof agree pairs.jsonl -m rougeL -m chrf -m length

gameproof agree pairs.jsonl -m judge --llm gpt-4o-mini --map preference=preference_informative -o agreement.md"""


class ClusterChoice(StrEnum):
    """What is resampled."""

    ANNOTATOR = "annotator"
    GROUP = "group"
    TASK = "task"
    CHOICE = "choice"
    BOTH = "both"


Pairs = Annotated[
    str,
    typer.Argument(
        metavar="PAIRS",
        help="A JSONL, CSV or Parquet file, or '-'. A row has candidate_a, candidate_b and preference (a, b or tie); "
        "annotator, references, source, query and group are used where they are there.",
        show_default=False,
    ),
]
Cluster = Annotated[
    ClusterChoice | None,
    typer.Option(
        "--cluster",
        metavar="WHAT",
        help="What is resampled for the intervals: annotator, group, task, choice, or both: annotators and texts that "
        "cross.",
        show_default="by the data",
        rich_help_panel=options.TEST_PANEL,
    ),
]
Thresholds = Annotated[
    list[str] | None,
    typer.Option(
        "--threshold",
        metavar="METRIC=SIZE",
        help="Smaller differences of this metric decide neither, for alpha. Repeat it for more.",
        show_default="published ones",
        rich_help_panel=options.TEST_PANEL,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("agree", epilog=EXAMPLES)(agree)


def agree(
    pairs: Pairs,
    *,
    metric: options.Metrics = None,
    threshold: Thresholds = None,
    cluster: Cluster = None,
    map_: options.Map = None,
    reference: options.Reference = None,
    group_by: options.GroupBy = None,
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
            help="Write the result to a .json, .md or .csv file.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare metrics with people's choices between two texts.

    Says how often each metric prefers the text that people chose, and whether one does so better than another.
    """
    if not metric:
        raise PlanError(
            "no metric is named: use -m METRIC, once for each metric.",
            hint="`gameproof list metrics` shows what there is; module:function takes your own.",
        )
    # Any: handed on to two verbs that share these arguments
    shared: dict[str, Any] = {
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "group_by": group_by,
        "limit": limit,
        "seed": seed or 0,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(aio.plan_agree(pairs, metric, llm=llm, cache=cache, **shared))
        show_dry_run(
            counted,
            f"{counted.n_items:,} texts make {counted.n_scores:,} scores",
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
        from gameproof.agreement.decide import parse_thresholds  # noqa: PLC0415

        result = _bridge.run(
            aio.agree(
                pairs,
                metric,
                out=out,
                thresholds=parse_thresholds(threshold),
                cluster=cluster.value if cluster else None,
                llm=pool,
                progress=progress,
                **shared,
            )
        )
    from gameproof.reports import agreement as tables  # noqa: PLC0415 - `--help` does not need it

    if json:
        print_json(tables.agreement_record(result))
        return
    for sentence in tables.agreement_sentences(result):
        say(textwrap.fill(sentence, LINE, break_long_words=False, break_on_hyphens=False))
    print_rows(tables.agreement_rows(result), tables.AGREEMENT_COLUMNS)
    if result.differences:
        stdout_console().print("\nFirst metric minus second, on the same resamples", style="bold")
        print_rows(tables.difference_rows(result), ("first", "second", "accuracy", "AUC"))
    say(f"\n{lay_out_terms(tables.AGREEMENT_TERMS)}")
    if out is not None:
        say(f"\nThe result is in {out}.")
