"""The verb `sweep`, and its dry run."""

import json
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from gameproof import files
from gameproof.aio.arguments import Llm, spare_calls
from gameproof.aio.reporting import write_text
from gameproof.aio.stand_ins import notes_on_stand_ins
from gameproof.audits.checks import CheckSettings
from gameproof.audits.dry_run import DryRun, count_run, said_together
from gameproof.audits.run import Run
from gameproof.audits.sweep import run_sweep
from gameproof.audits.sweep_cells import SweepCell, read_setting, read_settings, sweep_cells
from gameproof.audits.sweep_result import SweepResult
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool, as_pool, counting_pool, is_stored
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.reports.sweep import render_csv, render_markdown

__all__ = ["plan_sweep", "sweep"]

SWEEP_FILE = "sweep.json"


async def sweep(
    data: object,
    predictors: str | Sequence[str] = (),
    *,
    papers: bool = False,
    critics: Sequence[str] = (),
    settings: Sequence[str] = (),
    ablate: str | None = None,
    nli: str | None = None,
    out: str | Path | None = None,
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
    force: bool = False,
    progress: Progress | None = None,
) -> SweepResult:
    """Score every cell of the design space that a predictor serves, in one run that shares all its work.

    Each cell gets its Spearman correlation with every rating, within tasks and pooled, with 95% intervals over
    resampled tasks; each contrastive one also that of the support on own references alone, the difference on
    the same resamples, and where the contrast does not help the reason that can be measured.

    Args:
        data: As in `audit`.
        predictors: Of overlap, oracle, nli and autoreg; overlap by default.
        papers: Only the cells of paper 1 (arXiv:2608.01423): KL and TV, direct scores in the joint form and a
            yes or no as the oracle's critic of TV; by default those of autoreg and oracle, twelve in all.
        critics: More critics for TV f-variational cells: bins, binary or soft. A further critic of an oracle
            asks further questions; by default one kind is asked for each representation, that of the bins.
        settings: ``KEY=VALUE`` options, each set in all cells that take it.
        ablate: ``KEY=VALUE``: score every cell that takes it also with this, and compare the two.
        nli: The folder of the model that nli cells ask.
        out: The run folder, for ``sweep.json``, ``sweep.md``, ``sweep.csv`` and the scores; scores of cells
            that are there already are not computed again.
        domain: ``reviews``, ``summaries`` or ``answers``, for items that do not say it themselves.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        group_by: The column whose values are the groups that negatives come from, or ``all``.
        sample: So many originals, two to four of a task where there are more, or ``all``. By default 200 where a
            language model is asked, and all otherwise.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the sample, the negatives and the resamples.
        force: Score anew.
        progress: Told about every stage.

    Raises:
        PlanError: A predictor is unknown, or no cell takes an option.
        SpecError: A cell cannot be scored, for example because no model is given.
        DataError: Rows of the data are bad.
    """
    cells = _cells(predictors, papers=papers, critics=critics, settings=settings, ablate=ablate, nli=nli)
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(as_pool(llm, cache=cache, limits=limits))
        built = _build(cells, seed=seed, models=models)
        dataset = open_dataset(data, spare_calls(options, built))
        strange = notes_on_stand_ins(built, dataset.notes, result="correlation")
        dataset = replace(dataset, notes=(*dataset.notes, *strange))
        folder = stack.enter_context(files.RunFolder.open(out)) if out is not None else None
        run = Run(
            dataset=dataset,
            perturbations=(),
            settings=CheckSettings(seed=seed),
            seed=seed,
            folder=folder,
            force=force,
            progress=progress,
        )
        result = await run_sweep(run, cells, built)
        if folder is not None:
            _write(folder.path, result)
    return result


async def plan_sweep(
    data: object,
    predictors: str | Sequence[str] = (),
    *,
    papers: bool = False,
    critics: Sequence[str] = (),
    settings: Sequence[str] = (),
    ablate: str | None = None,
    nli: str | None = None,
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
    """Count what `sweep` with the same arguments would do, model calls first of all; nothing is scored.

    Answers that the store of calls has already are counted apart.
    """
    cells = _cells(predictors, papers=papers, critics=critics, settings=settings, ablate=ablate, nli=nli)
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
        built = _build(cells, seed=seed, models=models)
        stored = partial(is_stored, models)
        dataset = open_dataset(data, spare_calls(options, built))
        counted = await count_run(dataset, (), (), built, is_stored=stored)
    return replace(counted, notes=tuple(said_together(counted.notes, "cells")))


def _build(cells: Sequence[SweepCell], *, seed: int, models: ModelPool) -> list[Metric]:
    """Make the metrics; what keeps all cells of a predictor from being scored is said once."""
    for text in {cell.spec.cell.predictor: cell.text for cell in reversed(cells)}.values():
        build_metrics([text], seed=seed, llm=models)
    return build_metrics([cell.text for cell in cells], seed=seed, llm=models)


def _cells(
    predictors: str | Sequence[str],
    *,
    papers: bool,
    critics: Sequence[str],
    settings: Sequence[str],
    ablate: str | None,
    nli: str | None,
) -> list[SweepCell]:
    return sweep_cells(
        [predictors] if isinstance(predictors, str) else predictors,
        papers=papers,
        critics=critics,
        settings=read_settings(settings),
        ablate=None if ablate is None else read_setting(ablate),
        nli=nli,
    )


def _write(folder: Path, result: SweepResult) -> None:
    record = json.dumps(result.to_record(), indent=1, ensure_ascii=False, allow_nan=False)
    write_text(folder / SWEEP_FILE, f"{record}\n")
    write_text(folder / "sweep.md", render_markdown(result))
    write_text(folder / "sweep.csv", render_csv(result))
