"""``gameproof attack``: an adaptive adversary, and what it shows about a metric."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

import typer

from gameproof.cli import models, options
from gameproof.cli.audit import default_folder
from gameproof.cli.estimated_cost import estimate_cost, tell_cost
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

__all__ = ["register"]

ATTACK_PANEL = "Attack"
PAGE = "attack.html"

EXAMPLES = """[bold]Examples[/bold]

gameproof attack planted,tasks=20 -m rougeL -m length

gameproof attack items.jsonl -m judge --llm NAME --quality TV+fvar+statement+overlap --sample 20 --dry-run

gameproof attack items.jsonl -m mymodule:metric --proposer NAME --grey-box --budget 256"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("attack", epilog=EXAMPLES)(attack)


def attack(
    data: options.Data,
    *,
    metric: options.Metrics = None,
    quality: Annotated[
        str | None,
        typer.Option(
            "--quality",
            metavar="METRIC",
            help="What tells whether a text is any good: best a metric that looks at something else.",
            show_default="the truth for planted data, otherwise words",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            metavar="NAME",
            help="best_of_n, greedy, beam, evolution or bandit.",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = "evolution",
    budget: Annotated[
        int,
        typer.Option(
            "--budget",
            metavar="N",
            min=1,
            help="Scored proposals for each text.",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = 64,
    per_task: Annotated[
        int | None,
        typer.Option(
            "--per-task",
            metavar="N",
            min=1,
            help="Attack at most so many texts of each task; the Goodhart curve is over all.",
            show_default="all",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = None,
    longest: Annotated[
        float,
        typer.Option(
            "--longest",
            metavar="TIMES",
            min=1,
            help="A text may have at most so many times the words of its original.",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = 2.0,
    with_source: Annotated[
        bool,
        typer.Option(
            "--with-source",
            metavar="",
            help="The second arm: moves see the source, so that a gain may be true information.",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = False,
    move: Annotated[
        list[str] | None,
        typer.Option(
            "--move",
            metavar="NAME",
            help="Only these moves: `gameproof list moves`. Repeat it for more.",
            show_default="all",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = None,
    floor: Annotated[
        str | None,
        typer.Option(
            "--floor",
            metavar="METRIC",
            help="A metric of fluency: texts that lose more than a standard deviation in it are not tried.",
            show_default=False,
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = None,
    proposer: Annotated[
        str | None,
        typer.Option(
            "--proposer",
            metavar="MODEL",
            help="A language model that proposes half of the texts, told their scores. Named as in --llm.",
            show_default=False,
            rich_help_panel=options.MODEL_PANEL,
        ),
    ] = None,
    grey_box: Annotated[
        bool,
        typer.Option(
            "--grey-box",
            metavar="",
            help="Tell the proposer what the metric is as well.",
            rich_help_panel=options.MODEL_PANEL,
        ),
    ] = False,
    universal: Annotated[
        int,
        typer.Option(
            "--universal",
            metavar="N",
            min=0,
            help="Scores for learning one prefix or suffix on half of the tasks; 0 for none.",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = 2_000,
    margin: Annotated[
        float,
        typer.Option(
            "--margin",
            metavar="SIZE",
            min=0,
            help="A gap that still counts as none, in standard deviations of the metric.",
            rich_help_panel=ATTACK_PANEL,
        ),
    ] = 0.1,
    domain: options.Domain = None,
    map_: options.Map = None,
    reference: options.Reference = None,
    group_by: options.GroupBy = None,
    sample: options.SampleOrDefault = None,
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
    out: options.Out = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Attack metrics: does it pay to optimise against them?

    An attacker that sees scores only changes every text to raise its score. What it found is scored again with
    references that took no part in the search, beside an independent quality.

    The exit code is 0 if every metric held, 3 if one was gamed, 4 if the data cannot decide.
    """
    if not metric:
        raise PlanError("no metric is named: use -m METRIC.", hint="`gameproof list metrics` shows them.")
    # Any: handed on to two verbs that share these arguments
    shared: dict[str, Any] = {
        "budget": budget,
        "universal_budget": universal,
        "rename": options.parse_map(map_),
        "group_by": group_by,
        "per_task": per_task,
        "sample": sample,
        "limit": limit,
        "seed": seed or 0,
    }
    if dry_run:
        asked_of = {"llm": llm, "proposer": proposer, "quality": quality, "floor": floor}
        prices = {"price_in": price_in, "price_out": price_out}
        _plan(data, metric, shared | asked_of, prices=prices, json=json)
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
    folder = out or f"{default_folder(data)}-attack"
    with models.model_pool(asked) as pool, show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        found = _bridge.run(
            aio.attack(
                data,
                metric,
                quality=quality,
                strategy=strategy,
                longest=longest,
                access="source" if with_source else "none",
                moves=move,
                floor=floor,
                proposer=proposer,
                box="grey" if grey_box else "black",
                margin=margin,
                out=folder,
                domain=domain.value if domain else None,
                reference=options.one_reference(reference),
                llm=pool,
                progress=progress,
                **shared,
            )
        )
    page = f"{folder}/{PAGE}"
    if json:
        from gameproof.reports.attack_json import render_attacks  # noqa: PLC0415 - `--help` does not need them
        from gameproof.reports.attack_words import explain_attack_exit  # noqa: PLC0415

        print_json(render_attacks(found))
        say(f"Report: {page}\n{explain_attack_exit(found)}")
    else:
        from gameproof.reports.terminal_attack import print_attacks  # noqa: PLC0415 - the same

        print_attacks(found, stdout_console(), report=page)
    raise typer.Exit(found.exit_code)


def _plan(
    data: str, metrics: list[str], shared: dict[str, Any], *, prices: Mapping[str, float | None], json: bool
) -> None:
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

    rows = _bridge.run(aio.plan_attack(data, metrics, **shared))
    if json:
        costs = [
            estimate_cost(cast("int", row["tokens_in"]), cast("int", row["tokens_out"]), **prices)
            for row in rows
        ]
        print_json(
            [
                row | ({} if cost is None else {"cost_usd": cost})
                for row, cost in zip(rows, costs, strict=True)
            ]
        )
        return
    shown = ("metric", "texts", "search", "measure", "quality")
    calls = ("calls", "tokens_in", "tokens_out")
    asks = any(row["calls"] for row in rows)
    print_rows(rows, (*shown, *calls) if asks else shown)
    say(
        "\nTexts that are attacked, and scored at most by search, measurement and quality"
        f"{', and the model calls that takes' if asks else '; no model calls'}. Nothing was scored."
    )
    tokens_in, tokens_out = (sum(cast("int", row[key]) for row in rows) for key in calls[1:])
    told = tell_cost(tokens_in, tokens_out, **prices)
    if told is not None:
        stdout_console().print(told)
