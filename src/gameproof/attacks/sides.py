"""The two sides of a metric: one that is attacked, and one that tells what the attack was worth.

Both score a text against its own task. What else enters a score (negative references, rarity, decompositions drawn
anew) comes from disjoint halves of the other tasks, and from another seed. A gain that lives on the accidents of one
half is gone on the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from gameproof.engine.score import prepare
from gameproof.llm.asking import answers_anew, ask_together
from gameproof.metrics.base import Metric
from gameproof.records import FloatArray, Item
from gameproof.seeds import rng_for

__all__ = ["Scored", "Side", "split_tasks"]

MOST_OTHERS = 48  # tasks of a half that a task is held against: many times what four negatives need


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Scores of texts in order, larger is better."""

    values: FloatArray  # (n,): NaN where there is a reason
    reasons: tuple[str | None, ...]
    negatives: tuple[FloatArray, ...]  # (m,) of each text: empty for metrics without negatives
    negative_tasks: tuple[tuple[str, ...], ...]  # their tasks

    def take(self, rows: Sequence[int]) -> "Scored":
        """Return the scores of the given rows, in that order."""
        return Scored(
            values=self.values[list(rows)],
            reasons=tuple(self.reasons[row] for row in rows),
            negatives=tuple(self.negatives[row] for row in rows),
            negative_tasks=tuple(self.negative_tasks[row] for row in rows),
        )

    def entries(self) -> list[float | str]:
        """Return a number or a reason for each."""
        return [
            float(value) if reason is None else reason
            for value, reason in zip(self.values, self.reasons, strict=True)
        ]


def split_tasks(items: Sequence[Item], seed: int) -> tuple[frozenset[str], frozenset[str]]:
    """Split the tasks of each group into two halves.

    Example:
        >>> items = [Item(id=str(n), task_id=str(n), candidate="a") for n in range(4)]
        >>> first, second = split_tasks(items, seed=0)
        >>> len(first), len(second), first & second
        (2, 2, frozenset())
    """
    groups: dict[str, list[str]] = {}
    for item in items:
        tasks = groups.setdefault(item.group, [])
        if item.task_id not in tasks:
            tasks.append(item.task_id)
    halves: tuple[set[str], set[str]] = (set(), set())
    for place, (group, tasks) in enumerate(sorted(groups.items())):
        ordered = sorted(tasks)
        order: list[int] = rng_for(seed, "attack", "halves", group).permutation(len(ordered)).tolist()
        for rank, index in enumerate(order):
            halves[(rank + place) % 2].add(ordered[index])
    return frozenset(halves[0]), frozenset(halves[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A metric, prepared anew for each task with one half of the other tasks.

    A metric that looks at no other task is prepared once, and its two sides differ in the answers of a language model
    only: those of a side with a repetition above 0 are asked for anew, as if nobody had asked before.
    """

    metric: Metric
    items: Sequence[Item]
    others: frozenset[str]  # tasks of the half
    seed: int
    sign: float = 1.0  # -1 where lower is better
    repetition: int = 0  # of all questions to a language model
    prepared: dict[str, Metric] = field(default_factory=dict[str, Metric])

    async def score(self, items: Sequence[Item]) -> Scored:
        """Score texts of any tasks, in order."""
        if not self.repetition:
            return await self._score(items)
        with answers_anew(self.repetition):
            return await self._score(items)

    async def _score(self, items: Sequence[Item]) -> Scored:
        places: dict[str, list[int]] = {}
        for place, item in enumerate(items):
            places.setdefault(item.task_id if self._looks_around else "", []).append(place)
        for task in places:
            await self._prepare(task)
        parts = await ask_together(
            [self.prepared[task].score([items[place] for place in rows]) for task, rows in places.items()]
        )
        values = np.full(len(items), np.nan)
        reasons: list[str | None] = [None] * len(items)
        negatives: list[FloatArray] = [np.empty(0)] * len(items)
        tasks: list[tuple[str, ...]] = [()] * len(items)
        for rows, scores in zip(places.values(), parts, strict=True):
            for row, place in enumerate(rows):
                value = float(scores.values[row])
                values[place] = self.sign * value
                if np.isnan(value):
                    reasons[place] = scores.reasons.get(items[place].id, "no score")
                elif scores.contrast is not None:
                    used = scores.contrast.negative_tasks[row] >= 0
                    negatives[place] = scores.contrast.negatives[row][used]
                    places_of: list[int] = scores.contrast.negative_tasks[row][used].tolist()
                    tasks[place] = tuple(scores.contrast.tasks[index] for index in places_of)
        return Scored(
            values=values, reasons=tuple(reasons), negatives=tuple(negatives), negative_tasks=tuple(tasks)
        )

    @property
    def _looks_around(self) -> bool:
        return "pool" in self.metric.needs

    async def _prepare(self, task: str) -> None:
        if task in self.prepared:
            return
        pool = self.items if not task else self._pool(task)
        self.prepared[task] = (await prepare([self.metric], pool))[0]

    def _pool(self, task: str) -> list[Item]:
        """Return the items of a task, and of tasks of the half: its own group's first."""
        own = [item for item in self.items if item.task_id == task]
        groups = {item.group for item in own}
        near: dict[str, bool] = {}
        for item in self.items:
            if item.task_id in self.others and item.task_id != task:
                near[item.task_id] = item.group in groups
        names = sorted(near)
        order: list[int] = rng_for(self.seed, "attack", "others", task).permutation(len(names)).tolist()
        ranked = sorted((names[place] for place in order), key=lambda name: not near[name])
        chosen = set(ranked[:MOST_OTHERS])
        return own + [item for item in self.items if item.task_id in chosen]
