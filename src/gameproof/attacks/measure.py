"""Measure what attacks were worth: both texts scored again on the other side, with an independent quality beside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.attacks.sides import Scored, Side
from gameproof.records import FloatArray, IntArray, Item
from gameproof.stats.gaming import GamingResult, GamingSample, infer_gaming

__all__ = ["Measured", "Measurement", "Step", "infer_steps", "measure", "smallest_gamed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What attacks of one budget were worth."""

    budget: int
    result: GamingResult
    reached: bool  # whether the fixed sequence, from the largest budget down, came to it
    n_missing: int  # texts without a score of either kind on either side


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One text's scores on the measuring side, larger is better; NaN where there is none."""

    metric: float
    quality: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """Scores of every text that was measured."""

    metric: Mapping[tuple[str, str], int]  # (item, text) -> row
    metric_scores: Scored
    quality_scores: Scored

    def of(self, item: Item, text: str) -> Measured:
        """Return the scores of one text."""
        row = self.metric[item.id, text]
        return Measured(
            metric=float(self.metric_scores.values[row]), quality=float(self.quality_scores.values[row])
        )

    def originals(self, items: Sequence[Item]) -> Scored:
        """Return the metric's scores of texts nobody attacked, in order."""
        return self.metric_scores.take([self.metric[item.id, item.candidate] for item in items])

    def qualities(self, items: Sequence[Item]) -> FloatArray:
        """Return how good texts are that nobody attacked, in order; NaN where that is not known."""
        return self.quality_scores.values[[self.metric[item.id, item.candidate] for item in items]]

    def sample(self, pairs: Sequence[tuple[Item, str]]) -> tuple[GamingSample, int]:
        """Return the scores of (original, attacked text) pairs, and how many pairs lack one."""
        rows = [(self.metric[item.id, item.candidate], self.metric[item.id, text]) for item, text in pairs]
        both = np.array(rows, dtype=np.int64).reshape(-1, 2)
        values = [self.metric_scores.values[both[:, side]] for side in (0, 1)]
        qualities = [self.quality_scores.values[both[:, side]] for side in (0, 1)]
        good = ~np.isnan(np.stack([*values, *qualities])).any(axis=0)
        kept: list[int] = np.flatnonzero(good).tolist()
        tasks = _Numbers()
        numbers = np.array([tasks.of(pairs[row][0].task_id) for row in kept], dtype=np.int64)
        negative_tasks, negatives, attacked = self._negatives([rows[row] for row in kept], tasks)
        return GamingSample(
            tasks=numbers,
            metric=values[0][good],
            attacked_metric=values[1][good],
            quality=qualities[0][good],
            attacked_quality=qualities[1][good],
            negative_tasks=negative_tasks,
            negatives=negatives,
            attacked_negatives=attacked,
        ), len(pairs) - len(kept)

    def _negatives(
        self, rows: Sequence[tuple[int, int]], tasks: "_Numbers"
    ) -> tuple[IntArray | None, FloatArray | None, FloatArray | None]:
        widest = max((len(self.metric_scores.negative_tasks[row]) for row, _ in rows), default=0)
        if widest == 0:
            return None, None, None
        numbers = np.full((len(rows), widest), -1, dtype=np.int64)
        sides = np.full((2, len(rows), widest), np.nan)
        for place, pair in enumerate(rows):
            names = self.metric_scores.negative_tasks[pair[0]]
            numbers[place, : len(names)] = [tasks.of(name) for name in names]
            for side, row in enumerate(pair):
                sides[side, place, : len(names)] = self.metric_scores.negatives[row]
        return numbers, sides[0], sides[1]


class _Numbers:
    """Numbers for tasks, in the order they first occur."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, task: str) -> int:
        return self._known.setdefault(task, len(self._known))


async def measure(texts: Sequence[tuple[Item, str]], *, metric: Side, quality: Side) -> Measurement:
    """Score texts of items, and their originals, each once, with the metric's measuring side and with the quality.

    Args:
        texts: (item, another text of it); repeated ones are scored once.
        metric: The side that took no part in the search.
        quality: What tells whether a text is any good.
    """
    rows: dict[tuple[str, str], int] = {}
    items: list[Item] = []
    for item, text in texts:
        for each in (item.candidate, text):
            if (item.id, each) not in rows:
                rows[item.id, each] = len(items)
                items.append(item.with_candidate(each))
    return Measurement(
        metric=rows, metric_scores=await metric.score(items), quality_scores=await quality.score(items)
    )


def infer_steps(
    measurement: Measurement,
    attacked: Mapping[int, Sequence[tuple[Item, str]]],
    *,
    margin: float,
    seed: int,
) -> tuple[Step, ...]:
    """Infer the gap at each budget, the largest first: the sequence stops at the first that is not gamed.

    Scanning budgets upwards and stopping at the first hit would be wrong far more often than one test is; from
    the largest down, each test has the full level because it is only reached when all larger ones have shown
    gaming.

    Args:
        measurement: Scores of all texts.
        attacked: Budget -> (item, best text within that budget).
        margin: Of the gap.
        seed: Of the resamples.
    """
    steps: list[Step] = []
    reached = True
    for budget in sorted(attacked, reverse=True):
        sample, n_missing = measurement.sample(attacked[budget])
        result = infer_gaming(sample, margin=margin, seed=seed)
        steps.append(Step(budget=budget, result=result, reached=reached, n_missing=n_missing))
        reached = reached and result.gamed is True
    return tuple(steps)


def smallest_gamed(steps: Sequence[Step]) -> int | None:
    """Return the smallest budget at which gaming is shown, in the fixed sequence; None where it is not."""
    gamed = [step.budget for step in steps if step.reached and step.result.gamed]
    return min(gamed, default=None)
