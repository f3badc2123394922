"""``gameproof perturb``: variants of every text."""

from typing import Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, say
from gameproof.cli.progress import show_progress

__all__ = ["register"]

EXAMPLES = """[bold]Example[/bold]

gameproof perturb items.jsonl --perturbation sentence_deletion -o variants.jsonl

gameproof perturb items.jsonl --perturbation rephrase --rewriter http://localhost:8000/v1"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("perturb", epilog=EXAMPLES)(perturb)


def perturb(
    data: options.Data,
    *,
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Where the variants go: a .jsonl, .csv or .parquet file.",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = "variants.jsonl",
    suite: options.Suite = None,
    perturbation: options.Perturbations = None,
    domain: options.Domain = None,
    map_: options.Map = None,
    reference: options.Reference = None,
    group_by: options.GroupBy = None,
    sample: options.SampleOrDefault = None,
    limit: options.Limit = None,
    rewriter: models.Rewriter = None,
    verify: models.Verify = None,
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
    engine: options.Engine = options.EngineChoice.LOCAL,
    workers: options.Workers = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write variants of every text.

    Some are made worse, some are only dressed up, some change step by step.

    Variants that no rule can make, such as rephrasings, need --rewriter.

    What it wrote lies beside the variants as NAME.review.jsonl, with a verdict on each text.

    Edit the verdicts and give the file to audit --variants.
    """
    shared: dict[str, Any] = {
        "suite": suite.value if suite else "all",
        "perturbations": perturbation,
        "domain": domain.value if domain else None,
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "rewriter": rewriter,
        "verify": verify or "overlap",
        "seed": seed or 0,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(aio.plan_perturb(data, cache=cache, **shared))
        work = f"{counted.n_items:,} texts make {counted.n_variants:,} variants"
        prices = {"price_in": price_in, "price_out": price_out}
        show_dry_run(counted, work, json=json, prices=prices, variants=True)
        return
    limits = {
        "llm": None,
        "cache": cache,
        "max_calls": max_calls,
        "max_cost": max_cost,
        "price_in": price_in,
        "price_out": price_out,
        "max_requests_per_minute": max_requests_per_minute,
        "max_tokens_per_minute": max_tokens_per_minute,
        "max_concurrency": max_concurrency,
    }
    with models.model_pool(limits) as pool, show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        summary = _bridge.run(
            aio.perturb(
                data,
                out=out,
                llm=pool,
                engine=engine.value,
                workers=workers,
                progress=progress,
                **shared,
            )
        )
    if json:
        print_json(summary)
    else:
        print_rows(summary, ("perturbation", "variants", "failed", "note"))
    say(f"The variants are in {out}.")
