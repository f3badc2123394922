"""A gameproof metric inside Inspect: a scorer for tasks, `inspect eval` and `inspect score`."""

import asyncio
from functools import cache
from typing import Any, Unpack

from gameproof.audits.ready import Outcome, ReadyMetric, Terms
from gameproof.integrations.hosting import Wanted, as_ready, explain, lacking
from gameproof.metrics.adapters.hosted import import_host
from gameproof.metrics.base import EMPTY_CANDIDATE
from gameproof.records import Item

__all__ = ["inspect_scorer"]

PACKAGE = "inspect_ai"
REGISTERED = "metric_score"  # under which logs name it, as gameproof/metric_score
TASK, SOURCE = "task_id", "source"  # in a sample's metadata


def inspect_scorer(metric: Wanted, **terms: Unpack[Terms]) -> Any:  # Any: Inspect's Scorer
    """Make a scorer whose samples get a number, summed up by mean and standard error.

    The completion is scored; the target (one text or several) is its reference, the input its query, and
    ``source`` in the sample's metadata its source. With a pool the sample's task is found in it by these texts, or
    by ``task_id`` in the metadata, and all references of the task serve. A sample without a score is `Score.unscored`:
    it is left out of the mean, and its explanation says why. Metadata has the metric's signature.

    ``inspect score LOG --scorer gameproof/metric_score -S metric=rougeL`` scores a finished log.

    Args:
        metric: A name, a metric, a function of an `Item`, or a `ReadyMetric`.
        terms: `Terms`: pool, llm, cache, limits, rename, reference, group_by, seed. They are written into the log,
            so give a path for a large pool.

    Raises:
        InputError: Inspect is not installed, or as in `ReadyMetric`.
    """
    return _registered()(metric=metric, **terms)


def __getattr__(name: str) -> object:
    """Register the scorer when Inspect asks for this package's entry point."""
    if name == REGISTERED:
        return _registered()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def _registered() -> Any:  # Any: a function that Inspect has wrapped
    host = import_host("inspect_ai.scorer", PACKAGE)

    def metric_score(metric: Wanted, **terms: Unpack[Terms]) -> Any:
        ready = as_ready(metric, terms)

        async def score(state: Any, target: Any) -> Any:
            item = _item_of(ready, state, target)
            lacks = lacking(ready, item)
            outcome = Outcome(value=None, reason=lacks) if lacks else await _score(ready, item)
            facts = {"metric": ready.name, "signature": ready.signature}
            said = explain(ready, outcome)
            if outcome.value is not None:
                return host.Score(
                    value=outcome.value, answer=item.candidate, explanation=said, metadata=facts
                )
            reason = "no_response" if outcome.reason == EMPTY_CANDIDATE else "scoring_failed"
            return host.Score.unscored(reason=reason, answer=item.candidate, explanation=said, metadata=facts)

        return score

    return host.scorer(metrics=[host.mean(), host.stderr()], name=REGISTERED)(metric_score)


async def _score(ready: ReadyMetric, item: Item) -> Outcome:
    try:
        asyncio.get_running_loop()
    except RuntimeError:  # Inspect runs on trio
        (outcome,) = await import_host("anyio.to_thread", "anyio").run_sync(ready.score, [item])
        return outcome
    (outcome,) = await ready.ascore([item])
    return outcome


def _item_of(ready: ReadyMetric, state: Any, target: Any) -> Item:  # Any: Inspect's TaskState and Target
    metadata: dict[str, Any] = state.metadata or {}
    return ready.item(
        state.output.completion,
        references=[text for text in target if text.strip()],
        source=metadata.get(SOURCE),
        query=state.input_text,
        task=metadata.get(TASK),
    )
