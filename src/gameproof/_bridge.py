"""Run asynchronous verbs from ordinary code, also where an event loop is already running."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import TypeVar

__all__ = ["run"]

Result = TypeVar("Result")


def run(work: Coroutine[object, object, Result]) -> Result:
    """Run one coroutine to its end and return what it returns.

    Inside a running loop (a notebook, a web server) the work gets a thread with a loop of its own: nothing
    is patched. Ctrl-C in the waiting thread cancels the work.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    return _run_in_thread(work)


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
