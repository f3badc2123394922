"""Metrics that compare a candidate with the text it was made from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gameproof.metrics.base import missing_before_scoring, scores_from
from gameproof.records import Item, Scores

__all__ = ["SourceMetric"]

NEEDS = frozenset({"source"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceMetric:
    """A number for a candidate and its source."""

    name: str
    full_name: str
    score_candidate: Callable[[str, str], float | str]  # source, candidate -> a score, or why there is none
    needs: frozenset[str] = NEEDS
    higher_is_better: bool = True

    def signature(self) -> str:
        """Return the name with every option filled in."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "SourceMetric":
        """Return the metric itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score each candidate against the source of its item."""
        blocked = [missing_before_scoring(item, self.needs) for item in items]
        values = [
            self.score_candidate(item.source or "", item.candidate) if reason is None else reason
            for item, reason in zip(items, blocked, strict=True)
        ]
        return scores_from(self.full_name, items, values)
