"""A metric that another library, a program or a server computes."""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from types import ModuleType
from typing import TypedDict

from gameproof.errors import BudgetError, EndpointError, InputError, SpecError
from gameproof.llm.asking import ask_together
from gameproof.metrics.adapters.parts import checked_part
from gameproof.metrics.base import (
    STRANGERS_FAILURES,
    UNPINNED,
    Metric,
    checked_needs,
    failure_reason,
    missing_before_scoring,
    number_or_reason,
    own_copy,
    scores_from,
)
from gameproof.records import Item, Scores

__all__ = [
    "OWN_CLIENT",
    "HostedMetric",
    "ScoreItems",
    "Terms",
    "built",
    "chosen_fields",
    "host_version",
    "hosted",
    "import_host",
    "score_each",
    "score_in_thread",
]

AT_ONCE = 8  # items that a host is given at the same time, where it waits for a model
OWN_CLIENT = "if it asks a model, it does so with its own client: such calls are not counted here"

ScoreItems = Callable[[Sequence[Item]], Awaitable[Sequence[float | str]]]


class Terms(TypedDict, total=False):
    """What the caller says about a metric of another library.

    Attributes:
        name: How reports call it; by default the name of the object.
        version: Part of the signature. Without it reports mark the metric unpinned, and its scores are never
            taken from a run folder.
        needs: What an item must have to be scored, where it is not what the filled fields need.
        higher_is_better: Whether a larger number means a better text. None: the host's own word, or else it is
            measured in the audit and shown.
        fields: Field of the host -> part of the item (candidate, reference, references, source, query, persona,
            nothing), where another one than the default is meant.
    """

    name: str
    version: str
    needs: Collection[str]
    higher_is_better: bool | None
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedMetric:
    """A metric of another library. Two are the same if they come from the same object."""

    name: str
    full_name: str
    needs: frozenset[str]
    higher_is_better: bool
    direction_known: bool  # declared, by the caller or by the host; else it must be measured
    origin: object = field(repr=False)
    score_items: ScoreItems = field(compare=False, repr=False)
    notes: tuple[str, ...] = ()

    def signature(self) -> str:
        """Return the name with the versions that can move the number."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "HostedMetric":
        """Return the metric itself: hosts are given one item after the other."""
        del pool
        return self

    def with_direction(self, *, higher_is_better: bool, note: str) -> "HostedMetric":
        """Return the metric with its direction as it was measured."""
        return replace(
            self, higher_is_better=higher_is_better, direction_known=True, notes=(note, *self.notes)
        )

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items; what the host cannot score is missing with the host's reason."""
        blocked = [missing_before_scoring(item, self.needs) for item in items]
        todo = [own_copy(item) for item, reason in zip(items, blocked, strict=True) if reason is None]
        found = iter(await self.score_items(todo) if todo else ())
        values = [reason if reason is not None else next(found) for reason in blocked]
        return scores_from(self.full_name, items, values)


def hosted(
    terms: Terms,
    score_items: ScoreItems,
    *,
    origin: object,
    needs: frozenset[str],
    package: str | None = None,
    higher_is_better: bool | None = None,
    pinned: bool = False,
    notes: Sequence[str] = (),
) -> Metric:
    """Make a metric of a function that scores items with a host.

    Args:
        terms: What the caller says.
        score_items: Returns a number or a reason for each item.
        origin: The object that the metric was made of.
        needs: What an item must have, unless the caller says otherwise.
        package: The host's distribution; its version goes into the signature.
        higher_is_better: What the host says, for callers that say nothing.
        pinned: Whether the host's version alone fixes the numbers.
        notes: For the report.

    Raises:
        SpecError: The caller asks for something that is not known.
    """
    name = terms.get("name") or str(getattr(origin, "__name__", type(origin).__name__))
    declared = terms.get("higher_is_better")
    direction = higher_is_better if declared is None else declared
    pins = [] if package is None else [f"{package}={host_version(package)}"]
    version = terms.get("version")
    if version and version != "unpinned":
        pins.append(f"version={version}")
    elif not (pinned and package):
        pins.append(UNPINNED)
    return HostedMetric(
        name=name,
        full_name=",".join([name, *pins]),
        needs=_needs(terms, needs),
        higher_is_better=direction is not False,
        direction_known=direction is not None,
        origin=origin,
        score_items=score_items,
        notes=tuple(notes),
    )


