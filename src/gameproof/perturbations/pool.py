"""The originals of a run, as perturbation rules may look at them."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import overload

from gameproof.records import Item
from gameproof.text import Layout, split_layout

__all__ = ["Originals"]

MAX_KEPT_LAYOUTS = 4096  # texts whose sentences are remembered; sources are asked for again and again


class Originals:
    """All items of a run, so that a rule can draw from other tasks of an item's group.

    The order in which items come in does not matter: they are put in order by task and id.
    """

    def __init__(self, items: Sequence[Item]) -> None:
        """Arrange the items by group and task once; looking up an item's others costs nothing then."""
        ordered = sorted(items, key=lambda item: (item.task_id, item.id))
        by_group: dict[str, list[Item]] = {}
        self._tasks: dict[str, list[Item]] = {}
        for item in ordered:
            self._tasks.setdefault(item.task_id, []).append(item)
            by_group.setdefault(item.group, []).append(item)
        self._everything = _Shelf(ordered)
        self._by_group = _Shelf(sorted(ordered, key=_group_of), _group_of)
        self._groups = {group: _Shelf(members) for group, members in by_group.items()}
        self._layout = functools.lru_cache(maxsize=MAX_KEPT_LAYOUTS)(split_layout)

    def others(self, item: Item) -> Sequence[Item]:
        """Return the items of other tasks in the item's group.

        A group whose only task is the item's own has none; the whole data set takes its place then.
        """
        shelf = self._groups.get(item.group, self._everything)
        return shelf.without(item.task_id) or self._everything.without(item.task_id)

    def siblings(self, item: Item) -> Sequence[Item]:
        """Return the items of the item's task, itself among them."""
        return self._tasks.get(item.task_id, ())

    def others_elsewhere(self, item: Item) -> Sequence[Item]:
        """Return the items of other groups: of other topics, where groups are topics."""
        return self._by_group.without(item.group)

    def layout(self, text: str) -> Layout:
        """Return the layout of a text, split only once however often it is asked for."""
        return self._layout(text)


def _task_of(item: Item) -> str:
    return item.task_id


def _group_of(item: Item) -> str:
    return item.group


class _Shelf:
    """Items in order of task, or of another name, from which one name can be left out without a copy."""

    def __init__(self, items: Sequence[Item], name_of: Callable[[Item], str] = _task_of) -> None:
        self._items = items
        self._places: dict[str, range] = {}
        for place, item in enumerate(items):
            known = self._places.get(name_of(item), range(place, place))
            self._places[name_of(item)] = range(known.start, place + 1)

    def without(self, name: str) -> Sequence[Item]:
        return _AllBut(self._items, self._places.get(name, range(0)))


@dataclass(frozen=True, slots=True)
class _AllBut(Sequence[Item]):
    """A view of a list without one run of places in it."""

    items: Sequence[Item]
    hidden: range

    def __len__(self) -> int:
        return len(self.items) - len(self.hidden)

    @overload
    def __getitem__(self, index: int) -> Item: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...

    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        place = range(len(self))[index]
        return self.items[place if place < self.hidden.start else place + len(self.hidden)]
