"""Find out which model a text means: a name, an address, a file."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from gameproof.errors import EndpointError, PlanError
from gameproof.llm.client import LanguageModel
from gameproof.llm.failures import Endpoint
from gameproof.llm.limits import Limits

if TYPE_CHECKING:
    from gameproof.llm.providers.llamacpp_local import LlamaCppLocal
    from gameproof.llm.providers.transformers_local import TransformersLocal

__all__ = ["PROVIDERS", "Provider", "Settings", "provide", "provide_at"]

OPENAI_URL = "https://api.openai.com/v1"
ANTHROPIC_URL = "https://api.anthropic.com"
# What only an address can be, with or without a name: it lacks its http://, and is no model of OpenAI's.
NO_SCHEME = re.compile(
    r"(?:[^@]+@)?(?:localhost|\d+\.\d+\.\d+\.\d+)(?::\d+)?(?:/.*)?|[^@]+@[\w.-]+(?::\d+(?:/.*)?|/v\d.*)",
    re.DOTALL,
)
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
    endpoint: Endpoint | None = None  # where other models of the same address are asked
    context_tokens: int | None = None
    keeps_calls: bool = True
    concurrency: int | None = None  # as many calls at the most as it works on at once
    tested_logprobs: bool = False  # whether log-probabilities need no self-test


def provide(llm: str, settings: Settings) -> Provider | Endpoint:
    """Make the model that a text names; an address alone gives an endpoint whose model is still to be found.

    Raises:
        PlanError: It names nothing, or an address without its http://.
        EndpointError: The address is no web address.
    """
    prefix, colon, rest = llm.partition(":")
    if colon and prefix in PROVIDERS and not rest.startswith("//"):
        if not rest.strip():
            raise PlanError(
                f"--llm {prefix}: names no model.", hint=f"Something stands after the colon: {NAMED[prefix]}."
            )
        return PROVIDERS[prefix](rest, settings)
    return _openai(llm, settings)


def _openai(llm: str, settings: Settings) -> Provider | Endpoint:
    environment = settings.environment
    key = _read_key(environment, "OPENAI_API_KEY")
    found = NAME_AT_URL.fullmatch(llm)
    if llm.startswith(("http://", "https://")):
        endpoint = Endpoint(url=llm, url_from="--llm", model="", key=key)
    elif found is not None:
        endpoint = Endpoint(url=found["url"], url_from="--llm", model=found["name"], key=key)
    elif NO_SCHEME.fullmatch(llm):
        name, at, place = llm.rpartition("@")
        raise PlanError(
            f"--llm {llm}: an address begins with http:// or https://.",
            hint=f"Write --llm {name}{at}http://{place}",
        )
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
    return provide_at(endpoint, settings) if endpoint.model else endpoint


def provide_at(endpoint: Endpoint, settings: Settings, *, context_tokens: int | None = None) -> Provider:
    """Make the model of an OpenAI-compatible endpoint."""
    from gameproof.llm.providers.openai_compatible import OpenAICompatible  # noqa: PLC0415 - loads aiohttp

    model = OpenAICompatible(endpoint, attempt_s=settings.limits.attempt_s)
    place = _place(endpoint)
    return Provider(
        model=model, base_url=model.base_url, place=place, endpoint=endpoint, context_tokens=context_tokens
    )


def _anthropic(rest: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.anthropic import Anthropic  # noqa: PLC0415 - loads aiohttp

    environment = settings.environment
    found = NAME_AT_URL.fullmatch(rest)
    name, url, url_from = (found["name"], found["url"], "--llm") if found else (rest, "", "")
    if not url and (set_url := environment.get("ANTHROPIC_BASE_URL")):
        url, url_from = set_url, "ANTHROPIC_BASE_URL"
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


def _replay(rest: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.replay import load_replay  # noqa: PLC0415 - only where it is used

    del settings  # nothing is asked of anybody
    model = load_replay(rest)
    return Provider(model=model, base_url="replay:", place=f"the replay {rest}", keeps_calls=False)


def _planted(rest: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.planted import open_planted  # noqa: PLC0415 - only where it is used

    del settings  # nothing is asked of anybody
    model = open_planted(f"planted:{rest}")
    return Provider(
        model=model, base_url="planted:", place=model.name, keeps_calls=False, tested_logprobs=True
    )


def _transformers(rest: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.transformers_local import TransformersLocal  # noqa: PLC0415 - only where it is used

    del settings  # nothing is sent anywhere
    model = TransformersLocal(rest)
    return _local(model)


def _llamacpp(rest: str, settings: Settings) -> Provider:
    from gameproof.llm.providers.llamacpp_local import LlamaCppLocal  # noqa: PLC0415 - only where it is used

    del settings  # nothing is sent anywhere
    return _local(LlamaCppLocal(rest))


def _local(model: "TransformersLocal | LlamaCppLocal") -> Provider:
    """Ask a model on this machine one call at a time: the time of a call must not be spent in a queue."""
    return Provider(
        model=model, base_url=model.base_url, place=f"the local model {model.name}", concurrency=1
    )


PROVIDERS: Mapping[str, Callable[[str, Settings], Provider]] = {
    "anthropic": _anthropic,
    "llamacpp": _llamacpp,
    "planted": _planted,
    "replay": _replay,
    "transformers": _transformers,
}


NAMED: Mapping[str, str] = {
    "anthropic": "anthropic:NAME",
    "llamacpp": "llamacpp:FILE.gguf",
    "planted": "planted:judge, planted:oracle or planted:rewriter",
    "replay": "replay:FILE",
    "transformers": "transformers:FOLDER",
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
