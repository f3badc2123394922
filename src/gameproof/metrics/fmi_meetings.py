"""Items that are held against the same units: what a predictor is asked about together."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.fmi.aggregation import UnitScores
from gameproof.metrics.fmi_preparation import Plan
from gameproof.metrics.predictors.base import Block
from gameproof.records import Contrast, Item

__all__ = ["Meeting", "blocks_of", "contrast_of", "meet"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Items that share a plan, by their rows."""

    plan: Plan
    rows: list[int]


def meet(planned: Sequence[Plan | str]) -> list[Meeting]:
    """Bring together the items that share a plan; items with a reason have none."""
    meetings: dict[int, Meeting] = {}
    for row, plan in enumerate(planned):
        if isinstance(plan, Plan):
            meetings.setdefault(id(plan), Meeting(plan=plan, rows=[])).rows.append(row)
    return list(meetings.values())


def blocks_of(meetings: Sequence[Meeting], items: Sequence[Item]) -> list[Block]:
    """Return what a predictor is asked."""
    return [
        Block(
            candidates=[items[row].candidate for row in meeting.rows],
            units=meeting.plan.units,
            sources=[items[row].source for row in meeting.rows],
        )
        for meeting in meetings
    ]


def contrast_of(
    n_items: int, meetings: Sequence[Meeting], estimates: Sequence[UnitScores], tasks: tuple[str, ...]
) -> Contrast:
    """Lay out the two halves of contrastive scores; unused places hold NaN and -1."""
    width = max((len(meeting.plan.negative_tasks) for meeting in meetings), default=0)
    matched = np.full(n_items, np.nan)
    negatives = np.full((n_items, width), np.nan)
    negative_tasks = np.full((n_items, width), -1, dtype=np.int64)
    for meeting, estimate in zip(meetings, estimates, strict=True):
        n_negatives = len(meeting.plan.negative_tasks)
        matched[meeting.rows] = estimate.matched
        negatives[meeting.rows, :n_negatives] = estimate.negatives
        negative_tasks[meeting.rows, :n_negatives] = meeting.plan.negative_tasks
    return Contrast(matched=matched, negatives=negatives, negative_tasks=negative_tasks, tasks=tasks)
