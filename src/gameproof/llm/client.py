"""What is asked of a language model and what comes back: values and protocols, no network."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, Protocol, runtime_checkable
from urllib.parse import urlsplit, urlunsplit

from gameproof.prompts.messages import Message, Role

__all__ = [
    "DEFAULT_MAX_TOKENS",
    "FINISHES",
    "Finish",
    "LanguageModel",
    "LogProbModel",
    "Message",
    "Recalls",
    "Reply",
    "Request",
    "Role",
    "TokenLogProb",
    "canonical_json",
    "digest_of",
    "public_url",
]

DEFAULT_MAX_TOKENS = 4000
_CANONICAL = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True
)  # made once: `dumps` makes one a call

Finish = Literal["stop", "length", "filter", "other"]
FINISHES: Mapping[str, Finish] = {"stop": "stop", "length": "length", "filter": "filter", "other": "other"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question, with everything that can move its answer.

    `sample` numbers repeated questions: each number has its own answer in the store. `purpose` says in
    statistics what a call was for; it is not part of the question.
    """

    model: str
    messages: tuple[Message, ...]
    max_tokens: int = DEFAULT_MAX_TOKENS
    temperature: float | None = 0.0
    sample: int = 0
    schema: Mapping[str, object] | None = None
    schema_name: str | None = None
    top_logprobs: int | None = None
    purpose: str = field(default="", compare=False)

    def payload(self) -> dict[str, object]:
        """Return the question as JSON has it, without its purpose.

        Example:
            >>> request = Request(model="m", messages=(Message(role="user", content="Hello"),))
            >>> request.payload()["messages"]
            [{'role': 'user', 'content': 'Hello'}]
        """
        return {
            "model": self.model,
            "messages": [{"role": turn.role, "content": turn.content} for turn in self.messages],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "sample": self.sample,
            "schema": None if self.schema is None else dict(self.schema),
            "schema_name": self.schema_name,
            "top_logprobs": self.top_logprobs,
        }

    def digest(self, base_url: str) -> str:
        """Return the key of this question at an endpoint: the same text for the same question, anywhere."""
        return digest_of(base_url, canonical_json(self.payload()))


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenLogProb:
    """One token of a reply: its natural log-probability, and those of the likeliest tokens in its place."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer. `dropped` names the parameters that the endpoint refused and that were left out."""

    text: str
    finish: Finish = "stop"
    model: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    logprobs: tuple[TokenLogProb, ...] | None = None
    dropped: tuple[str, ...] = ()
    cached: bool = False


@runtime_checkable
class LanguageModel(Protocol):
    """Something that answers questions."""

    @property
    def name(self) -> str:
        """The model as signatures name it, and as `Request.model` asks for it."""
        ...

    async def complete(self, request: Request) -> Reply:
        """Answer one question.

        Raises:
            CallError: This call failed after all retries; others may work.
            EndpointError: No call can work; the run stops.
            BudgetError: The limit of calls or of cost is reached; the run stops.
        """
        ...

    async def close(self) -> None:
        """Let go of connections and files; replies that are on their way are kept if they come at once."""
        ...


@runtime_checkable
class Recalls(Protocol):
    """A model that may have answered a question in an earlier run."""

    def recall(self, request: Request) -> Reply | None:
        """Return the answer that is stored; None where the question would have to be asked."""
        ...


@runtime_checkable
class LogProbModel(Protocol):
    """Something that says how likely a given text is."""

    async def logprob(self, context: str, continuation: str) -> float:
        """Return the natural log-probability of a continuation, summed over its tokens."""
        ...


def canonical_json(payload: Mapping[str, object]) -> str:
    """Write a question in its one form: sorted keys, no white space, plain ASCII."""
    return _CANONICAL.encode(payload)


def digest_of(base_url: str, canonical: str) -> str:
    """Return the SHA-256 of an address without credentials and a question in canonical JSON."""
    return hashlib.sha256(f"{public_url(base_url)}\n{canonical}".encode("utf-8", "replace")).hexdigest()


@lru_cache(maxsize=64)
def public_url(url: str) -> str:
    """Leave out of a URL what may be secret: user, password, query and fragment.

    Example:
        >>> public_url("https://me:secret@host:8080/v1/?key=abc")
        'https://host:8080/v1'
    """
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2].lower()
    return urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
