"""Measure whether a larger number of a metric means a better text: own references against other tasks'."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.errors import InputError
from gameproof.metrics.base import Metric
from gameproof.records import Item

__all__ = ["Direction", "measure_direction"]

MOST_TASKS = 12
LEVEL = 0.05  # two-sided sign test: six pairs that agree are the fewest that can show a direction
HINT = "Say higher_is_better=true or higher_is_better=false in the metric's text, or higher_is_better= in Python."


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """What scoring references has shown."""

    higher_is_better: bool
    n_higher: int  # pairs in which the own reference has the larger score
    n_lower: int
    own: float  # mean score of a task's own reference
    other: float  # mean score of another task's reference

    def __str__(self) -> str:
        """Say what was measured and what follows."""
        agreeing = self.n_higher if self.higher_is_better else self.n_lower
        follows = "higher" if self.higher_is_better else "lower"
        return (
            f"direction measured, not declared: {follows} is better (a task's own reference scores {self.own:.3g}, "
            f"another task's {self.other:.3g}; so in {agreeing} of {self.n_higher + self.n_lower} pairs)"
        )


async def measure_direction(metric: Metric, items: Sequence[Item]) -> Direction:
    """Score references as if they were candidates: each against its own task, and one of another task.

    Args:
        metric: Prepared on the items.
        items: The originals; at most 12 tasks of them are used, which makes 24 scores.

    Raises:
        InputError: Too few tasks have references, or the metric does not tell the two apart.
    """
    chosen = _one_of_each_task(items)
    own = [item.with_candidate(_last(item)) for item in chosen]
    others = [
        item.with_candidate(_last(chosen[(place + 1) % len(chosen)])) for place, item in enumerate(chosen)
    ]
    if len(chosen) < 2:
        raise _unknown(
            metric, f"it takes tasks with different references to measure it, here are {len(chosen)}"
        )
    first, second = await metric.score(own), await metric.score(others)
    matched, mismatched = first.values, second.values
    both = ~(np.isnan(matched) | np.isnan(mismatched))
    if not both.any():
        reason = next(iter([*first.reasons.values(), *second.reasons.values()]))
        raise _unknown(metric, f"no reference could be scored ({reason})")
    change = matched[both] - mismatched[both]
    n_higher, n_lower = int((change > 0).sum()), int((change < 0).sum())
    if _sign_test(n_higher, n_lower) >= LEVEL:
        counted = f"{n_higher} of {int(both.sum())} own references score higher than another task's, {n_lower} lower"
        raise _unknown(metric, counted)
    return Direction(
        higher_is_better=n_higher > n_lower,
        n_higher=n_higher,
        n_lower=n_lower,
        own=float(matched[both].mean()),
        other=float(mismatched[both].mean()),
    )


def _one_of_each_task(items: Sequence[Item]) -> list[Item]:
    """Return an item of each of some tasks, no two with the same reference, spread over the data."""
    found: dict[str, Item] = {}
    texts: set[str] = set()
    for item in items:
        text = _last(item)
        if text and item.task_id not in found and text not in texts:
            found[item.task_id] = item
            texts.add(text)
    tasks = list(found.values())
    n = min(len(tasks), MOST_TASKS)
    return [tasks[place * len(tasks) // n] for place in range(n)]


def _last(item: Item) -> str:
    """Return the last reference: many metrics see the first only, and a text equal to it is a special case."""
    return next((text for text in reversed(item.references) if text.strip()), "")


def _sign_test(n_higher: int, n_lower: int) -> float:
    """Return the exact two-sided p-value of so many signs under a fair coin."""
    n = n_higher + n_lower
    tail = sum(math.comb(n, k) for k in range(max(n_higher, n_lower), n + 1)) / 2**n
    return min(1.0, 2 * tail)


def _unknown(metric: Metric, why: str) -> InputError:
    return InputError(
        f"the metric {metric.name}: it is not known whether a higher score is better: {why}.", hint=HINT
    )