def chosen_fields(terms: Terms, defaults: Mapping[str, str], *, is_open: bool = False) -> dict[str, str]:
    """Return field -> part, with the caller's wishes.

    Raises:
        SpecError: The host has no such field, or an item no such part.
    """
    given = terms.get("fields", {})
    for name, part in given.items():
        if name not in defaults and not is_open:
            raise SpecError(f"{name}: found a field that is not known; allowed: {', '.join(defaults)}")
        checked_part(name, part)
    return {**defaults, **given}


def built(thing: object, package: str, methods: Sequence[str]) -> object:
    """Return a host's metric: the object itself, or what it makes when it is called without arguments.

    Args:
        thing: A metric of the host, its class, or a function that returns one.
        package: The host, for messages.
        methods: A metric of the host has one of these.

    Raises:
        SpecError: It is neither.
    """
    allowed = f"a {package} metric (with {' or '.join(methods)}), or what makes one without arguments"
    if not isinstance(thing, type) and _has_one(thing, methods):
        return thing
    if not callable(thing):
        raise SpecError(f"found {type(thing).__name__}; allowed: {allowed}")
    name = getattr(thing, "__name__", type(thing).__name__)
    try:
        made: object = thing()
    except STRANGERS_FAILURES as error:
        raise SpecError(f"{name}() fails: {failure_reason(error)}; allowed: {allowed}") from error
    if isinstance(made, type) or not _has_one(made, methods):
        raise SpecError(f"{name}() made {type(made).__name__}; allowed: {allowed}")
    return made


def import_host(module: str, package: str) -> ModuleType:
    """Import a module of a host.

    Raises:
        InputError: It is not installed, or fails.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"the package {package} cannot be imported: {error}.",
            hint=f"Install it with: pip install {package}",
        ) from error
    except STRANGERS_FAILURES as error:
        raise InputError(
            f"the package {package} fails when it is imported: {failure_reason(error)}.",
            hint=f"It is installed, but does not work: does `python -c 'import {module}'`?",
        ) from error


def host_version(package: str) -> str:
    """Return the installed version of a host's distribution; ``unknown`` where it is none."""
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - 30 ms

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


async def score_each(
    items: Sequence[Item], score_one: Callable[[Item], Awaitable[object]], *, at_once: int = AT_ONCE
) -> list[float | str]:
    """Score items concurrently; the failure of one is its reason."""
    gate = asyncio.Semaphore(at_once)
    stopped: list[EndpointError | BudgetError] = []

    async def guarded(item: Item) -> float | str:
        async with gate:
            if stopped:
                raise stopped[0]  # whoever waited at the gate asks no more
            try:
                return number_or_reason(await score_one(item))
            except (EndpointError, BudgetError) as error:
                stopped.append(error)
                raise  # no further call can work
            except STRANGERS_FAILURES as error:
                return failure_reason(error)

    return await ask_together([guarded(item) for item in items])


async def score_in_thread(
    items: Sequence[Item], score_one: Callable[[Item], object], lock: Lock
) -> list[float | str]:
    """Score one item after the other in a thread: the host keeps state, or would block the loop."""

    def guarded(item: Item) -> float | str:
        with lock:
            try:
                return number_or_reason(score_one(item))
            except STRANGERS_FAILURES as error:
                return failure_reason(error)

    return [await asyncio.to_thread(guarded, item) for item in items]


def _has_one(thing: object, methods: Sequence[str]) -> bool:
    return any(callable(getattr(thing, method, None)) for method in methods)


def _needs(terms: Terms, default: frozenset[str]) -> frozenset[str]:
    given = terms.get("needs")
    return default if given is None else checked_needs(given)
