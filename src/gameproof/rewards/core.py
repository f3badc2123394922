"""The core of every reward: completions in, numbers out, larger is better, within a time limit.

What can be had before the training is had before it: references, negatives, decompositions, direction.
"""

import asyncio
import logging
import math
import os
import threading
import time
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gameproof._bridge import Background
from gameproof.errors import InputError
from gameproof.metrics.base import EMPTY_CANDIDATE, STRANGERS_FAILURES, Metric, failure_reason
from gameproof.metrics.catalogue import MetricLike
from gameproof.rewards.ledger import Counts, Ledger
from gameproof.rewards.opening import Opened, open_metric
from gameproof.rewards.remembered import CacheKey, Remembered, cache_key
from gameproof.rewards.scoring import Found, Scorer
from gameproof.rewards.self_check import SelfCheck
from gameproof.rewards.settings import FLOOR, NONE, Missing, Settings
from gameproof.rewards.training_set import TrainingSet

__all__ = ["Reward", "Rewards"]

logger = logging.getLogger("gameproof.rewards")

DEADLINE = "deadline"
UNKNOWN = "prompt not in the training set"
PATIENCE = 512  # failures in a row, after which the reward is broken and training on without it is in vain


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewards:
    """The rewards of a batch, in its order."""

    values: tuple[float | None, ...]  # None exactly where there is a reason
    reasons: Mapping[int, str]  # place in the batch -> why there is no score


@dataclass(slots=True, kw_only=True)
class _Batch:
    """Completions that are being scored."""

    keys: list[CacheKey | str]  # for each completion, where its score will be, or why it has none
    todo: dict[CacheKey, str]
    found: Found = field(default_factory=dict[CacheKey, float | str])
    n_known: int = 0
    started: float = field(default_factory=time.perf_counter)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """What lives as long as a process."""

    pid: int
    worker: Background
    opened: Opened
    scorer: Scorer
    ledger: Ledger


