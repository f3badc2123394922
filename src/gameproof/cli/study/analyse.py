"""``gameproof study analyse``: what the choices of a study say."""

import re
from typing import Annotated

import typer

from gameproof.cli import models, options
from gameproof.cli.printing import print_json, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.cli.study import shared

__all__ = ["EXAMPLES", "analyse"]

EXAMPLES = """[bold]Examples[/bold]

gameproof study analyse study.db -o analysis.html

gameproof study analyse annotations.zip -m length -m rougeL --reference title -m judge --llm gpt-4o-mini"""


def analyse(
    data: shared.Data,
    *,
    metric: options.Metrics = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            metavar="TEXT",
            help="What metrics that need a reference are given: title (of the documents, as the paper did), or source (their "
            "abstracts).",
            show_default=False,
            rich_help_panel=options.DATA_PANEL,
        ),
    ] = None,
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
            help="Write the whole analysis to a .html, .md or .json file.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say what the choices of a study show: who wins, by how much, and how sure that is.

    Readers are the sampling unit throughout. Cancelled finals are counted apart.

    The paper's own counts stand beside ours as parity. With -m, metrics are held against the same choices.
    """
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
            aio.analyse_study(
                data, metric or (), out=out, reference=reference, llm=pool, seed=seed or 0, progress=progress
            )
        )
    if json:
        print_json(result.record())
        return
    from gameproof.reports.study import study_sections  # noqa: PLC0415 - `--help` does not need it

    for note in result.analysis.notes:
        say(f"note: {note}")
    for section in study_sections(result.analysis, result.agreement):
        if not section.main:
            continue
        stdout_console().print(f"\n{section.title}", style="bold", markup=False)
        say(
            re.sub(
                r"(?<=\.) (?=(?:note|share|p sign-flip|accuracy|p|AUC|nats|alpha|decided): )",
                "\n",
                section.text,
            )
        )
        if section.rows:
            rows = [dict(zip(section.columns, row, strict=True)) for row in section.rows]
            print_rows(rows, section.short or section.columns)
    say(
        "\n"
        + (
            f"All of it is in {out}."
            if out is not None
            else "More (parity, sides, models, time, other p-values): -o analysis.html"
        )
    )
