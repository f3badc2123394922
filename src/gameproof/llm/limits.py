"""Ask a model within limits: retries, concurrency, rates, deadlines, calls and cost."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Hashable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Self, TypeVar, cast

from gameproof.errors import CallError, EndpointError, PlanError
from gameproof.llm.budget import Budget, Prices, Spending, estimate_tokens, fewest_tokens
from gameproof.llm.client import LanguageModel, LogProbModel, Message, Reply, Request
from gameproof.llm.failures import PassingError
from gameproof.llm.gate import MINUTE_S, Gate, RateWindow
from gameproof.llm.outage import Outage
from gameproof.llm.passing import gave_up, no_answer, no_time_left
from gameproof.llm.probing import Probes
from gameproof.llm.tally import count_call

__all__ = ["ENDED", "LateReply", "Limited", "Limits", "make_budget"]

GRACE_S = 1.0  # how long replies that are on their way are waited for after Ctrl-C
ENDED = "the run has ended"
GUESSED_OUT = 200  # tokens of a reply before any has come

OPTIONS = {
    "max_calls": "max_calls",
    "max_requests_per_minute": "requests_per_minute",
    "max_tokens_per_minute": "tokens_per_minute",
    "max_concurrency": "concurrency",
}

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the calls of a run may use. Prices are in US dollars per million tokens."""

    concurrency: int = 32
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    max_calls: int | None = None
    max_cost: float | None = None
    prices: Prices | None = None
    context_tokens: int | None = None  # what the model takes, prompt and answer together
    attempts: int = 4
    throttled_attempts: int = 12  # a 429 says nothing about the call, so it has attempts of its own
    attempt_s: float = 120.0
    deadline_s: float = (
        600.0  # of one call: all attempts and the waits between them, not its time in the queue
    )
    backoff_s: float = 0.5
    longest_backoff_s: float = 60.0
    minute_s: float = MINUTE_S

    @classmethod
    def from_options(cls, given: Mapping[str, object]) -> Self:
        """Make limits of the options of a command or a plan.

        Raises:
            PlanError: One price without the other.
        """
        numbers = {name: value for name, value in given.items() if isinstance(value, int | float)}
        price_in, price_out = numbers.get("price_in"), numbers.get("price_out")
        if (price_in is None) != (price_out is None):
            raise PlanError("--price-in and --price-out go together.")
        prices = None if price_in is None else Prices(tokens_in=price_in, tokens_out=price_out or 0.0)
        counts = {name: int(numbers[option]) for option, name in OPTIONS.items() if option in numbers}
        return cls(prices=prices, max_cost=numbers.get("max_cost"), **counts)


class LateReply(asyncio.CancelledError):
    """The call was cancelled, but its reply came: it can be kept."""

    def __init__(self, reply: object) -> None:
        """Carry the reply."""
        super().__init__("cancelled; the reply came")
        self.reply = reply


@dataclass(slots=True, kw_only=True)
class _Course:
    """What has happened to one call so far."""

    arrival: int
    failures: int = 0
    throttled: int = 0
    used_s: float = 0.0
    asking: bool = False  # whether the question is on its way: its answer is worth a moment's wait


