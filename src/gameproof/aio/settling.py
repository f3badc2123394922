"""The verb `settle`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from gameproof.aio.arguments import Llm
from gameproof.aio.cells import build_cell
from gameproof.audits.dry_run import DryRun
from gameproof.audits.given_variants import with_variants
from gameproof.audits.settle import ALPHA, MAX_ROUNDS, Settling, plan_rounds, settle_checks, without_texts
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.errors import PlanError
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool, is_stored
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import select

__all__ = ["plan_settle", "settle"]


async def settle(
    data: object,
    metric: str,
    perturbations: Sequence[str],
    *,
    variants: str | Path | None = None,
    alpha: float = ALPHA,
    max_rounds: int = MAX_ROUNDS,
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
) -> list[Settling]:
    """Draw negatives and answers anew until the sign of each check's change is settled, or the budget ends.

    Args:
        data: As in `audit`, and so the other arguments that are not named here.
        metric: A mutual-information cell.
        perturbations: Names of perturbations; of those that a model writes, give the variants.
        variants: A file of variants made elsewhere.
        alpha: Chance, at most, that a check without any change is ever called settled; looks cost nothing.
        max_rounds: After which what is not settled stays open.
        domain: As in `audit`.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        group_by: The column of the groups that negatives come from.
        sample: So many originals, two to four of a task where there are more, or ``all``; by default all.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`; where these end the run, what is open stays open.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of every draw.
        progress: Told about every round.

    Raises:
        PlanError: The metric is no cell, or nothing in its scores is drawn.
    """
    _refuse_none(perturbations)
    if not 0 < alpha < 1:
        raise PlanError(f"alpha: {alpha:g} is no chance between 0 and 1.")
    chosen = select("all", perturbations)
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
        built = build_cell("settle", metric, models, seed=seed, lacks="draws nothing")
        dataset = with_variants(open_dataset(data, options), variants)
        made = list(make_variants(dataset.items, chosen, seed=seed, given=dataset.variants))
        found = await settle_checks(
            dataset.items, made, built, alpha=alpha, max_rounds=max_rounds, seed=seed, progress=progress
        )
    known = {each.check.split()[0] for each in found}
    nothing = [name for name in (row.name for row in chosen) if name not in known]
    if nothing and not found:
        raise PlanError(
            f"no text could be changed by {', '.join(nothing)}.",
            hint="Give variants that a model has written with --variants FILE.",
        )
    return [*found, *(without_texts(name, made) for name in nothing)]


async def plan_settle(
    data: object,
    metric: str,
    perturbations: Sequence[str],
    *,
    variants: str | Path | None = None,
    max_rounds: int = MAX_ROUNDS,
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
    """Count what `settle` with the same arguments would ask of models at most; nothing is asked."""
    _refuse_none(perturbations)
    chosen = select("all", perturbations)
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
        built = build_cell("settle", metric, models, seed=seed, lacks="draws nothing")
        dataset = with_variants(open_dataset(data, options), variants)
        made = list(make_variants(dataset.items, chosen, seed=seed, given=dataset.variants))
        stored = partial(is_stored, models)
        return await plan_rounds(dataset, made, built, max_rounds=max_rounds, is_stored=stored)


def _refuse_none(perturbations: Sequence[str]) -> None:
    if not perturbations:
        raise PlanError(
            "settle: no perturbation is named: use --perturbation NAME, once for each.",
            hint="`gameproof list perturbations` shows them; for example --perturbation sentence_deletion.",
        )
