"""``gameproof audit``: can these metrics be trusted as a target?"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from gameproof.cli import models, options
from gameproof.cli.audit_self_test import show_self_test
from gameproof.cli.audit_several import show_results
from gameproof.cli.dry_run import dry_run_record, print_dry_run
from gameproof.cli.printing import print_json, say, stdout_console
from gameproof.cli.progress import show_progress
from gameproof.errors import PlanError

if TYPE_CHECKING:
    from gameproof.audits.plan import Plan
    from gameproof.audits.result import AuditResult

__all__ = ["GatedCommand", "default_folder", "fill_bare_gate", "register", "show_result"]

RUNS = "gameproof-runs"
LONGEST_FOLDER = 80
REPORT_FILE = "report.html"
ALL_METRICS = "all"  # as in `gameproof.audits.gating`, which `--help` does not need

EXAMPLES = """[bold]Examples[/bold]

gameproof audit items.jsonl -m rougeL -m length

gameproof audit items.csv -m mypackage.judge:score --map candidate=output --gate

gameproof audit summeval:ratings.jsonl lfqa_e:answers.json -m rougeL -m length

gameproof audit --plan audit.toml --json

gameproof audit --self-test"""


class GatedCommand(TyperCommand):
    """Lets ``--gate`` stand alone."""

    # Any: the class of a context is not the same in all versions of typer
    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, with a value for a bare ``--gate``."""
        return super().parse_args(ctx, fill_bare_gate(args))


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit", cls=GatedCommand, epilog=EXAMPLES)(audit)


def fill_bare_gate(args: Sequence[str]) -> list[str]:
    """Give ``--gate`` its value where it stands alone: at the end, or before another option.

    Example:
        >>> fill_bare_gate(["items.jsonl", "--gate"])
        ['items.jsonl', '--gate=all']
    """
    filled: list[str] = []
    for place, arg in enumerate(args):
        alone = place + 1 == len(args) or args[place + 1].startswith("-")
        filled.append(f"--gate={ALL_METRICS}" if arg == "--gate" and alone else arg)
    return filled


