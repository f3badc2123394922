"""Any endpoint that speaks OpenAI's chat or completions protocol."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import urlsplit, urlunsplit

from gameproof.errors import CallError, EndpointError
from gameproof.llm.client import Reply, Request
from gameproof.llm.failures import Endpoint, Overlong, Refusal
from gameproof.llm.prompt_logprobs import PromptLogProbs, sum_continuation
from gameproof.llm.providers.http import HttpSession
from gameproof.llm.providers.openai_wire import (
    OPTIONAL,
    Style,
    make_body,
    next_token_body,
    prompt_body,
    read_next_token,
    read_prompt_logprobs,
    read_reply,
)

__all__ = ["ModelCard", "OpenAICompatible"]

DEFAULT_ATTEMPT_S = 120.0
PATHS: Mapping[Style, str] = {"chat": "chat/completions", "completions": "completions"}
CONTEXT_FIELDS = ("max_model_len", "context_length", "context_window", "max_context_length", "n_ctx")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """What an endpoint lists about one of its models."""

    name: str
    context_tokens: int | None


class OpenAICompatible:
    """Asks one model of one endpoint. What it refuses is left out, once and for all, and said in replies."""

    def __init__(self, endpoint: Endpoint, *, attempt_s: float = DEFAULT_ATTEMPT_S) -> None:
        """Nothing is sent yet.

        Args:
            endpoint: Where; an address that ends in /completions asks for plain completions.
            attempt_s: How long one attempt may take.
        """
        style, self._base = _split_style(endpoint.url)
        self._style: Style = style
        self.endpoint = replace(endpoint, url=self._base)
        has_password = "@" in urlsplit(endpoint.url).netloc  # said for this address: it goes before the key
        headers = {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key and not has_password else {}
        self._http = HttpSession(self.endpoint, headers, attempt_s=attempt_s)
        self._urls = {style: _join(self._base, path) for style, path in PATHS.items()}
        self._dropped: dict[str, set[str]] = {}

    @property
    def name(self) -> str:
        """The model."""
        return self.endpoint.model

    @property
    def base_url(self) -> str:
        """The address without a path to a single service."""
        return self._base if self._style == "chat" else f"{self._base}#completions"

    async def complete(self, request: Request) -> Reply:
        """Ask once; again only without a parameter that was refused."""
        dropped = self._dropped.setdefault(request.model, set())
        url = self._urls[self._style]
        without: set[str] = set()
        while True:
            body = make_body(request, self._style, dropped | without)
            found = await self._http.post(url, body, OPTIONAL)
            if isinstance(found, Refusal):
                dropped.add(_what_to_drop(found.parameter, body))
            elif isinstance(found, Overlong):
                _refuse_if_too_long(found, body)
                without = {"max_tokens", "max_completion_tokens"}  # the text may fit with a shorter answer
            else:
                said = _asked(dropped, request) | without & {"max_tokens"}
                return read_reply(found, style=self._style, dropped=said)

    async def logprob(self, context: str, continuation: str) -> float:
        """Return the log-probability of a continuation, from one call that has the prompt echoed.

        Raises:
            CallError: The endpoint's tokens cannot be divided between context and continuation.
            EndpointError: It returns no log-probabilities for the prompt.
        """
        return sum_continuation(await self.score_prompt(context + continuation), context, continuation)

    async def score_prompt(self, prompt: str) -> PromptLogProbs:
        """Return the log-probability that the endpoint gives to each token of a prompt, unchecked."""
        body = prompt_body(self.name, prompt)
        found = await self._http.post(self._urls["completions"], body, frozenset({"echo", "logprobs"}))
        if isinstance(found, Refusal):
            raise EndpointError(f"the endpoint {self.endpoint.place()} does not take {found.parameter!r}.")
        if isinstance(found, Overlong):
            raise CallError(f"longer than the model's context: {found.text}")
        return read_prompt_logprobs(found, prompt)

    async def next_token(self, prompt: str) -> tuple[str, float]:
        """Return the token that the model generates after a prompt, and its log-probability."""
        body = next_token_body(self.name, prompt)
        found = await self._http.post(self._urls["completions"], body, frozenset({"logprobs"}))
        written = None if isinstance(found, Refusal | Overlong) else read_next_token(found)
        if written is None:
            raise EndpointError(f"the endpoint {self.endpoint.place()} does not give log-probabilities.")
        return written

    async def list_models(self) -> tuple[ModelCard, ...]:
        """Return the models that the endpoint lists."""
        record = await self._http.get(_join(self._base, "models"))
        entries = record.get("data")
        if not isinstance(entries, list):
            return ()
        return tuple(_read_card(entry) for entry in cast("list[object]", entries))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()


def _what_to_drop(parameter: str, body: Mapping[str, object]) -> str:
    """Name what is left out next time: structured output goes down one step at a time."""
    form = body.get("response_format")
    if parameter == "response_format" and isinstance(form, dict):
        return str(cast("dict[str, object]", form)["type"])
    return parameter


def _asked(dropped: set[str], request: Request) -> set[str]:
    """Name of what the endpoint refuses only what this request asks for."""
    asked = {"max_tokens", "max_completion_tokens"}
    if request.temperature is not None:
        asked.add("temperature")
    if request.schema is not None:
        asked |= {"json_schema", "json_object"}
    if request.top_logprobs is not None:
        asked |= {"logprobs", "top_logprobs"}
    return dropped & asked


def _refuse_if_too_long(found: Overlong, body: Mapping[str, object]) -> None:
    if "max_tokens" not in body and "max_completion_tokens" not in body:
        raise CallError(f"longer than the model's context: {found.text}")


def _read_card(entry: object) -> ModelCard:
    known = cast("dict[str, object]", entry) if isinstance(entry, dict) else {}
    meta = known.get("meta")
    both = {**known, **(cast("dict[str, object]", meta) if isinstance(meta, dict) else {})}
    sizes = [size for name in CONTEXT_FIELDS if isinstance(size := both.get(name), int) and size > 0]
    return ModelCard(name=str(known.get("id") or ""), context_tokens=sizes[0] if sizes else None)


def _split_style(url: str) -> tuple[Style, str]:
    """Take the service off an address: what is left is the base of all services."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    style: Style = "chat"
    if path.endswith("/chat/completions"):
        path = path.removesuffix("/chat/completions")
    elif path.endswith("/completions"):
        style, path = "completions", path.removesuffix("/completions")
    return style, urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def _join(base: str, service: str) -> str:
    parts = urlsplit(base)
    return urlunsplit((parts.scheme, parts.netloc, f"{parts.path}/{service}", parts.query, ""))
