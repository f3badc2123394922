"""``gameproof optimise``: which design of a metric follows ratings and resists manipulation."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

if TYPE_CHECKING:
    from gameproof.audits.optimise import Optimised

__all__ = ["register"]

EXAMPLES = """[bold]Examples[/bold]

gameproof optimise planted,tasks=20

gameproof optimise items.jsonl --divergence TV --vary neg=4,16,all --vary weights=equal,rarity -o designs.csv"""

FRONT_COLUMNS = ("no", "rho", "gain", "by", "power", "folds", "allowed")
HELD_OUT_COLUMNS = ("margin", "rho", "low", "high", "promised", "gain", "by", "folds")
MAX_FRONT = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("optimise", epilog=EXAMPLES)(optimise)


def optimise(
    data: options.Data,
    *,
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor",
            metavar="NAME",
            help="Of overlap, nli, oracle and autoreg. Repeat it for more.",
            show_default="overlap",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    divergence: Annotated[
        list[str] | None,
        typer.Option(
            "--divergence",
            metavar="NAME",
            help="Of the six. Repeat it for more.",
            show_default="TV, KL, H2 and JS",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="KEY=A,B",
            help="Try these values of an option in every cell that takes it. Repeat it for more.",
            show_default="agg=mean,mean_critic weights=equal,rarity neg=4,all",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    perturbation: Annotated[
        list[str] | None,
        typer.Option(
            "--perturbation",
            metavar="NAME",
            help="A manipulation or degradation that constrains the choice. Repeat it for more.",
            show_default="all that rules make or the data has",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    margin: Annotated[
        float,
        typer.Option(
            "--margin",
            metavar="SIZE",
            min=0,
            help="Every manipulation must be shown to gain less, in standard deviations.",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = 0.1,
    power: Annotated[
        float,
        typer.Option(
            "--power",
            metavar="SHARE",
            help="At which every degradation must be seen.",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = 0.8,
    folds: Annotated[
        int,
        typer.Option(
            "--folds",
            metavar="N",
            min=2,
            help="Of tasks: designs are chosen on all but one and judged on that one.",
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = 5,
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
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write everything to a .json file, or the designs to a .csv file.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Search designs that follow ratings and resist tricks.

    Every design of a small grid is held against the ratings, against every
    manipulation and every degradation. What is shown is the front: designs that
    no other beats in both correlation and resistance; and what choosing by each
    margin yields on tasks that took no part in the choice.
    """
    from gameproof.audits.optimise_cells import DIVERGENCES  # noqa: PLC0415 - `--help` does not need it

    # Any: handed on to two verbs that share these arguments
    shared: dict[str, Any] = {
        "predictors": tuple(predictor or ("overlap",)),
        "divergences": tuple(divergence or DIVERGENCES),
        "varied": _read_varied(vary),
        "perturbations": perturbation,
        "domain": domain.value if domain is not None else None,
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "seed": seed or 0,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(aio.plan_optimise(data, llm=llm, cache=cache, **shared))
        texts = f"{counted.n_items:,} texts and {counted.n_variants:,} variants"
        show_dry_run(
            counted,
            f"{texts} make {counted.n_scores:,} scores of all designs",
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
            aio.optimise(
                data,
                margin=margin,
                power=power,
                n_folds=folds,
                out=out,
                llm=pool,
                progress=progress,
                **shared,
            )
        )
    if json:
        print_json(result.record())
        return
    _print(result)
    if out is not None:
        say(f"\nThe result is in {out}.")


def _read_varied(vary: list[str] | None) -> dict[str, tuple[str, ...]] | None:
    from gameproof.audits.optimise_cells import read_choices  # noqa: PLC0415 - `--help` does not need it

    if not vary:
        return None
    pairs = [read_choices(text) for text in vary]
    keys = [key for key, _ in pairs]
    if len(set(keys)) < len(keys):
        raise PlanError("--vary: an option is named twice; write all its values in one: neg=4,all.")
    return dict(pairs)


def _print(result: "Optimised") -> None:
    about = result.about
    for note in result.notes:
        say(f"note: {note}")
    stdout_console().print("\nThe front, on all tasks", style="bold")
    front = list(enumerate(result.front[:MAX_FRONT], start=1))
    for number, row in front:
        stdout_console().print(f"{number}  {row['design']}", highlight=False, markup=False)
    print_rows([_front_row(number, row) for number, row in front], FRONT_COLUMNS)
    stdout_console().print("\nWhat choosing yields on tasks that took no part in it", style="bold")
    print_rows([_held_out_row(row) for row in result.held_out], HELD_OUT_COLUMNS)
    say(
        f"\n{about['n_designs']} designs on {about['n_tasks']} tasks in {about['n_folds']} folds. rho: mean within-task"
        " correlation with the ratings. gain: largest mean gain of a manipulation, in standard deviations; by: which."
        " power: the least at which a degradation is seen. folds: of the front, the share of folds that have the"
        " design on theirs; of a margin, those in which a design keeps it. promised: rho where the choice was made."
        " The numbers of the front are those of the best of many: only the second table is honest about a choice."
    )


def _front_row(number: int, row: Mapping[str, object]) -> dict[str, object]:
    return {
        "no": number,
        "rho": row["rho"],
        "gain": row["worst_effect"],
        "by": row["worst"],
        "power": row["least_power"],
        "folds": row["folds"],
        "allowed": "yes" if row["allowed"] else f"not {row['breaks']}",
    }


def _held_out_row(row: Mapping[str, object]) -> dict[str, object]:
    return {
        "margin": "none" if row["margin"] is None else row["margin"],
        "rho": row["rho"],
        "low": row["low"],
        "high": row["high"],
        "promised": row["in_sample"],
        "gain": row["worst_effect"],
        "by": row["worst"],
        "folds": row["folds"],
    }
