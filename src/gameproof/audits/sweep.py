"""The sweep: every cell of the design space on one data set, in one run that shares all its work."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof._version import __version__
from gameproof.audits.correlate import Ratings, collect_ratings
from gameproof.audits.run import Run, score_stage
from gameproof.audits.sweep_cells import SweepCell
from gameproof.audits.sweep_contrast import LEVELS, N_RESAMPLES, cells_of, examine_contrast
from gameproof.audits.sweep_result import AblationRow, SweepResult, SweepRow
from gameproof.engine.table import MetricScores
from gameproof.fmi.spec import Spec
from gameproof.metrics.base import Metric
from gameproof.metrics.fmi import FmiMetric
from gameproof.metrics.fmi_sharing import prepare_together
from gameproof.records import FloatArray
from gameproof.stats.dimensions import Ranked, rank, subtract
from gameproof.stats.levels import Level
from gameproof.stats.ranks import tie_share

__all__ = ["run_sweep"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """The scores of one cell, ranked against the ratings at each level."""

    cell: SweepCell
    metric: FmiMetric
    scores: MetricScores
    ranked: Mapping[Level, Ranked]

    @property
    def values(self) -> FloatArray:
        return self.scores.original.values


async def run_sweep(run: Run, cells: Sequence[SweepCell], metrics: Sequence[Metric]) -> SweepResult:
    """Score all cells, and correlate each with the ratings.

    Args:
        run: The data, the seed and the folder; its perturbations are not used.
        cells: What is swept.
        metrics: Their metrics, not prepared, in the same order.
    """
    items = run.dataset.items
    prepared = [metric for metric in await prepare_together(metrics, items) if isinstance(metric, FmiMetric)]
    if run.folder is not None:
        run.folder.record_plan(_plan(run, prepared))
    table = await score_stage(run, prepared, [])
    progress = run.told()
    progress.start("correlate", len(table))
    ratings = collect_ratings(items)
    columns: list[_Column] = []
    for cell, metric, scores in zip(cells, prepared, table, strict=True):
        ranked: dict[Level, Ranked] = {
            level: _rank(scores.original.values, ratings, level, run.seed) for level in LEVELS
        }
        columns.append(_Column(cell=cell, metric=metric, scores=scores, ranked=ranked))
        progress.advance(1)
    progress.done()
    by_text = {column.cell.text: column for column in columns}
    return SweepResult(
        run=_about(run, prepared),
        rows=tuple(_row(column, ratings, run.seed) for column in columns),
        ablations=tuple(
            _compare(column, by_text[column.cell.ablates], ratings, run.seed)
            for column in columns
            if column.cell.ablates is not None
        ),
    )


def _rank(values: FloatArray, ratings: Ratings, level: Level, seed: int) -> Ranked:
    return rank(values, ratings.dimensions, ratings.clusters, level, n_resamples=N_RESAMPLES, seed=seed)


def _row(column: _Column, ratings: Ratings, seed: int) -> SweepRow:
    cell, original = column.cell.spec.cell, column.scores.original
    there = column.values[~np.isnan(column.values)]
    preparation = column.metric.prepared
    contrast = None
    if original.contrast is not None and preparation is not None and preparation.negatives is not None:
        contrast = examine_contrast(
            original.contrast,
            column.ranked,
            ratings.dimensions,
            ratings.clusters,
            has_score=column.values,
            negatives=preparation.negatives,
            seed=seed,
        )
    return SweepRow(
        metric=column.scores.metric,
        signature=column.scores.signature,
        divergence=cell.divergence,
        estimator=cell.estimator,
        representation=cell.representation,
        predictor=cell.predictor,
        options=_options(column.cell.spec),
        n=int(there.size),
        missing=dict(Counter(original.reasons.values()).most_common()),
        mean=float(there.mean()) if there.size else None,
        sd=float(there.std(ddof=1)) if there.size > 1 else None,
        tied=tie_share(there),
        correlations=cells_of({level: one.estimates for level, one in column.ranked.items()}),
        contrast=contrast,
        ablates=column.cell.ablates,
    )


def _options(spec: Spec) -> dict[str, str]:
    """Return what tells the rows of one cell apart: the form or the critic, and what is not at its default."""
    told = str(spec).split(",")[1:]
    chosen = {key: value for key in ("form", "critic") if (value := spec.get(key)) is not None}
    return chosen | dict(pair.split("=", 1) for pair in told)


def _compare(column: _Column, other: _Column, ratings: Ratings, seed: int) -> AblationRow:
    """Subtract the cell without the option from the one with it, on the items that both score."""
    both = ~(np.isnan(column.values) | np.isnan(other.values))
    ranked = [
        {
            level: rank(
                values,
                ratings.dimensions,
                ratings.clusters,
                level,
                only=both,
                n_resamples=N_RESAMPLES,
                seed=seed,
            )
            for level in LEVELS
        }
        for values in (column.values, other.values)
    ]
    return AblationRow(
        metric=column.scores.metric,
        ablates=other.scores.metric,
        differences=cells_of({level: subtract(ranked[0][level], ranked[1][level]) for level in LEVELS}),
        mean_difference=float((column.values - other.values)[both].mean()) if both.any() else None,
    )


def _about(run: Run, metrics: Sequence[FmiMetric]) -> dict[str, object]:
    items = run.dataset.items
    noted: dict[str, list[str]] = {}
    for metric in metrics:
        for note in metric.notes:
            noted.setdefault(note, []).append(metric.name)
    notes = [note if len(names) > 1 else f"{names[0]}: {note}" for note, names in noted.items()]
    return {
        "data": run.dataset.name,
        "n_items": len(items),
        "n_tasks": len({item.task_id for item in items}),
        "n_groups": len({item.group for item in items}),
        "n_cells": len(metrics),
        "ratings": sorted({dimension for item in items for dimension in item.ratings}),
        "seed": run.seed,
        "version": __version__,
        "notes": [*run.dataset.notes, *notes],
    }


def _plan(run: Run, metrics: Sequence[FmiMetric]) -> dict[str, object]:
    return {
        "verb": "sweep",
        "data": run.dataset.name,
        "seed": run.seed,
        "metrics": [
            {"metric": one.name, "signature": one.signature(), "higher_is_better": True} for one in metrics
        ],
    }
