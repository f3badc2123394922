"""Items that are held against the same units: what a predictor is asked about together."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.metrics.fmi_preparation import Plan
from gameproof.metrics.predictors.base import Block
from gameproof.records import Item

__all__ = ["Meeting", "blocks_of", "meet"]


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
