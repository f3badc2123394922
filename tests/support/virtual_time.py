"""An event loop whose clock jumps to the next timer: an hour of waiting takes no time."""

import asyncio
import selectors
from collections.abc import Coroutine


class _JumpingSelector(selectors.DefaultSelector):
    now = 0.0

    def select(self, timeout=None):
        if timeout:
            self.now += timeout
        return super().select(0 if timeout is not None else None)


def run_in_virtual_time(work: Coroutine):
    """Run a coroutine that waits for timers only, never for the network."""
    selector = _JumpingSelector()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now
    try:
        return loop.run_until_complete(work)
    finally:
        loop.close()
