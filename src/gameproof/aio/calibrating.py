"""The verb `calibration`."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from gameproof.aio.arguments import Llm, spare_calls, tell_sample
from gameproof.aio.cells import build_cell
from gameproof.audits.calibration import CalibrationRow, diagnose
from gameproof.audits.dry_run import DryRun, count_run
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.asking_progress import shows_questions
from gameproof.engine.progress import Progress, Silent
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool, is_stored

__all__ = ["calibration", "plan_calibration"]

OF_RATIOS = {"lacks": "has no ratios", "example": "KL+fvar+statement+overlap"}


async def calibration(
    data: object,
    metric: str,
    *,
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
) -> list[CalibrationRow]:
    """Estimate the information of every divergence directly and by contrast, before and after calibration.

    Args:
        data: As in `audit`, and so the other arguments.
        metric: A cell that supplies ratios, such as ``KL+fvar+statement+overlap``; all divergences are shown.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        group_by: The column of the groups that negatives come from.
        sample: So many originals, two to four of a task where there are more, or ``all``. By default 200 where a
            language model is asked, and all otherwise.
        limit: Only the first so many rows.
        llm: The language model, `cache` and `limits` as in `audit`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the negatives.
        progress: Told about every question to the model, and about every stage that asks none.

    Raises:
        PlanError: The metric is no cell, or supplies no ratio.
        InputError: There are fewer than ten tasks.
    """
    options = DataOptions(
        rename=rename, reference=reference, group_by=group_by, sample=sample, limit=limit, seed=seed
    )
    async with as_pool(llm, cache=cache, limits=limits) as models:
        built = build_cell("calibration", metric, models, seed=seed, **OF_RATIOS)
        items = tell_sample(open_dataset(data, spare_calls(options, [built]))).items
        told = progress or Silent()
        told.start("score", None)  # where no model is asked; questions have a stage of their own
        with shows_questions(told):
            return await diagnose(items, built)


async def plan_calibration(
    data: object,
    metric: str,
    *,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `calibration` with the same arguments would ask of models; nothing is asked."""
    options = DataOptions(
        rename=rename, reference=reference, group_by=group_by, sample=sample, limit=limit, seed=seed
    )
    async with counting_pool(llm, cache=cache) as models:
        built = build_cell("calibration", metric, models, seed=seed, **OF_RATIOS)
        dataset = open_dataset(data, spare_calls(options, [built]))
        return await count_run(dataset, (), (), [built], is_stored=partial(is_stored, models))
