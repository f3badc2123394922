"""``gameproof sweep``: every cell of the design space on one data set."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.audit import default_folder
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress

if TYPE_CHECKING:
    from gameproof.audits.sweep_result import SweepResult

__all__ = ["register"]

CELLS_PANEL = "Cells"

EXAMPLES = """[bold]Examples[/bold]

gameproof sweep items.jsonl

gameproof sweep items.jsonl --predictor oracle --llm NAME --dry-run

gameproof sweep items.jsonl --ablate norm=summary --llm NAME"""

EXPLANATION = """\
within task    Spearman's rho within each task, a mean over tasks and ratings, [95% over resampled tasks]
pooled         the same over all texts in one ranking
support        the first half of a contrastive score alone: support on the own references
difference     score minus support, on the same resamples; within tasks where that can be had"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sweep", epilog=EXAMPLES)(sweep)


def sweep(
    data: options.Data,
    *,
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor",
            metavar="NAME",
            help="All cells of this predictor: overlap, oracle, nli or autoreg. Repeat it for more.",
            show_default="overlap",
            rich_help_panel=CELLS_PANEL,
        ),
    ] = None,
    papers_cells: Annotated[
        bool,
        typer.Option(
            "--papers-cells",
            metavar="",
            help="Only the published cells: KL and TV, direct scores in the joint form, a yes or no as the oracle's "
            "critic of TV. Without --predictor those of autoreg and oracle: twelve.",
            rich_help_panel=CELLS_PANEL,
        ),
    ] = False,
    critic: Annotated[
        list[str] | None,
        typer.Option(
            "--critic",
            metavar="NAME",
            help="TV f-variational cells with this critic too: bins, binary or soft. Of an oracle each is another "
            "question.",
            show_default=False,
            rich_help_panel=CELLS_PANEL,
        ),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="An option for all cells that take it: refs=first, neg=8, norm=review. Repeat it for more.",
            show_default=False,
            rich_help_panel=CELLS_PANEL,
        ),
    ] = None,
    ablate: Annotated[
        str | None,
        typer.Option(
            "--ablate",
            metavar="KEY=VALUE",
            help="Score every cell that takes it also with this option, and print the paired differences: "
            "norm=summary, agg=sum, neg=all.",
            show_default=False,
            rich_help_panel=CELLS_PANEL,
        ),
    ] = None,
    nli: Annotated[
        str | None,
        typer.Option(
            "--nli",
            metavar="FOLDER",
            help="The sequence-classification model that nli cells ask.",
            show_default=False,
            rich_help_panel=options.MODEL_PANEL,
        ),
    ] = None,
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
    force: options.Force = False,
    dry_run: options.DryRun = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Compare all mutual-information metrics on rated texts.

    Scores every cell of the design space in one run that shares all model calls.

    Each is correlated with the ratings. Beside every contrastive score stands the support alone.

    Where the contrast does not help, it says why.
    """
    # Any: handed on to two verbs that share these arguments
    asked: dict[str, Any] = {
        "predictors": predictor or (),
        "papers": papers_cells,
        "critics": critic or (),
        "settings": set_ or (),
        "ablate": ablate,
        "nli": nli,
        "domain": domain.value if domain else None,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "seed": seed or 0,
    }
    if dry_run:
        prices = {"price_in": price_in, "price_out": price_out}
        _plan(data, {**asked, "cache": cache}, llm=llm, prices=prices, json=json)
        return
    limits = {
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
    folder = out or f"{default_folder(data)}-sweep"
    with models.model_pool(limits) as pool, show_progress(quiet=quiet or json) as progress:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        result = _bridge.run(aio.sweep(data, **asked, out=folder, llm=pool, force=force, progress=progress))
    if json:
        print_json(result.to_record())
    else:
        _show(result)
    say(f"\nEvery number is in {folder}: sweep.json, sweep.csv, sweep.md.")


def _show(result: "SweepResult") -> None:
    from gameproof.reports import sweep as tables  # noqa: PLC0415 - `--help` does not need it

    about = result.run
    console = stdout_console()
    console.print(
        f"{about['data']}: {about['n_items']:,} texts of {about['n_tasks']:,} tasks\n", markup=False
    )
    for rows in (tables.cell_rows(result), tables.contrast_rows(result), tables.ablation_rows(result)):
        if rows:
            print_rows(rows, tuple(rows[0]))
            console.print()
    for sentence in tables.contrast_sentences(result, short=True):
        console.print(f"{sentence}\n", markup=False)
    for note in tables.notes_of(result):
        say(f"note: {note}")
    say(f"\n{EXPLANATION}")


def _plan(
    data: str, asked: dict[str, Any], *, llm: str | None, prices: Mapping[str, float | None], json: bool
) -> None:
    with show_progress(quiet=True):
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        found = _bridge.run(aio.plan_sweep(data, **asked, llm=llm))
    work = f"{found.n_items:,} texts make {found.n_scores:,} scores"
    show_dry_run(found, work, prices=prices, json=json)
