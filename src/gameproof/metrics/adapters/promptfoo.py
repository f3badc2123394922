"""Make a metric of a Python assertion written for promptfoo: ``get_assert(output, context)``."""

import importlib.util
import inspect
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Unpack, cast

from gameproof.errors import SpecError
from gameproof.metrics.adapters.hosted import Terms, chosen_fields, hosted, score_each
from gameproof.metrics.adapters.parts import needs_of, part_of
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, failure_reason
from gameproof.records import Item

__all__ = ["FUNCTION", "VARIABLES", "from_promptfoo"]

FUNCTION = "get_assert"
# The test variables of an assertion, by the names that items have for them.
VARIABLES = {name: name for name in ("reference", "references", "source", "query")}


def from_promptfoo(function: Callable[..., object] | str | Path, **terms: Unpack[Terms]) -> Metric:
    """Make a metric of a promptfoo assertion.

    The function gets the candidate and a context whose ``vars`` are the parts of the item; the prompt is the
    item's query. It returns a number, True or False, or a result with ``score``. Whether it passes, and any
    threshold, is not read.

    Args:
        function: ``get_assert``, or the path of the file that has it (``asserts.py`` or
            ``asserts.py:other_function``). May be async.
        terms: `Terms`: name, version, needs, higher_is_better (promptfoo's own rule: true), and fields:
            variable -> part of the item, for tests that call them otherwise.

    Raises:
        SpecError: The file has no such function.
    """
    given = terms.get("fields", {})  # only what the caller asks for is needed: the rest may be missing
    variables = chosen_fields(terms, VARIABLES, is_open=True)
    assertion = function if callable(function) else _load(str(function))

    async def score_one(item: Item) -> object:
        found: object = assertion(item.candidate, _context(item, variables))
        return _score(await found if inspect.isawaitable(found) else found)

    named: Terms = {"name": str(getattr(assertion, "__name__", type(assertion).__name__)), **terms}
    return hosted(
        named,
        lambda items: score_each(items, score_one, at_once=1),
        origin=function,
        needs=needs_of(given.values()),
        higher_is_better=True,
    )


def _context(item: Item, variables: Mapping[str, str]) -> dict[str, object]:
    found = {name: part_of(item, part) for name, part in variables.items()}
    shown = {name: value for name, value in found.items() if value is not None}
    return {
        "prompt": item.query or "",
        "vars": shown,
        "test": {"vars": dict(shown)},
        "config": {},
        "metadata": {},
        "logProbs": None,
        "provider": None,
        "providerResponse": None,
    }


def _score(found: object) -> object:
    """Return the score of a grading result: a mapping or an object; numbers and verdicts stay as they are."""
    if isinstance(found, Mapping):
        return _given(cast("Mapping[str, object]", found).get("score"))
    result = cast("Any", found)  # Any: a number, or an object with a score
    return _given(result.score) if hasattr(result, "score") else result


def _given(score: object) -> object:
    if score is None:
        raise ValueError("the assertion returned a result without a score")
    return score


def _load(address: str) -> Callable[..., object]:
    """Load ``file.py`` or ``file.py:function``."""
    head, colon, name = address.rpartition(":")
    path, function = (Path(head), name) if colon and not name.endswith(".py") else (Path(address), FUNCTION)
    if not path.is_file():
        raise SpecError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SpecError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    try:
        with _known_as(path.stem, module):
            spec.loader.exec_module(module)
    except STRANGERS_FAILURES as error:
        raise SpecError(f"{path} cannot be loaded: {failure_reason(error)}") from error
    found = getattr(module, function, None)
    if not callable(found):
        raise SpecError(f"{path} has no function {function!r}")
    return found


@contextmanager
def _known_as(name: str, module: ModuleType) -> Generator[None]:
    """Let a module be found by its name while it is read: dataclasses look theirs up."""
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        yield
    finally:
        sys.modules.pop(name, None)
        if before is not None:
            sys.modules[name] = before
