"""Which other tasks each task's candidates are held against.

Negatives are drawn once, from the originals, and are the same for every candidate of a task and for every
variant of it. Inside a group they form a regular design: each task is a negative of equally many others, so
that no reference counts more than another. With them a score estimates information *given the group*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof import text as texts
from gameproof.errors import PlanError
from gameproof.metrics.near_duplicates import find_near_duplicates
from gameproof.metrics.reference_pool import ReferencePool, Task
from gameproof.records import IntArray
from gameproof.seeds import rng_for

__all__ = ["Negatives", "draw_negatives"]

MAX_PAIRS = 50_000_000  # of tasks: what neg=all may ask for before memory and time run away


@dataclass(frozen=True, slots=True, kw_only=True)
class Negatives:
    """The negative tasks of every task, and what a reader must know about the draw."""

    tasks: Mapping[int, IntArray]  # task number -> numbers of its negatives; empty if there is no other task
    n_pairs: int  # pairs drawn
    n_near_duplicates: int  # of them, pairs of tasks with nearly the same references
    n_groups: int
    n_fallback: int  # tasks whose group is too small, so that negatives came from the whole data
    n_short: int  # tasks that have fewer negatives than were asked for
    left_out: bool = False  # whether near-duplicate tasks were drawn and then left out


def draw_negatives(pool: ReferencePool, *, neg: int | None, seed: int, dedupe: bool) -> Negatives:
    """Draw negatives for every task that has references.

    A group with fewer than ``neg + 1`` such tasks takes its negatives from the whole data.

    Args:
        pool: The references of the run.
        neg: How many for each task; None for all other tasks of its group.
        seed: Of the run.
        dedupe: Leave near-duplicate tasks out of the draw's result.
    """
    usable = [number for number, task in enumerate(pool.tasks) if task.references]
    groups: dict[str, list[int]] = {}
    for number in usable:
        groups.setdefault(pool.tasks[number].group, []).append(number)
    smallest = 2 if neg is None else neg + 1
    drawn: dict[int, IntArray] = {}
    for group, members in groups.items():
        if len(members) >= smallest:
            drawn.update(_regular_design(members, neg, rng_for(seed, "negatives", "group", group)))
    too_small = [number for members in groups.values() if len(members) < smallest for number in members]
    if too_small:
        design = _regular_design(usable, neg, rng_for(seed, "negatives", "all"))
        drawn.update({number: design[number] for number in too_small})
    duplicates = find_near_duplicates([_words(pool, task) for task in pool.tasks])
    near = {number: duplicates.among(number, chosen) for number, chosen in drawn.items()}
    kept = {number: chosen[~near[number]] if dedupe else chosen for number, chosen in drawn.items()}
    return Negatives(
        tasks=kept,
        n_pairs=sum(len(chosen) for chosen in drawn.values()),
        n_near_duplicates=sum(int(is_near.sum()) for is_near in near.values()),
        n_groups=len(groups),
        n_fallback=len(too_small),
        n_short=sum(len(chosen) < (neg or 1) for chosen in kept.values()),
        left_out=dedupe,
    )


def _regular_design(members: Sequence[int], neg: int | None, rng: np.random.Generator) -> dict[int, IntArray]:
    """Seat the tasks in a random ring; hold each against those at the same random distances from it.

    No task is at distance 0 of itself, and each is at a given distance of exactly one other.
    """
    n = len(members)
    n_negatives = n - 1 if neg is None else min(neg, n - 1)
    if n * n_negatives > MAX_PAIRS:
        raise PlanError(
            f"neg: {n_negatives:,} negatives for each of {n:,} tasks are {n * n_negatives:,} pairs of tasks;"
            f" at most {MAX_PAIRS:,} can be held.",
            hint="Use a number such as neg=16, or smaller groups (--group-by).",
        )
    ring = rng.permutation(np.array(members, dtype=np.int64))
    distances = 1 + rng.permutation(n - 1)[:n_negatives]
    return {int(task): ring[(place + distances) % n] for place, task in enumerate(ring)}


def _words(pool: ReferencePool, task: Task) -> frozenset[str]:
    return frozenset(texts.words(" ".join(pool.units[place] for place in pool.places(task))))
