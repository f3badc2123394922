"""What the arguments of verbs may be, and how they are read."""

from collections.abc import Sequence
from typing import Literal, cast

from gameproof.llm.client import LanguageModel
from gameproof.llm.pool import ModelPool
from gameproof.metrics.catalogue import MetricLike

__all__ = ["Llm", "Metrics", "Suite", "listed"]

Metrics = MetricLike | Sequence[MetricLike]
Suite = Literal["all", "strategic", "satisfaction"]
Llm = str | LanguageModel | ModelPool


def listed(metrics: Metrics) -> list[MetricLike]:
    """Return metrics as a list; a single one is a list of one."""
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        return [metrics]
    return list(cast("Sequence[MetricLike]", metrics))  # the checker cannot tell a list from a metric
