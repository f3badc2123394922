"""Make a metric of a scorer of autoevals: ``eval_async(output, expected, input=...)``."""

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

__all__ = ["FIELDS", "from_autoevals"]

PACKAGE = "autoevals"
FIELDS = {"output": "candidate", "expected": "reference", "input": "query", "context": "nothing"}


def from_autoevals(scorer: object, **terms: Unpack[Terms]) -> Metric:
    """Make a metric of an autoevals scorer. A score of None, which autoevals calls skipped, is missing.

    Args:
        scorer: A scorer, its class, a function that makes one without arguments, or the name of a class of
            autoevals (``Levenshtein``).
        terms: `Terms`: name, version, needs, higher_is_better (autoevals' own rule: 1 is best), and fields
            (output, expected, input, context).

    Raises:
        InputError: autoevals is not installed.
        SpecError: It is no such scorer.
    """
    package = import_host("autoevals", PACKAGE)
    thing: object = getattr(package, scorer, None) if isinstance(scorer, str) else scorer
    if thing is None:
        raise SpecError(f"autoevals has no scorer {scorer!r}")
    host = cast("Any", built(thing, PACKAGE, ["eval_async"]))  # Any: a duck that scores
    fields = chosen_fields(terms, FIELDS)
    required = {name: part for name, part in fields.items() if name in {"expected", *terms.get("fields", {})}}

    async def score_one(item: Item) -> object:
        filled = {name: part_of(item, part) for name, part in fields.items()}
        output, expected = filled.pop("output"), filled.pop("expected")
        more = {name: value for name, value in filled.items() if value is not None}
        result = await host.eval_async(output, expected, **more)
        return getattr(result, "score", result)

    named: Terms = {"name": type(host).__name__, **terms}
    return hosted(
        named,
        lambda items: score_each(items, score_one),
        origin=scorer,
        needs=needs_of(required.values()),
        package=PACKAGE,
        higher_is_better=True,
        pinned=isinstance(scorer, str),
        notes=[OWN_CLIENT],
    )
