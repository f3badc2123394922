"""The references of a run, indexed once: tasks, references and the units they are made of."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from gameproof.metrics.reference_strata import keep_stratum, marked_references
from gameproof.metrics.representations import Units
from gameproof.records import BoolArray, IntArray, Item

__all__ = [
    "ReferencePool",
    "Task",
    "index_references",
    "numbered",
    "used_references",
    "with_used_references",
]

OF_KIND = "kind:"  # refs=kind:human: only references that people wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What candidates share: references, by number."""

    id: str
    group: str
    # Those that have units; others are dropped, as positive and as negative. A reference that was decomposed
    # several times has a number for each decomposition.
    references: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePool:
    """All references of a run; each text is decomposed once, however many items carry it."""

    tasks: tuple[Task, ...]  # sorted by id, so that nothing depends on the order of the data
    units: tuple[str, ...]
    units_of: tuple[IntArray, ...]  # places of each reference's units
    numbers: Mapping[str, tuple[int, ...] | str]  # reference text -> its numbers, or why it is dropped
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
            text: found if isinstance(found, str) else tuple(n for n in found if len(units_of[n])) or reason
            for text, found in self.numbers.items()
        }
        tasks = tuple(
            replace(task, references=tuple(number for number in task.references if len(units_of[number])))
            for task in self.tasks
        )
        return replace(self, tasks=tasks, units_of=units_of, numbers=numbers)


def used_references(item: Item, refs: str) -> tuple[str, ...]:
    """Return the references an item is scored against: all that are not blank, the first of them, or a kind.

    A text that is there twice counts once, as it does among the references of a negative task.
    """
    used = with_used_references(item, refs)
    return tuple(dict.fromkeys(reference for reference in used.references if reference.strip()))


def with_used_references(item: Item, refs: str) -> Item:
    """Return an item with those references alone, and with who wrote them."""
    if refs.startswith(OF_KIND):
        return keep_stratum(item, refs.removeprefix(OF_KIND))
    if refs != "first":
        return item
    first = list(islice(marked_references(item), 1))
    return replace(
        item,
        references=tuple(text for text, _ in first),
        reference_kinds=tuple(kind for _, kind in first) if item.reference_kinds else (),
    )


def index_references(
    items: Iterable[Item],
    *,
    refs: str,
    decompose: Callable[[str], Units],
    again: Sequence[Callable[[str], Units]] = (),
) -> ReferencePool:
    """Index the references of the originals.

    Args:
        items: The originals of a run.
        refs: ``mean`` for all references of a task, ``first`` for its first, ``kind:WORD`` for those of a kind.
        decompose: Makes units of a reference.
        again: Further decompositions; one that fails is left out where another has units.
    """
    entries = sorted({(item.task_id, item.group, used_references(item, refs)) for item in items})
    groups: dict[str, str] = {}
    texts_of: dict[str, dict[str, None]] = {}
    for task_id, group, references in entries:
        groups.setdefault(task_id, group)
        texts_of.setdefault(task_id, {}).update(dict.fromkeys(references))
    units: list[str] = []
    units_of: list[IntArray] = []
    numbers: dict[str, tuple[int, ...] | str] = {}
    for reference in dict.fromkeys(text for references in texts_of.values() for text in references):
        decompositions = [make(reference) for make in (decompose, *again)]
        first = len(units_of)
        for found in decompositions:
            if not isinstance(found, str):
                units_of.append(np.arange(len(units), len(units) + len(found), dtype=np.int64))
                units.extend(found)
        numbers[reference] = tuple(range(first, len(units_of))) or str(decompositions[0])
    return ReferencePool(
        tasks=tuple(
            Task(id=task_id, group=groups[task_id], references=numbered(references, numbers))
            for task_id, references in texts_of.items()
        ),
        units=tuple(units),
        units_of=tuple(units_of),
        numbers=numbers,
        digest=_digest(entries),
    )


def numbered(references: Iterable[str], numbers: Mapping[str, tuple[int, ...] | str]) -> tuple[int, ...]:
    """Return the numbers of all references that have units."""
    found = (numbers[reference] for reference in references)
    return tuple(number for each in found if not isinstance(each, str) for number in each)


def _digest(entries: Sequence[tuple[str, str, tuple[str, ...]]]) -> str:
    return hashlib.blake2b(json.dumps(entries).encode(), digest_size=4).hexdigest()
