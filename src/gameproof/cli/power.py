"""``gameproof power``: how much data a verdict needs."""

import typer

from gameproof.cli import models, options
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

__all__ = ["register"]

SHOWN = ("check", "test", "detectable", "tasks_needed", "items_needed")

EXPLANATION = """\
test          alone, or the strictest step where several checks share one level of 5%
detectable    the smallest effect this data shows in four of five tries, in standard deviations
tasks_needed  how many tasks show a harmless change to be below the margin (a pass needs 20 in any case)
items_needed  how many texts that makes, at the pilot's number of texts for each task
An empty place: the change is the same for every text, so there is nothing to estimate."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("power")(power)


def power(
    data: options.Data,
    *,
    metric: options.Metrics = None,
    suite: options.Suite = None,
    perturbation: options.Perturbations = None,
    margin: options.Margin = None,
    domain: options.Domain = None,
    map_: options.Map = None,
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
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say how much data a verdict needs.

    Learns from a small pilot how many tasks and texts show what, before anything is spent.
    """
    if not metric:
        raise PlanError("no metric is named: use -m METRIC, once for each metric.")
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
        from gameproof.audits.checks import DEFAULT_MARGIN  # noqa: PLC0415

        rows = _bridge.run(
            aio.power(
                data,
                metric,
                suite=suite.value if suite else "strategic",
                perturbations=perturbation,
                margin=margin or DEFAULT_MARGIN,
                domain=domain.value if domain else None,
                group_by=group_by,
                sample=sample,
                limit=limit,
                rename=options.parse_map(map_),
                llm=pool,
                seed=seed or 0,
                progress=progress,
            )
        )
    if json:
        print_json(rows)
        return
    for name in dict.fromkeys(row["metric"] for row in rows):
        stdout_console().print(f"\n{name}", markup=False, style="bold")
        print_rows([row for row in rows if row["metric"] == name], SHOWN)
    say(f"\n{EXPLANATION}")
