"""The parts of an item that the fields of a host are filled from."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict

from gameproof.errors import SpecError
from gameproof.records import Item

__all__ = ["NOTHING", "PARTS", "checked_part", "item_record", "needs_of", "part_of"]

NOTHING = "nothing"  # a field that stays empty


def _written(item: Item) -> list[str]:
    """Return the references in which somebody wrote something."""
    return [reference for reference in item.references if reference.strip()]


def _first(item: Item) -> str | None:
    return next(iter(_written(item)), None)


PARTS: Mapping[str, Callable[[Item], object]] = {
    "candidate": lambda item: item.candidate,
    "reference": _first,
    "references": _written,
    "source": lambda item: item.source,
    "query": lambda item: item.query,
    "persona": lambda item: item.persona,
    NOTHING: lambda _: None,
}
NEED_OF_PART: Mapping[str, str] = {
    "reference": "references",
    "references": "references",
    "source": "source",
    "query": "query",
    "persona": "persona",
}


def checked_part(field: str, part: str) -> str:
    """Return the name of a part.

    Raises:
        SpecError: An item has no such part.
    """
    if part not in PARTS:
        raise SpecError(f"{field}: found {part!r}; allowed: {', '.join(PARTS)}")
    return part


def part_of(item: Item, part: str) -> object:
    """Return a part of an item; None where the item does not have it."""
    return PARTS[part](item)


def needs_of(parts: Iterable[str]) -> frozenset[str]:
    """Return what an item must have for these parts to be there.

    Example:
        >>> sorted(needs_of(["candidate", "reference", "source"]))
        ['references', 'source']
    """
    return frozenset(NEED_OF_PART[part] for part in parts if part in NEED_OF_PART)


def item_record(item: Item) -> dict[str, object]:
    """Return what a program outside is told of an item: its texts, and never its ratings.

    Example:
        >>> item_record(Item(id="a", task_id="t", candidate="Rain fell."))
        {'id': 'a', 'task_id': 't', 'candidate': 'Rain fell.', 'references': []}
    """
    record: dict[str, object] = {
        "id": item.id,
        "task_id": item.task_id,
        "candidate": item.candidate,
        "references": _written(item),
    }
    if item.source is not None:
        record["source"] = item.source
    if item.query is not None:
        record["query"] = item.query
    if item.persona is not None:
        record["persona"] = {key: value for key, value in asdict(item.persona).items() if value}
    return record
