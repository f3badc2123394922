"""The verb `perturb`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gameproof import files
from gameproof.aio.arguments import Llm, Suite, spare_calls, tell_sample
from gameproof.aio.counting import count_made
from gameproof.aio.engines import LOCAL, check_engine, open_engine
from gameproof.audits.applicable import choose_checks
from gameproof.audits.dry_run import DryRun, count_variants
from gameproof.audits.rewriting import OVERLAP, make_rewriting
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.engine.variants import make_all_variants
from gameproof.files.sampling import Sample
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool
from gameproof.perturbations.written import review_rows

__all__ = ["perturb", "plan_perturb"]


async def perturb(
    data: object,
    *,
    out: str | Path,
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    engine: str = LOCAL,
    workers: int | None = None,
    progress: Progress | None = None,
) -> list[dict[str, object]]:
    """Write variants of every text to a file; return for each perturbation how many were made or failed.

    The arguments are those of `audit`. What a rewriter wrote lies beside the file as ``NAME.review.jsonl``, with
    the verdict on each text and what it rests on; edit the verdicts and give it to `audit` as ``variants``.

    The engine ``ray`` makes the variants that rules make in worker processes. A rewriter is asked from this one: many
    questions at a time.
    """
    check_engine(engine, workers, None)
    files.check_ending(out)
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    chosen, dataset = choose_checks(
        tell_sample(open_dataset(data, spare_calls(options, (), rewriter))), suite, perturbations
    )
    given = dataset.variants
    async with as_pool(llm, cache=cache, limits=limits) as models:
        await models.find(rewriter, verify)
        rewriting = make_rewriting(rewriter, verify, models)
        if rewriting is not None:
            written = await rewriting.write(dataset.items, chosen, given)
            given = (*given, *written.variants)
            files.write_rows(_review_path(Path(out)), review_rows(written))
        with open_engine(
            engine, workers=workers, parts=None, models=models, seed=seed, progress=progress
        ) as crew:
            made = await make_all_variants(
                dataset.items, chosen, seed=seed, given=given, crew=crew, progress=progress
            )
    files.write_variants(out, made)
    return count_variants(chosen, made, dataset.items)


async def plan_perturb(
    data: object,
    *,
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `perturb` with the same arguments would write and ask; nothing is written."""
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    chosen, dataset = choose_checks(
        open_dataset(data, spare_calls(options, (), rewriter)), suite, perturbations
    )
    async with counting_pool(llm, cache=cache) as models:
        await models.find(rewriter, verify)
        rewriting = make_rewriting(rewriter, verify, models)
        return await count_made(dataset, chosen, (), rewriting, models, seed=seed)


def _review_path(out: Path) -> Path:
    return out.with_name(f"{out.name.partition('.')[0]}.review.jsonl")
