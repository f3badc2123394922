"""A thread with an event loop of its own, where all work of one reward is done.

Connections to a model belong to one loop, and trainers call from several: their own, a notebook's, a thread's.
"""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import TypeVar

__all__ = ["Worker"]

Result = TypeVar("Result")
PATIENCE_S = 5.0  # for work that is under way when the thread is to end


class Worker:
    """Runs coroutines for callers of any kind."""

    def __init__(self, name: str) -> None:
        """Start the thread; it ends with the process, or when it is told to."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[object, object, Result]) -> Future[Result]:
        """Begin some work; the future's `cancel` calls it off at its next pause."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def stop(self, last: Coroutine[object, object, object] | None = None) -> None:
        """End the thread, after some last work."""
        if not self._thread.is_alive():
            if last is not None:
                last.close()
            return
        asyncio.run_coroutine_threadsafe(self._end(last), self._loop)
        if threading.current_thread() is not self._thread:  # where garbage is collected is anybody's guess
            self._thread.join(PATIENCE_S)

    async def _end(self, last: Coroutine[object, object, object] | None) -> None:
        try:
            if last is not None:
                await last
        finally:
            self._loop.stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._cancel_all()
            self._loop.close()

    def _cancel_all(self) -> None:
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
