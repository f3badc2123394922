"""``gameproof power``: how much data a verdict needs."""

from collections.abc import Mapping
from typing import Annotated, Any, cast

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import lay_out_terms, print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

__all__ = ["register"]

NOTHING_SHOWN = 4  # the data cannot decide
DEFAULT_SUITE = options.SuiteChoice.STRATEGIC

TERMS = (
    ("test", "alone, or the strictest step where several checks share one level of 5%"),
    ("effect", "what the check does to the scores of this data, in standard deviations"),
    ("detectable", "the smallest effect that this data shows in four of five tries"),
    (
        "tasks",
        (
            "how many a pass takes, 20 in any case. For a manipulation: to show that one with no effect at all gains "
            "less than the margin; fewer where the effect is below 0. For a degradation: to show that such a drop as here is larger than the margin"
        ),
    ),
    ("texts", "how many texts that makes, at this data's number of texts for each task"),
    ("\N{EN DASH}", "every text changes by the same, or there is no drop to show"),
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("power")(power)


def power(
    data: options.Data,
    *,
    metric: options.Metrics = None,
    suite: Annotated[
        options.SuiteChoice | None,
        typer.Option(
            "--suite",
            metavar="SUITE",
            help=options.SUITE_HELP,
            show_default=DEFAULT_SUITE.value,
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    perturbation: options.Perturbations = None,
    margin: options.Margin = None,
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
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say how much data a verdict needs.

    Learns from a small pilot how many tasks and texts show what, before anything is spent.
    """
    if not metric:
        raise PlanError("no metric is named: use -m METRIC, once for each metric.")
    shared: dict[str, Any] = {
        "suite": (suite or DEFAULT_SUITE).value,
        "perturbations": perturbation,
        "domain": domain.value if domain else None,
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "seed": seed or 0,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(aio.plan_power(data, metric, llm=llm, cache=cache, **shared))
        texts = f"{counted.n_items:,} texts and {counted.n_variants:,} variants"
        prices = {"price_in": price_in, "price_out": price_out}
        show_dry_run(counted, f"{texts} make {counted.n_scores:,} scores", json=json, prices=prices)
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
        from gameproof.audits.checks import DEFAULT_MARGIN  # noqa: PLC0415

        rows = _bridge.run(
            aio.power(
                data,
                metric,
                margin=margin or DEFAULT_MARGIN,
                llm=pool,
                progress=progress,
                **shared,
            )
        )
    if json:
        from gameproof.reports.command_json import power_record  # noqa: PLC0415 - `--help` does not need it

        print_json(power_record(rows))
        return
    if not rows:
        say(
            "Nothing can be planned: no text of this data has a score before and after. `gameproof score` says why."
        )
        raise typer.Exit(NOTHING_SHOWN)
    for name in dict.fromkeys(row["metric"] for row in rows):
        shown = [_shown(row) for row in rows if row["metric"] == name]
        stdout_console().print(f"\n{name}", markup=False, style="bold")
        print_rows(shown, tuple(shown[0]))
    say(f"\n{lay_out_terms(TERMS)}")


def _shown(row: Mapping[str, object]) -> dict[str, str]:
    """Return a record as people read it."""
    from gameproof.reports.words import NOTHING, check_title, format_effect, format_number  # noqa: PLC0415

    def count(key: str) -> str:
        value = row[key]
        return f"{value:,}" if isinstance(value, int) else NOTHING

    effect, detectable = (cast("float | None", row[key]) for key in ("effect", "detectable"))
    return {
        "check": check_title(str(row["check"])),
        "test": str(row["test"]),
        "effect": format_effect(effect),
        "detectable": format_number(detectable, 3),
        "tasks": count("tasks_needed"),
        "texts": count("items_needed"),
    }
