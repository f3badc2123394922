"""Make a metric of a function whose arguments are parts of an item."""

import inspect
from collections.abc import Callable, Sequence
from typing import Unpack

from gameproof.errors import BudgetError, EndpointError, SpecError
from gameproof.metrics.adapters.hosted import Terms, hosted, score_each
from gameproof.metrics.adapters.parts import NOTHING, checked_part, needs_of, part_of
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, failure_reason, numbers_or_reasons
from gameproof.records import Item

__all__ = ["PAIR", "from_call"]

PAIR = ("candidate", "reference")


def from_call(
    function: Callable[..., object],
    *,
    args: Sequence[str] = PAIR,
    batch: bool = False,
    **terms: Unpack[Terms],
) -> Metric:
    """Make a metric of a function of parts of an item, in the order in which it takes them.

    What the function means by its arguments is said, never read from its signature.

    Args:
        function: Returns a number; with ``batch`` it gets a list for each argument and returns a list of
            numbers in the same order. May be async.
        args: Parts of an item: candidate, reference (the first), references (a list), source, query, persona.
        batch: Whether the function takes many items at once.
        terms: `Terms`: name, version, needs, higher_is_better.

    Raises:
        SpecError: An item has no such part.

    Example:
        >>> def shared(candidate, references, source):
        ...     return len({*candidate.split()} & {*" ".join(references).split()}) / len(source.split())
        >>> metric = from_call(shared, args=("candidate", "references", "source"), higher_is_better=True)
        >>> sorted(metric.needs)
        ['references', 'source']
    """
    parts = [checked_part("args", part) for part in args]
    if not parts or NOTHING in parts:
        raise SpecError("args: found none; allowed: candidate, reference, references, source, query, persona")
    if terms.get("fields"):
        raise SpecError("fields: found some; allowed: args, in the order of the function")

    async def score_one(item: Item) -> object:
        found = function(*(part_of(item, part) for part in parts))
        return await found if inspect.isawaitable(found) else found

    async def score_items(items: Sequence[Item]) -> Sequence[float | str]:
        if not batch:
            return await score_each(items, score_one)
        columns = [[part_of(item, part) for item in items] for part in parts]
        try:
            found = function(*columns)
            found = await found if inspect.isawaitable(found) else found
            return numbers_or_reasons(found, len(items))
        except (EndpointError, BudgetError):
            raise
        except STRANGERS_FAILURES as error:
            return [failure_reason(error)] * len(items)

    named: Terms = {"name": str(getattr(function, "__name__", type(function).__name__)), **terms}
    return hosted(named, score_items, origin=(function, *parts, batch), needs=needs_of(parts))
