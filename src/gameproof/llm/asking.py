"""Ask many questions of a model at once, read every reply, and stop early where replies cannot be read.

A reply cut at the limit of tokens is asked for once more with a larger one. A call that fails after all its
retries is a counted reason; an endpoint that cannot work at all stops the run.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from gameproof.errors import CallError, EndpointError
from gameproof.llm.client import LanguageModel, Recalls, Reply, Request
from gameproof.llm.loose_json import find_objects
from gameproof.llm.passing import is_passing
from gameproof.llm.replies import OFF_MENU, TRUNCATED, UNREADABLE
from gameproof.llm.watching import current_watch

__all__ = ["Asker", "Question", "Repaired", "Unread", "answers_anew", "ask_together"]

PREFLIGHT = 3  # questions of a run whose replies are read before the others are asked
MIN_READABLE = 2  # of them
LATER_ROUNDS = 2  # for calls that failed, when the others are through
MOST_FAILED = (
    0.1  # of the calls: if more of them fail, the endpoint is down, and asking again would be in vain
)
LARGER = 2  # times the limit of tokens, when a reply was cut
MAX_REMEMBERED = 200_000  # replies kept for the same question asked again within a run
NOT_ASKED = "not asked yet"
SHOWN = 400  # characters of a reply that nothing could be read from
HINT_IGNORED = (
    "The endpoint was asked for JSON of a set form, took the question, and did not keep to the form: it silently "
    "ignores response_format, as `gameproof doctor --llm ...` shows. "
)
HINT_EMPTY = "`gameproof doctor --llm ...` shows whether the model answers at all. "
HINT_UNREADABLE = "Use a model that follows instructions, or an endpoint with structured output."

FAR = 1_000_000  # beyond any number of a sample that a metric asks for
_anew = ContextVar("_anew", default=0)

Value = TypeVar("Value")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """Why a reply, or a call that gave none, says nothing."""

    reason: str


@dataclass(frozen=True, slots=True)
class Repaired(Generic[Value]):
    """What a reply says whose slips had to be mended."""

    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(Generic[Value]):
    """A request, and how its reply is read: to a value, or to the reason why there is none."""

    request: Request
    read: Callable[[Reply], "Value | Unread | Repaired[Value]"]


class Asker:
    """Asks one model on behalf of the metrics of one run.

    The same question is asked once, however many metrics or texts come to it.
    """

    def __init__(self, model: LanguageModel, *, recalls_only: bool = False) -> None:
        """Ask nothing yet; one that only recalls never asks, and reads what earlier runs have stored."""
        self.model = model
        self._recalls_only = recalls_only
        self.counts: Counter[str] = Counter()  # what befell: repaired, truncated, dropped parameters ...
        self._preflight: dict[str, int] = {}  # purpose -> questions asked so far
        self._replies: OrderedDict[str, asyncio.Task[Reply] | Reply] = OrderedDict()

    def __reduce__(self) -> tuple[type["Asker"], tuple[LanguageModel]]:
        return Asker, (self.model,)  # one that only recalls stays where it is

    @property
    def name(self) -> str:
        """The model, as signatures name it."""
        return self.model.name

    def notes(self) -> tuple[str, ...]:
        """Say what a reader of the scores must know of the calls so far."""
        return tuple(f"{count:,} {what}" for what, count in self.counts.items())

    async def ask(self, questions: Sequence[Question[Value]]) -> list[Value | Unread]:
        """Ask questions of one kind concurrently and read their replies, in order.

        The first three of a kind go ahead: if fewer than two can be read, nothing more is spent.

        Raises:
            EndpointError: Replies cannot be read (the first of them is shown), or no call can work.
        """
        if self._recalls_only:
            known = [self.recall(question) for question in questions]
            return [Unread(reason=NOT_ASKED) if answer is None else answer for answer in known]
        current_watch().more(len(questions))
        purpose = questions[0].request.purpose if questions else ""
        n_first = max(0, PREFLIGHT - self._preflight.get(purpose, 0))
        self._preflight[purpose] = self._preflight.get(purpose, 0) + len(questions)
        first = await ask_together([self._ask_one(question) for question in questions[:n_first]])
        if n_first == PREFLIGHT and questions:
            self._check_first(
                [raw for _, raw in first], [found for found, _ in first], questions[0].request.schema
            )
        rest = await ask_together([self._ask_one(question) for question in questions[n_first:]])
        return await self._ask_failed_again(questions, [found for found, _ in [*first, *rest]])

    async def _ask_failed_again(
        self, questions: Sequence[Question[Value]], answers: list[Value | Unread]
    ) -> list[Value | Unread]:
        """Ask again, when all others are through, what failed for the time being; not where much of it fails."""
        for _ in range(LATER_ROUNDS):
            failed = [
                place
                for place, answer in enumerate(answers)
                if isinstance(answer, Unread) and is_passing(answer.reason)
            ]
            if not failed or len(failed) > MOST_FAILED * len(questions):
                break
            self.counts["failed calls made once more at the end"] += len(failed)
            current_watch().more(len(failed))
            again = await ask_together([self._ask_one(questions[place]) for place in failed])
            for place, (answer, _) in zip(failed, again, strict=True):
                answers[place] = answer
        return answers

    def recall(self, question: Question[Value]) -> Value | Unread | None:
        """Read the answer that an earlier run has stored; None where the question would have to be asked."""
        if not isinstance(self.model, Recalls):
            return None
        reply = self.model.recall(question.request)
        found = None if reply is None else question.read(reply)
        if isinstance(found, Unread) and found.reason == TRUNCATED:
            reply = self.model.recall(_with_larger_limit(question.request))
            found = None if reply is None else question.read(reply)
        if isinstance(found, Repaired):
            return cast("Repaired[Value]", found).value  # the checker forgets what is wrapped
        return found

    async def _ask_one(self, question: Question[Value]) -> tuple[Value | Unread, str]:
        """Return what a reply says, and the reply itself."""
        try:
            reply = await self._complete(question.request)
            found = question.read(reply)
            if isinstance(found, Unread) and found.reason == TRUNCATED:
                self.counts["asked again with a larger limit of tokens"] += 1
                reply = await self._complete(_with_larger_limit(question.request))
                found = question.read(reply)
        except CallError as error:
            return Unread(reason=error.reason), ""
        finally:
            current_watch().answered()
        if isinstance(found, Repaired):
            self.counts["replies with repaired JSON"] += 1
            found = cast("Repaired[Value]", found).value  # the checker forgets what is wrapped
        for parameter in reply.dropped:
            self.counts[f"calls without {parameter}, which the endpoint refuses"] += 1
        return found, reply.text

    async def _complete(self, request: Request) -> Reply:
        """Ask, unless the same question has been asked already or is on its way."""
        if _anew.get():
            request = replace(request, sample=request.sample + _anew.get() * FAR)
        key = request.digest("")
        known = await self._known(key)
        if known is not None:
            return known
        task = asyncio.ensure_future(self.model.complete(request))
        self._replies[key] = task
        try:
            reply = await task
        except BaseException:
            if self._replies.get(key) is task:
                del self._replies[key]
            raise
        self._replies[key] = reply
        while len(self._replies) > MAX_REMEMBERED:
            self._replies.popitem(last=False)
        return reply

    async def _known(self, key: str) -> Reply | None:
        """Return the reply to a question that has been asked already; None if it is still to be asked."""
        while (known := self._replies.get(key)) is not None:
            if isinstance(known, Reply):
                return known
            if known.get_loop() is not asyncio.get_running_loop():
                return None
            try:
                return await asyncio.shield(known)
            except asyncio.CancelledError:
                if not known.cancelled() or _is_called_off():
                    raise
                if self._replies.get(key) is known:  # whoever asked first was called off, and nobody else
                    del self._replies[key]
        return None

    def _check_first(
        self, replies: Sequence[str], found: Sequence[object], schema: Mapping[str, object] | None
    ) -> None:
        unread = [
            (reply, each.reason)
            for reply, each in zip(replies, found, strict=True)
            if isinstance(each, Unread) and each.reason.startswith((UNREADABLE, OFF_MENU))
        ]
        if len(found) < PREFLIGHT or PREFLIGHT - len(unread) >= MIN_READABLE:
            return
        reply, reason = unread[0]
        if not reply.strip():
            raise EndpointError(
                f"{self.name}: {len(unread)} of the first {PREFLIGHT} replies cannot be read: the first of them is"
                " empty; nothing more was asked.",
                hint=HINT_EMPTY + HINT_UNREADABLE,
            )
        shown = reply if len(reply) <= SHOWN else f"{reply[:SHOWN]} [...]"
        refused = any("json" in what for what in self.counts)
        ignored = schema is not None and not refused and not _keeps_to(schema, reply)
        raise EndpointError(
            f"{self.name}: {len(unread)} of the first {PREFLIGHT} replies cannot be read ({reason});"
            f" nothing more was asked. The first such reply is:\n{shown}",
            hint=(HINT_IGNORED if ignored else "") + HINT_UNREADABLE,
        )


@contextmanager
def answers_anew(number: int) -> Generator[None]:
    """Ask questions as if nobody had asked them before: what is kept is kept as another sample.

    Args:
        number: Of the repetition, from 1; the same one finds its own answers again.
    """
    token = _anew.set(number)
    try:
        yield
    finally:
        _anew.reset(token)


def _is_called_off() -> bool:
    """Say whether it is the asking task itself that is cancelled."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _with_larger_limit(request: Request) -> Request:
    return replace(request, max_tokens=LARGER * request.max_tokens)


def _keeps_to(schema: Mapping[str, object], reply: str) -> bool:
    """Say whether a reply has an object with the fields that a schema requires."""
    required = cast("list[str]", schema.get("required") or [])
    return any(all(name in found.value for name in required) for found in find_objects(reply))


async def ask_together(calls: Sequence[Awaitable[Result]]) -> list[Result]:
    """Wait for calls concurrently; at the first error that stops the run, the others are called off."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
