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
PATIENCE_S = 5.0  # for what is under way when a background is to end


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

    Connections belong to one loop, and hosts call from several: their own, a notebook's, a thread's. `run` brings
    results to ordinary code, `wait` to code in any other loop, `start` to who asks for them later.
    """

    def __init__(self, name: str) -> None:
        """Start the thread; it ends with `stop`, or with the program."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[object, object, Result]) -> Future[Result]:
        """Begin some work; the future's `cancel` calls it off at its next pause."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[object, object, Result]) -> Result:
        """Run one coroutine to its end; Ctrl-C in the waiting thread cancels it."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("this would wait for itself: what runs in the background asks for more of it")
        future = self.start(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def wait(self, work: Coroutine[object, object, Result]) -> Result:
        """Run one coroutine to its end, without holding up the loop of the caller."""
        return await asyncio.wrap_future(self.start(work))

    def stop(self, last: Coroutine[object, object, object] | None = None) -> None:
        """End the thread, after some last work; what else is under way is called off."""
        if not self._thread.is_alive():
            if last is not None:
                last.close()
            return
        self.start(self._end(last))
        if threading.current_thread() is not self._thread:  # where garbage is collected is anybody's guess
            self._thread.join(PATIENCE_S)

    async def _end(self, last: Coroutine[object, object, object] | None) -> None:
        try:
            if last is not None:
                await last
        finally:
            self._loop.stop()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._call_off()
            self._loop.close()

    def _call_off(self) -> None:
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())


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
