"""The references of a run, indexed once: tasks, references and the units they are made of."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.metrics.representations import Units
from gameproof.records import BoolArray, IntArray, Item

__all__ = ["ReferencePool", "Task", "index_references", "used_references"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What candidates share: references, by number."""

    id: str
    group: str
    references: tuple[int, ...]  # those that have units; others are dropped, as positive and as negative


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePool:
    """All references of a run; each text is decomposed once, however many items carry it."""

    tasks: tuple[Task, ...]  # sorted by id, so that nothing depends on the order of the data
    units: tuple[str, ...]
    units_of: tuple[IntArray, ...]  # places of each reference's units
    numbers: Mapping[str, int | str]  # reference text -> its number, or why it is dropped
    digest: str

    def places(self, task: Task) -> Iterator[int]:
        """Yield the places of all units of a task's references."""
        for reference in task.references:
            yield from map(int, self.units_of[reference])

    def keeping(self, units: BoolArray, *, reason: str) -> "ReferencePool":
        """Return the pool with only some of its units; a reference that keeps none is dropped."""
        if units.all():
            return self
        units_of = tuple(places[units[places]] for places in self.units_of)
        numbers = {
            text: reason if isinstance(number, int) and not len(units_of[number]) else number
            for text, number in self.numbers.items()
        }
        tasks = tuple(
            replace(task, references=tuple(number for number in task.references if len(units_of[number])))
            for task in self.tasks
        )
        return replace(self, tasks=tasks, units_of=units_of, numbers=numbers)


def used_references(item: Item, refs: str) -> tuple[str, ...]:
    """Return the references an item is scored against: all that are not blank, or the first of them.

    A text that is there twice counts once, as it does among the references of a negative task.
    """
    written = tuple(dict.fromkeys(reference for reference in item.references if reference.strip()))
    return written[:1] if refs == "first" else written


def index_references(items: Iterable[Item], *, refs: str, decompose: Callable[[str], Units]) -> ReferencePool:
    """Index the references of the originals.

    Args:
        items: The originals of a run.
        refs: ``mean`` for all references of a task, ``first`` for its first.
        decompose: Makes units of a reference.
    """
    entries = sorted({(item.task_id, item.group, used_references(item, refs)) for item in items})
    groups: dict[str, str] = {}
    texts_of: dict[str, dict[str, None]] = {}
    for task_id, group, references in entries:
        groups.setdefault(task_id, group)
        texts_of.setdefault(task_id, {}).update(dict.fromkeys(references))
    units: list[str] = []
    units_of: list[IntArray] = []
    numbers: dict[str, int | str] = {}
    for reference in (text for references in texts_of.values() for text in references):
        if reference in numbers:
            continue
        found = decompose(reference)
        if isinstance(found, str):
            numbers[reference] = found
            continue
        numbers[reference] = len(units_of)
        units_of.append(np.arange(len(units), len(units) + len(found), dtype=np.int64))
        units.extend(found)
    return ReferencePool(
        tasks=tuple(
            Task(id=task_id, group=groups[task_id], references=_numbered(references, numbers))
            for task_id, references in texts_of.items()
        ),
        units=tuple(units),
        units_of=tuple(units_of),
        numbers=numbers,
        digest=_digest(entries),
    )


def _numbered(references: Iterable[str], numbers: Mapping[str, int | str]) -> tuple[int, ...]:
    found = (numbers[reference] for reference in references)
    return tuple(number for number in found if isinstance(number, int))


def _digest(entries: Sequence[tuple[str, str, tuple[str, ...]]]) -> str:
    return hashlib.blake2b(json.dumps(entries).encode(), digest_size=4).hexdigest()
