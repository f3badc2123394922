"""Give jobs to workers that may die, each job until it is done."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Protocol, TypeVar

from gameproof.errors import InputError

__all__ = ["Worker", "WorkerDiedError", "do_all"]

MOST_DEATHS = 3  # over one job, until it is taken for what kills workers

Job = TypeVar("Job")
Done = TypeVar("Done")
Job_contra = TypeVar("Job_contra", contravariant=True)
Done_co = TypeVar("Done_co", covariant=True)


class WorkerDiedError(Exception):
    """The process of a worker has ended; its job is not done."""


class Worker(Protocol[Job_contra, Done_co]):
    """Does one job at a time, in another process."""

    async def do(self, job: Job_contra) -> Done_co:
        """Do a job.

        Raises:
            WorkerDiedError: The process has ended meanwhile.
        """
        ...

    async def close(self) -> None:
        """Let the process finish what it has open, and end it."""
        ...

    def kill(self) -> None:
        """End the process at once, if it has not ended yet."""
        ...


async def do_all(
    jobs: Iterable[Job], start: Callable[[int], Worker[Job, Done]], n_workers: int
) -> AsyncGenerator[tuple[Job, Done]]:
    """Do all jobs; yield each with what came of it, as they are finished.

    Jobs are taken from the iterable when a worker is free. A worker that dies is replaced, and its job is done by the new
    one. When the generator is closed or fails, all workers are stopped.

    Args:
        jobs: Any number, made lazily.
        start: Starts the worker of a number, from 0; called again for a worker that has died.
        n_workers: How many there are at a time.

    Raises:
        InputError: A job has ended three workers.
    """
    waiting = iter(jobs)
    finished: asyncio.Queue[tuple[Job, Done] | None] = asyncio.Queue(maxsize=2 * n_workers)

    async def work(number: int) -> None:
        worker: Worker[Job, Done] | None = None
        try:
            for job in waiting:
                worker, done = await _do(job, worker, number, start)
                await finished.put((job, done))
            if worker is not None:
                await worker.close()
        finally:
            if worker is not None:
                worker.kill()

    async def work_all() -> None:
        tasks = [asyncio.ensure_future(work(number)) for number in range(n_workers)]
        try:
            await asyncio.gather(*tasks)
            await finished.put(None)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    everything = asyncio.ensure_future(work_all())
    try:
        while (entry := await _next(finished, everything)) is not None:
            yield entry
    finally:
        everything.cancel()
        await asyncio.gather(everything, return_exceptions=True)


async def _do(
    job: Job, worker: Worker[Job, Done] | None, number: int, start: Callable[[int], Worker[Job, Done]]
) -> tuple[Worker[Job, Done], Done]:
    """Do a job, with new workers if need be; return the worker that is alive and what came of it."""
    said = ""
    for _ in range(MOST_DEATHS):
        alive = worker or start(number)
        try:
            return alive, await alive.do(job)
        except WorkerDiedError as error:
            alive.kill()
            worker, said = None, str(error)
        except BaseException:
            alive.kill()
            raise
    raise InputError(
        f"{job} has ended {MOST_DEATHS} worker processes, one after the other: {said}",
        hint="Workers are ended where memory runs out: fewer --workers leave more to each.",
    )


async def _next(finished: "asyncio.Queue[Done]", everything: "asyncio.Future[None]") -> Done:
    """Return what is finished next, or raise what has stopped the work."""
    entry = asyncio.ensure_future(finished.get())
    await asyncio.wait({entry, everything}, return_when=asyncio.FIRST_COMPLETED)
    if not entry.done() and finished.empty():
        entry.cancel()
        everything.result()  # raises: without an error the last entry would be there
    return await entry
