"""``gameproof variance``: where the error of a metric's scores comes from."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, cast

import typer

from gameproof.cli import models, options
from gameproof.cli.estimated_cost import estimate_cost, tell_cost
from gameproof.cli.printing import lay_out_terms, print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress

if TYPE_CHECKING:
    from gameproof.audits.variance import VarianceReport

__all__ = ["register"]

REPEAT_PANEL = "Repeats"

TERMS = (
    (
        "of one",
        "variance that one negative, decomposition or answer brings, on the own references (\N{PLUS-MINUS SIGN} se)",
    ),
    ("in score", "what is left of it in a score as the metric is now"),
    ("share", "of the error of an item's score"),
    ("error", "standard deviation of an item's score about its true one"),
    ("items", "differ in truth; only more of them help the mean"),
)


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("variance")(variance)


def variance(
    data: options.Data,
    *,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metric",
            "-m",
            metavar="CELL",
            help="A mutual-information cell, such as TV+fvar+statement+oracle,temperature=0.7.",
            show_default=False,
        ),
    ] = None,
    tasks: Annotated[
        int,
        typer.Option(
            "--tasks", metavar="N", min=4, help="One text of N tasks each.", rich_help_panel=REPEAT_PANEL
        ),
    ] = 12,
    decompositions: Annotated[
        int,
        typer.Option(
            "--decompositions",
            metavar="N",
            min=1,
            help="Of each reference, where a model makes them.",
            rich_help_panel=REPEAT_PANEL,
        ),
    ] = 2,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="N",
            min=1,
            help="Of each answer, where a model is asked.",
            rich_help_panel=REPEAT_PANEL,
        ),
    ] = 2,
    dry_run: options.DryRun = False,
    map_: options.Map = None,
    reference: options.Reference = None,
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
    """Say where the error of a metric's scores comes from.

    Repeats decompositions, answers and negatives on a few texts, and says which budget of calls halves the error.
    """
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
    from gameproof.errors import PlanError  # noqa: PLC0415

    if metric is None:
        raise PlanError("no metric is named: use -m CELL.", hint="`gameproof list cells` shows them.")
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
    rename = options.parse_map(map_)
    if dry_run:
        count = _bridge.run(
            aio.count_variance_calls(
                data,
                metric,
                tasks=tasks,
                decompositions=decompositions,
                samples=samples,
                rename=rename,
                reference=options.one_reference(reference),
                limit=limit,
                llm=llm,
                cache=cache,
                seed=seed or 0,
            )
        )
        prices = {"price_in": price_in, "price_out": price_out}
        if json:
            cost = estimate_cost(count.tokens_in, count.tokens_out, **prices)
            print_json(asdict(count) | ({} if cost is None else {"cost_usd": cost}))
            return
        stored = f", {count.stored:,} more are stored already" if count.stored else ""
        stdout_console().print(
            f"{count.calls:,} model calls{stored}, {count.tokens_in:,} tokens in, {count.tokens_out:,} out. "
            "Nothing was asked."
        )
        told = tell_cost(count.tokens_in, count.tokens_out, **prices)
        if told is not None:
            stdout_console().print(told)
        if count.note is not None:
            say(count.note)
        return
    with models.model_pool(asked) as pool, show_progress(quiet=quiet or json) as progress:
        found = _bridge.run(
            aio.variance(
                data,
                metric,
                tasks=tasks,
                decompositions=decompositions,
                samples=samples,
                rename=rename,
                reference=options.one_reference(reference),
                limit=limit,
                llm=pool,
                seed=seed or 0,
                progress=progress,
            )
        )
    if json:
        from gameproof.reports.command_json import variance_record  # noqa: PLC0415 - `--help` does not need it

        print_json(variance_record(found))
        return
    _show(found)


def _show(found: "VarianceReport") -> None:
    from gameproof.reports.words import NOTHING  # noqa: PLC0415 - `--help` does not need it

    def number(value: object) -> str:
        return f"{value:.4f}" if isinstance(value, float) else NOTHING

    def source_row(row: Mapping[str, object]) -> dict[str, str]:
        share = cast("float | None", row["share_of_error"])
        error = row["of_one_se"]
        spread = f" \N{PLUS-MINUS SIGN} {error:.4f}" if isinstance(error, float) else ""
        return {
            "source": str(row["source"]),
            "of one": f"{number(row['of_one'])}{spread}",
            "in score": number(row["in_score"]),
            "share": NOTHING if share is None else f"{share:.0%}",
        }

    def design_row(row: Mapping[str, object]) -> dict[str, object]:
        if row["cost"] is None:
            return {"aim": row["aim"], "error": "out of reach"}
        return {
            "aim": row["aim"],
            "neg": row["negatives"],
            "samples": row["samples"],
            "decomp.": row["decompositions"],
            "items": row["items"],
            found.unit: row["cost"],
            "error": number(row["error_sd"]),
        }

    reliability = "unknown" if found.reliability is None else f"{found.reliability:.0%}"
    stdout_console().print(
        f"\n{found.metric}\n{found.n_items:,} texts repeated. Standard deviation of true scores {found.item_sd:.4f},"
        f" of the error of one {found.error_sd:.4f}: {reliability} of what scores differ by is true.\n",
        markup=False,
    )
    print_rows([source_row(row) for row in found.sources], ("source", "of one", "in score", "share"))
    stdout_console().print("")
    designs = [design_row(row) for row in found.designs]
    print_rows(designs, ("aim", "neg", "samples", "decomp.", "items", found.unit, "error"))
    for note in found.notes:
        say(note)
    say(f"\n{lay_out_terms(TERMS)}")