class Reward:
    """A metric that scores completions of a training set. Make one with `as_reward`.

    It can be pickled: the copy prepares itself again where it is first used. Its work is done in a thread of its
    own, so it may be called from any thread or event loop.
    """

    def __init__(
        self, metric: MetricLike, training: TrainingSet, settings: Settings, *, every: int = 1
    ) -> None:
        """Prepare nothing yet; `as_reward` does."""
        self._wanted = metric
        self._training = training
        self._settings = settings
        self._every = every
        self._begin()

    def _begin(self) -> None:
        self._session: _Session | None = None
        self._lock = threading.Lock()
        self._known = Remembered()
        self._failures = 0

    def __getstate__(self) -> dict[str, Any]:  # Any: what a metric or an option may be
        """Return what the reward is made of."""
        return {
            "metric": self._wanted,
            "training": self._training,
            "settings": self._settings,
            "every": self._every,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the same reward, to be prepared where it is first used."""
        self._wanted, self._training = state["metric"], state["training"]
        self._settings, self._every = state["settings"], state["every"]
        self._begin()

    @property
    def name(self) -> str:
        """How logs call it."""
        return self._settings.name or self.metric.name

    @property
    def metric(self) -> Metric:
        """The prepared metric."""
        return self.open().opened.metric

    @property
    def signature(self) -> str:
        """Everything that can move the number, with the digest of the references."""
        return self.metric.signature()

    @property
    def self_check(self) -> SelfCheck:
        """What is known about the direction."""
        return self.open().opened.check

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the rewards must know."""
        return (*self.self_check.warnings, *self.open().opened.notes)

    @property
    def counts(self) -> Counts:
        """What has been scored so far, and why completions have no score."""
        return self.open().ledger.counts

    @property
    def training(self) -> TrainingSet:
        """What completions are scored against."""
        return self._training

    def open(self) -> _Session:
        """Prepare, where that is not done in this process yet."""
        session = self._session
        if session is not None and session.pid == os.getpid():
            return session
        with self._lock:
            session = self._session
            if session is None or session.pid != os.getpid():  # a fork takes no threads with it
                session = self._session = self._open()
        return session

    def _open(self) -> _Session:
        worker = Background("gameproof-reward")
        try:
            opened = worker.run(open_metric(self._wanted, self._training, self._settings))
            _check_floor(opened, self._settings.missing)
        except BaseException:
            worker.stop()
            raise
        name, signature = self._settings.name or opened.metric.name, opened.metric.signature()
        log = Path(self._settings.log) if self._settings.log is not None else None
        ledger = Ledger(name, signature, log, every=self._every)
        logger.info("%s: %s", name, signature)
        logger.info("%s: %d prompts; %s", name, len(self._training.places), opened.check.said)
        for warning in opened.check.warnings:
            logger.warning("%s: %s", name, warning)
        scorer = Scorer(metric=opened.metric, items=self._training.items, known=self._known)
        session = _Session(pid=os.getpid(), worker=worker, opened=opened, scorer=scorer, ledger=ledger)
        weakref.finalize(self, _close, session)  # connections of a reward that nobody closes end with it
        return session

    def close(self) -> None:
        """End the thread and the connections, and write what is left of the log. A closed reward opens again."""
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            _close(session)

    def place(self, key: str) -> int | None:
        """Return the place of a key in the training set; None where unknown ones have no reward.

        Raises:
            InputError: It is not in the training set, and that is an error.
        """
        found = self._training.find(key)
        if found is None and self._settings.unknown == "error":
            raise self._training.unknown(key)
        return found

    def score(
        self, places: Sequence[int | None], completions: Sequence[str], *, step: int | None = None
    ) -> Rewards:
        """Score completions, and wait for it until the deadline.

        Args:
            places: Of their items in the training set; None for what is not in it.
            completions: What the model said.
            step: Of the training, for the log.

        Raises:
            InputError: No further call of a model can work, or nothing has been scored for long.
        """
        session = self.open()
        batch = self._plan(places, completions)
        if batch.todo:
            future = session.worker.start(session.scorer.score(batch.todo, batch.found))
            try:
                future.result(self._settings.deadline_s)
            except TimeoutError:
                _give_up(future)
        return self._finish(session, batch, step)

    async def score_async(
        self, places: Sequence[int | None], completions: Sequence[str], *, step: int | None = None
    ) -> Rewards:
        """Score completions without blocking the caller's loop; arguments and errors as in `score`."""
        session = self._session
        if session is None or session.pid != os.getpid():
            session = await asyncio.to_thread(self.open)
        batch = self._plan(places, completions)
        if batch.todo:
            future = session.worker.start(session.scorer.score(batch.todo, batch.found))
            try:
                await asyncio.wait_for(asyncio.wrap_future(future), self._settings.deadline_s)
            except TimeoutError:
                _give_up(future)
        return self._finish(session, batch, step)

    def settle(self, rewards: Rewards) -> list[float | None]:
        """Return the numbers for a host: what has no score gets what `missing` says."""
        missing: Missing = self._settings.missing
        if missing == NONE:
            return list(rewards.values)
        instead = self.self_check.floor if missing == FLOOR else float(missing)
        return [instead if value is None else value for value in rewards.values]

    def _plan(self, places: Sequence[int | None], completions: Sequence[str]) -> _Batch:
        batch = _Batch(keys=[], todo={})
        extract = self._settings.extract
        for place, said in zip(places, completions, strict=True):
            try:
                text = said if extract is None else extract(said)
            except STRANGERS_FAILURES as error:
                batch.keys.append(f"extract: {failure_reason(error)}")
                continue
            if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance] - a stranger's function
                batch.keys.append(f"extract: found {type(text).__name__}, not a text")
                continue
            if place is None or not text.strip():
                batch.keys.append(UNKNOWN if place is None else EMPTY_CANDIDATE)
                continue
            key = cache_key(place, text)
            batch.keys.append(key)
            if key in batch.found or key in batch.todo:
                batch.n_known += 1
            elif (known := self._known.recall(key)) is not None:
                batch.found[key] = known
                batch.n_known += 1
            else:
                batch.todo[key] = text
        return batch

    def _finish(self, session: _Session, batch: _Batch, step: int | None) -> Rewards:
        values: list[float | None] = []
        reasons: dict[int, str] = {}
        for place, key in enumerate(batch.keys):
            found = key if isinstance(key, str) else batch.found.get(key, DEADLINE)
            values.append(None if isinstance(found, str) else found)
            if isinstance(found, str):
                reasons[place] = found
        counts = Counts(
            n=len(values),
            n_cached=batch.n_known,
            missing=Counter(reasons.values()),
            total=math.fsum(value for value in values if value is not None),
            seconds=time.perf_counter() - batch.started,
        )
        session.ledger.add(counts, step=step)
        self._stop_where_broken(session, counts)
        return Rewards(values=tuple(values), reasons=reasons)

    def _stop_where_broken(self, session: _Session, counts: Counts) -> None:
        if counts.n_missing < counts.n:
            self._failures = 0
            return
        failed = {why: n for why, n in counts.missing.items() if why not in {EMPTY_CANDIDATE, UNKNOWN}}
        self._failures += sum(failed.values())
        if self._failures < PATIENCE:
            return
        total = Counter(session.ledger.counts.missing)
        raise InputError(
            f"the reward {self.name} has given no score for {self._failures:,} completions in a row: "
            f"{', '.join(f'{reason} ({n:,})' for reason, n in total.most_common(3))}.",
            hint="A training without a reward learns nothing. A larger deadline_s helps where the deadline is the "
            "reason; `gameproof doctor --llm ...` shows whether a model answers.",
        )


def _check_floor(opened: Opened, missing: Missing) -> None:
    if missing == FLOOR and opened.check.floor is None:
        raise InputError(
            f"missing='floor': the floor of {opened.metric.name} is not known: {opened.check.said}.",
            hint="Say a number that is as bad as a text about something else: missing=0.0.",
        )


def _close(session: _Session) -> None:
    if session.pid == os.getpid():
        try:
            session.ledger.close()
        finally:
            session.worker.stop(session.opened.models.__aexit__())


def _give_up(future: Future[None]) -> None:
    """Call off what is not done at the deadline; an error of the work itself that came meanwhile is raised."""
    if future.done() and not future.cancelled():
        future.result()
    future.cancel()
