"""A gameproof metric inside Ragas: of the collections, and of the generation that `ragas.evaluate` takes."""

import math
from functools import cache
from typing import Any, Unpack

from gameproof.audits.ready import ReadyMetric, Terms
from gameproof.integrations.hosting import Wanted, as_ready, explain, lacking
from gameproof.metrics.adapters.deepeval import no_tracking
from gameproof.metrics.adapters.hosted import import_host
from gameproof.records import Item

__all__ = ["ragas_metric", "ragas_metric_for_evaluate"]

PACKAGE = "ragas"
COLUMNS = {"references": "reference", "source": "retrieved_contexts", "query": "user_input"}


def ragas_metric(metric: Wanted, **terms: Unpack[Terms]) -> Any:  # Any: a class of the host
    """Make a metric of `ragas.metrics.collections`: ``score``, ``ascore``, ``batch_score``, ``abatch_score``.

    ``response`` is scored; ``reference`` is its reference, ``retrieved_contexts`` its source, ``user_input`` its
    query. With a pool the sample's task is found in it by these texts, or by ``task_id``, and all references of
    the task serve. The value is NaN where there is no score; the reason says why, and has the signature.

    Args:
        metric: A name, a metric, a function of an `Item`, or a `ReadyMetric`.
        terms: `Terms`: pool, llm, cache, limits, rename, reference, group_by, seed.

    Raises:
        InputError: Ragas is not installed, or as in `ReadyMetric`.
    """
    return _collections_class()(as_ready(metric, terms))


def ragas_metric_for_evaluate(metric: Wanted, **terms: Unpack[Terms]) -> Any:  # Any: a class of the host
    """Make a metric of the first generation, for ``ragas.evaluate(dataset, metrics=[...])``.

    Columns are read as in `ragas_metric`; a sample without a score is NaN, and why is logged.

    Args:
        metric: A name, a metric, a function of an `Item`, or a `ReadyMetric`.
        terms: As in `ragas_metric`.

    Raises:
        InputError: Ragas is not installed, or as in `ReadyMetric`.
    """
    return _first_class()(as_ready(metric, terms))


@cache
def _collections_class() -> Any:  # Any: a class of the host
    no_tracking()
    base = import_host("ragas.metrics.collections.base", PACKAGE).BaseMetric
    result = import_host("ragas.metrics.result", PACKAGE).MetricResult

    class GameproofMetric(base):
        def __init__(self, ready: ReadyMetric) -> None:
            super().__init__(name=ready.name, allowed_values=(-math.inf, math.inf))  # pyright: ignore[reportUnknownMemberType] - the host
            self.ready = ready

        async def ascore(
            self,
            response: str,
            reference: str | None = None,
            user_input: str | None = None,
            retrieved_contexts: list[str] | None = None,
            task_id: str | None = None,
        ) -> Any:
            sample = {
                "response": response,
                "reference": reference,
                "user_input": user_input,
                "retrieved_contexts": retrieved_contexts,
            }
            (outcome,) = await self.ready.ascore([_item_of(self.ready, sample, task_id)])
            value = math.nan if outcome.value is None else outcome.value
            return result(value=value, reason=explain(self.ready, outcome))

    return GameproofMetric


@cache
def _first_class() -> Any:  # Any: a class of the host
    no_tracking()
    host = import_host("ragas.metrics.base", PACKAGE)
    kind = host.MetricType.SINGLE_TURN

    class GameproofMetric(host.SingleTurnMetric):
        def __init__(self, ready: ReadyMetric) -> None:
            columns = {column for need, column in COLUMNS.items() if need in ready.metric.needs}
            optional = {f"{column}:optional" for column in COLUMNS.values() if column not in columns}
            wanted = {"response", *columns, *optional}
            super().__init__(name=ready.name, _required_columns={kind: wanted})  # pyright: ignore[reportUnknownMemberType] - the host
            self.ready = ready

        def init(self, run_config: object) -> None:
            del run_config  # limits and models are the ready metric's own

        async def _single_turn_ascore(self, sample: Any, callbacks: object) -> float:
            del callbacks
            item = _item_of(self.ready, sample.model_dump(), None)
            (outcome,) = await self.ready.ascore([item])
            if outcome.value is None:
                raise ValueError(explain(self.ready, outcome))
            return outcome.value

    return GameproofMetric


def _item_of(ready: ReadyMetric, sample: dict[str, Any], task: str | None) -> Item:
    reference = sample.get("reference")
    contexts: list[str] = sample.get("retrieved_contexts") or []
    item = ready.item(
        sample.get("response") or "",
        references=[reference] if reference else [],
        source="\n\n".join(contexts) or None,
        query=sample.get("user_input"),
        task=task,
    )
    lacks = lacking(ready, item)
    if lacks is not None:
        column = COLUMNS.get({"no reference": "references"}.get(lacks, lacks.removeprefix("no ")))
        raise ValueError(f"{ready.name}: the sample has {lacks}" + (f": fill '{column}'" if column else ""))
    return item
