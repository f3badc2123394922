"""Load a whole data set into memory."""

from collections.abc import Mapping
from dataclasses import replace

from gameproof.files.sampling import Sample, draw_sample, read_sample
from gameproof.files.scan import Reading, scan
from gameproof.files.sources import source_of
from gameproof.records import Dataset, Item

__all__ = ["load"]


def load(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    reference: str | None = None,
    seed: int = 0,
) -> Dataset:
    """Read, validate and return all items.

    Args:
        data: A path (``-`` is standard input), a list of dicts or items, a pandas or polars frame, an Arrow
            table, a Hugging Face data set, or a `Dataset`.
        rename: Field -> column, as ``--map``.
        group_by: The column whose values are the groups, or ``all`` for a single group.
        sample: Draw so many items at random, two to four of a task where there are more; ``all`` for all.
        limit: Read the first so many rows only (before the sample is drawn).
        reference: The text that serves as the reference: ``summary`` (the references of the row), ``title``,
            ``source`` or a column; by default the references as far as there are any.
        seed: Seed of the sample.

    Raises:
        DataError: some rows are bad; it carries all of them.

    Example:
        >>> data = load([{"candidate": "It rained.", "reference": "Rain fell.", "rating": 4}])
        >>> data.items[0].ratings
        {'overall': 4.0}
    """
    size = read_sample(sample)
    source = source_of(data)
    rows: list[tuple[int, Item]] = []
    try:
        found = scan(
            Reading.checked(source, rename, group_by, limit, reference),
            lambda place, item: rows.append((place, item)),
        )
    finally:
        source.close()
    found.raise_problems()
    items = tuple(item for place, item in rows if place not in found.repeats.exact)
    dataset = Dataset(name=source.name, items=items, n_duplicates=len(found.repeats.exact), notes=found.notes)
    if isinstance(data, Dataset):
        dataset = _with_origin(dataset, data)
    return dataset if size is None else _draw(dataset, size, seed)


def _with_origin(dataset: Dataset, origin: Dataset) -> Dataset:
    kept = {item.id for item in dataset.items}
    return replace(
        dataset,
        variants=tuple(variant for variant in origin.variants if variant.item_id in kept),
        n_duplicates=origin.n_duplicates + dataset.n_duplicates,
        notes=tuple(dict.fromkeys((*origin.notes, *dataset.notes))),
    )


def _draw(dataset: Dataset, size: int, seed: int) -> Dataset:
    if size < len(dataset.items):
        return draw_sample(dataset, size, seed)
    note = f"a sample of {size:,} was asked for; the data has {len(dataset.items):,} items, all are used"
    return replace(dataset, notes=(*dataset.notes, note))
