"""Connect to a model: provider, limits and store in one."""

import asyncio
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from gameproof.errors import CallError, EndpointError, PlanError
from gameproof.files.home import from_home
from gameproof.llm.budget import Budget
from gameproof.llm.client import LanguageModel, Reply, Request, public_url
from gameproof.llm.failures import Endpoint, PassingError
from gameproof.llm.gate import Gate
from gameproof.llm.limits import ENDED, Limited, Limits
from gameproof.llm.prompt_logprobs import PromptLogProbs
from gameproof.llm.provide import Provider, Settings, provide, provide_at
from gameproof.llm.selftest import Finding, ScoresPrompts, check_logprobs, probe
from gameproof.llm.store import CallStore, KeepsCalls, default_path
from gameproof.llm.store_layers import LayeredStore, StoreLayers
from gameproof.llm.stored import Stored

__all__ = [
    "NO_CACHE",
    "Connection",
    "Usage",
    "add_usages",
    "connect",
    "open_store",
    "store_exists",
    "store_path",
]

NO_CACHE = "off"
MAX_LISTED = 10
ADMITTED = (
    2  # times the concurrency: so many calls look into the store, the others wait before they cost anything
)
LISTING_S = 20.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was asked of a model."""

    model: str
    calls: int
    cached: int
    retries: int
    failed: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    dropped: tuple[str, ...]

    def describe(self) -> str:
        """Say it in a line."""
        parts = [f"{self.calls:,} new calls ({self.tokens_in:,} tokens in, {self.tokens_out:,} out)"]
        if self.cost is not None:
            parts.append(f"${self.cost:.4f}")
        parts.append(f"{self.cached:,} answers from the store")
        parts += [
            f"{count:,} {what}"
            for count, what in ((self.retries, "retries"), (self.failed, "failed"))
            if count
        ]
        if self.dropped:
            parts.append(f"refused and left out: {', '.join(self.dropped)}")
        return f"{self.model}: {'; '.join(parts)}"


def add_usages(usages: Iterable[Usage]) -> tuple[Usage, ...]:
    """Add up what was asked of each model in several processes."""
    found: dict[str, Usage] = {}
    for usage in usages:
        known = found.get(usage.model)
        found[usage.model] = usage if known is None else _sum(known, usage)
    return tuple(found.values())


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        model=one.model,
        calls=one.calls + other.calls,
        cached=one.cached + other.cached,
        retries=one.retries + other.retries,
        failed=one.failed + other.failed,
        tokens_in=one.tokens_in + other.tokens_in,
        tokens_out=one.tokens_out + other.tokens_out,
        cost=None if one.cost is None or other.cost is None else one.cost + other.cost,
        dropped=tuple(sorted({*one.dropped, *other.dropped})),
    )


class Connection:
    """A model with limits and store: what metrics and rewrites ask."""

    def __init__(
        self, provider: Provider, limits: Limits, store: KeepsCalls | None, *, budget: Budget | None = None
    ) -> None:
        """Put the wrappers together; a budget may be shared with other models."""
        if provider.context_tokens is not None and limits.context_tokens is None:
            limits = replace(limits, context_tokens=provider.context_tokens)
        if provider.concurrency is not None:
            limits = replace(limits, concurrency=min(limits.concurrency, provider.concurrency))
        self.provider = provider
        self._limits = limits
        self._limited = Limited(limits, provider.model, budget=budget)
        self._stored = None if store is None else Stored(store, self._limited, base_url=provider.base_url)
        self._outer = self._limited if self._stored is None else self._stored
        self._admission = Gate(ADMITTED * limits.concurrency)
        self._arrivals = count()
        self._dropped: set[str] = set()
        self._self_test: asyncio.Task[None] | None = None
        self._tested = provider.tested_logprobs

    @property
    def name(self) -> str:
        """The model's name."""
        return self._outer.name

    async def complete(self, request: Request) -> Reply:
        """Answer one question, from the store where it has been asked before."""
        await self._admission.enter(next(self._arrivals))
        try:
            reply = await self._outer.complete(request)
        finally:
            self._admission.leave()
        if reply.dropped:
            self._dropped.update(reply.dropped)
        return reply

    def recall(self, request: Request) -> Reply | None:
        """Return the answer that the store has, without asking."""
        return None if self._stored is None else self._stored.recall(request)

    async def logprob(self, context: str, continuation: str) -> float:
        """Score a text, after the endpoint has passed the self-test of log-probabilities.

        Raises:
            EndpointError: It has not.
        """
        if not self._tested:
            if self._self_test is None:
                self._self_test = asyncio.ensure_future(
                    check_logprobs(self._counted_prompts(), self.provider.place)
                )
            await asyncio.shield(self._self_test)
            self._tested = True
        await self._admission.enter(next(self._arrivals))
        try:
            return await self._outer.logprob(context, continuation)
        finally:
            self._admission.leave()

    @property
    def needs_self_test(self) -> bool:
        """Whether the first text to be scored is preceded by the self-test, whose calls count."""
        return not self._tested

    def _counted_prompts(self) -> object:
        """Return what the self-test asks: the endpoint, each call within the limits."""
        model = self.provider.model
        return _CountedPrompts(model, self._limited) if isinstance(model, ScoresPrompts) else model

    async def probe(self) -> tuple[Finding, ...]:
        """Find out what the endpoint can do; asks it directly, without the store."""
        return await probe(self._limited, self.provider.place, provider=self.provider.model)

    def usage(self) -> Usage:
        """Return what was asked so far."""
        spent = self._limited.spent
        return Usage(
            model=self.name,
            calls=spent.calls,
            cached=0 if self._stored is None else self._stored.n_cached,
            retries=self._limited.n_retries,
            failed=self._limited.n_failed,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
            cost=None if self._limits.prices is None else spent.cost,
            dropped=tuple(sorted(self._dropped)),
        )

    async def close(self) -> None:
        """Close connections and the store."""
        self._admission.stop(CallError(ENDED))
        await self._outer.close()


