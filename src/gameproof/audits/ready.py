"""One metric for programs that ask for a few texts at a time: prepared once, as an audit prepares it."""

import asyncio
import os
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack, cast

import numpy as np

from gameproof._bridge import Background
from gameproof.audits.preparing import prepare_for_audit
from gameproof.audits.task_index import TaskIndex
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.score import score_stream
from gameproof.errors import InputError, PlanError
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool
from gameproof.metrics.adapters.hosted import HostedMetric
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import MetricLike, build_metrics
from gameproof.records import Item, Persona

__all__ = ["Outcome", "ReadyMetric", "Terms"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a metric says of one text: a number, or why there is none."""

    value: float | None
    reason: str | None = None  # exactly where there is no value
    remark: str | None = None  # what the value leaves out


class Terms(TypedDict, total=False):
    """How a metric is made ready; every one may be left out.

    Attributes:
        pool: The data the metric is prepared on, as in `gameproof.score`: a path, rows, a frame. Statement metrics
            hold each text against references of other tasks and draw them from here.
        llm: The language model, and so `cache` and `limits`, as in `gameproof.audit`.
        cache: Where finished model calls are kept.
        limits: Of model calls, for as long as the metric lives.
        rename: Field -> column, of the pool.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference in the pool.
        group_by: The column of the groups that negatives come from.
        seed: Of the negatives.
    """

    pool: object
    llm: str | LanguageModel | None
    cache: str | Path | None
    limits: Limits | None
    rename: Mapping[str, str] | None
    reference: str | None
    group_by: str | None
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Order:
    """What a metric was asked for: enough to make it anew in another process."""

    metric: MetricLike
    terms: Terms


class ReadyMetric:
    """A metric that stays prepared and connected, for ordinary code and for code in any event loop.

    It is built at once, so that what cannot be asked for is refused at once, and prepared when first used. Scores
    are those of `gameproof.score` on the same pool. Copies share everything; after a fork, and where it was sent
    to another process, it is made anew.
    """

    def __init__(self, metric: MetricLike, **terms: Unpack[Terms]) -> None:
        """Build the metric; nothing is scored and no text is sent anywhere.

        Args:
            metric: A name, a metric, or a function of an `Item`.
            terms: `Terms`: pool, llm, cache, limits, rename, reference, group_by, seed.

        Raises:
            PlanError: The metric needs other tasks to score against, and no pool is given.
            InputError: Something cannot be used, or it is not known whether a higher score is better.
        """
        self._order = _Order(metric=metric, terms=terms)
        self._here: _Here | None = None
        self._lock = threading.Lock()
        self._start()

    def __reduce__(self) -> tuple[object, tuple[_Order]]:
        """Send what was asked for, not what is connected."""
        return _remade, (self._order,)

    def __copy__(self) -> "ReadyMetric":
        """Return the metric itself."""
        return self

    def __deepcopy__(self, _memo: object) -> "ReadyMetric":
        """Return the metric itself."""
        return self

    @property
    def metric(self) -> Metric:
        """The metric: prepared, once something has been scored."""
        return self._start().metric

    @property
    def name(self) -> str:
        """The metric's name."""
        return self.metric.name

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger number means a better text: declared, or measured when the metric was prepared."""
        return self.metric.higher_is_better

    @property
    def signature(self) -> str:
        """Everything that can move the number; with the digest of the pool once the metric is prepared."""
        return self.metric.signature()

    @property
    def has_pool(self) -> bool:
        """Whether there is data that tasks are found in."""
        return self._start().has_pool

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the scores must know of the pool and of the calls so far."""
        return tuple(cast("Sequence[str]", getattr(self.metric, "notes", ())))

    @property
    def usages(self) -> tuple[str, ...]:
        """What was asked of each language model so far, a line each."""
        return tuple(usage.describe() for usage in self._start().models.usages())

    def meets(self, value: float | None, threshold: float) -> bool:
        """Say whether a score is at the threshold or on its better side; no score never is."""
        if value is None:
            return False
        return value >= threshold if self.higher_is_better else value <= threshold

    def item(
        self,
        candidate: str,
        *,
        references: Sequence[str] = (),
        source: str | None = None,
        query: str | None = None,
        persona: Persona | None = None,
        task: str | None = None,
    ) -> Item:
        """Make an item of what a host knows about a text.

        The pool's task is found by `task`, its id, or else by the texts given, as `TaskIndex.find` says; its
        references then serve, and whatever else the host does not know. Without one the text stands alone.
        """
        here = self._start()
        found = here.tasks.find(references=references, source=source, query=query, task=task)
        if found is None:
            return Item(
                id="text",
                task_id=task or "a task of its own",
                candidate=candidate,
                references=tuple(references),
                source=source,
                query=query,
                persona=persona,
            )
        return replace(
            found,
            id="text",
            candidate=candidate,
            source=source or found.source,
            query=query or found.query,
            persona=persona or found.persona,
        )

    def prepare(self) -> None:
        """Prepare now instead of at the first score: draws negatives, decomposes references, measures direction."""
        here = self._start()
        here.background.run(here.prepared())

    def score(self, items: Sequence[Item]) -> list[Outcome]:
        """Score items from ordinary code, in their order.

        Raises:
            EndpointError: The language model cannot be asked at all; it stays so until `close`.
            BudgetError: The limit of calls or cost is reached.
        """
        here = self._start()
        return here.background.run(here.score(items))

    async def ascore(self, items: Sequence[Item]) -> list[Outcome]:
        """Score items from code in any event loop; errors as in `score`."""
        here = self._start()
        return await here.background.wait(here.score(items))

    def close(self) -> None:
        """Close connections and the store of calls; the metric is made anew if it is used again."""
        here, self._here = self._here, None
        if here is not None:
            here.close()

    def _start(self) -> "_Here":
        here = self._here
        if here is not None and here.process == os.getpid():
            return here
        with self._lock:
            here = self._here
            if here is None or here.process != os.getpid():  # a fork takes no threads with it
                here = self._here = _Here(self._order)
        return here


class _Here:
    """A metric in this process: its loop, its connections and what it was prepared on."""

    def __init__(self, order: _Order) -> None:
        terms = order.terms
        self.process = os.getpid()
        self.background = Background("gameproof-ready")
        self.models = ModelPool(terms.get("llm"), cache=terms.get("cache"), limits=terms.get("limits"))
        self.close = weakref.finalize(self, _close, self.process, self.background, self.models)
        self._pool = _read_pool(terms)
        self.tasks = TaskIndex(self._pool)
        self.metric = self.background.run(self._build(order))
        self._preparing: asyncio.Task[None] | None = None
        _check(self.metric, has_pool=self.has_pool)

    @property
    def has_pool(self) -> bool:
        return bool(self._pool)

    async def _build(self, order: _Order) -> Metric:
        await self.models.__aenter__()
        seed = order.terms.get("seed", 0)
        return build_metrics([order.metric], seed=seed, llm=self.models)[0]

    async def prepared(self) -> None:
        """Prepare once, however many come at the same time; one that is called off takes nobody along."""
        if self._preparing is None or (self._preparing.done() and _failed(self._preparing)):
            self._preparing = asyncio.ensure_future(self._prepare())
        await asyncio.shield(self._preparing)

    async def _prepare(self) -> None:
        if self._pool:
            (self.metric,) = await prepare_for_audit([self.metric], self._pool)

    async def score(self, items: Sequence[Item]) -> list[Outcome]:
        await self.prepared()
        numbered = [replace(item, id=str(row)) for row, item in enumerate(items)]
        outcomes: list[Outcome] = []
        async for _, (scores,) in score_stream(numbered, [self.metric]):
            for row, value in zip(scores.item_ids, scores.values.tolist(), strict=True):
                outcomes.append(
                    Outcome(
                        value=value if np.isfinite(value) else None,
                        reason=scores.reasons.get(row),
                        remark=scores.remarks.get(row),
                    )
                )
        return outcomes


def _remade(order: _Order) -> ReadyMetric:
    return ReadyMetric(order.metric, **order.terms)


def _read_pool(terms: Terms) -> tuple[Item, ...]:
    pool = terms.get("pool")
    if pool is None:
        return ()
    options = DataOptions(
        rename=terms.get("rename"),
        reference=terms.get("reference"),
        group_by=terms.get("group_by"),
        seed=terms.get("seed", 0),
    )
    return open_dataset(pool, options).items


def _close(process: int, background: Background, models: ModelPool) -> None:
    if process == os.getpid():
        background.stop(models.__aexit__())


def _failed(task: asyncio.Task[None]) -> bool:
    return task.cancelled() or task.exception() is not None


def _check(metric: Metric, *, has_pool: bool) -> None:
    if has_pool:
        return
    if "pool" in metric.needs:
        raise PlanError(
            f"{metric.name} scores each text against references of other tasks, and there are none: pool is missing.",
            hint="Give pool= the data that is evaluated: a path or rows with task_id, candidate and references.",
        )
    if isinstance(metric, HostedMetric) and not metric.direction_known:
        raise InputError(
            f"the metric {metric.name}: it is not known whether a higher score is better.",
            hint="Write higher_is_better=true or false in its text, or give pool= to have it measured.",
        )
