"""What the arguments of verbs may be, and how they are read."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

from gameproof.datasets.opening import BY_DEFAULT, DataOptions
from gameproof.llm.client import LanguageModel
from gameproof.llm.pool import ModelPool
from gameproof.llm.providers.planted.spec import PREFIX
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import MetricLike
from gameproof.records import Dataset

__all__ = ["Llm", "Metrics", "Suite", "listed", "spare_calls", "tell_sample"]

Metrics = MetricLike | Sequence[MetricLike]
Suite = Literal["all", "strategic", "satisfaction"]
Llm = str | LanguageModel | ModelPool

logger = logging.getLogger("gameproof")

DEFAULT_SAMPLE = 200  # originals once a language model is asked: about what paper 1 (arXiv:2608.01423) draws


def listed(metrics: Metrics) -> list[MetricLike]:
    """Return metrics as a list; a single one is a list of one."""
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        return [metrics]
    return list(cast("Sequence[MetricLike]", metrics))  # the checker cannot tell a list from a metric


def spare_calls(
    options: DataOptions, metrics: Sequence[Metric], *others: str | LanguageModel | None
) -> DataOptions:
    """Have at most 200 originals drawn where nobody says how many and a language model is asked about each.

    The ``planted:`` stand-ins are no language models. Of calls that a function or a host makes by itself nothing is
    known.

    Args:
        options: How the data is read.
        metrics: What scores it.
        others: Models that are asked besides.
    """
    asking = [metric.signature() for metric in metrics if "llm" in metric.needs]
    asking += [other if isinstance(other, str) else other.name for other in others if other is not None]
    if all(PREFIX in name for name in asking):
        return options
    return replace(options, most=DEFAULT_SAMPLE)


def tell_sample(dataset: Dataset) -> Dataset:
    """Log that a sample was drawn without being asked for, where a result has no place for notes."""
    for note in dataset.notes:
        if note.endswith(BY_DEFAULT):
            logger.warning(note)
    return dataset
