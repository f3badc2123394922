"""The references of a data set: what each stratum makes of the candidates, and how far references agree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.correlate import Ratings, collect_ratings
from gameproof.audits.leave_one_out import LeftOut, lowest_references, score_references
from gameproof.audits.preparing import directed
from gameproof.audits.references_result import (
    Figure,
    ReferencesResult,
    Reliability,
    StrataDifference,
    StratumRow,
    SystemShift,
)
from gameproof.audits.sweep_contrast import LEVELS, N_RESAMPLES, cells_of
from gameproof.engine.scoring import score_to_memory
from gameproof.errors import InputError, PlanError
from gameproof.metrics.base import Metric
from gameproof.metrics.reference_strata import keep_stratum, marked_references, strata_of
from gameproof.records import Dataset, FloatArray, Item, Scores
from gameproof.stats.bootstrap import count_blocks
from gameproof.stats.dimensions import interval_of, rank, subtract

__all__ = ["examine_references"]

HUMAN = "human"  # the baseline, where it is there
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class _Study:
    items: Sequence[Item]
    ratings: Ratings
    seed: int
    sign: float  # -1 where lower is better

    @property
    def numbers(self) -> Mapping[str, int]:
        return {
            task: number for number, task in enumerate(dict.fromkeys(item.task_id for item in self.items))
        }


async def examine_references(
    dataset: Dataset, metric: Metric, *, baseline: str | None = None, lowest: int = 5, seed: int = 0
) -> ReferencesResult:
    """Score candidates against each stratum alone, and references against each other.

    Args:
        dataset: With references; their kinds are the strata.
        metric: Not prepared; it is prepared on each stratum, so that negatives come from the same one.
        baseline: The stratum that the others are compared with; by default ``human``, else the largest.
        lowest: How many of the least reliable references to name.
        seed: Of the resamples.

    Raises:
        InputError: There are no references, or the metric's direction is not declared and cannot be measured.
        PlanError: The baseline is no stratum of the data, or the metric needs no references.
    """
    if "references" not in metric.needs:
        raise PlanError(
            f"references: {metric.name} does not use references.",
            hint="Name a metric that does, such as -m TV+fvar+statement+overlap or -m rougeL.",
        )
    items = dataset.items
    strata = strata_of(items)
    if not strata:
        raise InputError(f"{dataset.name} has no references.")
    counts = Counter(kind for _, _, kind in _references(items))
    base = _baseline(baseline, strata, counts)
    metric = await directed(metric, items)
    study = _Study(
        items=items,
        ratings=collect_ratings(items),
        seed=seed,
        sign=1.0 if metric.higher_is_better else -1.0,
    )
    scores: dict[str, Scores] = {}
    told: dict[str, None] = dict.fromkeys(dataset.notes)
    for stratum in strata:
        kept = [keep_stratum(item, stratum) for item in items]
        prepared = await metric.prepare(kept)
        told.update((f"{stratum}: {note}", None) for note in getattr(prepared, "notes", ()))
        (scores[stratum],) = (await score_to_memory(kept, [prepared])).scores
    left_out = await score_references(items, metric)
    worst, n_far = lowest_references(left_out, count=lowest, higher_is_better=metric.higher_is_better)
    return ReferencesResult(
        run={
            "data": dataset.name,
            "metric": metric.name,
            "n_items": len(items),
            "n_tasks": len(study.numbers),
            "ratings": sorted(study.ratings.dimensions),
            "baseline": base,
            "seed": seed,
            "notes": list(told),
        },
        strata=tuple(_stratum(study, stratum, scores[stratum], left_out) for stratum in strata),
        differences=tuple(
            _difference(study, stratum, base, scores[stratum].values, scores[base].values)
            for stratum in strata
            if stratum != base
        ),
        lowest=worst,
        n_far=n_far,
        n_tasks_alone=left_out.alone.total(),
    )


def _references(items: Sequence[Item]) -> list[tuple[str, str, str]]:
    """Return the different references of every task: (task, text, stratum)."""
    found = {(item.task_id, text, kind) for item in items for text, kind in marked_references(item)}
    return sorted(found)


def _baseline(wanted: str | None, strata: Sequence[str], counts: Mapping[str, int]) -> str:
    if wanted is None:
        return HUMAN if HUMAN in strata else max(strata, key=lambda stratum: counts[stratum])
    if wanted not in strata:
        raise PlanError(f"--baseline: found {wanted!r}; the strata of this data are {', '.join(strata)}.")
    return wanted


def _stratum(study: _Study, stratum: str, scores: Scores, left_out: LeftOut) -> StratumRow:
    references = [(task, text) for task, text, kind in _references(study.items) if kind == stratum]
    ratings = study.ratings
    return StratumRow(
        stratum=stratum,
        n_references=len(references),
        n_tasks=len({task for task, _ in references}),
        n_scores=int((~np.isnan(scores.values)).sum()),
        missing=dict(Counter(scores.reasons.values()).most_common()),
        mean=_mean(study, scores.values, [item.task_id for item in study.items]),
        correlations=cells_of(
            {
                level: rank(
                    study.sign * scores.values,
                    ratings.dimensions,
                    ratings.clusters,
                    level,
                    n_resamples=N_RESAMPLES,
                    seed=study.seed,
                ).estimates
                for level in LEVELS
            }
        )
        if ratings.dimensions
        else (),
        reliability=_reliability(study, stratum, left_out),
    )


def _reliability(study: _Study, stratum: str, left_out: LeftOut) -> Reliability:
    rows = [row for row, kind in enumerate(left_out.strata) if kind == stratum]
    values = left_out.values[rows]
    reasons = [reason for row in rows if (reason := left_out.reasons[row]) is not None]
    return Reliability(
        mean=_mean(study, values, [left_out.items[row].task_id for row in rows]),
        n_references=int((~np.isnan(values)).sum()),
        n_alone=left_out.alone[stratum],
        missing=dict(Counter(reasons).most_common()),
    )


def _difference(
    study: _Study, stratum: str, base: str, values: FloatArray, others: FloatArray
) -> StrataDifference:
    both = ~(np.isnan(values) | np.isnan(others))
    ratings = study.ratings
    ranked = [
        {
            level: rank(
                study.sign * column,
                ratings.dimensions,
                ratings.clusters,
                level,
                only=both,
                n_resamples=N_RESAMPLES,
                seed=study.seed,
            )
            for level in LEVELS
        }
        for column in (values, others)
    ]
    return StrataDifference(
        stratum=stratum,
        baseline=base,
        n=int(both.sum()),
        mean=_mean(study, values - others, [item.task_id for item in study.items]),
        correlations=cells_of({level: subtract(ranked[0][level], ranked[1][level]) for level in LEVELS})
        if ratings.dimensions
        else (),
        systems=_shifts(study, values - others),
    )


def _shifts(study: _Study, differences: FloatArray) -> tuple[SystemShift, ...]:
    """Compare each system's difference with the mean over systems of the same task.

    What all candidates of a task gain alike (longer references, say) drops out; what is left is favour.
    """
    there = [
        row
        for row, item in enumerate(study.items)
        if item.system is not None and not np.isnan(differences[row])
    ]
    systems = sorted({str(study.items[row].system) for row in there})
    if len(systems) < 2:
        return ()
    columns = {system: column for column, system in enumerate(systems)}
    numbers = study.numbers
    sums, counts = np.zeros((len(numbers), len(systems))), np.zeros((len(numbers), len(systems)))
    for row in there:
        cell = (numbers[study.items[row].task_id], columns[str(study.items[row].system)])
        sums[cell] += differences[row]
        counts[cell] += 1
    table = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    compared = (counts > 0).sum(axis=1) > 1  # a task of one system favours nobody
    table = np.where(compared[:, None], table, np.nan)
    n_systems = np.maximum((~np.isnan(table)).sum(axis=1), 1)
    table = table - (np.nansum(table, axis=1) / n_systems)[:, None]
    level = 1 - (1 - CONFIDENCE) / len(systems)
    found = [_shift(system, _figure(study, table[:, column], level)) for system, column in columns.items()]
    return tuple(sorted(found, key=lambda one: (-(one.shift.value or 0.0), one.system)))


def _shift(system: str, shift: Figure) -> SystemShift:
    has_interval = shift.low is not None and shift.high is not None
    return SystemShift(
        system=system, shift=shift, shown=has_interval and (shift.low or 0.0) * (shift.high or 0.0) > 0
    )


def _mean(study: _Study, values: FloatArray, task_ids: Sequence[str]) -> Figure:
    numbers = study.numbers
    tasks = np.array([numbers[task] for task in task_ids], dtype=np.int64)
    known = ~np.isnan(values)
    counts = np.bincount(tasks[known], minlength=len(numbers))
    sums = np.bincount(tasks[known], weights=values[known], minlength=len(numbers))
    return _figure(study, np.where(counts > 0, sums / np.maximum(counts, 1), np.nan), CONFIDENCE)


def _figure(study: _Study, means: FloatArray, confidence_level: float) -> Figure:
    """Average task means; each resample of tasks averages those that it holds."""
    defined = ~np.isnan(means)
    n = int(defined.sum())
    if not n:
        return Figure(value=None, low=None, high=None, n=0)
    known, weights = np.nan_to_num(means), defined.astype(np.float64)
    draws: list[FloatArray] = []
    for block in count_blocks(means.size, N_RESAMPLES, study.seed):
        drawn = block @ weights
        draws.append(np.divide(block @ known, drawn, out=np.full(drawn.shape, np.nan), where=drawn > 0))
    interval = interval_of(np.concatenate(draws), confidence_level) if n > 1 else None
    return Figure(
        value=float(means[defined].mean()),
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        n=n,
    )
