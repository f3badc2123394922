"""What a perturbation is: a recipe, what it should do to a score, and where it applies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from gameproof.records import Item

__all__ = ["Context", "Expectation", "Failure", "Family", "Perturbation", "Pool", "Rule", "Suite"]

Family = Literal["degradation", "manipulation", "ladder", "probe"]
Expectation = Literal["decrease", "no_increase", "increase", "stable", "none"]
Suite = Literal["strategic", "satisfaction"]


@dataclass(frozen=True, slots=True)
class Failure:
    """A text could not be made; the item is counted as missing with this reason."""

    reason: str


class Pool(Protocol):
    """The originals of a run, as a rule may look at them."""

    def others(self, item: Item) -> Sequence[Item]:
        """Items of other tasks in the item's group (of the whole data where the group has none)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a rule may use besides the text."""

    item: Item
    pool: Pool
    level: int | None = None


# A rule is pure: the same text, context and generator state give the same result.
Rule = Callable[[str, Context, np.random.Generator], str | Failure]


@dataclass(frozen=True, slots=True, kw_only=True)
class Perturbation:
    """One row of the catalogue."""

    name: str
    family: Family
    expect: Expectation
    summary: str  # one line for `gameproof list perturbations`
    source: str  # who proposed it
    suite: Suite = "strategic"
    make: Rule | None = None  # None: only a language model or the data set itself can make it
    levels: tuple[int, ...] = ()  # empty: a single variant without a level
    domains: frozenset[str] | None = None  # None: applies everywhere
    needs: frozenset[str] = frozenset()  # "source": the item must have one
    verify_direction: bool = False  # the direction must be verified for each text (methods 6.2)
    parity_code: str | None = None  # the letter of paper 1's tables 7 and 8
