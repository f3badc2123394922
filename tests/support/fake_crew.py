"""Worker processes without processes: what they are sent and what they return goes through bytes, and some of them die."""

import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from gameproof.engine.jobs import Envelope, Job, Setup
from gameproof.engine.part_worker import PartWorker
from gameproof.engine.workers import WorkerDiedError

Value = TypeVar("Value")


def through_bytes(value: Value) -> Value:
    """Return what another process would be sent."""
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - written in the line itself


@dataclass
class FakeCrew:
    """Remembers every job that was begun; `dies` says at which of them (counted from 1) the worker ends."""

    n_workers: int = 2
    dies: frozenset[int] = frozenset()
    begun: list[str] = field(default_factory=list)
    finished: Counter[str] = field(default_factory=Counter)
    started: Counter[int] = field(default_factory=Counter)
    pickler: type[pickle.Pickler] = pickle.Pickler  # a real one also takes functions of a script

    workers: list["FakeWorker"] = field(default_factory=list)

    async def close(self) -> None:
        """Close what killed workers had open: a real process leaves nothing."""
        for worker in self.workers:
            await worker.close()

    def starter(self, setup: Setup) -> Callable[[int], "FakeWorker"]:
        def start(number: int) -> FakeWorker:
            self.started[number] += 1
            self.workers.append(FakeWorker(self, PartWorker(through_bytes(setup), number)))
            return self.workers[-1]

        return start


@dataclass
class FakeWorker:
    """Does jobs in this process."""

    crew: FakeCrew
    inner: PartWorker

    async def do(self, job: Job) -> Envelope:
        self.crew.begun.append(str(job))
        dies = len(self.crew.begun) in self.crew.dies
        envelope = await self.inner.do(through_bytes(job))
        if dies:
            await self.inner.close()  # as a process that ends closes its connections
            raise WorkerDiedError("killed by the test")
        self.crew.finished[str(job)] += 1
        return through_bytes(envelope)

    async def close(self) -> None:
        await self.inner.close()

    def kill(self) -> None:
        pass
