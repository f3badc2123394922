"""Load a whole data set into memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from gameproof.errors import PlanError
from gameproof.files.scan import Reading, scan
from gameproof.files.sources import source_of
from gameproof.records import Dataset, Item
from gameproof.seeds import rng_for

__all__ = ["load"]


def load(
    data: object,
    *,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: int | None = None,
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
        sample: Draw so many items at random, task by task, so that tasks stay whole.
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
    if sample is not None and sample < 1:
        raise PlanError(f"--sample {sample}: found {sample}; allowed: 1 or more")
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
    return dataset if sample is None else _draw_sample(dataset, sample, seed)


def _with_origin(dataset: Dataset, origin: Dataset) -> Dataset:
    kept = {item.id for item in dataset.items}
    return replace(
        dataset,
        variants=tuple(variant for variant in origin.variants if variant.item_id in kept),
        n_duplicates=origin.n_duplicates + dataset.n_duplicates,
        notes=tuple(dict.fromkeys((*origin.notes, *dataset.notes))),
    )


def _draw_sample(dataset: Dataset, size: int, seed: int) -> Dataset:
    total = len(dataset.items)
    if size >= total:
        note = f"a sample of {size:,} was asked for; the data has {total:,} items, all are used"
        return replace(dataset, notes=(*dataset.notes, note))
    tasks: dict[str, list[int]] = {}
    for row, item in enumerate(dataset.items):
        tasks.setdefault(item.task_id, []).append(row)
    rng = rng_for(seed, "sample")
    names = list(tasks)
    chosen: list[int] = []
    n_whole = 0
    for task in _shuffled(len(names), rng):
        rows = tasks[names[task]]
        room = size - len(chosen)
        if len(rows) > room:  # the last task may be too large: a part of it, at random, fills the sample
            rows = [rows[place] for place in _shuffled(len(rows), rng)[:room]]
        else:
            n_whole += 1
        chosen += rows
        if len(chosen) == size:
            break
    return _only(dataset, sorted(chosen), _sample_note(dataset, len(chosen), n_whole, len(names), seed))


def _sample_note(dataset: Dataset, size: int, n_whole: int, n_tasks: int, seed: int) -> str:
    return (
        f"{size:,} of {len(dataset.items):,} items drawn at random with seed {seed}, task by task: "
        f"{n_whole:,} of {n_tasks:,} tasks are whole"
    )


def _only(dataset: Dataset, rows: Sequence[int], note: str) -> Dataset:
    items = tuple(dataset.items[row] for row in rows)
    kept = {item.id for item in items}
    variants = tuple(variant for variant in dataset.variants if variant.item_id in kept)
    return replace(dataset, items=items, variants=variants, notes=(*dataset.notes, note))


def _shuffled(size: int, rng: np.random.Generator) -> list[int]:
    return [int(place) for place in rng.permutation(size)]
