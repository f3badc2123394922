"""The Goodhart curve of a metric over the texts that came with the data."""

from collections.abc import Mapping, Sequence

import numpy as np

from gameproof.attacks.result import Goodhart
from gameproof.records import FloatArray, Item
from gameproof.stats.best_of_n import goodhart_curve

__all__ = ["mean_ratings", "texts_of_tasks"]

FEWEST = 4  # texts of a task


def mean_ratings(items: Sequence[Item]) -> FloatArray | None:
    """Return the mean over dimensions of standardised ratings, NaN where an item lacks one; None without ratings."""
    names = sorted({name for item in items for name in item.ratings})
    if not names:
        return None
    marks = np.array([[item.ratings.get(name, np.nan) for name in names] for item in items])
    spread = np.nanstd(marks, axis=0)
    spread[spread == 0] = 1.0
    standard = (marks - np.nanmean(marks, axis=0)) / spread
    return standard.mean(axis=1)


def texts_of_tasks(
    items: Sequence[Item], metric: FloatArray, quality: FloatArray, *, by: str, seed: int
) -> Goodhart:
    """Draw the curve.

    Args:
        items: All texts, attacked or not.
        metric: (n,) their scores, larger is better; NaN where missing.
        quality: (n,) how good they are; NaN where missing.
        by: What quality is, in words.
        seed: Of the resamples.
    """
    tasks: dict[str, list[int]] = {}
    for row, item in enumerate(items):
        if not (np.isnan(metric[row]) or np.isnan(quality[row])):
            tasks.setdefault(item.task_id, []).append(row)
    samples = [(metric[rows], quality[rows]) for rows in _large(tasks)]
    curve = goodhart_curve(samples, seed=seed) if samples else None
    if curve is not None:
        return Goodhart(by=by, curve=curve)
    return Goodhart(
        by=by,
        curve=None,
        why_not=f"fewer than 2 tasks have {FEWEST} texts or more that differ in both the metric and quality",
    )


def _large(tasks: Mapping[str, list[int]]) -> list[list[int]]:
    return [rows for rows in tasks.values() if len(rows) >= FEWEST]
