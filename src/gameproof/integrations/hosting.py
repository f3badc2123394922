"""What the adapters to other tools share: a metric made ready, and words for what it says."""

from typing import TypeAlias

from gameproof.audits.ready import Outcome, ReadyMetric, Terms
from gameproof.errors import PlanError
from gameproof.metrics.base import EMPTY_CANDIDATE, missing_before_scoring
from gameproof.metrics.catalogue import MetricLike
from gameproof.records import Item

__all__ = ["HINT_POOL", "Wanted", "as_ready", "explain", "lacking"]

Wanted: TypeAlias = MetricLike | ReadyMetric

HINT_POOL = "a text is scored against references of other tasks: give pool= the data that holds this one"


def as_ready(metric: Wanted, terms: Terms) -> ReadyMetric:
    """Make a metric ready, or take one that is.

    Raises:
        InputError: As in `ReadyMetric`.
        PlanError: A ready metric comes with terms that would make it another one.
    """
    if not isinstance(metric, ReadyMetric):
        return ReadyMetric(metric, **terms)
    if terms:
        raise PlanError(
            f"{', '.join(terms)}: the metric is ready already, and what it was made with stays.",
            hint="Give these to ReadyMetric.",
        )
    return metric


def explain(ready: ReadyMetric, outcome: Outcome) -> str:
    """Say in a line what a host may show beside a number: why there is none, what it leaves out, the signature."""
    better = "higher is better" if ready.higher_is_better else "lower is better"
    said = [f"no score: {outcome.reason}"] if outcome.value is None else [better]
    if outcome.remark:
        said.append(outcome.remark)
    return "; ".join([*said, ready.signature])


def lacking(ready: ReadyMetric, item: Item) -> str | None:
    """Return what the metric needs and the item lacks: references, source, query, persona; None if nothing."""
    reason = missing_before_scoring(item, ready.metric.needs)
    return None if reason in {None, EMPTY_CANDIDATE} else reason
