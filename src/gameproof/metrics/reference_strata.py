"""Strata of references: who wrote them, and the items of a data set with those of one stratum alone."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from gameproof.records import Item

__all__ = ["UNMARKED", "keep_stratum", "marked_references", "strata_of"]

UNMARKED = "unmarked"  # the stratum of references of which nobody says who wrote them


def marked_references(item: Item) -> Iterator[tuple[str, str]]:
    """Yield every reference of an item that is not blank, with its stratum."""
    kinds = item.reference_kinds or (UNMARKED,) * len(item.references)
    for text, kind in zip(item.references, kinds, strict=True):
        if text.strip():
            yield text, kind


def strata_of(items: Iterable[Item]) -> tuple[str, ...]:
    """Return the strata that occur, in alphabetical order.

    Example:
        >>> item = Item(id="a", task_id="t", candidate="c", references=("x", "y"), reference_kinds=("model", "human"))
        >>> strata_of([item])
        ('human', 'model')
    """
    return tuple(sorted({kind for item in items for _, kind in marked_references(item)}))


def keep_stratum(item: Item, stratum: str) -> Item:
    """Return an item with its references of one stratum alone; it may have none."""
    kept = tuple(text for text, kind in marked_references(item) if kind == stratum)
    return replace(item, references=kept, reference_kinds=(stratum,) * len(kept))
