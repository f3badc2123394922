"""Make a model of what the user names: a name, an address, a folder, a file."""

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gameproof.errors import EndpointError, PlanError
from gameproof.llm.client import LanguageModel, Reply, Request, public_url
from gameproof.llm.failures import Endpoint, PassingError
from gameproof.llm.limits import Limited, Limits
from gameproof.llm.selftest import Finding, check_logprobs, probe
from gameproof.llm.store import CallStore, default_path
from gameproof.llm.stored import Stored

if TYPE_CHECKING:
    from gameproof.llm.providers.openai_compatible import ModelCard, OpenAICompatible

__all__ = ["NO_CACHE", "PROVIDERS", "Connection", "Provider", "Settings", "Usage", "connect"]

NO_CACHE = "off"
OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
MAX_LISTED = 10
NAME_AT_URL = re.compile(r"(?P<name>[^@]+)@(?P<url>https?://.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What providers are made with."""

    environment: Mapping[str, str]
    limits: Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A model without store and limits. `base_url` is its address in the keys of the store."""

    model: LanguageModel
    base_url: str
    place: str
    context_tokens: int | None = None
    keeps_calls: bool = True
    tested_logprobs: bool = False  # whether log-probabilities need no self-test


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


class Connection:
    """A model with limits and store: what metrics and rewrites ask."""

    def __init__(self, provider: Provider, limits: Limits, store: CallStore | None) -> None:
        """Put the wrappers together."""
        if provider.context_tokens is not None and limits.context_tokens is None:
            limits = replace(limits, context_tokens=provider.context_tokens)
        self.provider = provider
        self._limits = limits
        self._limited = Limited(limits, provider.model)
        self._stored = None if store is None else Stored(store, self._limited, base_url=provider.base_url)
        self._outer = self._limited if self._stored is None else self._stored
        self._dropped: set[str] = set()
        self._self_test: asyncio.Task[None] | None = None
        self._tested = provider.tested_logprobs

    @property
    def name(self) -> str:
        """The model's name."""
        return self._outer.name

    async def complete(self, request: Request) -> Reply:
        """Answer one question, from the store where it has been asked before."""
        reply = await self._outer.complete(request)
        if reply.dropped:
            self._dropped.update(reply.dropped)
        return reply

    async def logprob(self, context: str, continuation: str) -> float:
        """Score a text, after the endpoint has passed the self-test of log-probabilities.

        Raises:
            EndpointError: It has not.
        """
        if not self._tested:
            if self._self_test is None:
                self._self_test = asyncio.ensure_future(
                    check_logprobs(self.provider.model, self.provider.place)
                )
            await asyncio.shield(self._self_test)
            self._tested = True
        return await self._outer.logprob(context, continuation)

    async def probe(self) -> tuple[Finding, ...]:
        """Find out what the endpoint can do; asks it directly, without the store."""
        return await probe(self._limited, self.provider.place, provider=self.provider.model)

    def usage(self) -> Usage:
        """Return what was asked so far."""
        budget = self._limited.budget
        return Usage(
            model=self.name,
            calls=budget.calls,
            cached=0 if self._stored is None else self._stored.n_cached,
            retries=self._limited.n_retries,
            failed=self._limited.n_failed,
            tokens_in=budget.tokens_in,
            tokens_out=budget.tokens_out,
            cost=None if self._limits.prices is None else budget.cost,
            dropped=tuple(sorted(self._dropped)),
        )

    async def close(self) -> None:
        """Close connections and the store."""
        await self._outer.close()


async def connect(
    llm: str | LanguageModel | None,
    *,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
) -> Connection:
    """Connect to a model.

    Args:
        llm: ``NAME`` (at OPENAI_BASE_URL, or OpenAI), an address, ``NAME@ADDRESS``, ``anthropic:NAME``,
            ``replay:FILE``; or a model object, which is asked as
            it is and without a store unless ``cache`` names one. None takes the model that OPENAI_BASE_URL serves.
        cache: The file of finished calls; ``off`` for none; by default GAMEPROOF_CACHE or the user's cache folder.
        limits: Of calls, cost, rates and time.
        environment: Instead of the process's own.

    Raises:
        PlanError: No model is named, or the address serves several.
        EndpointError: The address does not answer.
        StoreError: The store cannot be used.
    """
    limits = limits or Limits()
    settings = Settings(environment=os.environ if environment is None else environment, limits=limits)
    if llm is None or isinstance(llm, str):
        provider = await _provide((llm or "").strip(), settings)
    elif isinstance(llm, Connection):
        return llm
    else:
        named = f"object:{llm.name}"
        provider = Provider(
            model=llm, base_url=named, place=llm.name, keeps_calls=cache is not None, tested_logprobs=True
        )
    store = _open_store(cache, settings) if provider.keeps_calls else None
    return Connection(provider, limits, store)


def _open_store(cache: str | Path | None, settings: Settings) -> CallStore | None:
    if str(cache) == NO_CACHE:
        return None
    return CallStore(default_path(settings.environment) if cache is None else Path(cache).expanduser())


async def _provide(llm: str, settings: Settings) -> Provider:
    prefix, colon, rest = llm.partition(":")
    if colon and prefix in PROVIDERS and not rest.startswith("//"):
        return await PROVIDERS[prefix](rest, settings)
    return await _openai(llm, settings)


async def _openai(llm: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.openai_compatible import OpenAICompatible  # noqa: PLC0415 - loads aiohttp

    environment = settings.environment
    key = _read_key(environment, "OPENAI_API_KEY")
    found = NAME_AT_URL.fullmatch(llm)
    if llm.startswith(("http://", "https://")):
        endpoint = Endpoint(url=llm, url_from="--llm", model="", key=key)
    elif found is not None:
        endpoint = Endpoint(url=found["url"], url_from="--llm", model=found["name"], key=key)
    elif set_url := environment.get("OPENAI_BASE_URL"):
        endpoint = Endpoint(url=set_url, url_from="OPENAI_BASE_URL", model=llm, key=key)
    elif llm:
        endpoint = Endpoint(
            url=OPENAI_URL, url_from="the default; OPENAI_BASE_URL is not set", model=llm, key=key
        )
    else:
        raise PlanError(
            "no model is named: --llm takes a name, or an address such as http://localhost:8000/v1.",
            hint="OPENAI_BASE_URL and OPENAI_API_KEY are read too. `gameproof doctor --llm ...` tries it.",
        )
    _check_address(endpoint)
    attempt_s = settings.limits.attempt_s
    context_tokens = None
    if not endpoint.model:
        card = await _only_model(OpenAICompatible(endpoint, attempt_s=min(attempt_s, 20.0)))
        endpoint = replace(endpoint, model=card.name)
        context_tokens = card.context_tokens
    model = OpenAICompatible(endpoint, attempt_s=attempt_s)
    return Provider(
        model=model, base_url=model.base_url, place=_place(endpoint), context_tokens=context_tokens
    )


async def _only_model(model: "OpenAICompatible") -> "ModelCard":
    """Return the one model that an address serves."""
    place = model.endpoint.place()
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
            hint=f"Name one of them: --llm NAME@{public_url(model.endpoint.url)}",
        )
    return next(card for card in cards if card.name)


async def _anthropic(rest: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.anthropic import Anthropic  # noqa: PLC0415 - loads aiohttp

    environment = settings.environment
    found = NAME_AT_URL.fullmatch(rest)
    name, url, url_from = (found["name"], found["url"], "--llm") if found else (rest, "", "")
    if not url and (set_url := environment.get("ANTHROPIC_BASE_URL")):
        url, url_from = set_url, "ANTHROPIC_BASE_URL"
    if not name:
        raise PlanError("--llm anthropic: needs the name of a model: anthropic:NAME.")
    endpoint = Endpoint(
        url=url or ANTHROPIC_URL,
        url_from=url_from or "the default; ANTHROPIC_BASE_URL is not set",
        model=name,
        key=_read_key(environment, "ANTHROPIC_API_KEY"),
        key_from="ANTHROPIC_API_KEY",
    )
    _check_address(endpoint)
    model = Anthropic(endpoint, attempt_s=settings.limits.attempt_s)
    return Provider(model=model, base_url=model.base_url, place=_place(endpoint))


async def _replay(rest: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.replay import load_replay  # noqa: PLC0415 - only where it is used

    del settings  # nothing is asked of anybody
    model = load_replay(rest)
    return Provider(model=model, base_url="replay:", place=f"the replay {rest}", keeps_calls=False)


PROVIDERS: Mapping[str, Callable[[str, Settings], Awaitable[Provider]]] = {
    "anthropic": _anthropic,
    "replay": _replay,
}


def _check_address(endpoint: Endpoint) -> None:
    try:
        parts = urlsplit(endpoint.url)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        good = False
    if not good:
        raise EndpointError(
            f"{endpoint.url!r} (from {endpoint.url_from}) is no web address.",
            hint="It looks like http://localhost:8000/v1.",
        )


def _place(endpoint: Endpoint) -> str:
    return f"{endpoint.model} at {endpoint.place()}"


def _read_key(environment: Mapping[str, str], name: str) -> str:
    """Read a key, and refuse one that cannot stand in a header."""
    key = environment.get(name, "").strip()
    if not key.isascii() or not key.isprintable():
        raise PlanError(f"the environment variable {name} holds characters that no key has.")
    return key
