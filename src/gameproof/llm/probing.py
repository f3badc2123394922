"""Send the first call of each kind alone, so that a wrong setting costs one call."""

import asyncio
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager

__all__ = ["Probe", "Probes"]

PATIENCE_S = 5.0  # a refusal comes at once; whoever answers later is at work


class Probe:
    """Lets the others go before this call has ended."""

    def __init__(self, probes: "Probes", kind: Hashable) -> None:
        """Belong to the probes."""
        self._probes = probes
        self._kind = kind

    def open(self) -> None:
        """Say that the endpoint takes calls of this kind."""
        self._probes.open(self._kind)


class Probes:
    """Knows which kinds of calls have been tried."""

    def __init__(self) -> None:
        """Begin with none tried."""
        self._open: set[Hashable] = set()
        self._trying: dict[Hashable, asyncio.Future[None]] = {}

    @asynccontextmanager
    async def first(self, kind: Hashable) -> AsyncGenerator[Probe]:
        """Wait for the first call of a kind, or be it.

        A cancelled first call leaves its place to the next; one that fails for good says so elsewhere.
        """
        while kind not in self._open and (trying := self._trying.get(kind)) is not None:
            await asyncio.shield(trying)
        probe = Probe(self, kind)
        if kind in self._open:
            yield probe
            return
        loop = asyncio.get_running_loop()
        place = self._trying[kind] = loop.create_future()
        timer = loop.call_later(PATIENCE_S, self.open, kind)
        cancelled = False
        try:
            yield probe
        except asyncio.CancelledError:
            cancelled = True
            raise
        finally:
            timer.cancel()
            if not cancelled:
                self.open(kind)
            elif self._trying.get(kind) is place:
                del self._trying[kind]
                place.set_result(None)

    def is_open(self, kind: Hashable) -> bool:
        """Say whether all calls of a kind may go."""
        return kind in self._open

    def open(self, kind: Hashable) -> None:
        """Let all calls of a kind go."""
        self._open.add(kind)
        place = self._trying.pop(kind, None)
        if place is not None and not place.done():
            place.set_result(None)
