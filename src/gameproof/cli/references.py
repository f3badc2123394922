"""``gameproof references``: who wrote the references, and how far they agree."""

from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import models, options
from gameproof.cli.printing import print_json, print_rows, say, stdout_console

if TYPE_CHECKING:
    from gameproof.audits.references_result import ReferencesResult

__all__ = ["register"]

EXPLANATION = """\
within task, pooled  Spearman's rho with the ratings, a mean over ratings, [95% over resampled tasks]
shift                what a stratum gives a system beyond what it gives the average system of a task, against the
                     baseline; intervals hold for all systems together
reliability          the mean score of a reference as a candidate, against the other references of its task
alone                the only reference of its task: not measurable
below                distance of a reference to the median of the others of its task; far: beyond 3 robust sd"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("references")(references)


def references(
    data: options.Data,
    *,
    metric: Annotated[
        str,
        typer.Option("--metric", "-m", metavar="METRIC", help="A metric that uses references."),
    ] = "TV+fvar+statement+overlap",
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="KIND",
            help="The kind of references that the others are compared with.",
            show_default="human, else the most frequent",
        ),
    ] = None,
    lowest: Annotated[
        int, typer.Option("--lowest", metavar="K", help="How many of the least reliable references to name.")
    ] = 5,
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
) -> None:
    """Compare references of people, panels and models, and find poor ones.

    A field reference_kinds beside references says who wrote each: human, panel or model. Candidates are scored
    against each kind alone, and every reference against the others of its task.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

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
    with models.model_pool(asked) as pool:
        found = _bridge.run(
            aio.references(
                data,
                metric,
                baseline=baseline,
                lowest=lowest,
                rename=options.parse_map(map_),
                group_by=group_by,
                sample=sample,
                limit=limit,
                llm=pool,
                seed=seed or 0,
            )
        )
    if json:
        from gameproof.reports.command_json import references_record  # noqa: PLC0415 - `--help` does not need it

        print_json(references_record(found))
    else:
        _show(found)


def _show(found: "ReferencesResult") -> None:
    from gameproof.reports import references as tables  # noqa: PLC0415 - `--help` does not need it

    about = found.run
    console = stdout_console()
    console.print(
        f"{about['data']}: {about['n_items']:,} texts of {about['n_tasks']:,} tasks, {about['metric']}\n",
        markup=False,
    )
    for rows in (
        tables.stratum_rows(found),
        tables.difference_rows(found),
        tables.system_rows(found),
        tables.reliability_rows(found),
    ):
        if rows:
            print_rows(rows, tuple(rows[0]))
            console.print()
    for line in tables.low_lines(found):
        console.print(line, markup=False)
    console.print(
        f"{found.n_far:,} references are far below the others of their task; "
        f"{found.n_tasks_alone:,} tasks have one reference.",
        markup=False,
    )
    for note in found.notes:
        say(f"note: {note}")
    say(f"\n{EXPLANATION}")
