"""Prepare the metrics of an audit: on the originals, and with a direction that is declared or measured."""

from collections.abc import Sequence
from dataclasses import replace

from gameproof.engine.score import prepare
from gameproof.llm.tally import Tally
from gameproof.metrics.adapters.hosted import HostedMetric
from gameproof.metrics.against import Against, with_reference
from gameproof.metrics.base import Metric
from gameproof.metrics.direction import measure_direction
from gameproof.records import Item

__all__ = ["directed", "prepare_for_audit"]


async def prepare_for_audit(
    metrics: Sequence[Metric], items: Sequence[Item], asked: Sequence[Tally] | None = None
) -> list[Metric]:
    """Prepare metrics; where neither caller nor host says which way is better, it is measured and noted.

    Args:
        metrics: Not prepared yet.
        items: The originals.
        asked: Counts for each metric what preparing it asks of models.

    Raises:
        InputError: A direction is not declared and cannot be measured.
    """
    return [await directed(metric, items) for metric in await prepare(metrics, items, asked)]


async def directed(metric: Metric, items: Sequence[Item]) -> Metric:
    """Return a metric whose direction is known; what is not declared is measured and noted, as in an audit.

    Raises:
        InputError: It is not declared and cannot be measured.
    """
    if isinstance(metric, Against):
        swapped = [with_reference(item, metric.choice) for item in items]
        return replace(metric, inner=await directed(metric.inner, swapped))
    if not isinstance(metric, HostedMetric) or metric.direction_known:
        return metric
    found = await measure_direction(metric, items)
    return metric.with_direction(higher_is_better=found.higher_is_better, note=str(found))
