"""Cross the readers of a task with the texts that were written for them.

A task with readers A and B has a text for each. Scored for both readers, the four scores show whether a metric sees
whom a text is for, apart from how good the texts are and how demanding the readers:

    (S_AA - S_AB) - (S_BA - S_BB) > 0,   S_xy: written for x, scored for y

More readers stand in a ring, and each gets the text of the next: every text is then once its own reader's and once
another's, and every reader has once the own text and once another's.
"""

from collections.abc import Hashable, Sequence

import numpy as np

from gameproof.perturbations.base import Context, Failure
from gameproof.records import Item

__all__ = ["next_readers", "reader_rings", "take_another_readers_text"]

ALONE = "its task has no text for another reader"
SAME_TEXT = "its task has one text for all readers, none written for one of them"


def reader_rings(items: Sequence[Item]) -> list[tuple[Item, ...]]:
    """Return items of one task for different readers, in the order in which each takes the text of the next.

    A system that wrote for several readers of a task makes a ring of its own there; where none did, the readers' texts
    are put together in the order of their ids, whoever wrote them. Items for nobody are in no ring.
    """
    by_task: dict[str, list[Item]] = {}
    for item in sorted(items, key=lambda item: (item.task_id, item.id)):
        if item.persona is not None:
            by_task.setdefault(item.task_id, []).append(item)
    rings: list[tuple[Item, ...]] = []
    for members in by_task.values():
        systems: dict[str | None, list[Item]] = {}
        for item in members:
            systems.setdefault(item.system, []).append(item)
        of_systems = [ring for own in systems.values() for ring in _rings(own)]
        rings += of_systems or _rings(members)
    return rings


def next_readers(items: Sequence[Item]) -> dict[str, Item]:
    """Return for the id of each item in a ring the item of the next reader."""
    return {
        item.id: ring[(place + 1) % len(ring)]
        for ring in reader_rings(items)
        for place, item in enumerate(ring)
    }


def take_another_readers_text(text: str, context: Context, rng: np.random.Generator) -> str | Failure:
    """Return the text that was written for the next reader of the same task."""
    del rng
    following = next_readers(context.pool.siblings(context.item)).get(context.item.id)
    if following is None:
        return Failure(ALONE)
    return Failure(SAME_TEXT) if following.candidate.strip() == text.strip() else following.candidate


def _rings(items: Sequence[Item]) -> list[tuple[Item, ...]]:
    """Put the first items of all readers into a ring, then their second ones, as far as all have one."""
    by_reader: dict[Hashable, list[Item]] = {}
    for item in items:
        by_reader.setdefault(_reader(item), []).append(item)
    if len(by_reader) < 2:
        return []
    return list(zip(*by_reader.values(), strict=False))


def _reader(item: Item) -> Hashable:
    return (item.persona, item.query, item.requirements)
