"""Recompute means and variances without each task, as a candidate and as a reference."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.stats.sums import sum_by

__all__ = [
    "Deletions",
    "delete_tasks",
    "means_without",
    "occurring_tasks",
    "shifts_without",
    "variances_without",
]

# A variance below this share of the mean square is a rounding error.
ROUNDING = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletions:
    """Which scores change when a task is left out: the part of the arithmetic that all metrics share.

    Leaving out a task drops its items and takes its references from the negatives of the others. A *touch*
    is one item of another task that has negatives from the left-out task.
    """

    tasks: IntArray  # (n,): the task of each item
    n_tasks: int  # G: tasks are numbered from 0 to G - 1
    sizes: FloatArray  # (G,): items of each task
    used: FloatArray  # (n, m): 1 where there is a negative, else 0
    n_negatives: FloatArray  # (n,): negatives of each item
    places: IntArray  # (q,): flat places of the negatives that can be taken away
    touches: IntArray | None  # (q,): the touch that each place belongs to; None: one place a touch
    items: IntArray  # (p,): the item of each touch
    left_out: IntArray  # (p,): the task that is left out
    n_taken: FloatArray  # (p,): negatives that the touch takes
    stays: BoolArray  # (p,): whether the item has negatives left; if not it drops out


def occurring_tasks(tasks: IntArray, negative_tasks: IntArray | None) -> BoolArray:
    """Say for each number whether a task of that number occurs, as a candidate or as a reference."""
    numbers = [tasks] if negative_tasks is None else [tasks, negative_tasks[negative_tasks >= 0]]
    return np.bincount(np.concatenate(numbers)) > 0


def delete_tasks(
    tasks: IntArray, negative_tasks: IntArray | None, occurs: BoolArray | None = None
) -> Deletions:
    """Find which items each task's references touch.

    Args:
        tasks: The task of each item, 0 or more.
        negative_tasks: The task of each of the item's negatives, -1 in unused places; None without negatives.
        occurs: Which tasks to leave out, from `occurring_tasks`, where several samples have to agree on them;
            those of this sample by default. They are numbered anew from 0 without gaps.
    """
    if occurs is None:
        occurs = occurring_tasks(tasks, negative_tasks)
    if negative_tasks is None:
        negative_tasks = np.full((tasks.size, 0), -1, dtype=np.int64)
    n_tasks = int(occurs.sum())
    if n_tasks < occurs.size:
        numbers = np.cumsum(occurs) - 1
        tasks = numbers[tasks]
        negative_tasks = np.where(negative_tasks >= 0, numbers[negative_tasks], -1)
    # An item's own task is no negative of it; if it were, the item is gone anyway.
    used = (negative_tasks >= 0) & (negative_tasks != tasks[:, None])
    n_negatives = used.sum(axis=1).astype(np.float64)
    places = np.flatnonzero(used)
    items = np.repeat(np.arange(tasks.size), used.sum(axis=1))
    left_out = negative_tasks.ravel()[places]
    touches: IntArray | None = None
    n_taken = np.ones(places.size)
    if _has_repeats(negative_tasks):
        keys, inverse = np.unique(items * n_tasks + left_out, return_inverse=True)
        touches = inverse.astype(np.int64)
        items, left_out = np.divmod(keys, n_tasks)
        n_taken = np.bincount(inverse, minlength=items.size).astype(np.float64)
    return Deletions(
        tasks=tasks,
        n_tasks=n_tasks,
        sizes=np.bincount(tasks, minlength=n_tasks).astype(np.float64),
        used=used.astype(np.float64),
        n_negatives=n_negatives,
        places=places,
        touches=touches,
        items=items,
        left_out=left_out,
        n_taken=n_taken,
        stays=n_negatives[items] > n_taken,
    )


def shifts_without(deletions: Deletions, negatives: FloatArray | None) -> FloatArray:
    """Return how far each touch moves its item's score: mean of its negatives before minus after.

    With c the sum of the r taken of k negatives whose mean is M, that is (c - r M) / (k - r).

    Args:
        deletions: From `delete_tasks`.
        negatives: (n, m) what was averaged and subtracted, finite everywhere; None if nothing was.
    """
    if negatives is None or not deletions.items.size:
        return np.zeros(deletions.items.size)
    taken = negatives.ravel()[deletions.places]
    if deletions.touches is not None:
        taken = sum_by(deletions.touches, taken, deletions.items.size)
    sums = np.einsum("ij,ij->i", negatives, deletions.used)
    means = sums / np.maximum(deletions.n_negatives, 1.0)
    left = (deletions.n_negatives[deletions.items] - deletions.n_taken).clip(min=1.0)
    shifts = (taken - deletions.n_taken * means[deletions.items]) / left
    return shifts if bool(deletions.stays.all()) else np.where(deletions.stays, shifts, 0.0)


def means_without(deletions: Deletions, values: FloatArray, shifts: FloatArray) -> FloatArray:
    """Return the mean of equally weighted task means without each task: (G,), NaN where nothing is left.

    Args:
        deletions: From `delete_tasks`.
        values: (n,) the items' values, negatives already subtracted.
        shifts: From `shifts_without`.
    """
    n_tasks, sizes = deletions.n_tasks, deletions.sizes
    present = sizes > 0
    sums = sum_by(deletions.tasks, values, n_tasks)
    means = np.divide(sums, sizes, out=np.zeros(n_tasks), where=present)
    if bool(deletions.stays.all()):
        homes = deletions.tasks[deletions.items]
        moved, lost = _per_task(deletions, shifts / sizes[homes]), np.zeros(n_tasks)
    else:
        moved, lost = _moves_with_losses(deletions, values, shifts, sums)
    total = means.sum() - means + moved
    counts = present.sum() - present.astype(np.float64) - lost
    return np.divide(total, counts, out=np.full(n_tasks, np.nan), where=counts > 0)


def variances_without(deletions: Deletions, values: FloatArray, shifts: FloatArray) -> FloatArray:
    """Return the variance (ddof 1) over items without each task: (G,), NaN where fewer than 2 are left."""
    n_tasks, tasks, stays = deletions.n_tasks, deletions.tasks, deletions.stays
    centred = values - values.mean()
    before = centred[deletions.items]
    counts = values.size - deletions.sizes - _per_task(deletions, ~stays)
    moves: FloatArray = np.where(stays, shifts, -before)  # how x moves
    square_moves = moves * (2 * before + moves)  # how x^2 moves: (x + m)^2 - x^2, and -x^2 for m = -x
    sums = centred.sum() - sum_by(tasks, centred, n_tasks)
    squares = (centred**2).sum() - sum_by(tasks, centred**2, n_tasks)
    if deletions.items.size:
        sums, squares = sums + _per_task(deletions, moves), squares + _per_task(deletions, square_moves)
    enough = counts >= 2
    safe = np.where(enough, counts, 2.0)
    variances = (squares - sums**2 / safe) / (safe - 1.0)
    floor = ROUNDING * (centred**2).sum() / safe
    return np.where(enough, np.where(variances > floor, variances, 0.0), np.nan)


def _moves_with_losses(
    deletions: Deletions, values: FloatArray, shifts: FloatArray, sums: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how the sum of task means moves, and how many other tasks lose all their items: (G,) each.

    Where items drop out, the size of their task changes too: work on each pair of a left-out task and the
    home of the items it touches.
    """
    n_tasks = deletions.n_tasks
    homes = deletions.tasks[deletions.items]
    keys, places = np.unique(deletions.left_out * n_tasks + homes, return_inverse=True)
    left_out, home = np.divmod(keys, n_tasks)
    change = np.where(deletions.stays, shifts, -values[deletions.items])
    gone = sum_by(places, ~deletions.stays, keys.size)
    sizes = deletions.sizes[home] - gone
    kept = sizes > 0.5
    new_sums = sums[home] + sum_by(places, change, keys.size)
    new_means = np.divide(new_sums, sizes, out=np.zeros(keys.size), where=kept)
    old_means = sums[home] / deletions.sizes[home]
    moved = sum_by(left_out, new_means - old_means, n_tasks)
    return moved, sum_by(left_out, ~kept, n_tasks)


def _per_task(deletions: Deletions, weights: npt.NDArray[np.float64 | np.bool_]) -> FloatArray:
    return sum_by(deletions.left_out, weights, deletions.n_tasks)


def _has_repeats(negative_tasks: IntArray) -> bool:
    ordered = np.sort(negative_tasks.astype(np.int32), axis=1)
    return bool(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any())