class _CountedPrompts:
    """Scores prompts within the limits of a run."""

    def __init__(self, model: ScoresPrompts, limited: Limited) -> None:
        """Ask nothing yet."""
        self._model = model
        self._limited = limited

    async def score_prompt(self, prompt: str) -> PromptLogProbs:
        """Return the log-probabilities of a prompt."""
        return await self._limited.count(prompt, lambda: self._model.score_prompt(prompt))

    async def next_token(self, prompt: str) -> tuple[str, float]:
        """Return the token that would come next."""
        return await self._limited.count(prompt, lambda: self._model.next_token(prompt))


async def connect(
    llm: str | LanguageModel | None,
    *,
    cache: str | Path | StoreLayers | None = None,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
    budget: Budget | None = None,
) -> Connection:
    """Connect to a model.

    Args:
        llm: ``NAME`` (at OPENAI_BASE_URL, or OpenAI), an address, ``NAME@ADDRESS``, ``anthropic:NAME``,
            ``transformers:FOLDER``, ``llamacpp:FILE``, ``replay:FILE``; or a model object, which is asked as
            it is and without a store unless ``cache`` names one. None takes the model that OPENAI_BASE_URL serves.
        cache: The file of finished calls; ``off`` for none; by default GAMEPROOF_CACHE or the user's cache folder.
        limits: Of calls, cost, rates and time.
        environment: Instead of the process's own.
        budget: Of calls and cost, where it is shared with other models.

    Raises:
        PlanError: No model is named, or the address serves several.
        EndpointError: The address does not answer.
        StoreError: The store cannot be used.
    """
    limits = limits or Limits()
    settings = Settings(environment=os.environ if environment is None else environment, limits=limits)
    if llm is None or isinstance(llm, str):
        found = provide((llm or "").strip(), settings)
        provider = await _find_model(found, settings) if isinstance(found, Endpoint) else found
    elif isinstance(llm, Connection):
        return llm
    else:
        named = f"object:{llm.name}"
        provider = Provider(
            model=llm, base_url=named, place=llm.name, keeps_calls=cache is not None, tested_logprobs=True
        )
    store = open_store(cache, settings.environment) if provider.keeps_calls else None
    return Connection(provider, limits, store, budget=budget)


def open_store(cache: str | Path | StoreLayers | None, environment: Mapping[str, str]) -> KeepsCalls | None:
    """Open the store of calls that an option names; None where it is off."""
    if isinstance(cache, StoreLayers):
        return LayeredStore(cache)
    path = store_path(cache, environment)
    return None if path is None else CallStore(path)


def store_exists(cache: str | Path | None, environment: Mapping[str, str] | None = None) -> bool:
    """Say whether there is a store of calls yet where an option names one."""
    path = store_path(cache, os.environ if environment is None else environment)
    return path is not None and path.exists()


def store_path(cache: str | Path | None, environment: Mapping[str, str]) -> Path | None:
    """Return the file of the store of calls that an option names; None where it is off."""
    if str(cache) == NO_CACHE:
        return None
    return default_path(environment) if cache is None else from_home(cache)


async def _find_model(endpoint: Endpoint, settings: Settings) -> Provider:
    """Take the one model that an address serves."""
    from gameproof.llm.providers.openai_compatible import OpenAICompatible  # noqa: PLC0415 - loads aiohttp

    model = OpenAICompatible(endpoint, attempt_s=min(settings.limits.attempt_s, LISTING_S))
    place = endpoint.place()
    try:
        cards = await model.list_models()
    except PassingError as error:
        text = (
            error.message
            if error.unreachable
            else f"the endpoint {place} does not list its models: {error.message}"
        )
        raise EndpointError(
            text, hint="Is the server running? NAME@ADDRESS names a model without asking."
        ) from error
    finally:
        await model.close()
    names = [card.name for card in cards if card.name]
    if len(names) != 1:
        shown = ", ".join(names[:MAX_LISTED]) + (", ..." if len(names) > MAX_LISTED else "")
        raise PlanError(
            f"the endpoint {place} serves {len(names)} models{': ' + shown if shown else ''}.",
            hint=f"Name one of them: --llm NAME@{public_url(endpoint.url)}",
        )
    card = next(card for card in cards if card.name)
    return provide_at(replace(endpoint, model=card.name), settings, context_tokens=card.context_tokens)
