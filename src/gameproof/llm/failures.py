"""What a failed call means: try again, leave something out, count it as missing, or stop the run."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

from gameproof.errors import CallError, EndpointError, GameproofError
from gameproof.json_text import parse_json
from gameproof.llm.client import public_url

__all__ = [
    "Endpoint",
    "Overlong",
    "PassingError",
    "Refusal",
    "error_text",
    "read_failure",
    "read_retry_after",
]

RETRIED = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 522, 524, 529})
THROTTLED = 429
NAMING = frozenset({400, 422, 501})  # where servers put "I do not know this parameter"
NO_QUOTA = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
FILTERED = frozenset({"content_filter", "content_policy_violation"})
OVERLONG = re.compile(
    r"context.{0,3}(length|window|size)|too long|too many tokens|maximum.{0,12}tokens.{0,40}requested",
    re.IGNORECASE,
)
SYNONYMS = {
    "json_schema": "response_format",
    "json_object": "response_format",
    "structured output": "response_format",
    "output_config": "output_config",
}
LOOKS_SECRET = re.compile(r"\b(sk|pk|key|Bearer)[-_ ][\w*.\-]{6,}")
MAX_SHOWN = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where a model is asked, and which settings said so."""

    url: str
    url_from: str  # "--llm", "OPENAI_BASE_URL" or "the default"
    model: str
    key: str = ""
    key_from: str = "OPENAI_API_KEY"

    def __repr__(self) -> str:
        """Show no key."""
        return f"Endpoint({public_url(self.url)!r}, model={self.model!r})"

    def place(self) -> str:
        """Name the endpoint and where its address came from."""
        return f"{public_url(self.url)} (from {self.url_from})"


class PassingError(GameproofError):
    """A failure that may pass: the same call can be made again."""

    def __init__(
        self,
        reason: str,
        *,
        retry_after_s: float | None = None,
        throttled: bool = False,
        unreachable: bool = False,
        timed_out: bool = False,
    ) -> None:
        """Keep what decides when to try again."""
        super().__init__(reason)
        self.reason = reason
        self.retry_after_s = retry_after_s
        self.throttled = throttled
        self.unreachable = unreachable
        self.timed_out = timed_out


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The endpoint does not take a parameter."""

    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlong:
    """The question with the answer it asks for does not fit into the model's context."""

    text: str


def read_failure(
    status: int, headers: Mapping[str, str], body: bytes, *, endpoint: Endpoint, optional: Collection[str]
) -> GameproofError | Refusal | Overlong:
    """Say what an answer with an error status means.

    Args:
        status: The HTTP status.
        headers: Of the answer.
        body: Of the answer.
        endpoint: For messages.
        optional: The parameters that were sent and can be left out.
    """
    text, code, named = _read_body(body, endpoint)
    shown = f"HTTP {status}: {text}" if text else f"HTTP {status}"
    if status == THROTTLED and code not in NO_QUOTA:
        return PassingError(shown, retry_after_s=read_retry_after(headers), throttled=True)
    if status in RETRIED or status > 599:
        overloaded = status in {503, 529} and "retry-after" in headers
        return PassingError(shown, retry_after_s=read_retry_after(headers), throttled=overloaded)
    if status in {400, 403} and code in FILTERED:
        return CallError("refused by the endpoint's content filter")
    if status in {400, 413, 422} and (code == "context_length_exceeded" or OVERLONG.search(text)):
        return Overlong(text=text)
    if status in NAMING and (parameter := _named_parameter(named, text, optional)):
        return Refusal(parameter=parameter)
    return EndpointError(
        f"the endpoint {endpoint.place()} refused the model {endpoint.model!r}: {shown}",
        hint=_hint(status, endpoint),
    )


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds the endpoint asks to wait, from ``retry-after-ms`` or ``Retry-After``.

    Example:
        >>> read_retry_after({"retry-after": "2"})
        2.0
    """
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        try:
            return max(0.0, float(value) * scale)
        except ValueError:
            pass
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
    except (ValueError, OverflowError):  # no date, or one of a year that no calendar has
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def error_text(text: str, endpoint: Endpoint) -> str:
    """Shorten what a server said, and blank out keys in it."""
    if endpoint.key:
        text = text.replace(endpoint.key, "***")
    text = LOOKS_SECRET.sub("***", " ".join(text.split()))
    return text if len(text) <= MAX_SHOWN else text[: MAX_SHOWN - 1] + "…"


def _hint(status: int, endpoint: Endpoint) -> str:
    if status in {401, 403}:
        state = "it is set, but was not accepted" if endpoint.key else "it is not set"
        return f"The key is read from the environment variable {endpoint.key_from}: {state}."
    if status == 404:
        return (
            "Check the name of the model, and that the address ends before /chat/completions (often in /v1)."
        )
    if status == THROTTLED:
        return (
            "The account has no quota left; replies so far are kept, and the same command goes on from there."
        )
    return "No call was repeated: another one would be refused as well. `gameproof doctor` shows what works."


def _read_body(body: bytes, endpoint: Endpoint) -> tuple[str, str, str]:
    """Return the message, the code and the parameter that an error body names."""
    raw = body.decode("utf-8", "replace")
    try:
        record = parse_json(raw)
    except ValueError:
        return error_text(raw, endpoint), "", ""
    inner = record
    if isinstance(record, dict):
        known = cast("dict[str, object]", record)  # JSON objects have text keys
        inner = known.get("error", known.get("detail", known))
    if isinstance(inner, list):  # as FastAPI words it: where the fault is, and what it is
        return _read_details(cast("list[object]", inner), endpoint)
    if not isinstance(inner, dict):
        return error_text(str(inner), endpoint), "", ""
    error = cast("dict[str, object]", inner)
    text = error_text(str(error.get("message") or error.get("msg") or ""), endpoint)
    return text, str(error.get("code") or error.get("type") or ""), str(error.get("param") or "")


def _read_details(details: list[object], endpoint: Endpoint) -> tuple[str, str, str]:
    texts: list[str] = []
    names: list[str] = []
    for detail in details:
        if isinstance(detail, dict):
            known = cast("dict[str, object]", detail)
            place = known.get("loc")
            path = [str(part) for part in cast("list[object]", place)] if isinstance(place, list) else []
            names.append(".".join(part for part in path if part != "body"))
            texts.append(f"{names[-1]}: {known.get('msg', '')}")
    return error_text("; ".join(texts), endpoint), "", names[0] if names else ""


def _named_parameter(named: str, text: str, optional: Collection[str]) -> str | None:
    """Find the parameter that a refusal is about among those that were sent."""
    root = re.split(r"[.\[]", named.removeprefix("body."), maxsplit=1)[0]
    if root in optional:
        return root
    lower = text.lower()
    found = [name for name in optional if re.search(rf"\b{re.escape(name)}\b", lower)]
    if found:
        return max(found, key=len)
    for phrase, name in SYNONYMS.items():
        if phrase in lower and name in optional:
            return name
    return None
