"""Metrics that compare a candidate with one reference at a time."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from gameproof.llm.asking import Asker
from gameproof.metrics.base import EMPTY_CANDIDATE, NO_REFERENCE, scores_from
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item, Scores

__all__ = ["REFERENCE_CHOICES", "Order", "ReferenceMetric", "TextMetric"]

REFERENCE_CHOICES = ("first", "max", "mean")


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A metric that somebody asked for, every option filled in: what a builder builds from."""

    name: str  # the text that asks for it, defaults left out
    signature: str
    options: Mapping[str, str]
    memo: TextMemo  # shared by the metrics of one run
    splits: Mapping[
        str, str
    ]  # tokeniser -> the sentence splitter that another metric of the run uses with it
    asker: Asker | None = None  # of the language model, for metrics that ask one
    seed: int = 0  # of the run


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceMetric:
    """A number for a candidate and one reference, and how several references become one number.

    Blank references are skipped: they are places where somebody wrote nothing.
    """

    name: str
    full_name: str
    refs: str  # one of REFERENCE_CHOICES
    # A reference and its candidates -> for each candidate a score, or why there is none.
    score_candidates: Callable[[str, tuple[str, ...]], Sequence[float | str]]
    needs: frozenset[str] = frozenset({"references"})
    higher_is_better: bool = True

    def signature(self) -> str:
        """Return the name with every option filled in."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "ReferenceMetric":
        """Return the metric itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items against their references, all candidates of one reference together."""
        results: list[list[float | str]] = [[] for _ in items]
        groups: dict[str, list[int]] = {}
        for row, item in enumerate(items):
            if is_blank(item.candidate):
                results[row].append(EMPTY_CANDIDATE)
                continue
            for reference in self._references(item):
                groups.setdefault(reference, []).append(row)
        for reference, rows in groups.items():
            candidates = tuple(items[row].candidate for row in rows)
            for row, result in zip(rows, self.score_candidates(reference, candidates), strict=True):
                results[row].append(result)
        return scores_from(self.full_name, items, [self._combine(found) for found in results])

    def _references(self, item: Item) -> list[str]:
        usable = (reference for reference in item.references if not is_blank(reference))
        return list(islice(usable, 1 if self.refs == "first" else None))

    def _combine(self, results: Sequence[float | str]) -> float | str:
        if not results:
            return NO_REFERENCE
        if len(results) == 1:
            return results[0]
        numbers = [result for result in results if not isinstance(result, str)]
        if not numbers:
            return results[0]
        return max(numbers) if self.refs == "max" else math.fsum(numbers) / len(numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMetric:
    """A number for a candidate alone."""

    name: str
    full_name: str
    score_text: Callable[[str], float | str]
    needs: frozenset[str] = frozenset()
    higher_is_better: bool = True

    def signature(self) -> str:
        """Return the name with every option filled in."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "TextMetric":
        """Return the metric itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score the candidates of items."""
        values = [
            EMPTY_CANDIDATE if is_blank(item.candidate) else self.score_text(item.candidate) for item in items
        ]
        return scores_from(self.full_name, items, values)


def is_blank(text: str) -> bool:
    """Say whether a text has nothing but white space."""
    return not text or text.isspace()
