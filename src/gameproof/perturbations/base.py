"""What a perturbation is: a recipe, what it should do to a score, and where it applies."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from gameproof.records import Item
from gameproof.text import Layout

__all__ = ["Context", "Expectation", "Failure", "Family", "Perturbation", "Pool", "Rewrite", "Rule", "Suite"]

Family = Literal["degradation", "manipulation", "ladder", "crossing", "probe"]
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

    def siblings(self, item: Item) -> Sequence[Item]:
        """Items of the same task, this one among them."""
        ...

    def others_elsewhere(self, item: Item) -> Sequence[Item]:
        """Items of other groups; none where all items are of one group."""
        ...

    def layout(self, text: str) -> Layout:
        """Take a text of the run apart; each text is split only once."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a rule may use besides the text."""

    item: Item
    pool: Pool
    level: int | None = None


# A rule is pure: the same text, context and generator state give the same result. None: the text has no
# such level, which is no failure ("the first nine sentences" of a text of three).
Rule = Callable[[str, Context, np.random.Generator], str | Failure | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """The other way to make a variant: a prompt of `prompts/rewrites`, for a language model."""

    prompt: str
    version: int = 1


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
    rewrite: Rewrite | None = None  # how a language model makes it, where no rule does
    levels: tuple[int, ...] = ()  # empty: a single variant without a level
    domains: frozenset[str] | None = None  # None: applies everywhere
    needs: frozenset[str] = frozenset()  # "source": the item must have one
    verify_direction: bool = False  # the direction must be verified for each text
    extra: bool = False  # beyond the papers' principles: can fail a metric, but is no part of the coverage
    parity_code: str | None = None  # the letter of the tables of "Scoring Rules!"
    draws_of: str | None = None  # the perturbation whose random draws it repeats
    parity_only: bool = False  # made only where it is asked for by name, and then not judged
    on_request: bool = False  # made only where it is asked for by name
    every_suite: bool = False  # made whatever the suite: effects of others are measured in it
    nominal: bool = False  # its levels have no order, whatever their numbers
