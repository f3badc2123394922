"""What a metric is, and how any callable becomes one."""

import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Protocol, cast, runtime_checkable

import numpy as np

from gameproof.errors import BudgetError, CallError, EndpointError, SpecError
from gameproof.llm.asking import ask_together
from gameproof.records import Item, Scores

__all__ = [
    "EMPTY_CANDIDATE",
    "NEEDS",
    "NO_REFERENCE",
    "STRANGERS_FAILURES",
    "UNPINNED",
    "Metric",
    "RunCounts",
    "as_metric",
    "checked_needs",
    "failure_reason",
    "from_pair",
    "is_pinned",
    "missing_before_scoring",
    "number_or_reason",
    "numbers_or_reasons",
    "own_copy",
    "scores_from",
]

EMPTY_CANDIDATE = "empty"  # the candidate has no text: missing everywhere
NO_REFERENCE = "no reference"
UNPINNED = "version=unpinned"  # in the signature of a function that came without a version
STRANGERS_FAILURES = (Exception, SystemExit)  # a function that ends the process would choose our exit code
UNORDERED = (str, bytes, bytearray, Mapping, AbstractSet)  # can be iterated, but is no series of numbers
NEEDS = ("references", "source", "ratings", "persona", "query", "requirements", "pool", "llm")


def is_pinned(signature: str) -> bool:
    """Say whether a signature names all that makes the numbers.

    A function without a version may have changed since: its scores are never taken from a folder.
    """
    return UNPINNED not in signature


class RunCounts(Counter[str]):
    """What befell while scoring; a copy of the metric in another process begins at nothing, and its counts are added."""


@runtime_checkable
class Metric(Protocol):
    """Something that gives a candidate a number."""

    @property
    def name(self) -> str:
        """The short text that asks for this metric, defaults left out: ``rougeL,stem=true``."""
        ...

    @property
    def needs(self) -> frozenset[str]:
        """What an item must have: a subset of references, source, persona, query, requirements, pool, llm."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger number means a better text."""
        ...

    def signature(self) -> str:
        """Return everything that can move the number, as text that rebuilds the metric."""
        ...

    async def prepare(self, pool: Sequence[Item]) -> "Metric":
        """Fix what depends on the whole data (negatives, rarity weights); return the metric to score with."""
        ...

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items; a value that cannot be had is NaN with a reason."""
        ...


def missing_before_scoring(item: Item, needs: frozenset[str]) -> str | None:
    """Say why an item cannot be scored at all, or None if it can be tried."""
    if not item.candidate.strip():
        return EMPTY_CANDIDATE
    if "references" in needs and not any(reference.strip() for reference in item.references):
        return NO_REFERENCE
    for need in ("source", "persona", "query", "requirements"):
        if need in needs and not getattr(item, need):
            return f"no {need}"
    return None


def scores_from(signature: str, items: Sequence[Item], values: Sequence[float | str]) -> Scores:
    """Make scores of one entry per item: a number, or the reason why there is none."""
    numbers = np.full(len(items), np.nan)
    reasons: dict[str, str] = {}
    for row, (item, value) in enumerate(zip(items, values, strict=True)):
        if isinstance(value, str):
            reasons[item.id] = value
        elif math.isfinite(value):
            numbers[row] = value
        else:
            reasons[item.id] = f"the metric returned {value}"
    return Scores(
        signature=signature,
        item_ids=tuple(item.id for item in items),
        values=numbers,
        reasons=reasons,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _CallableMetric:
    """A metric made of somebody's function."""

    name: str
    version: str | None
    function: Callable[..., object]
    needs: frozenset[str]
    higher_is_better: bool
    batch: bool

    def signature(self) -> str:
        return f"{self.name},version={self.version}" if self.version else f"{self.name},{UNPINNED}"

    async def prepare(self, pool: Sequence[Item]) -> "_CallableMetric":
        del pool  # a plain function has nothing to fix
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        blocked = [missing_before_scoring(item, self.needs) for item in items]
        todo = [item for item, reason in zip(items, blocked, strict=True) if reason is None]
        results = iter(await self._call(todo))
        values = [reason if reason is not None else next(results) for reason in blocked]
        return scores_from(self.signature(), items, values)

    async def _call(self, items: Sequence[Item]) -> list[float | str]:
        if self.batch:
            return await self._call_batch(items) if items else []
        if inspect.iscoroutinefunction(self.function):
            return await ask_together([self._call_one(item) for item in items])
        return [await self._call_one(item) for item in items]

    async def _call_batch(self, items: Sequence[Item]) -> list[float | str]:
        try:
            found = await _settle(self.function([own_copy(item) for item in items]))
            return numbers_or_reasons(found, len(items))
        except (EndpointError, BudgetError):
            raise  # no further call can work
        except STRANGERS_FAILURES as error:
            return [failure_reason(error)] * len(items)

    async def _call_one(self, item: Item) -> float | str:
        try:
            return number_or_reason(await _settle(self.function(own_copy(item))))
        except (EndpointError, BudgetError):
            raise  # no further call can work
        except STRANGERS_FAILURES as error:
            return failure_reason(error)


