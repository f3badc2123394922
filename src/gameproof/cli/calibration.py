"""``gameproof calibration``: how far a predictor's ratios are from density ratios."""

from typing import Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, say
from gameproof.cli.progress import show_progress

__all__ = ["register"]

EXPLANATION = """\
direct       information, from ratios of matched pairs (reverse KL in joint form)
by contrast  the same, from matched against mismatched pairs; at most the true information, but for chance
gap          direct minus contrast: near 0 where ratios are calibrated
none: ratios as the predictor gives them. The other scales are fitted on other tasks; calibrate=NAME scores with one."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibration")(calibration)


def calibration(
    data: options.Data,
    *,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="CELL",
            help="A mutual-information cell with ratios, such as KL+fvar+statement+overlap.",
            show_default=False,
        ),
    ] = None,
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
    """Say how far ratios are from calibrated ones, and what information they imply.

    Takes matched against mismatched pairs, for all divergences, before and after calibration.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
    from gameproof.errors import PlanError  # noqa: PLC0415

    if metric is None:
        raise PlanError("no metric is named: use -m CELL.", hint="`gameproof list cells` shows them.")
    shared: dict[str, Any] = {
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "seed": seed or 0,
    }
    if dry_run:
        counted = _bridge.run(aio.plan_calibration(data, metric, llm=llm, cache=cache, **shared))
        prices = {"price_in": price_in, "price_out": price_out}
        show_dry_run(counted, f"ratios of {counted.n_items:,} texts", json=json, prices=prices)
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
        found = _bridge.run(
            aio.calibration(
                data,
                metric,
                llm=pool,
                progress=progress,
                **shared,
            )
        )
    if json:
        from gameproof.reports.command_json import calibration_record  # noqa: PLC0415 - `--help` does not need it

        print_json(calibration_record(found))
        return
    rows = [
        {
            "divergence": row.divergence,
            "calibrate": row.calibrate,
            "direct": f"{row.direct:.4f}",
            "by contrast": f"{row.variational:.4f}",
            "gap": f"{row.gap:+.4f}",
        }
        for row in found
    ]
    print_rows(rows, ("divergence", "calibrate", "direct", "by contrast", "gap"))
    say(f"\n{EXPLANATION}")
