"""The verb `score`."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from gameproof import files
from gameproof.aio.arguments import Llm, Metrics, listed
from gameproof.aio.engines import LOCAL, check_engine, open_engine
from gameproof.aio.stand_ins import notes_on_stand_ins
from gameproof.audits.dry_run import DryRun, count_run
from gameproof.audits.spot_checks import MOST, Drawn, SpotChecks, with_alarms
from gameproof.datasets.opening import DataOptions, is_named, open_dataset
from gameproof.engine.distributed import Distributed
from gameproof.engine.distributed_rows import score_parts_to_file, score_parts_to_memory
from gameproof.engine.drawn import DrawnScores
from gameproof.engine.progress import Progress
from gameproof.engine.scoring import score_to_file, score_to_memory
from gameproof.engine.summary import ScoreSummary, ScoreTable
from gameproof.errors import PlanError
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool, is_stored
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.references_asked import read_references, spread_out
from gameproof.records import Dataset, Item

__all__ = ["plan_score", "score"]

SPOT_CHECKS = "--spot-checks all scores up to {most} texts twice more; what that asks is not counted here"

SCORE = "score"


async def score(
    data: object,
    metrics: Metrics,
    *,
    out: str | Path | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | Sequence[str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    spot_checks: str = SpotChecks.LOCAL,
    engine: str = LOCAL,
    workers: int | None = None,
    parts: str | Path | None = None,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score every text.

    Each summary has alarms: constant or tied scores, missing and cut texts, an order of lengths, a floor of
    mismatched pairs close to the mean, scores that do not repeat or depend on the batch.

    With ``out`` and metrics that do not look at the whole data (mutual-information cells do), items stream
    through in constant memory: the file is first validated as a whole, then scored.

    Args:
        data: As in `audit`.
        metrics: Names, metrics, or functions of an `Item`.
        out: A .jsonl, .csv or .parquet file for the rows.
        rename: Field -> column.
        reference: Which text serves as the reference, one or several, as in `audit`.
        group_by: The column whose values are the groups, or ``all``.
        sample: So many originals, two to four of a task where there are more, or ``all``; by default all.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the sample and of the negatives.
        spot_checks: Which metrics score some texts again, a tenth of them, 10 to 32: ``local`` (those that ask no
            model and no server), ``all`` or ``none``.
        engine: ``local``, or ``ray`` for worker processes on a Ray cluster: the same rows.
        workers: Of the engine ``ray``: how many processes; by default one for each processor.
        parts: Of the engine ``ray``: a folder for finished parts, which stays; what is finished there is not done again.
        progress: Told about every batch.
    """
    asked = read_references(reference)
    options = DataOptions(
        rename=rename, reference=asked.single, group_by=group_by, sample=sample, limit=limit, seed=seed
    )
    checks = _checked_choice(spot_checks)
    check_engine(engine, workers, parts)
    if out is not None:
        files.check_ending(out)
    drawn = DrawnScores(seed=seed)
    async with as_pool(llm, cache=cache, limits=limits) as models:
        start = partial(
            open_engine,
            engine,
            workers=workers,
            parts=parts,
            models=models,
            seed=seed,
            progress=progress,
        )
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        whole = sample is not None or bool(asked.several)
        streams = out is not None and not whole and not any("pool" in metric.needs for metric in built)
        if streams and out is not None and not isinstance(data, Dataset) and not is_named(data):
            with files.open_items(
                data, rename=rename, reference=asked.single, group_by=group_by, limit=limit
            ) as items:
                items.validate()
                with start() as crew:
                    table = await _score_stream(items, built, out, crew, drawn=drawn, progress=progress)
            table = await _with_alarms(table, built, drawn, checks=checks, seed=seed)
            return replace(
                table, notes=(*table.notes, *notes_on_stand_ins(built, (), result=SCORE), *_notes(built))
            )
        dataset = open_dataset(data, options)
        built, told = spread_out(built, dataset.items, asked)
        prepared = [await metric.prepare(dataset.items) for metric in built]
        with start() as crew:
            table = await _score_items(dataset.items, prepared, out, crew, drawn=drawn, progress=progress)
        table = await _with_alarms(table, prepared, drawn, checks=checks, seed=seed)
        told = (*told, *notes_on_stand_ins(prepared, dataset.notes, result=SCORE))
        return replace(table, notes=(*table.notes, *told, *_notes(prepared)))


