"""Measure the crossing of readers and texts: what a reader loses with the text that was written for another one.

The change of a ring of readers is balanced: each reader and each text stands on both sides once. Half of the interaction
of two readers is the mean change turned round, and a ring counts only if all of its scores are there.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from gameproof.audits.samples import Coverage, Frame, Paired, pair, take_rows
from gameproof.perturbations.crossing import reader_rings
from gameproof.records import BoolArray, FloatArray, Scores
from gameproof.stats.paired import PairedResult, infer_paired
from gameproof.stats.results import State
from gameproof.stats.sums import mean_by

__all__ = ["BALANCED", "infer_crossed", "pair_crossed"]

BALANCED = "another reader of its task has no score"
ROUNDING = 1e-10  # of the largest score: smaller mean changes are none


def pair_crossed(frame: Frame, columns: Mapping[int | None, Scores], applicable: BoolArray) -> Paired:
    """Pair every reader's own text with another reader's, whole rings only.

    Args:
        frame: The items and the originals' scores.
        columns: The one level of other readers' texts; or texts written for the own reader (1) and for another (2),
            of which the first takes the place of the original.
        applicable: As in `gameproof.audits.samples.pair`.
    """
    levels = sorted(columns, key=lambda level: level or 0)
    if len(levels) > 1:
        original = columns[levels[0]]
        places = Frame.of(frame.items, original, higher_is_better=True).places
        frame = replace(frame, original=original, places=places)
    paired = pair(frame, columns[levels[-1]], applicable)
    there = set(paired.rows.tolist())
    rings = [[frame.row_of[item.id] for item in ring] for ring in reader_rings(frame.items)]
    whole = [row for ring in rings if there.issuperset(ring) for row in ring]
    keep = np.isin(paired.rows, whole)
    if keep.all():
        return paired
    coverage = paired.coverage
    n_lost = int((~keep).sum())
    missing = {**coverage.missing, BALANCED: coverage.missing.get(BALANCED, 0) + n_lost}
    return Paired(
        sample=take_rows(paired.sample, np.flatnonzero(keep)),
        rows=paired.rows[keep],
        coverage=Coverage(
            n_applicable=coverage.n_applicable, n_missing=coverage.n_missing + n_lost, missing=missing
        ),
    )


def infer_crossed(
    paired: Paired, *, margin: float, n_resamples: int, confidence_level: float, seed: int
) -> PairedResult:
    """Infer what readers lose; a metric that does not look at the reader loses nothing in any ring."""
    sample = paired.sample
    result = infer_paired(
        sample,
        margins=(-margin, margin),
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed,
    )
    if result.n_tasks < 2:
        return result
    means = mean_by(sample.tasks, sample.variant - sample.original)
    if float(np.abs(means).max()) > ROUNDING * _largest(sample.original, sample.variant):
        return result
    return PairedResult(
        n=result.n,
        n_tasks=result.n_tasks,
        change=0.0,
        effect=0.0 if result.effect is not None else None,
        effect_original=0.0 if result.effect_original is not None else None,
        state=State.NO_CHANGE,
        detail="in every task the readers' gains and losses cancel: the scores do not depend on the reader",
    )


def _largest(original: FloatArray, variant: FloatArray) -> float:
    return max(float(np.abs(original).max()), float(np.abs(variant).max()), np.finfo(np.float64).tiny)
