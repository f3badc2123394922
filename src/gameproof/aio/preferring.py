"""The verb `prefer`."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from gameproof.aio.arguments import Llm
from gameproof.aio.reporting import write_text
from gameproof.audits.comparing import Compared, analyse_comparisons
from gameproof.audits.dry_run import DryRun, count_calls, estimates
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.asking_progress import shows_questions
from gameproof.engine.progress import Progress, Silent
from gameproof.errors import PlanError
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool, is_stored
from gameproof.metrics.comparative import CELL, compare_support, plan_support
from gameproof.metrics.llm_calls import Askers

__all__ = ["plan_prefer", "prefer"]


async def prefer(
    data: object,
    *,
    llm: Llm | None,
    cell: str = CELL,
    opponents: int | None = 4,
    out: str | Path | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Compared:
    """Ask which of two candidates of a task supports each statement better, own and foreign ones, in both orders.

    Args:
        data: As in `audit`; tasks need two candidates.
        llm: The model that is asked.
        cell: Whose statements, negatives and absolute scores are used.
        opponents: How many others of its task each candidate meets; None for all.
        out: A .json file for the result.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        group_by: The column whose values are the groups, or ``all``.
        sample: So many originals, two to four of a task where there are more, or ``all``; by default all.
        limit: Only the first so many rows.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the pairs, the negatives and the resamples.
        progress: Told about every question to the model, and about every stage that asks none.

    Raises:
        SpecError: No model is given, or the cell is no statement cell of the oracle.
    """
    path = None if out is None else Path(out)
    if path is not None and path.suffix.lower() != ".json":
        raise PlanError(f"cannot write {path}: the ending of its name is not .json.")
    options = DataOptions(
        rename=rename, reference=reference, group_by=group_by, sample=sample, limit=limit, seed=seed
    )
    async with as_pool(llm, cache=cache, limits=limits) as models:
        asker = Askers(models).find("prefer", None)
        dataset = open_dataset(data, options)
        with shows_questions(progress or Silent()):
            found = await compare_support(dataset.items, asker, cell=cell, opponents=opponents, seed=seed)
    result = analyse_comparisons(dataset.items, found, seed=seed)
    if path is not None:
        text = json.dumps(result.record(), indent=1, ensure_ascii=False, allow_nan=False)
        write_text(path, f"{text}\n")
    return result


async def plan_prefer(
    data: object,
    *,
    llm: Llm | None,
    cell: str = CELL,
    opponents: int | None = 4,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `prefer` with the same arguments would ask of the model; nothing is asked.

    Its ``n_scores`` are the pairs, each asked about in both orders.
    """
    options = DataOptions(
        rename=rename, reference=reference, group_by=group_by, sample=sample, limit=limit, seed=seed
    )
    async with counting_pool(llm, cache=cache) as models:
        asker = Askers(models).find("prefer", None)
        dataset = open_dataset(data, options)
        planned = await plan_support(dataset.items, asker, cell=cell, opponents=opponents, seed=seed)
        stored = partial(is_stored, models)
        notes = tuple(estimates(planned.metric, planned.calls.values(), stored))
        return count_calls(dataset, planned.calls, n_scores=planned.n_pairs, is_stored=stored, notes=notes)
