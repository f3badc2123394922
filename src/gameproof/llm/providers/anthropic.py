"""Endpoints that speak Anthropic's messages protocol."""

from collections.abc import Collection, Mapping
from typing import cast

from gameproof.errors import CallError
from gameproof.llm.client import Finish, Reply, Request
from gameproof.llm.failures import Endpoint, Overlong, PassingError, Refusal
from gameproof.llm.providers.http import HttpSession
from gameproof.llm.providers.openai_wire import count_of, mapping_of, repair_surrogates

__all__ = ["Anthropic"]

API_VERSION = "2023-06-01"
DEFAULT_ATTEMPT_S = 120.0
OPTIONAL = frozenset({"temperature", "output_config"})
FINISHES: Mapping[str, Finish] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "filter",
}


class Anthropic:
    """Asks one model. It gives no log-probabilities of any text."""

    def __init__(self, endpoint: Endpoint, *, attempt_s: float = DEFAULT_ATTEMPT_S) -> None:
        """Nothing is sent yet."""
        self.endpoint = endpoint
        headers = {"anthropic-version": API_VERSION, **({"x-api-key": endpoint.key} if endpoint.key else {})}
        self._http = HttpSession(endpoint, headers, attempt_s=attempt_s)
        self._dropped: dict[str, set[str]] = {}

    @property
    def name(self) -> str:
        """The model."""
        return self.endpoint.model

    @property
    def base_url(self) -> str:
        """The address before /v1/messages."""
        return self.endpoint.url

    async def complete(self, request: Request) -> Reply:
        """Ask once; again only without a parameter that was refused."""
        dropped = self._dropped.setdefault(request.model, set())
        base = self.endpoint.url.rstrip("/").removesuffix("/v1")
        while True:
            found = await self._http.post(f"{base}/v1/messages", _make_body(request, dropped), OPTIONAL)
            if isinstance(found, Refusal):
                dropped.add("json_schema" if found.parameter == "output_config" else found.parameter)
            elif isinstance(found, Overlong):
                raise CallError(f"longer than the model's context: {found.text}")
            else:
                asked = {"temperature"} if request.temperature is not None else set[str]()
                asked |= {"json_schema"} if request.schema is not None else set[str]()
                asked |= {"top_logprobs"} if request.top_logprobs is not None else set[str]()
                return _read_reply(found, (dropped | {"top_logprobs"}) & asked)

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()


def _make_body(request: Request, dropped: Collection[str]) -> dict[str, object]:
    system = [repair_surrogates(turn.content) for turn in request.messages if turn.role == "system"]
    body: dict[str, object] = {
        "model": request.model,
        "max_tokens": request.max_tokens,
        "messages": [
            {"role": turn.role, "content": repair_surrogates(turn.content)}
            for turn in request.messages
            if turn.role != "system"
        ],
    }
    if system:
        body["system"] = "\n\n".join(system)
    if request.temperature is not None and "temperature" not in dropped:
        body["temperature"] = request.temperature
    if request.schema is not None and "json_schema" not in dropped:
        body["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
    return body


def _read_reply(record: Mapping[str, object], dropped: Collection[str]) -> Reply:
    content = record.get("content")
    if not isinstance(content, list):
        raise PassingError("the answer is not that of a messages endpoint")
    parts = map(mapping_of, cast("list[object]", content))  # blocks of text, thought and others
    usage = mapping_of(record.get("usage"))
    return Reply(
        text="".join(str(part.get("text") or "") for part in parts if part.get("type") == "text"),
        finish=FINISHES.get(str(record.get("stop_reason")), "other"),
        model=str(record.get("model") or ""),
        tokens_in=count_of(usage.get("input_tokens")),
        tokens_out=count_of(usage.get("output_tokens")),
        dropped=tuple(sorted(dropped)),
    )
