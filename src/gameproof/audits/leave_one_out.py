"""Reliability of references: each is scored as a candidate against the others of its task.

A reference that shares little information with what other people wrote of the same task is a poor measure of
candidates. The contrast is the metric's own: the same cell, with negatives from other tasks.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.references_result import LowReference
from gameproof.engine.scoring import score_to_memory
from gameproof.metrics.base import Metric
from gameproof.metrics.reference_strata import marked_references
from gameproof.records import FloatArray, Item

__all__ = ["LeftOut", "lowest_references", "score_references"]

MIN_REFERENCES = 3  # of a task, before one of them can be told from the others
FAR = 3.0  # robust standard deviations
NORMAL_MAD = 1.4826  # standard deviation of a normal distribution over its median absolute deviation


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """All references of a data set with their leave-one-out scores."""

    items: tuple[Item, ...]  # a reference as candidate, the others of its task as references
    strata: tuple[str, ...]  # of each
    places: tuple[int, ...]  # of each, in its task, from 1
    values: FloatArray  # (n,): NaN where missing
    reasons: tuple[str | None, ...]
    alone: Counter[str]  # stratum -> references that are the only one of their task


async def score_references(items: Sequence[Item], metric: Metric) -> LeftOut:
    """Score every reference against the others of its task.

    Args:
        items: The candidates of the data; the same reference of a task counts once.
        metric: Not prepared.
    """
    found: list[tuple[Item, str, int]] = []
    alone: Counter[str] = Counter()
    lonely: list[Item] = []  # their references are still negatives for others
    for own in _by_task(items):
        texts: dict[str, str] = {}
        for item in own:
            for text, kind in marked_references(item):
                texts.setdefault(text, kind)
        if len(texts) == 1:
            alone.update(texts.values())
            lonely.extend(own)
            continue
        for place, (text, kind) in enumerate(texts.items(), start=1):
            others = tuple(other for other in texts if other != text)
            found.append((_as_candidate(own[0], text, others, place), kind, place))
    candidates = [item for item, _, _ in found]
    values, reasons = np.empty(0), dict[str, str]()
    if candidates:
        prepared = await metric.prepare([*candidates, *lonely])
        (scores,) = (await score_to_memory(candidates, [prepared])).scores
        values, reasons = scores.values, dict(scores.reasons)
    return LeftOut(
        items=tuple(candidates),
        strata=tuple(kind for _, kind, _ in found),
        places=tuple(place for _, _, place in found),
        values=values,
        reasons=tuple(reasons.get(item.id) for item in candidates),
        alone=alone,
    )


def lowest_references(
    left_out: LeftOut, *, count: int, higher_is_better: bool
) -> tuple[tuple[LowReference, ...], int]:
    """Return the references furthest below the others of their task, and how many are far below.

    Far is more than three robust standard deviations of that distance, over all references. Tasks with fewer
    than three scored references name none: of two it cannot be said which is the odd one.
    """
    sign = 1.0 if higher_is_better else -1.0
    rows: dict[str, list[int]] = {}
    for row, item in enumerate(left_out.items):
        if not np.isnan(left_out.values[row]):
            rows.setdefault(item.task_id, []).append(row)
    distances: dict[int, float] = {}
    for own in rows.values():
        if len(own) >= MIN_REFERENCES:
            scores = sign * left_out.values[own]
            for place, row in enumerate(own):
                distances[row] = float(scores[place] - np.median(np.delete(scores, place)))
    if not distances:
        return (), 0
    all_distances = np.array(list(distances.values()))
    middle = float(np.median(all_distances))
    limit = middle - FAR * NORMAL_MAD * float(np.median(np.abs(all_distances - middle)))
    ordered = sorted(distances, key=lambda row: (distances[row], left_out.items[row].id))
    lowest = tuple(
        LowReference(
            task_id=left_out.items[row].task_id,
            place=left_out.places[row],
            stratum=left_out.strata[row],
            score=float(left_out.values[row]),
            below=distances[row],
            far=distances[row] < limit,
            text=left_out.items[row].candidate,
        )
        for row in ordered[:count]
        if distances[row] < 0
    )
    return lowest, int((all_distances < limit).sum())


def _by_task(items: Sequence[Item]) -> list[list[Item]]:
    tasks: dict[str, list[Item]] = {}
    for item in items:
        if any(text.strip() for text in item.references):
            tasks.setdefault(item.task_id, []).append(item)
    return list(tasks.values())


def _as_candidate(item: Item, text: str, others: tuple[str, ...], place: int) -> Item:
    return Item(
        id=f"{item.task_id}/reference {place}",
        task_id=item.task_id,
        candidate=text,
        references=others,
        source=item.source,
        group=item.group,
        domain=item.domain,
        persona=item.persona,
        query=item.query,
    )
