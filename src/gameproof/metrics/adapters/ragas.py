"""Make a metric of one of Ragas', of either generation: ``single_turn_ascore(sample)`` or ``ascore(...)``."""

import inspect
from collections.abc import Mapping
from typing import Any, Unpack, cast

from gameproof.errors import SpecError
from gameproof.metrics.adapters.deepeval import no_tracking
from gameproof.metrics.adapters.hosted import (
    OWN_CLIENT,
    Terms,
    built,
    chosen_fields,
    hosted,
    import_host,
    score_each,
)
from gameproof.metrics.adapters.keyed import picked
from gameproof.metrics.adapters.parts import needs_of, part_of
from gameproof.metrics.base import Metric
from gameproof.records import Item

__all__ = ["FIELDS", "from_ragas"]

PACKAGE = "ragas"
FIELDS = {
    "user_input": "query",
    "response": "candidate",
    "reference": "reference",
    "retrieved_contexts": "source",
    "reference_contexts": "nothing",
}
LISTS = frozenset({"retrieved_contexts", "reference_contexts"})  # texts in a list
SAMPLE_TYPE = "SINGLE_TURN"


def from_ragas(metric: object, *, key: str | None = None, **terms: Unpack[Terms]) -> Metric:
    """Make a metric of a Ragas metric.

    A metric of the first generation gets a ``SingleTurnSample`` with the columns that it declares as required;
    one of ``ragas.metrics.collections`` gets those arguments of ``ascore`` that are columns. A column that is
    required and that the item does not have makes the score missing.

    Args:
        metric: A Ragas metric, its class, or a function that makes one without arguments.
        key: Which number, where the value of a result is a mapping.
        terms: `Terms`: name, version, needs, higher_is_better, and fields (user_input, response, reference,
            retrieved_contexts, reference_contexts).

    Raises:
        InputError: Ragas is not installed.
        SpecError: It is no such metric, or needs what items do not have.
    """
    no_tracking()
    import_host("ragas", PACKAGE)
    host = cast("Any", built(metric, "Ragas", ["single_turn_ascore", "ascore"]))  # Any: two generations
    fields = chosen_fields(terms, FIELDS)
    first_generation = callable(getattr(host, "single_turn_ascore", None))
    required, known = _columns_of_sample(host) if first_generation else _columns_of_call(host)
    lacking = sorted(required - set(fields))
    if lacking:
        raise SpecError(f"the metric needs {lacking[0]}, which items do not have")
    sent = {name: part for name, part in fields.items() if known is None or name in known}

    async def score_one(item: Item) -> object:
        filled = _filled(item, sent)
        if first_generation:
            sample = import_host("ragas.dataset_schema", PACKAGE).SingleTurnSample(**filled)
            return await host.single_turn_ascore(sample)
        return _number(await host.ascore(**filled), key)

    named: Terms = {"name": str(getattr(host, "name", "") or type(host).__name__), **terms}
    parts = [fields[name] for name in (*sorted(required), *terms.get("fields", {}))]
    return hosted(
        named,
        lambda items: score_each(items, score_one),
        origin=metric,
        needs=needs_of(parts),
        package=PACKAGE,
        notes=[OWN_CLIENT],
    )


def _columns_of_sample(host: Any) -> tuple[set[str], set[str] | None]:  # Any: a first-generation metric
    """Return the required columns of a metric; it takes what it wants of a sample that has more."""
    declared = cast("Mapping[str, set[str]]", getattr(host, "required_columns", {}))
    if declared and SAMPLE_TYPE not in declared:
        raise SpecError("it scores conversations only; allowed: a metric of single turns")
    return set(declared.get(SAMPLE_TYPE, ())), None


def _columns_of_call(host: Any) -> tuple[set[str], set[str] | None]:  # Any: a metric of the collections
    """Return the arguments that ``ascore`` must have, and all that it takes (None: anything)."""
    arguments = [
        argument
        for argument in inspect.signature(host.ascore).parameters.values()
        if argument.kind is not inspect.Parameter.VAR_POSITIONAL
    ]
    is_open = any(argument.kind is inspect.Parameter.VAR_KEYWORD for argument in arguments)
    named = [argument for argument in arguments if argument.kind is not inspect.Parameter.VAR_KEYWORD]
    required = {argument.name for argument in named if argument.default is inspect.Parameter.empty}
    return required, None if is_open else {argument.name for argument in named}


def _filled(item: Item, fields: Mapping[str, str]) -> dict[str, object]:
    filled: dict[str, object] = {}
    for name, part in fields.items():
        value = part_of(item, part)
        if value is not None:
            filled[name] = [value] if name in LISTS and not isinstance(value, list) else value
    return filled


def _number(result: Any, key: str | None) -> object:  # Any: Ragas' MetricResult, or a plain number
    value = picked(getattr(result, "value", result), key)
    if value is None:
        raise ValueError(getattr(result, "reason", None) or "the metric returned nothing")
    return value
