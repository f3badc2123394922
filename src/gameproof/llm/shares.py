"""Divide the limits of a run among processes, so that together they keep to them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from gameproof.llm.budget import Prices, estimate_tokens
from gameproof.llm.connect import Usage
from gameproof.llm.limits import Limits
from gameproof.llm.store import CallStore

__all__ = ["Spent", "share_limits", "spent_by", "spent_in"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What has been used of a budget."""

    calls: int = 0
    cost: float = 0.0


def spent_by(usages: Iterable[Usage]) -> Spent:
    """Return what was asked of models."""
    found = list(usages)
    return Spent(calls=sum(usage.calls for usage in found), cost=sum(usage.cost or 0.0 for usage in found))


def spent_in(path: Path, prices: Prices | None) -> Spent:
    """Return what the calls in a store have used: those of a process that has died."""
    if not path.exists():
        return Spent()
    store = CallStore(path)
    try:
        calls, cost = 0, 0.0
        for call in store.calls():
            calls += 1
            if prices is not None:
                tokens_in = call.tokens_in or estimate_tokens(call.request)
                cost += prices.cost(tokens_in, call.tokens_out or estimate_tokens(call.reply))
        return Spent(calls=calls, cost=cost)
    finally:
        store.close()


def share_limits(limits: Limits, number: int, n_processes: int, *, spent: Spent, own: Spent) -> Limits:
    """Return what one of several processes may use.

    Args:
        limits: Of the run.
        number: Of the process, from 0.
        n_processes: How many there are.
        spent: What was used before there were several.
        own: What this process has used of its share, before it was ended and started again.
    """

    def part(whole: int | None, used: int, own_use: int, *, least: int) -> int | None:
        if whole is None:
            return None
        left = max(whole - used, 0)
        return max(least, left // n_processes + (number < left % n_processes) - own_use)

    cost = limits.max_cost
    return replace(
        limits,
        concurrency=part(limits.concurrency, 0, 0, least=1) or 1,
        requests_per_minute=part(limits.requests_per_minute, 0, 0, least=1),
        tokens_per_minute=part(limits.tokens_per_minute, 0, 0, least=1),
        max_calls=part(limits.max_calls, spent.calls, own.calls, least=0),
        max_cost=None if cost is None else max(max(cost - spent.cost, 0.0) / n_processes - own.cost, 0.0),
    )