async def plan_score(
    data: object,
    metrics: Metrics,
    *,
    rename: Mapping[str, str] | None = None,
    reference: str | Sequence[str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
    spot_checks: str = SpotChecks.LOCAL,
) -> DryRun:
    """Count what `score` with the same arguments would ask of models; nothing is scored."""
    asked = read_references(reference)
    options = DataOptions(
        rename=rename, reference=asked.single, group_by=group_by, sample=sample, limit=limit, seed=seed
    )
    again = _checked_choice(spot_checks) is SpotChecks.ALL
    async with counting_pool(llm, cache=cache) as models:
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        dataset = open_dataset(data, options)
        built, told = spread_out(built, dataset.items, asked)
        counted = await count_run(dataset, (), (), built, is_stored=partial(is_stored, models))
    notes = (*told, *counted.notes, *([SPOT_CHECKS.format(most=MOST)] if again else []))
    return replace(counted, notes=notes)


async def _score_stream(
    items: files.ItemStream,
    metrics: Sequence[Metric],
    out: str | Path,
    crew: Distributed | None,
    *,
    drawn: DrawnScores,
    progress: Progress | None,
) -> ScoreTable:
    if crew is not None:
        return await score_parts_to_file(crew, items, metrics, out, drawn=drawn)
    return await score_to_file(items, metrics, out, drawn=drawn, total=items.n_items, progress=progress)


async def _score_items(
    items: Sequence[Item],
    metrics: Sequence[Metric],
    out: str | Path | None,
    crew: Distributed | None,
    *,
    drawn: DrawnScores,
    progress: Progress | None,
) -> ScoreTable:
    if crew is None and out is None:
        return await score_to_memory(items, metrics, drawn=drawn, progress=progress)
    if crew is None:
        return await score_to_file(
            items, metrics, out or "", drawn=drawn, total=len(items), progress=progress
        )
    if out is None:
        return await score_parts_to_memory(crew, items, metrics, drawn=drawn)
    return await score_parts_to_file(crew, items, metrics, out, drawn=drawn)


def _checked_choice(spot_checks: str) -> SpotChecks:
    """Return which metrics are checked."""
    try:
        return SpotChecks(spot_checks)
    except ValueError as error:
        choices = ", ".join(SpotChecks)
        raise PlanError(f"spot_checks: {spot_checks!r} is unknown: expected one of {choices}.") from error


async def _with_alarms(
    table: ScoreTable, metrics: Sequence[Metric], drawn: DrawnScores, *, checks: SpotChecks, seed: int
) -> ScoreTable:
    items = drawn.texts()
    summaries: list[ScoreSummary] = []
    for place, (summary, metric) in enumerate(zip(table.summaries, metrics, strict=True)):
        scores = drawn.scores(place)
        if scores is not None:
            part = Drawn(items=items, scores=scores, n_all=drawn.n_seen)
            summaries.append(await with_alarms(summary, metric, part, checks=checks, seed=seed))
        else:
            summaries.append(summary)
    return replace(table, summaries=tuple(summaries))


def _notes(metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return what metrics say about data, negatives and models; by name what not all of them say."""
    said: dict[str, list[str]] = {}
    for metric in metrics:
        for note in cast("Sequence[str]", getattr(metric, "notes", ())):
            said.setdefault(note, []).append(metric.name)
    return tuple(
        note if len(names) == len(metrics) else f"{' and '.join(names)}: {note}"
        for note, names in said.items()
    )
