"""Score completions with a prepared metric; those that callers ask for one by one at the same time go together.

Everything here runs in the reward's own thread.
"""

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gameproof.errors import BudgetError, EndpointError, OutageError
from gameproof.llm.asking import ask_together
from gameproof.metrics.base import STRANGERS_FAILURES, Metric, failure_reason
from gameproof.records import Item
from gameproof.rewards.remembered import CacheKey, Remembered

__all__ = ["Found", "Scorer", "Todo"]

CHUNK = 64  # completions that a local metric scores at a time, so that a deadline keeps what is done
FEW = 8  # fewer than these wait for others
WINDOW_S = 0.002

Todo = Mapping[CacheKey, str]  # completion to be scored
Found = dict[CacheKey, float | str]  # its reward, or the reason why there is none


@dataclass(slots=True, kw_only=True)
class Scorer:
    """Scores completions of the items of a training set, larger is better."""

    metric: Metric
    items: Sequence[Item]
    known: Remembered
    _waiting: list[tuple[Todo, Found, asyncio.Future[None]]] = field(
        default_factory=list[tuple[Todo, Found, asyncio.Future[None]]]
    )

    async def score(self, todo: Todo, found: Found) -> None:
        """Write rewards and reasons into `found` as they come: what is there at a deadline stands.

        Raises:
            EndpointError: No further call of a model can work.
            BudgetError: The limit of calls is reached.
        """
        if "llm" in self.metric.needs:  # each waits for a model, so they wait together
            await ask_together([self._score([entry], found) for entry in todo.items()])
        elif len(todo) < FEW:
            await self._score_with_others(todo, found)
        else:
            await self._score_in_chunks(todo, found)

    async def _score_in_chunks(self, todo: Todo, found: Found) -> None:
        entries = list(todo.items())
        for start in range(0, len(entries), CHUNK):
            await self._score(entries[start : start + CHUNK], found)
            await asyncio.sleep(0)

    async def _score_with_others(self, todo: Todo, found: Found) -> None:
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((todo, found, done))
        if len(self._waiting) > 1:
            await done  # whoever came first scores all
            return
        await asyncio.shield(asyncio.ensure_future(self._score_waiting()))

    async def _score_waiting(self) -> None:
        await asyncio.sleep(WINDOW_S)
        waiting = list(self._waiting)
        self._waiting.clear()
        together: Found = {}
        try:
            await self._score_in_chunks(
                {key: text for todo, _, _ in waiting for key, text in todo.items()}, together
            )
        except (EndpointError, BudgetError) as error:
            for _, _, done in waiting[1:]:
                if not done.done():
                    done.set_exception(error)
            raise
        for todo, found, done in waiting:
            found.update({key: together[key] for key in todo})
            if not done.done():
                done.set_result(None)

    async def _score(self, todo: Sequence[tuple[CacheKey, str]], found: Found) -> None:
        items = [
            replace(self.items[key[0]], id=f"{number}", candidate=text)
            for number, (key, text) in enumerate(todo)
        ]
        try:
            scores = await self.metric.score(items)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            found.update(dict.fromkeys((key for key, _ in todo), "called off"))  # by a metric, not by us
            return
        except (OutageError, *STRANGERS_FAILURES) as error:
            if isinstance(error, EndpointError | BudgetError) and not isinstance(error, OutageError):
                raise  # no further call can work
            reason = failure_reason(error).partition("\n")[0]
            found.update(dict.fromkeys((key for key, _ in todo), reason))
            return
        sign = 1.0 if self.metric.higher_is_better else -1.0
        for (key, _), item, value in zip(todo, items, scores.values.tolist(), strict=True):
            if math.isfinite(value):
                found[key] = sign * value
                self.known.remember(key, sign * value)
            else:
                found[key] = scores.reasons.get(item.id, "no score")
