"""How many calls may be under way: as many as the endpoint can bear, in the order in which they were asked."""

import asyncio
import heapq
from collections import deque

from gameproof.errors import CallError, EndpointError

__all__ = ["Gate", "RateWindow"]

MINUTE_S = 60.0
MARGIN_S = 0.05  # the endpoint's clock sees a call a little later than ours


class Gate:
    """Lets calls through, fewer after each 429 or timeout and more after each success.

    Additive increase, multiplicative decrease: the rule of V. Jacobson, "Congestion Avoidance and Control", 1988.
    A call that tries again goes before younger calls.
    """

    def __init__(self, concurrency: int) -> None:
        """Begin with the highest concurrency."""
        self._most = concurrency
        self.limit = float(concurrency)
        self.under_way = 0
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._order = 0
        self._paused_until = 0.0
        self._last_cut = -1.0
        self._timer: asyncio.TimerHandle | None = None
        self._stopped: CallError | EndpointError | None = None

    async def enter(self, arrival: int) -> None:
        """Wait for a place."""
        if self._stopped is not None:
            raise _again(self._stopped)
        loop = asyncio.get_running_loop()
        if not self._waiting and self.under_way < int(self.limit) and loop.time() >= self._paused_until:
            self.under_way += 1
            return
        place: asyncio.Future[None] = loop.create_future()
        self._order += 1
        heapq.heappush(self._waiting, (arrival, self._order, place))
        self._wake(loop)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled() and place.exception() is None:
                self.leave()  # the place was given in the same moment
            raise

    def leave(self) -> None:
        """Give the place back."""
        self.under_way -= 1
        self._wake(asyncio.get_running_loop())

    def succeeded(self) -> None:
        """Allow a little more after an answer."""
        if self.limit < self._most:
            self.limit = min(float(self._most), self.limit + 1.0 / self.limit)

    def throttled(self, started: float, wait_s: float | None) -> None:
        """Allow half as much after a 429 or a timeout, once for all calls that were under way together; wait if asked to."""
        loop = asyncio.get_running_loop()
        if started > self._last_cut:
            self.limit = max(1.0, min(self.limit, float(self.under_way)) / 2)
            self._last_cut = loop.time()
        if wait_s is not None:
            self._paused_until = max(self._paused_until, loop.time() + wait_s)

    def stop(self, error: CallError | EndpointError) -> None:
        """Let nobody through any more."""
        self._stopped = error
        self._wake(None)

    def _wake_after_pause(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(self._paused_until, self._wake, loop)

    def _wake(self, loop: asyncio.AbstractEventLoop | None) -> None:
        while self._waiting:
            if self._stopped is None and loop is not None:
                if self.under_way >= int(self.limit):
                    return
                if loop.time() < self._paused_until:
                    self._wake_after_pause(loop)
                    return
            place = heapq.heappop(self._waiting)[2]
            if place.done():
                continue
            if self._stopped is not None:
                place.set_exception(_again(self._stopped))
            else:
                self.under_way += 1
                place.set_result(None)


class RateWindow:
    """Lets at most so many units pass in any minute."""

    def __init__(self, per_minute: int, *, minute_s: float = MINUTE_S) -> None:
        """Begin with nothing passed."""
        self._per_minute = per_minute
        self._minute_s = minute_s + MARGIN_S
        self._passed: deque[list[float]] = deque()  # [moment, units]: units are corrected when they are known
        self._total = 0.0
        self._turn = asyncio.Lock()

    async def take(self, units: float) -> list[float]:
        """Wait until the units fit; return the entry, for `correct`."""
        async with self._turn:
            loop = asyncio.get_running_loop()
            while self._passed and self._total + units > self._per_minute:
                oldest = self._passed[0]
                wait_s = oldest[0] + self._minute_s - loop.time()
                if wait_s > 0:
                    await asyncio.sleep(wait_s)
                    continue
                self._passed.popleft()
                self._total -= oldest[1]
            entry = [loop.time(), units]
            self._passed.append(entry)
            self._total += units
            return entry

    def correct(self, entry: list[float], units: float) -> None:
        """Put the real number in the place of the estimate."""
        if entry in self._passed:
            self._total += units - entry[1]
        entry[1] = units


def _again(error: CallError | EndpointError) -> CallError | EndpointError:
    """Make an error of its own for each call that is turned away: each gets its own traceback."""
    return type(error)(error.message, hint=error.hint)