def as_metric(
    function: Callable[..., object],
    *,
    name: str | None = None,
    version: str | None = None,
    needs: frozenset[str] = frozenset(),
    higher_is_better: bool = True,
    batch: bool = False,
) -> Metric:
    """Make a metric of a function of an item, or with ``batch=True`` of a list of items.

    An exception or a value that is not a finite number becomes a missing score with its reason.

    Args:
        function: Takes an `Item` (or a list of them) and returns a number (or a list). May be async.
        name: How reports call it; the function's own name by default.
        version: Part of the signature; without it reports mark the metric unpinned.
        needs: What an item must have to be scored: references, source, persona, query.
        higher_is_better: Whether a larger number means a better text.
        batch: Whether the function takes a whole list.

    Raises:
        SpecError: Items have nothing of a name in `needs`.

    Example:
        >>> metric = as_metric(lambda item: len(item.candidate), name="characters", version="1")
        >>> metric.signature()
        'characters,version=1'
    """
    return _CallableMetric(
        name=name or getattr(function, "__name__", type(function).__name__),
        version=version,
        function=function,
        needs=checked_needs(needs),
        higher_is_better=higher_is_better,
        batch=batch,
    )


def checked_needs(needs: Iterable[str]) -> frozenset[str]:
    """Return what an item must have.

    Raises:
        SpecError: There is no such thing: a slip of the pen would let every item through.
    """
    unknown = sorted(set(needs) - set(NEEDS))
    if unknown:
        raise SpecError(f"needs: found {unknown[0]!r}; allowed: {', '.join(NEEDS)}")
    return frozenset(needs)


def from_pair(
    function: Callable[[str, str], float],
    *,
    name: str | None = None,
    version: str | None = None,
    higher_is_better: bool = True,
) -> Metric:
    """Make a metric of a function of a candidate and its first reference that is not blank."""

    def score_item(item: Item) -> float:
        return function(item.candidate, next(reference for reference in item.references if reference.strip()))

    return as_metric(
        score_item,
        name=name or getattr(function, "__name__", type(function).__name__),
        version=version,
        needs=frozenset({"references"}),
        higher_is_better=higher_is_better,
    )


def own_copy(item: Item) -> Item:
    """Return a copy that somebody's function may write to without changing the data of the run."""
    raters = {rater: dict(marks) for rater, marks in item.raters.items()}
    return replace(item, ratings=dict(item.ratings), raters=raters)


def failure_reason(error: BaseException) -> str:
    """Say why there is no score where somebody's code has raised."""
    if isinstance(error, CallError):
        return error.reason
    try:
        said = f"{type(error).__name__}: {error}".removesuffix(": ")
    except STRANGERS_FAILURES:
        said = type(error).__name__
    return said[:300].encode(errors="backslashreplace").decode()  # half characters cannot be written


async def _settle(result: object) -> object:
    return await result if inspect.isawaitable(result) else result


def numbers_or_reasons(found: object, n_items: int) -> list[float | str]:
    """Read what a batch function returned; a series of another length is never lined up by guessing."""
    if isinstance(found, UNORDERED):
        kind = type(cast("object", found)).__name__
        return [f"the function returned {kind}, not a list of numbers"] * n_items
    values = list(cast("Iterable[object]", found))
    if len(values) != n_items:
        return [f"the function must return {n_items} numbers for {n_items} items"] * n_items
    return [number_or_reason(value) for value in values]


def number_or_reason(value: object) -> float | str:
    """Read what somebody's function returned for one item: a number, or why it is none."""
    if value is None:
        return "the metric returned nothing"
    if isinstance(value, str | bytes | bytearray):  # float() would read them
        return f"the metric returned {type(value).__name__}, not a number"
    try:
        return float(value)  # pyright: ignore[reportArgumentType] - anything with __float__ is welcome
    except (TypeError, ValueError):
        return f"the metric returned {type(value).__name__}, not a number"
    except STRANGERS_FAILURES as error:
        return failure_reason(error)
