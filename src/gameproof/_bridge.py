"""Run asynchronous verbs from ordinary code, also where an event loop is already running."""

import asyncio
import signal
import threading
from collections.abc import Coroutine, Generator
from concurrent.futures import Future
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

__all__ = ["Background", "run"]

Result = TypeVar("Result")


def run(work: Coroutine[object, object, Result]) -> Result:
    """Run one coroutine to its end and return what it returns.

    Ctrl-C ends the work where it is. Inside a running loop (a notebook, a web server) the work gets a thread
    with a loop of its own: nothing is patched, and Ctrl-C in the waiting thread cancels the work at its next
    pause.
    """
    if _is_in_loop():
        return _run_in_thread(work)
    with _interrupts_at_once():
        return asyncio.run(work)


class Background:
    """A loop in a thread of its own, for what outlives the call that began it: connections, a prepared metric.

    `run` brings it results for ordinary code, `wait` for code in any other loop.
    """

    def __init__(self) -> None:
        """Start the thread; it ends with `end`, or with the program."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="gameproof-background", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[object, object, Result]) -> Result:
        """Run one coroutine to its end; Ctrl-C in the waiting thread cancels it."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("this would wait for itself: what runs in the background asks for more of it")
        future = self._begin(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def wait(self, work: Coroutine[object, object, Result]) -> Result:
        """Run one coroutine to its end, without holding up the loop of the caller."""
        return await asyncio.wrap_future(self._begin(work))

    def end(self, last: Coroutine[object, object, object], *, timeout_s: float) -> None:
        """Run a last coroutine, for at most so long, and end the thread."""

        async def ending() -> None:
            try:
                await asyncio.wait_for(last, timeout_s)
            finally:
                self._loop.stop()

        self._begin(ending())
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout_s)

    def _serve(self) -> None:
        self._loop.run_forever()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def _begin(self, work: Coroutine[object, object, Result]) -> Future[Result]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


@contextmanager
def _interrupts_at_once() -> Generator[None]:
    """Let Ctrl-C raise where the work is.

    Left to itself, asyncio lets the work go on until it next waits for something: scoring a million texts
    never does. It only does so while Python's own handler is in place.
    """
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _run_in_thread(work: Coroutine[object, object, Result]) -> Result:
    results: list[Result] = []
    errors: list[BaseException] = []
    loop = asyncio.new_event_loop()
    task = loop.create_task(work)

    def target() -> None:
        asyncio.set_event_loop(loop)
        try:
            results.append(loop.run_until_complete(task))
        except BaseException as error:  # noqa: BLE001 - handed to the waiting thread, which raises it
            errors.append(error)
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    thread = threading.Thread(target=target, name="gameproof-bridge", daemon=True)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]
