"""Make a metric of one written for DeepEval: a ``BaseMetric`` with ``a_measure`` or ``measure``."""

import asyncio
import copy
import inspect
import os
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, Unpack, cast

from gameproof.errors import SpecError
from gameproof.metrics.adapters.hosted import (
    OWN_CLIENT,
    Terms,
    built,
    chosen_fields,
    hosted,
    import_host,
    score_each,
)
from gameproof.metrics.adapters.parts import needs_of, part_of
from gameproof.metrics.base import Metric
from gameproof.records import Item

__all__ = ["FIELDS", "from_deepeval", "no_tracking"]

PACKAGE = "deepeval"
FIELDS = {
    "input": "query",
    "actual_output": "candidate",
    "expected_output": "reference",
    "context": "source",
    "retrieval_context": "source",
}
LISTS = frozenset({"context", "retrieval_context"})  # texts in a list
INPUT_NOTE = "DeepEval's field input is the item's query: input=source or input=nothing say otherwise"


def from_deepeval(metric: object, **terms: Unpack[Terms]) -> Metric:
    """Make a metric of a DeepEval metric.

    Each item is measured with a copy of the metric of its own, so that what the metric keeps on itself (its
    score, its reason) never mixes. Thresholds and success are not read. A field that the metric declares as
    required and that the item does not have makes the score missing.

    Args:
        metric: A DeepEval metric, its class, or a function that makes one without arguments.
        terms: `Terms`: name, version, needs, higher_is_better, and fields (input, actual_output,
            expected_output, context, retrieval_context).

    Raises:
        InputError: DeepEval is not installed.
        SpecError: It is no such metric, or needs what items do not have (tools, for example).
    """
    no_tracking()
    case_class = import_host("deepeval.test_case", PACKAGE).LLMTestCase
    host = cast("Any", built(metric, "DeepEval", ["a_measure", "measure"]))  # Any: a duck that measures
    fields = chosen_fields(terms, FIELDS)
    needed = _needed(host, fields, terms)

    async def score_one(item: Item) -> object:
        own = copy.copy(host)
        return await _measure(own, case_class(**_filled(item, fields)))

    named: Terms = {"name": type(host).__name__, **terms}
    return hosted(
        named,
        lambda items: score_each(items, score_one),
        origin=metric,
        needs=needs_of(needed.values()),
        package=PACKAGE,
        notes=[OWN_CLIENT, *([INPUT_NOTE] if needed.get("input") == "query" else [])],
    )


def no_tracking() -> None:
    """Ask hosts that report on their users not to, unless the user has said something else."""
    os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")


def _needed(host: Any, fields: Mapping[str, str], terms: Terms) -> dict[str, str]:
    """Return field -> part for the fields that must be filled: the metric's own list, and the caller's."""
    # The second is GEval's: the parameters that its prompt shows.
    lists: Sequence[object] = [
        getattr(host, name, None) for name in ("_required_params", "evaluation_params")
    ]
    names = [name for found in lists if isinstance(found, list) for name in cast("list[object]", found)]
    required = [str(name.value) if isinstance(name, Enum) else str(name) for name in names]
    unknown = [name for name in required if name not in fields]
    if unknown:
        raise SpecError(f"the metric needs {unknown[0]}, which items do not have")
    return {name: fields[name] for name in (*required, *terms.get("fields", {}))}


def _filled(item: Item, fields: Mapping[str, str]) -> dict[str, object]:
    """Return the fields of a test case; DeepEval wants an input even where there is none."""
    filled: dict[str, object] = {"input": ""}
    for name, part in fields.items():
        value = part_of(item, part)
        if value is not None:
            filled[name] = [value] if name in LISTS and not isinstance(value, list) else value
    return filled


async def _measure(metric: Any, case: object) -> object:  # Any: a duck that measures
    if getattr(metric, "async_mode", True) and hasattr(metric, "a_measure"):
        found = await metric.a_measure(case, **_quiet(metric.a_measure))
    else:
        found = await asyncio.to_thread(lambda: metric.measure(case, **_quiet(metric.measure)))
    score = getattr(metric, "score", None)
    if score is None and found is None:
        why = getattr(metric, "error", None) or getattr(metric, "reason", None)
        raise ValueError(why or "the metric set no score")
    return found if score is None else score


def _quiet(measure: Any) -> dict[str, object]:  # Any: a bound method
    """Ask for no progress bar, where the method knows that word: DeepEval's own can show one at a time only."""
    try:
        known = inspect.signature(measure).parameters
    except (TypeError, ValueError):
        return {}
    return {"_show_indicator": False} if "_show_indicator" in known else {}
