"""Jobs and workers that die."""

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from gameproof.engine.jobs import VariantsOf, WriteRows
from gameproof.engine.partition import Part
from gameproof.engine.workers import WorkerDiedError, do_all
from gameproof.errors import EndpointError, InputError


def test_a_job_says_what_it_is():
    part = Part(number=0, start=0, stop=512)
    said = [str(job) for job in (VariantsOf(part=part), WriteRows(part=part))]
    assert said == ["making variants of texts 1 to 512", "scoring texts 1 to 512"]


class Doubler:
    """Doubles numbers, and dies when it is asked for one of some numbers for the first times."""

    def __init__(self, log: "Log", number: int) -> None:
        self.log = log
        self.number = number
        log.alive.append(self)

    async def do(self, job: int) -> int:
        await asyncio.sleep(0)
        if self.log.deaths[job]:
            self.log.deaths[job] -= 1
            raise WorkerDiedError("gone")
        if job in self.log.errors:
            raise EndpointError("no model there")
        self.log.done[job] += 1
        return 2 * job

    async def close(self) -> None:
        self.log.closed += 1

    def kill(self) -> None:
        if self in self.log.alive:
            self.log.alive.remove(self)


class Log:
    def __init__(self, deaths: dict[int, int] | None = None, errors: frozenset[int] = frozenset()) -> None:
        self.deaths = Counter(deaths or {})
        self.errors = errors
        self.done: Counter[int] = Counter()
        self.alive: list[Doubler] = []
        self.started: list[int] = []
        self.closed = 0

    def start(self, number: int) -> Doubler:
        self.started.append(number)
        return Doubler(self, number)


async def collect(jobs, log: Log, n_workers: int) -> dict[int, int]:
    return {job: done async for job, done in do_all(jobs, log.start, n_workers)}


@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_every_job_is_done_once_by_workers_that_live(n_workers: int):
    log = Log()
    assert asyncio.run(collect(range(40), log, n_workers)) == {job: 2 * job for job in range(40)}
    assert set(log.done.values()) == {1}
    assert not log.alive
    assert log.closed == len(log.started) <= n_workers


def test_the_job_of_a_worker_that_dies_is_done_by_the_one_that_takes_its_place():
    log = Log(deaths={3: 1, 7: 2})
    assert asyncio.run(collect(range(12), log, 2)) == {job: 2 * job for job in range(12)}
    assert set(log.done.values()) == {1}
    assert len(log.started) == 2 + 3
    assert set(log.started) == {0, 1}
    assert not log.alive


def test_a_job_that_ends_three_workers_ends_the_run():
    log = Log(deaths={5: 3})
    with pytest.raises(InputError, match=r"5 has ended 3 worker processes.*gone"):
        asyncio.run(collect(range(12), log, 2))
    assert not log.alive


def test_an_error_of_a_worker_ends_the_run_and_all_workers():
    log = Log(errors=frozenset({4}))
    with pytest.raises(EndpointError, match="no model there"):
        asyncio.run(collect(range(1000), log, 3))
    assert not log.alive
    assert len(log.done) < 20


def test_jobs_are_made_when_a_worker_is_free():
    made: list[int] = []

    def jobs() -> Iterator[int]:
        for job in range(100):
            made.append(job)
            yield job

    async def first() -> int:
        finished = do_all(jobs(), Log().start, 2)
        async for job, _ in finished:
            await finished.aclose()
            return job
        return -1

    assert asyncio.run(first()) in {0, 1}
    assert len(made) < 12  # two at work, four waiting to be taken, and as many begun


def test_no_job_needs_no_worker():
    log = Log()
    assert asyncio.run(collect((), log, 3)) == {}
    assert not log.started
