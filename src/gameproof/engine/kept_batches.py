"""Keep the scores of slow batches of a metric in a folder, so that a run that is stopped goes on from there."""

import inspect
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gameproof.engine.part_files import ScoreParts
from gameproof.engine.table import concatenate
from gameproof.metrics.base import Metric, is_pinned
from gameproof.records import Item, Scores

__all__ = ["keep_batches"]

SLOW_S = 0.05  # a batch that took less is scored again about as fast as it is read
SMALL = 32  # texts: as many are lost at most where each is scored by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """Scores with another metric, batch by batch; what is in the folder is not scored again."""

    inner: Metric
    parts: ScoreParts
    at_once: int | None  # texts of a batch, where each is scored by itself; None: batches stay as they are

    @property
    def name(self) -> str:
        """As the metric says."""
        return self.inner.name

    @property
    def needs(self) -> frozenset[str]:
        """As the metric says."""
        return self.inner.needs

    @property
    def higher_is_better(self) -> bool:
        """As the metric says."""
        return self.inner.higher_is_better

    def signature(self) -> str:
        """As the metric says."""
        return self.inner.signature()

    async def prepare(self, pool: Sequence[Item]) -> "_Kept":
        """Prepare the metric."""
        return replace(self, inner=await self.inner.prepare(pool))

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score what is not in the folder."""
        size = self.at_once or max(1, len(items))
        return concatenate(
            [await self._one(items[start : start + size]) for start in range(0, max(1, len(items)), size)]
        )

    async def _one(self, items: Sequence[Item]) -> Scores:
        found = self.parts.read(items)
        if found is not None:
            return found[0]
        started = time.perf_counter()
        scores = await self.inner.score(items)
        if time.perf_counter() - started >= SLOW_S:
            self.parts.write(items, [scores])
        return scores


def keep_batches(metrics: Sequence[Metric], folder: Path) -> list[Metric]:
    """Return the metrics, of which those keep their scores in the folder that say by a version what they are.

    What language models answer is in the store of calls already, and metrics that share work with others are left as
    they are.
    """
    return [
        _Kept(inner=metric, parts=ScoreParts(folder, [metric], keeps=True), at_once=_at_once(metric))
        if is_pinned(metric.signature()) and "llm" not in metric.needs and not hasattr(metric, "announce")
        else metric
        for metric in metrics
    ]


def _at_once(metric: Metric) -> int | None:
    """Return how many texts go together: what a plain function says of one does not depend on the others."""
    alone = getattr(metric, "batch", None) is False
    together = inspect.iscoroutinefunction(getattr(metric, "function", None))
    return SMALL if alone and not together else None