def audit(
    data: options.SomeData = None,
    *,
    metric: options.Metrics = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            metavar="FILE",
            help="A TOML file with the same options (data, metrics, margin ...); those given here win.",
            show_default=False,
            rich_help_panel=options.TEST_PANEL,
        ),
    ] = None,
    suite: options.Suite = None,
    perturbation: options.Perturbations = None,
    skip: options.Skip = None,
    margin: options.Margin = None,
    domain: options.Domain = None,
    variants: options.Variants = None,
    map_: options.Map = None,
    reference: options.References = None,
    group_by: options.GroupBy = None,
    sample: options.SampleOrDefault = None,
    limit: options.Limit = None,
    gate: Annotated[
        str | None,
        typer.Option(
            "--gate",
            metavar="[METRIC]",
            help="Let only this metric decide the exit code; alone, all of them decide.",
            show_default="all",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = None,
    llm: options.Llm = None,
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
    out: options.Out = None,
    force: options.Force = False,
    overwrite: options.Overwrite = False,
    dry_run: options.DryRun = False,
    self_test: Annotated[
        bool,
        typer.Option(
            "--self-test",
            metavar="",
            help="Audit metrics with planted flaws instead, and say whether each flaw is found; takes no data.",
            rich_help_panel=options.RUN_PANEL,
        ),
    ] = False,
    engine: options.Engine = options.EngineChoice.LOCAL,
    workers: options.Workers = None,
    parts: options.Parts = None,
    verbose: options.Verbose = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say whether metrics can be trusted as a target.

    Makes variants of every text, scores them, checks what a good metric should do, and writes a report.
    Several data sets have a run folder each, and one report with a section for each.

    The exit code is 0 if every metric is trusted, 3 if a verdict failed, 4 if the
    data cannot decide, 2 if the input cannot be used or a metric scores no text.
    """
    from gameproof.audits.plan import make_plan, read_plan  # noqa: PLC0415 - `--help` does not need it

    given = {
        "data": data,
        "metrics": metric,
        "suite": suite,
        "perturbations": perturbation,
        "skip": skip,
        "margin": margin,
        "gate": gate,
        "domain": domain,
        "variants": variants,
        "map": options.parse_map(map_),
        "reference": reference,
        "group_by": group_by,
        "sample": sample,
        "limit": limit,
        "llm": llm,
        "rewriter": rewriter,
        "verify": verify,
        "cache": cache,
        "max_calls": max_calls,
        "max_cost": max_cost,
        "price_in": price_in,
        "price_out": price_out,
        "max_requests_per_minute": max_requests_per_minute,
        "max_tokens_per_minute": max_tokens_per_minute,
        "max_concurrency": max_concurrency,
        "seed": seed,
        "out": out,
    }
    record = {key: value for key, value in given.items() if value is not None}
    if self_test:
        raise typer.Exit(
            show_self_test(
                record | _switches(plan=plan, force=force, dry_run=dry_run), json=json, quiet=quiet
            )
        )
    _refuse_incomplete(record, plan)
    checked = make_plan(read_plan(plan) | record if plan else record)
    if dry_run:
        _show_dry_run(checked, json=json)
        return
    folder = checked.out or default_folder(*checked.data)
    with (
        models.model_pool(checked.model_dump()) as pool,
        show_progress(quiet=quiet or json) as progress,
    ):
        from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them
        from gameproof.aio.auditing_several import AuditOptions  # noqa: PLC0415

        asked = AuditOptions(
            suite=checked.suite,
            perturbations=checked.perturbations,
            skip=checked.skip,
            margin=checked.margin,
            domain=checked.domain,
            rename=checked.map,
            reference=checked.reference,
            group_by=checked.group_by,
            sample=checked.sample,
            limit=checked.limit,
            rewriter=checked.rewriter,
            verify=checked.verify,
            seed=checked.seed,
            gate=checked.gate,
            force=force,
            overwrite=overwrite,
            engine=engine.value,
            workers=workers,
            parts=parts,
            progress=progress,
        )
        if len(checked.data) == 1:
            variants_file, data_ = checked.variants, checked.data[0]
            results = [
                _bridge.run(
                    aio.audit(data_, checked.metrics, out=folder, variants=variants_file, llm=pool, **asked)
                )
            ]
        else:
            _refuse_for_several(checked)
            results = _bridge.run(aio.audit_all(checked.data, checked.metrics, out=folder, llm=pool, **asked))
    if len(results) == 1:
        raise typer.Exit(show_result(results[0], folder=folder, json=json, details=verbose))
    raise typer.Exit(show_results(results, folder=folder, json=json))


def _switches(**given: object) -> dict[str, object]:
    return {name: value for name, value in given.items() if value}


def _refuse_for_several(plan: "Plan") -> None:
    if plan.variants is not None:
        raise PlanError(
            "--variants belongs to one data set, and several are given.", hint="Audit that one alone."
        )


def _show_dry_run(plan: "Plan", *, json: bool) -> None:
    from gameproof import _bridge, aio  # noqa: PLC0415 - `--help` does not need them

    with show_progress(quiet=True):
        found = [
            _bridge.run(
                aio.dry_run(
                    data,
                    plan.metrics,
                    suite=plan.suite,
                    skip=plan.skip,
                    group_by=plan.group_by,
                    sample=plan.sample,
                    limit=plan.limit,
                    rename=plan.map,
                    reference=plan.reference,
                    domain=plan.domain,
                    variants=plan.variants,
                    perturbations=plan.perturbations,
                    llm=plan.llm,
                    rewriter=plan.rewriter,
                    verify=plan.verify,
                    cache=plan.cache,
                    seed=plan.seed,
                    gate=plan.gate,
                )
            )
            for data in plan.data
        ]
    prices = {"price_in": plan.price_in, "price_out": plan.price_out}
    if json:
        records = [dry_run_record(each, prices=prices, variants=True) for each in found]
        print_json(records[0] if len(records) == 1 else records)
        return
    for each in found:
        work = f"{each.n_items:,} texts and {each.n_variants:,} variants make {each.n_scores:,} scores"
        print_dry_run(each, work, prices=prices, variants=True)


def show_result(result: "AuditResult", *, folder: str | None, json: bool, details: bool = False) -> int:
    """Print a result as JSON or as tables, and return the exit code it stands for."""
    from gameproof.audits.card import exit_code  # noqa: PLC0415 - `--help` does not need them
    from gameproof.reports.explain import explain_exit  # noqa: PLC0415
    from gameproof.reports.result_json import render_json  # noqa: PLC0415
    from gameproof.reports.terminal import print_result  # noqa: PLC0415

    code = exit_code(result.metrics, result.gate)
    report = Path(folder) / REPORT_FILE if folder else None
    if json:
        print_json(render_json(result))
        say(explain_exit(result, code, result.gate))
        return code
    shown = str(report) if report is not None and report.exists() else None
    print_result(result, stdout_console(), exit_code=code, report=shown, details=details)
    return code


def default_folder(*data: str) -> str:
    """Return the run folder of data for which no folder was named.

    Example:
        >>> default_folder("../rated/items.v2.jsonl"), default_folder("a.jsonl", "b.csv")
        ('gameproof-runs/items.v2', 'gameproof-runs/a+b')
    """
    from gameproof.datasets.naming import folder_names  # noqa: PLC0415 - `--help` does not need it

    names = folder_names(data)
    shown = "+".join(names)
    return f"{RUNS}/{shown if len(shown) <= LONGEST_FOLDER else f'{names[0]}+{len(names) - 1}-more'}"


def _refuse_incomplete(record: Mapping[str, object], plan: str | None) -> None:
    if plan is not None:
        return
    if "data" not in record:
        hint = "`gameproof demo` runs an audit on an embedded data set."
        if record.get("gate", ALL_METRICS) != ALL_METRICS:
            hint = "A word after --gate is taken for a metric: write --gate at the end, or --gate=METRIC."
        raise PlanError("DATA is missing: name a file, '-', or use --plan.", hint=hint)
    if "metrics" not in record:
        raise PlanError(
            "no metric is named: use -m METRIC, once for each metric.",
            hint="`gameproof list metrics` shows what there is; module:function takes your own.",
        )
