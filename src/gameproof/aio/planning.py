"""The verb `power`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gameproof.aio.arguments import Llm, Metrics, Suite, listed, spare_calls, tell_sample
from gameproof.aio.counting import count_made
from gameproof.audits.applicable import choose_checks
from gameproof.audits.checks import DEFAULT_MARGIN, CheckSettings, parse_margin
from gameproof.audits.dry_run import DryRun
from gameproof.audits.power import plan_checks
from gameproof.audits.run import Run
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool
from gameproof.metrics.catalogue import build_metrics

__all__ = ["plan_power", "power"]


async def power(
    data: object,
    metrics: Metrics,
    *,
    suite: Suite = "strategic",
    perturbations: Sequence[str] | None = None,
    margin: str = DEFAULT_MARGIN,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[dict[str, object]]:
    """Say from a small pilot how many tasks and items each verdict needs; arguments as in `audit`."""
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with as_pool(llm, cache=cache, limits=limits) as models:
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        given = tell_sample(open_dataset(data, spare_calls(options, built)))
        chosen, dataset = choose_checks(given, suite, perturbations)
        run = Run(
            dataset=dataset,
            perturbations=chosen,
            suite=suite,
            settings=CheckSettings(margin=parse_margin(margin), seed=seed),
            seed=seed,
            progress=progress,
        )
        return await plan_checks(run, built)


async def plan_power(
    data: object,
    metrics: Metrics,
    *,
    suite: Suite = "strategic",
    perturbations: Sequence[str] | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `power` with the same arguments would ask of models; nothing is scored."""
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with counting_pool(llm, cache=cache) as models:
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        given = open_dataset(data, spare_calls(options, built))
        chosen, dataset = choose_checks(given, suite, perturbations)
        return await count_made(dataset, chosen, built, None, models, seed=seed)
