"""Count what making variants and scoring them takes, for dry runs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from gameproof.audits.dry_run import DryRun, count_run
from gameproof.audits.rewriting import Rewriting
from gameproof.audits.rewriting_plan import plan_rewriting
from gameproof.llm.pool import ModelPool, is_stored
from gameproof.metrics.base import Metric
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.base import Perturbation
from gameproof.records import Dataset

__all__ = ["count_made"]


async def count_made(
    dataset: Dataset,
    perturbations: Sequence[Perturbation],
    metrics: Sequence[Metric],
    rewriting: Rewriting | None,
    models: ModelPool,
    *,
    seed: int,
) -> DryRun:
    """Count the calls that write variants, verify them and score originals and variants; nothing is asked.

    Args:
        dataset: The originals, and variants made elsewhere.
        perturbations: Those of the run.
        metrics: What scores; none where variants are only made.
        rewriting: Who writes and who verifies; None where nobody is to write.
        models: Finds the models of metrics, with what is stored of each.
        seed: Of the variants that rules make.
    """
    planned = await plan_rewriting(dataset.items, perturbations, rewriting, given=dataset.variants)
    given = (*dataset.variants, *planned.variants)
    made = list(make_variants(dataset.items, perturbations, seed=seed, given=given))
    by_name = {asker.name: asker.model for asker in rewriting.askers} if rewriting is not None else {}
    stored = partial(is_stored, lambda name: by_name.get(name) or models(name))
    counted = await count_run(dataset, perturbations, made, metrics, before=planned.calls, is_stored=stored)
    return replace(counted, notes=(*planned.notes, *counted.notes))
