"""Make a metric of a scorer written for Inspect: ``async def score(state, target) -> Score``."""

import inspect
from collections.abc import Mapping
from typing import Any, Unpack

from gameproof.errors import SpecError
from gameproof.metrics.adapters.hosted import (
    OWN_CLIENT,
    Terms,
    chosen_fields,
    hosted,
    import_host,
    score_each,
)
from gameproof.metrics.adapters.keyed import picked
from gameproof.metrics.adapters.parts import needs_of, part_of
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, failure_reason
from gameproof.records import Item

__all__ = ["FIELDS", "from_inspect"]

PACKAGE = "inspect-ai"
MODULES = ("inspect_ai.model", "inspect_ai.scorer", "inspect_ai.solver")
# The first reference only: Inspect writes several targets together without a space where it shows them to a model.
FIELDS = {"input": "query", "target": "reference"}
MODEL = "none/none"  # nobody generates: the candidate is there
# What Inspect's own value_to_float makes of grades; what it cannot read it counts as 0, which is missing here.
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def from_inspect(scorer: object, *, key: str | None = None, **terms: Unpack[Terms]) -> Metric:
    """Make a metric of an Inspect scorer.

    The scorer sees a finished sample: ``state.output`` is the candidate, ``state.input`` the query, ``target``
    the first reference; ``state.metadata`` has references and source. Grades become numbers as in Inspect (C 1,
    P .5, I and N 0); a score that Inspect marks as unscored is missing.

    Args:
        scorer: A scorer, or a function decorated with ``@scorer`` that makes one without arguments.
        key: Which number, where the value of a score is a mapping.
        terms: `Terms`: name, version, needs, higher_is_better, and fields (input, target).

    Raises:
        InputError: Inspect is not installed.
        SpecError: It is no scorer.
    """
    for module in MODULES:
        import_host(module, PACKAGE)
    score = _scorer(scorer)
    fields = chosen_fields(terms, FIELDS)
    required = {name: part for name, part in fields.items() if name in {"target", *terms.get("fields", {})}}

    async def score_one(item: Item) -> object:
        texts = {name: part_of(item, part) for name, part in fields.items()}
        found: Any = await score(*_sample(item, texts))  # Any: Inspect's Score, or nothing
        return None if found is None else _number(found, key)

    named: Terms = {"name": str(getattr(scorer, "__name__", type(scorer).__name__)), **terms}
    return hosted(
        named,
        lambda items: score_each(items, score_one),
        origin=scorer,
        needs=needs_of(required.values()),
        package=PACKAGE,
        notes=[OWN_CLIENT],
    )


def _scorer(thing: object) -> Any:  # Any: Inspect's Scorer is a protocol of one call
    if not callable(thing):
        raise SpecError(f"found {type(thing).__name__}; allowed: an Inspect scorer")
    if _is_scorer(thing):
        return thing
    try:
        made: object = thing()
    except STRANGERS_FAILURES as error:
        raise SpecError(f"it makes no scorer without arguments: {failure_reason(error)}") from error
    if not _is_scorer(made):
        raise SpecError(f"found what makes {type(made).__name__}; allowed: an Inspect scorer")
    return made


def _is_scorer(thing: object) -> bool:
    """Say whether a call of it can be awaited, as the protocol has it."""
    called = getattr(thing, "__call__", None)  # noqa: B004 - whether the call can be awaited, not whether there is one
    return not isinstance(thing, type) and (
        inspect.iscoroutinefunction(thing) or inspect.iscoroutinefunction(called)
    )


def _sample(item: Item, texts: Mapping[str, object]) -> tuple[object, object]:
    """Make the state and the target of a sample that a model has just finished."""
    models, scorers, solvers = (import_host(module, PACKAGE) for module in MODULES)
    asked = str(texts["input"] or "")
    target = scorers.Target(texts["target"] or "")
    metadata = {"references": list(item.references), "source": item.source}
    state = solvers.TaskState(
        model=models.ModelName(MODEL),
        sample_id=item.id,
        epoch=1,
        input=asked,
        messages=[
            models.ChatMessageUser(content=asked),
            models.ChatMessageAssistant(content=item.candidate),
        ],
        target=target,
        output=models.ModelOutput.from_content(MODEL, item.candidate),
        completed=True,
        metadata={name: value for name, value in metadata.items() if value},
    )
    return state, target


def _number(score: Any, key: str | None) -> object:  # Any: Inspect's Score
    value = picked(score.value, key)
    if isinstance(value, str):
        grade = GRADES.get(value, GRADES.get(value.lower()))
        value = float(value) if grade is None else grade  # its error is the reason
    if value != value:  # noqa: PLR0124 - NaN: Inspect's mark for unscored
        raise ValueError(f"unscored: {score.reason or score.explanation or 'the scorer says no more'}")
    return value
