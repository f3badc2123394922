"""Draw some texts of a data set: of many tasks rather than many of one, since tasks are the sampling unit."""

from collections.abc import Sequence
from dataclasses import replace
from operator import index

import numpy as np

from gameproof.errors import PlanError
from gameproof.records import Dataset
from gameproof.seeds import rng_for

__all__ = ["ALL_TEXTS", "Sample", "draw_sample", "read_sample"]

ALL_TEXTS = "all"
Sample = int | str  # so many texts, or "all"

# Texts of one task in a sample. Two are the fewest that can be compared within a task; beyond four, another task
# adds more to every check than another text of the same one. A sample is not spread thinner than over 30 tasks:
# 20 are needed for a pass, and some texts have no score.
FEWEST_OF_TASK, MOST_OF_TASK, TASKS = 2, 4, 30


def read_sample(sample: Sample | None) -> int | None:
    """Return how many texts to draw; None for all of them.

    Raises:
        PlanError: It is neither a number from 1 on nor ``all``.

    Example:
        >>> read_sample("60"), read_sample("all"), read_sample(None)
        (60, None, None)
    """
    if sample is None or sample == ALL_TEXTS:
        return None
    try:
        size = (
            int(sample) if isinstance(sample, str) else index(sample)
        )  # numpy's whole numbers as well, no 2.5
    except (TypeError, ValueError):
        size = 0
    if size < 1 or isinstance(sample, bool):
        raise PlanError(f"--sample {sample}: found {sample}; allowed: 1 or more, or all")
    return size


def draw_sample(dataset: Dataset, size: int, seed: int, *, why: str = "") -> Dataset:
    """Draw so many texts at random, two to four of a task where there are more, and say so in a note.

    Only where the data has too few tasks for that are more texts of each drawn.

    Args:
        dataset: All texts.
        size: How many to draw; a data set that has fewer stays as it is.
        seed: Of the draw.
        why: What the note adds, where nobody asked for a sample.
    """
    if size >= len(dataset.items):
        return dataset
    tasks: dict[str, list[int]] = {}
    for row, item in enumerate(dataset.items):
        tasks.setdefault(item.task_id, []).append(row)
    rng = rng_for(seed, "sample")
    of_tasks = list(tasks.values())
    order = [of_tasks[place] for place in _shuffled(len(of_tasks), rng)]
    waiting = [[rows[place] for place in _shuffled(len(rows), rng)] for rows in order]
    of_task = max(min(size // TASKS, MOST_OF_TASK), FEWEST_OF_TASK)
    chosen: list[int] = []
    while len(chosen) < size:
        for rows in waiting:
            chosen += rows[: min(of_task, size - len(chosen))]
            del rows[:of_task]
        of_task = 1  # one more of each task, until the sample is full
    return _only(dataset, sorted(chosen), _note(dataset, chosen, tasks, seed) + why)


def _note(dataset: Dataset, chosen: Sequence[int], tasks: dict[str, list[int]], seed: int) -> str:
    drawn = {dataset.items[row].task_id for row in chosen}
    return (
        f"{len(chosen):,} of {len(dataset.items):,} items drawn at random with seed {seed}, of {len(drawn):,} of "
        f"{len(tasks):,} tasks"
    )


def _only(dataset: Dataset, rows: Sequence[int], note: str) -> Dataset:
    items = tuple(dataset.items[row] for row in rows)
    kept = {item.id for item in items}
    variants = tuple(variant for variant in dataset.variants if variant.item_id in kept)
    return replace(dataset, items=items, variants=variants, notes=(*dataset.notes, note))


def _shuffled(size: int, rng: np.random.Generator) -> list[int]:
    return [int(place) for place in rng.permutation(size)]
