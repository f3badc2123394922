"""``gameproof sensitivity``: one metric, two language models."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from gameproof.cli import models, options
from gameproof.cli.dry_run import show_dry_run
from gameproof.cli.printing import print_json, print_rows, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

if TYPE_CHECKING:
    from gameproof.audits.judge_sensitivity import JudgeSensitivity

__all__ = ["register"]

MODELS = 2

EXAMPLES = """[bold]Examples[/bold]

gameproof sensitivity items.jsonl -m judge --llm gpt-4o --llm gpt-4o-mini

gameproof sensitivity planted -m judge --llm planted:judge --llm planted:judge,length=0 --sample 60"""

Two = Annotated[
    list[str] | None,
    typer.Option(
        "--llm",
        metavar="MODEL",
        help=f"Given twice: the two models that are compared. {options.LLM_HELP} A second name without an address is "
        "a model at that of the first.",
        show_default=False,
        rich_help_panel=options.MODEL_PANEL,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("sensitivity", epilog=EXAMPLES)(sensitivity)


def sensitivity(
    data: options.Data,
    *,
    metric: options.Metrics = None,
    llm: Two = None,
    suite: options.Suite = None,
    perturbation: options.Perturbations = None,
    variants: options.Variants = None,
    margin: options.Margin = None,
    domain: options.Domain = None,
    map_: options.Map = None,
    reference: options.Reference = None,
    group_by: options.GroupBy = None,
    sample: options.SampleOrDefault = None,
    limit: options.Limit = None,
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
    """Audit one metric with two language models: do scores and verdicts depend on which one judges?

    The texts and their variants are the same for both.
    """
    if metric is None or len(metric) != 1:
        raise PlanError("name one metric that asks a language model, such as -m judge.")
    if llm is None or len(llm) != MODELS:
        raise PlanError(
            f"two models are compared, and --llm names {len(llm or ())}.",
            hint="Name both: --llm ONE --llm OTHER.",
        )
    # Any: handed on to two verbs that share these arguments
    shared: dict[str, Any] = {
        "suite": suite.value if suite is not None else "all",
        "perturbations": perturbation,
        "variants": variants,
        "domain": domain.value if domain is not None else None,
        "rename": options.parse_map(map_),
        "reference": options.one_reference(reference),
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "seed": seed or 0,
    }
    if dry_run:
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

        counted = _bridge.run(
            aio.plan_sensitivity(data, metric[0], llms=(llm[0], llm[1]), cache=cache, **shared)
        )
        texts = f"{counted.n_items:,} texts and {counted.n_variants:,} variants"
        show_dry_run(
            counted,
            f"{texts} make {counted.n_scores:,} scores by both models",
            json=json,
            prices={"price_in": price_in, "price_out": price_out},
        )
        return
    asked = {
        "llm": llm[0],
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

        found = _bridge.run(
            aio.sensitivity(
                data,
                metric[0],
                llms=(pool, llm[1]),
                margin=margin or DEFAULT_MARGIN,
                progress=progress,
                **shared,
            )
        )
    if json:
        from gameproof.reports.command_json import sensitivity_record  # noqa: PLC0415 - `--help` does not need it

        print_json(sensitivity_record(found))
        return
    _show(found)


def _same(found: "JudgeSensitivity", check: str, verdict: object) -> str:
    """Say whether both models lead to the same verdict; nothing where neither leads to one."""
    if check in found.flipped:
        return "no"
    return "" if verdict is None else "yes"


def _show(found: "JudgeSensitivity") -> None:
    from gameproof.reports.words import format_effect, verdict_word  # noqa: PLC0415 - `--help` does not need it

    one, other = found.results
    verdicts = {row.check: row for row in other.checks}
    first, second = found.models
    rows = [
        {
            "check": row.check,
            "first": f"{verdict_word(row).word} {format_effect(row.effect)}",
            "second": f"{verdict_word(verdicts[row.check]).word} {format_effect(verdicts[row.check].effect)}",
            "same verdict": _same(found, row.check, row.verdict),
        }
        for row in one.checks
    ]
    print_rows(rows, ("check", "first", "second", "same verdict"))
    console = stdout_console()
    console.print(f"\nfirst: {first}\nsecond: {second}\n", markup=False)
    agreement = "undefined: constant scores" if found.spearman is None else f"{found.spearman:+.2f}"
    console.print(f"{found.metric}: {found.n:,} texts that both scored, Spearman {agreement}", markup=False)
    if found.mean_difference is not None and found.mean_distance is not None:
        console.print(
            f"the second gives {found.mean_difference:+.3g} on average; they are {found.mean_distance:.3g} apart"
        )
    console.print(f"{len(found.flipped):,} of {found.n_checks:,} verdicts depend on the model")
