"""``gameproof settle``: whether the sign of a change hangs on the draw of negatives and answers."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, say
from gameproof.cli.progress import show_progress

if TYPE_CHECKING:
    from gameproof.audits.settle import Settling

__all__ = ["register"]

OPEN = 4  # some check is not settled

EXPLANATION = """\
change      mean change of the score, over tasks and rounds
per round   how much it changes from one draw to the next
evidence    against no change, whenever one looks; the sign is settled from 20 (one chance in 20 of an error)
settled: with these texts, more draws will not turn the sign. open: they still may. same: no score has changed.
Whether other texts would change likewise is what `gameproof audit` says."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("settle")(settle)


def settle(
    data: options.Data,
    *,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="CELL",
            help="A mutual-information cell, such as TV+fvar+statement+oracle.",
            show_default=False,
        ),
    ] = None,
    perturbation: Annotated[
        list[str] | None,
        typer.Option(
            "--perturbation",
            metavar="NAME",
            help="The change whose sign is in question. At least one has to be named; repeat it for more. "
            "`gameproof list perturbations` shows them.",
            show_default=False,
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    variants: options.Variants = None,
    max_rounds: Annotated[
        int,
        typer.Option(
            "--max-rounds",
            metavar="N",
            min=8,
            help="Draw at most N times.",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = 200,
    domain: options.Domain = None,
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
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw negatives and answers anew until the sign of a change is settled.

    The test may be looked at after every draw. It ends with exit code 4 where a sign stays open.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
    from gameproof.errors import PlanError  # noqa: PLC0415

    if metric is None:
        raise PlanError("no metric is named: use -m CELL.", hint="`gameproof list cells` shows them.")
    # Any: handed on to two verbs that share these arguments
    shared: dict[str, Any] = {
        "variants": variants,
        "max_rounds": max_rounds,
        "domain": domain.value if domain else None,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "seed": seed or 0,
    }
    if dry_run:
        counted = _bridge.run(
            aio.plan_settle(data, metric, perturbation or (), llm=llm, cache=cache, **shared)
        )
        texts = f"{counted.n_items:,} texts and {counted.n_variants:,} variants"
        show_dry_run(
            counted,
            f"{texts} in at most {max_rounds:,} rounds",
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
        found = _bridge.run(
            aio.settle(
                data,
                metric,
                perturbation or (),
                llm=pool,
                progress=progress,
                **shared,
            )
        )
    if json:
        from gameproof.reports.command_json import settle_record  # noqa: PLC0415 - `--help` does not need it

        print_json(settle_record(found))
    else:
        _show(found)
    if any(each.state in {"open", "missing"} for each in found):
        raise typer.Exit(OPEN)


def _show(found: "list[Settling]") -> None:
    from gameproof.reports.words import NOTHING, check_title  # noqa: PLC0415 - `--help` does not need it

    def number(value: float | None) -> str:
        return NOTHING if value is None else f"{value:+.4f}"

    rows = [
        {
            "check": check_title(each.check),
            "state": each.state,
            "rounds": each.rounds,
            "texts": each.n_items,
            "change": number(each.change),
            "per round": NOTHING if each.spread is None else f"{each.spread:.4f}",
            "evidence": _evidence(each.evidence, each.state) or NOTHING,
        }
        for each in found
    ]
    print_rows(rows, ("check", "state", "rounds", "texts", "change", "per round", "evidence"))
    for each in found:
        if each.why_missing is not None:
            say(f"{check_title(each.check)}: {each.why_missing}")
    say(f"\n{EXPLANATION}")


def _evidence(value: float | None, state: str) -> str | None:
    if value is None:
        return "beyond all bounds" if state == "settled" else None
    return f"{value:,.1f}" if value < 1e6 else "over 1,000,000"
