"""Make a metric of a torchmetrics text metric: ``update(preds, target)`` and ``compute()``."""

import asyncio
from collections.abc import Sequence
from threading import Lock
from typing import Any, Unpack, cast

from gameproof.metrics.adapters.hosted import Terms, built, chosen_fields, hosted, score_in_thread
from gameproof.metrics.adapters.keyed import picked
from gameproof.metrics.adapters.parts import needs_of, part_of
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, failure_reason, numbers_or_reasons
from gameproof.records import Item

__all__ = ["FIELDS", "from_torchmetrics"]

FIELDS = {"preds": "candidate", "target": "reference"}


def from_torchmetrics(
    metric: object, *, key: str | None = None, batch: bool = False, **terms: Unpack[Terms]
) -> Metric:
    """Make a metric of a torchmetrics metric.

    The state is reset before each text, so that the number is that of one text; the metric works in a thread.

    Args:
        metric: A torchmetrics metric, its class, or a function that makes one without arguments.
        key: Which number, where ``compute`` returns a mapping: ``f1`` of BERTScore, ``rougeL_fmeasure``.
        batch: Give it many texts at once, for metrics that return a number for each (BERTScore). Torchmetrics
            1.9.0 pairs the texts of such a batch wrongly: the audit's alarm "batch-dependent" shows it.
        terms: `Terms`: name, version, needs, higher_is_better (torchmetrics' own word, where it has one), and
            fields: target=references gives a list of references for each text.

    Raises:
        SpecError: It is no such metric.
    """
    host = cast("Any", built(metric, "torchmetrics", ["compute"]))  # Any: a duck that computes
    fields = chosen_fields(terms, FIELDS)
    lock = Lock()

    def compute(items: Sequence[Item]) -> object:
        host.reset()
        host.update(*([part_of(item, part) for item in items] for part in fields.values()))
        return picked(host.compute(), key)

    def compute_together(items: Sequence[Item]) -> list[float | str]:
        try:
            with lock:
                return numbers_or_reasons(compute(items), len(items))
        except STRANGERS_FAILURES as error:
            return [failure_reason(error)] * len(items)

    async def score_items(items: Sequence[Item]) -> list[float | str]:
        if batch:
            return await asyncio.to_thread(compute_together, items)
        return await score_in_thread(items, lambda item: _only(compute([item])), lock)

    named: Terms = {"name": type(host).__name__, **terms}
    return hosted(
        named,
        score_items,
        origin=(metric, key, batch),
        needs=needs_of(fields.values()),
        package="torchmetrics",
        higher_is_better=cast("bool | None", getattr(host, "higher_is_better", None)),
    )


def _only(found: object) -> object:
    """Return the number of the one text, where the metric returns a list of numbers."""
    numbers = cast("list[object]", found if isinstance(found, list) else [found])
    return numbers[0] if len(numbers) == 1 else numbers
