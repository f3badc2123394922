"""A metric whose references are another text of the item: its title, or its source."""

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from gameproof.errors import SpecError
from gameproof.metrics.base import Metric
from gameproof.metrics.llm_calls import CallSize, TellsCalls
from gameproof.records import Item, Scores

__all__ = ["CHOICES", "Against", "against", "split_choice", "with_reference"]

OWN = "summary"  # the references of the item
CHOICES = (OWN, "title", "source")

_CHOICE = re.compile(rf",reference=({'|'.join(CHOICES)})(?=,|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """Scores with another metric after putting one text of each item in the place of its references."""

    inner: Metric
    choice: str  # summary, title or source

    @property
    def name(self) -> str:
        """The metric, and what it is against."""
        return f"{self.inner.name},reference={self.choice}"

    @property
    def needs(self) -> frozenset[str]:
        """What the metric needs."""
        return self.inner.needs

    @property
    def higher_is_better(self) -> bool:
        """As the metric says."""
        return self.inner.higher_is_better

    @property
    def notes(self) -> Sequence[str]:
        """What the metric says of data, negatives and models."""
        return cast("Sequence[str]", getattr(self.inner, "notes", ()))

    @property
    def estimated(self) -> str | None:
        """Why the metric's number of calls is an estimate."""
        return self.inner.estimated if isinstance(self.inner, TellsCalls) else None

    @property
    def uncounted(self) -> str | None:
        """What the metric does besides the calls that are counted."""
        return cast("str | None", getattr(self.inner, "uncounted", None))

    def signature(self) -> str:
        """The metric's signature, and which text was the reference."""
        return f"{self.inner.signature()},reference={self.choice}"

    def announce(self, items: Sequence[Item]) -> None:
        """Pass on what will be scored, to a metric that shares work with others."""
        announce = getattr(self.inner, "announce", None)
        if announce is not None:
            announce(self._swapped(items))

    async def planned_calls(self, pool: Sequence[Item], items: Sequence[Item]) -> Mapping[Hashable, CallSize]:
        """Say how often the metric will ask a language model about these texts."""
        if not isinstance(self.inner, TellsCalls):
            return {}
        return await self.inner.planned_calls(self._swapped(pool), self._swapped(items))

    async def prepare(self, pool: Sequence[Item]) -> "Against":
        """Prepare the metric on the texts it will meet."""
        return replace(self, inner=await self.inner.prepare(self._swapped(pool)))

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items against the chosen text."""
        return replace(await self.inner.score(self._swapped(items)), signature=self.signature())

    def _swapped(self, items: Sequence[Item]) -> list[Item]:
        return [with_reference(item, self.choice) for item in items]


def split_choice(text: str) -> tuple[str, str | None]:
    """Take the option ``reference=`` out of a metric's text.

    Example:
        >>> split_choice("rougeL,reference=title,stem=true")
        ('rougeL,stem=true', 'title')
    """
    found = _CHOICE.search(text)
    return (text, None) if found is None else (text[: found.start()] + text[found.end() :], found[1])


def against(metric: Metric, choice: str) -> Metric:
    """Return the metric with another text as its reference.

    Raises:
        SpecError: It looks at no reference.
    """
    if "references" not in metric.needs:
        raise SpecError(f"{metric.name},reference={choice}: {metric.name} looks at no reference.")
    return Against(inner=metric, choice=choice)


def with_reference(item: Item, choice: str) -> Item:
    """Return the item with another of its texts as its only reference; with none where it lacks that text."""
    if choice == OWN:
        return item
    text = item.title if choice == "title" else item.source
    return replace(item, references=(text,) if text and text.strip() else (), reference_kinds=())
