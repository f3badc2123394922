"""``gameproof score``: scores per text."""

import json as json_lines
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json_lines, print_rows, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import InputError, PlanError

if TYPE_CHECKING:
    from gameproof.engine.summary import ScoreSummary, ScoreTable

__all__ = ["register"]

SHOWN_ROWS = 20
SUMMARY_COLUMNS = ("metric", "scores", "mean", "sd", "low", "high", "floor", "ties", "missing")
INCOMPLETE = 4
AGAIN = " Run the same command again: what was answered is kept, and only the rest is asked."


class SpotCheckChoice(StrEnum):
    """Which metrics score some texts again."""

    LOCAL = "local"
    ALL = "all"
    NONE = "none"


EXAMPLES = """[bold]Examples[/bold]

gameproof score items.jsonl -m rougeL -m chrf

gameproof score items.parquet -m rougeL,stem=true -o scores.csv

cat items.jsonl | gameproof score - -m bleu --json > scores.jsonl"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score", epilog=EXAMPLES)(score)


def score(
    data: options.Data,
    *,
    metric: options.Metrics = None,
    map_: options.Map = None,
    reference: options.References = None,
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
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the scores to a .jsonl, .csv or .parquet file, row by row: any number of rows fits.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    spot_checks: Annotated[
        SpotCheckChoice,
        typer.Option(
            "--spot-checks",
            help="Score a tenth of the texts again (10 to 32): in another order, and against what belongs to another "
            "task. local: with metrics that ask no model and no server; all: with every metric; none.",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = SpotCheckChoice.LOCAL,
    summary: Annotated[
        Path | None,
        typer.Option(
            "--summary",
            metavar="FILE",
            help="Write counts, facts and alarms of each metric as JSON.",
            show_default=False,
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    dry_run: options.DryRun = False,
    engine: options.Engine = options.EngineChoice.LOCAL,
    workers: options.Workers = None,
    parts: options.Parts = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Score every text.

    The signature of each metric says everything that can move its numbers. Alarms say what is wrong with its scores:
    all the same, tied, missing, of texts that were cut, in the order of lengths, hardly above the floor (what a text of
    another task scores), not repeatable, or dependent on the batch.

    With --json every score is a line of JSON: item, metric, score, and the reason where there is no score.

    The exit code is 2 where a metric has no score for any text, and 4 where calls of a model failed for the time being.
    """
    if json and out is not None:
        raise PlanError("--json prints the scores, -o writes them to a file: choose one.")
    if not metric:
        raise PlanError(
            "no metric is named: use -m METRIC, once for each metric.",
            hint="`gameproof list metrics` shows what there is; module:function takes your own.",
        )
    shared: dict[str, Any] = {
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "rename": options.parse_map(map_),
        "reference": reference,
        "seed": seed or 0,
        "spot_checks": spot_checks.value,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(aio.plan_score(data, metric, llm=llm, cache=cache, **shared))
        work = f"{counted.n_items:,} texts make {counted.n_scores:,} scores"
        show_dry_run(counted, work, json=json, prices={"price_in": price_in, "price_out": price_out})
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

        table = _bridge.run(
            aio.score(
                data,
                metric,
                out=out,
                llm=pool,
                engine=engine.value,
                workers=workers,
                parts=parts,
                progress=progress,
                **shared,
            )
        )
    _print(table, json=json, out=out)
    if summary is not None:
        from gameproof.aio.reporting import write_text  # noqa: PLC0415 - `--help` does not need them
        from gameproof.reports.command_json import score_summary_record  # noqa: PLC0415

        record = score_summary_record(table.summaries)
        write_text(summary, json_lines.dumps(record, indent=1, ensure_ascii=False) + "\n")
    lacking = [said for entry in table.summaries if (said := entry.lacks) is not None]
    if lacking:
        again = any(entry.n_failed for entry in table.summaries)
        unusable = any(not (entry.n or entry.n_failed) for entry in table.summaries if entry.n_missing)
        code = InputError.exit_code if unusable else INCOMPLETE
        say(f"Exit code {code}: {'; '.join(lacking)}.{AGAIN if again else ''}")
        raise typer.Exit(code)


def _print(table: "ScoreTable", *, json: bool, out: str | None) -> None:
    """Print what is known of the run to standard error, and scores or summaries to standard output."""
    for signature in table.signatures:
        say(f"signature: {signature}")
    for note in table.notes:
        say(f"note: {note}")
    for entry in table.summaries:
        for alarm in entry.alarms:
            say(f"! {entry.metric}: {alarm}")
    if json:
        print_json_lines(table.rows())
        return
    if out is None:
        shown = list(islice(table.rows(), SHOWN_ROWS))
        learned = [name for name in ("remark", "spread") if any(row[name] is not None for row in shown)]
        print_rows(shown, ("item", "metric", "score", "reason", *learned))
        rest = table.n_rows - SHOWN_ROWS
        if rest > 0:
            say(f"and {rest:,} more scores; --json or -o FILE gives all of them.")
        stdout_console().print()
    print_rows([_summary(entry) for entry in table.summaries], SUMMARY_COLUMNS)
    if out is not None:
        say(f"{table.n_rows:,} scores are in {out}.")


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.0%}"


def _summary(entry: "ScoreSummary") -> dict[str, object]:
    missing = "; ".join(f"{reason}: {count:,}" for reason, count in entry.missing.items())
    return {
        "metric": entry.metric,
        "scores": entry.n,
        "mean": entry.mean,
        "sd": entry.sd,
        "low": entry.low,
        "high": entry.high,
        "floor": entry.facts.get("floor"),
        "ties": _percent(entry.facts.get("tie_share")),
        "missing": missing,
    }
