"""Gameproof metrics in a task of the language model evaluation harness: its ``process_results``."""

import logging
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from gameproof.audits.ready import ReadyMetric, Terms
from gameproof.integrations.hosting import Wanted, as_ready, explain
from gameproof.records import Item

__all__ = ["lm_eval_results"]

logger = logging.getLogger(__name__)

Document = Mapping[str, Any]  # Any: whatever a data set has


def lm_eval_results(
    metrics: Mapping[str, Wanted], *, fields: Mapping[str, str], **terms: Unpack[Terms]
) -> Callable[[Document, Sequence[Any]], dict[str, float]]:
    """Make the function that a task's YAML file names as ``process_results: !function utils.NAME``.

    A document without a score is NaN, and why is logged: use ``aggregation: nanmean``. With a pool the document's
    task is found in it by its texts or by its id, and all references of the task serve. The harness asks for one
    document at a time, so a metric that asks a language model waits for it each time.

    Args:
        metrics: Name in the task's ``metric_list`` -> metric.
        fields: ``references``, ``source``, ``query`` or ``task`` -> column of the documents.
        terms: `Terms` of every metric: pool, llm, cache, limits, rename, reference, group_by, seed.

    Raises:
        InputError: As in `ReadyMetric`.

    Example:
        >>> process = lm_eval_results({"rouge": "rouge1"}, fields={"references": "answer"})
        >>> process({"answer": "It rained all day."}, ["It rained."])["rouge"].__round__(2)
        0.67
    """
    ready = {name: as_ready(metric, terms) for name, metric in metrics.items()}

    def process_results(document: Document, results: Sequence[Any]) -> dict[str, float]:
        return {
            name: _score(metric, name, _item_of(metric, document, results, fields))
            for name, metric in ready.items()
        }

    return process_results


def _score(ready: ReadyMetric, name: str, item: Item) -> float:
    (outcome,) = ready.score([item])
    if outcome.value is None:
        logger.warning("%s: %s", name, explain(ready, outcome))
        return math.nan
    return outcome.value


def _item_of(
    ready: ReadyMetric, document: Document, results: Sequence[Any], fields: Mapping[str, str]
) -> Item:
    first = results[0]
    text = first if isinstance(first, str) else first[0]  # repeats come as a list
    own: str | list[str] = document[fields["references"]] if "references" in fields else []
    return ready.item(
        text,
        references=[own] if isinstance(own, str) else list(own),
        source=document[fields["source"]] if "source" in fields else None,
        query=document[fields["query"]] if "query" in fields else None,
        task=str(document[fields["task"]]) if "task" in fields else None,
    )
