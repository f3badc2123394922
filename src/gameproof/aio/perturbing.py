"""The verb `perturb`."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gameproof import files
from gameproof.aio.arguments import Llm, Suite
from gameproof.audits.applicable import choose_checks
from gameproof.audits.dry_run import count_variants
from gameproof.audits.rewriting import OVERLAP, make_rewriting
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress, Silent
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.written import review_rows
from gameproof.records import Variant

__all__ = ["perturb"]


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
    sample: int | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[dict[str, object]]:
    """Write variants of every text to a file; return for each perturbation how many were made or failed.

    The arguments are those of `audit`. What a rewriter wrote lies beside the file as ``NAME.review.jsonl``, with
    the verdict on each text and what it rests on; edit the verdicts and give it to `audit` as ``variants``.
    """
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    chosen, dataset = choose_checks(open_dataset(data, options), suite, perturbations)
    given = dataset.variants
    told = progress or Silent()
    async with as_pool(llm, cache=cache, limits=limits) as models:
        await models.find(rewriter, verify)
        rewriting = make_rewriting(rewriter, verify, models)
        if rewriting is not None:
            written = await rewriting.write(dataset.items, chosen, given)
            given = (*given, *written.variants)
            files.write_rows(_review_path(Path(out)), review_rows(written))
    made: list[Variant] = []
    told.start("perturb", None)
    for variant in make_variants(dataset.items, chosen, seed=seed, given=given):
        made.append(variant)
        told.advance(1)
    told.done()
    files.write_variants(out, made)
    return count_variants(chosen, made, dataset.items)


def _review_path(out: Path) -> Path:
    return out.with_name(f"{out.name.partition('.')[0]}.review.jsonl")