class Limited:
    """Asks another model within limits."""

    def __init__(self, limits: Limits, model: LanguageModel, *, budget: Budget | None = None) -> None:
        """Begin with nothing spent; a budget may be shared with other models."""
        self._limits = limits
        self._model = model
        self._gate = Gate(limits.concurrency)
        self._probes = Probes()
        self._budget = budget or make_budget(limits)
        self.spent = Spending(prices=limits.prices)
        self._arrivals = count()
        self._answered = False
        self._outage = Outage()
        self._stopped: EndpointError | None = None
        rates = (limits.requests_per_minute, limits.tokens_per_minute)
        self._requests, self._tokens = (
            None if rate is None else RateWindow(rate, minute_s=limits.minute_s) for rate in rates
        )
        self._under_way: set[asyncio.Future[Any]] = set()  # Any: replies and log-probabilities
        self.n_retries = 0
        self.n_failed = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def complete(self, request: Request) -> Reply:
        """Ask, and ask again where that can help."""
        return await self._spend(request, lambda: self._model.complete(request), lambda reply: reply)

    async def logprob(self, context: str, continuation: str) -> float:
        """Score a text; counted as one call.

        Raises:
            EndpointError: The model cannot score texts.
        """
        model = self._model
        if not isinstance(model, LogProbModel):
            raise EndpointError(f"{self.name} cannot score a given text.")
        return await self.count(context + continuation, lambda: model.logprob(context, continuation))

    async def count(self, prompt: str, ask: Callable[[], Awaitable[Answer]]) -> Answer:
        """Ask something about a prompt within the limits; counted as one call with a token in reply."""
        request = Request(model=self.name, messages=(Message(role="user", content=prompt),), max_tokens=1)
        counted = Reply(text="", tokens_out=1)
        return await self._spend(request, ask, lambda _: counted)

    async def close(self) -> None:
        """Let queued calls go, give those under way a moment, and close the model."""
        self._gate.stop(CallError(ENDED))
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=GRACE_S)
        await self._model.close()

    async def _spend(
        self, request: Request, ask: Callable[[], Awaitable[Answer]], count_as: Callable[[Answer], Reply]
    ) -> Answer:
        self._raise_if_stopped()
        self._refuse_if_too_long(request)
        course = _Course(arrival=next(self._arrivals))
        bound = await self._budget.reserve(request)
        try:
            if self._probes.is_open(shape := _shape(request)):
                answer = await self._ask(request, ask, course, _nothing)
            else:
                async with self._probes.first(shape) as probe:
                    answer = await self._ask(request, ask, course, probe.open)
        except LateReply as late:
            self._settle(bound, request, count_as(late.reply))  # pyright: ignore[reportArgumentType] - an Answer
            raise
        except BaseException as error:
            self._budget.release(bound)
            self.n_failed += isinstance(error, CallError)
            outage = self._outage.failed(error.reason) if isinstance(error, CallError) else None
            if outage is not None:
                self._stop(outage)
                self._raise_if_stopped()  # the first of several that are given up at once
            if isinstance(error, EndpointError):
                self._stop(error)
            raise
        self._settle(bound, request, count_as(answer))
        return answer

    def _settle(self, bound: float, request: Request, reply: Reply) -> None:
        count_call(*self.spent.add(request, reply))
        self._budget.settle(bound, request, reply)

    async def _ask(
        self,
        request: Request,
        ask: Callable[[], Awaitable[Answer]],
        course: _Course,
        opened: Callable[[], None],
    ) -> Answer:
        while True:
            try:
                return await self._shielded_turn(request, ask, course)
            except PassingError as error:
                failure = error
            if not failure.unreachable:
                opened()
            await self._back_off(course, failure)

    async def _shielded_turn(
        self, request: Request, ask: Callable[[], Awaitable[Answer]], course: _Course
    ) -> Answer:
        """Take a turn in a task of its own: whoever waits for it may be cancelled, and the reply still comes."""
        course.asking = False
        task = asyncio.ensure_future(self._turn(request, ask, course))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            try:
                if course.asking:
                    await asyncio.wait({task}, timeout=GRACE_S)
                    if task.done() and not task.cancelled() and task.exception() is None:
                        raise LateReply(task.result()) from None
            finally:
                task.cancel()  # also where the waiting itself is cancelled: nobody is left to take the answer
            raise

    async def _turn(self, request: Request, ask: Callable[[], Awaitable[Answer]], course: _Course) -> Answer:
        """Wait for a place and ask once. The next call goes out before anybody reads or keeps this answer."""
        await self._gate.enter(course.arrival)
        try:
            self._raise_if_stopped()
            return await self._attempt(request, ask, course)
        finally:
            self._gate.leave()

    async def _attempt(
        self, request: Request, ask: Callable[[], Awaitable[Answer]], course: _Course
    ) -> Answer:
        tokens = await self._wait_for_rates(request)
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            answer = await self._in_time(ask, course)
        except PassingError as error:
            self._answered = self._answered or not error.unreachable
            if error.throttled or error.timed_out:  # too many wait for an endpoint that answers few at a time
                self._gate.throttled(started, error.retry_after_s)
            raise
        finally:
            course.used_s += loop.time() - started
        self._answered = True
        self._outage.answered()
        self._gate.succeeded()
        if tokens is not None and self._tokens is not None and isinstance(answer, Reply):
            self._tokens.correct(tokens, answer.tokens_in + answer.tokens_out or tokens[1])
        return answer

    async def _in_time(self, ask: Callable[[], Awaitable[Answer]], course: _Course) -> Answer:
        task = cast("asyncio.Task[Any]", asyncio.current_task())  # this runs in a task of its own
        course.asking = True
        self._under_way.add(task)
        try:
            async with asyncio.timeout(self._limits.deadline_s - course.used_s):
                return await ask()
        except TimeoutError as error:
            raise CallError(no_answer(self._limits.deadline_s)) from error
        finally:
            self._under_way.discard(task)

    async def _back_off(self, course: _Course, failure: PassingError) -> None:
        """Wait before the next attempt, or give the call up."""
        limits = self._limits
        if failure.unreachable and not self._answered:
            raise EndpointError(failure.reason, hint=UNREACHABLE_HINT) from failure
        wait_s = failure.retry_after_s
        if wait_s is not None and wait_s > limits.deadline_s:
            raise EndpointError(
                f"the endpoint asks to wait {wait_s:,.0f} s: {failure.reason}",
                hint="Replies so far are kept: the same command goes on from there.",
            ) from failure
        if failure.throttled:
            course.throttled += 1
        else:
            course.failures += 1
        if course.failures >= limits.attempts or course.throttled >= limits.throttled_attempts:
            if failure.unreachable:
                raise EndpointError(failure.reason, hint=UNREACHABLE_HINT) from failure
            raise CallError(gave_up(failure.reason, course.failures + course.throttled)) from failure
        self.n_retries += 1
        if failure.throttled and wait_s is not None:
            return  # the gate stays shut for everybody until then
        if wait_s is None:
            tries = course.failures + course.throttled
            longest = min(limits.longest_backoff_s, limits.backoff_s * 2.0 ** (tries - 1))
            wait_s = longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads retries, no secret
        course.used_s += wait_s
        if course.used_s >= limits.deadline_s:
            raise CallError(no_time_left(failure.reason, limits.deadline_s)) from failure
        await asyncio.sleep(wait_s)

    async def _wait_for_rates(self, request: Request) -> list[float] | None:
        if self._requests is not None:
            await self._requests.take(1)
        if self._tokens is None:
            return None
        expected = self.spent.tokens_out / self.spent.calls if self.spent.calls else GUESSED_OUT
        prompt = sum(estimate_tokens(turn.content) for turn in request.messages)
        return await self._tokens.take(prompt + min(expected, request.max_tokens))

    def _refuse_if_too_long(self, request: Request) -> None:
        limit = self._limits.context_tokens
        if limit is None:
            return
        least = sum(fewest_tokens(turn.content) for turn in request.messages)
        if least >= limit:
            self.n_failed += 1
            raise CallError(f"the prompt has at least {least:,} tokens, the model takes {limit:,}")

    def _stop(self, error: EndpointError) -> None:
        if self._stopped is None:
            self._stopped = error
            self._gate.stop(error)

    def _raise_if_stopped(self) -> None:
        if self._stopped is not None:
            raise _again(self._stopped)


def make_budget(limits: Limits) -> Budget:
    """Make the budget that limits describe."""
    return Budget(max_calls=limits.max_calls, max_cost=limits.max_cost, prices=limits.prices)


UNREACHABLE_HINT = "Is the server running? `gameproof doctor --llm URL` shows what answers there."


def _again(error: EndpointError) -> EndpointError:
    return type(error)(error.message, hint=error.hint)


def _nothing() -> None:
    """Let nobody go: all may go already."""


def _shape(request: Request) -> Hashable:
    """Return what an endpoint may refuse: the model and which parameters are sent."""
    return (
        request.model,
        request.temperature is None,
        request.schema is None,
        request.top_logprobs is None,
    )
