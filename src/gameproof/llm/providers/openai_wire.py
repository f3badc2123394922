"""How OpenAI-compatible endpoints write questions and answers."""

import math
from collections.abc import Collection, Mapping
from typing import Literal, cast

from gameproof.llm.client import Finish, Reply, Request, TokenLogProb
from gameproof.llm.failures import PassingError
from gameproof.llm.prompt_logprobs import PromptLogProbs

__all__ = [
    "OPTIONAL",
    "Style",
    "make_body",
    "next_token_body",
    "prompt_body",
    "read_next_token",
    "read_prompt_logprobs",
    "read_reply",
    "repair_surrogates",
]

Style = Literal["chat", "completions"]

OPTIONAL = frozenset(
    {
        "temperature",
        "max_tokens",
        "max_completion_tokens",
        "response_format",
        "logprobs",
        "top_logprobs",
    }
)
FINISHES: Mapping[object, Finish] = {
    "stop": "stop",
    "eos": "stop",
    "end_turn": "stop",
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filter",
}
NO_ANSWER = "the answer is not that of a chat endpoint"


def make_body(request: Request, style: Style, dropped: Collection[str]) -> dict[str, object]:
    """Write a question, without what the endpoint has refused before."""
    body: dict[str, object] = {"model": request.model}
    if style == "chat":
        body["messages"] = [
            {"role": turn.role, "content": repair_surrogates(turn.content)} for turn in request.messages
        ]
    else:
        body["prompt"] = "\n\n".join(repair_surrogates(turn.content) for turn in request.messages)
    limit = "max_completion_tokens" if "max_tokens" in dropped and style == "chat" else "max_tokens"
    body[limit] = request.max_tokens
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.top_logprobs is not None:
        if style == "chat":
            body["logprobs"] = True
            body["top_logprobs"] = request.top_logprobs
        else:
            body["logprobs"] = request.top_logprobs
    if request.schema is not None and style == "chat":
        _ask_for_json(body, request, dropped)
    for name in dropped:
        body.pop(name, None)
    if "logprobs" not in body:
        body.pop("top_logprobs", None)  # one makes no sense without the other
    return body


def _ask_for_json(body: dict[str, object], request: Request, dropped: Collection[str]) -> None:
    """Ask for the strongest form of structured output that the endpoint has not refused."""
    if "json_schema" not in dropped:
        form = {"name": request.schema_name or "reply", "schema": request.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": form}
    elif "json_object" not in dropped:
        body["response_format"] = {"type": "json_object"}


def read_reply(record: object, *, style: Style, dropped: Collection[str]) -> Reply:
    """Read an answer.

    Raises:
        PassingError: It is not an answer.
    """
    whole = _mapping(record)
    choices = whole.get("choices")
    if not isinstance(choices, list) or not choices:
        raise PassingError(NO_ANSWER)
    choice = _mapping(cast("list[object]", choices)[0])
    content = _mapping(choice.get("message")).get("content") if style == "chat" else choice.get("text")
    usage = _mapping(whole.get("usage"))
    return Reply(
        text=_text_of(content),
        finish=FINISHES.get(choice.get("finish_reason"), "other"),
        model=str(whole.get("model") or ""),
        tokens_in=_count(usage.get("prompt_tokens")),
        tokens_out=_count(usage.get("completion_tokens")),
        logprobs=_chat_logprobs(choice) if style == "chat" else _plain_logprobs(choice),
        dropped=tuple(sorted(dropped)),
    )


def prompt_body(model: str, prompt: str) -> dict[str, object]:
    """Write the question for the log-probabilities of a prompt."""
    return {
        "model": model,
        "prompt": prompt,
        "max_tokens": 1,  # 0 generates without end on some servers
        "temperature": 0.0,
        "echo": True,
        "logprobs": 1,
    }


def next_token_body(model: str, prompt: str) -> dict[str, object]:
    """Write the question for the token that a model writes after a prompt."""
    return {"model": model, "prompt": prompt, "max_tokens": 1, "temperature": 0.0, "logprobs": 1}


def read_next_token(record: object) -> tuple[str, float] | None:
    """Read the first token of an answer and its log-probability; None where there is none."""
    logprobs = read_reply(record, style="completions", dropped=()).logprobs
    return (logprobs[0].token, logprobs[0].logprob) if logprobs else None


def read_prompt_logprobs(record: Mapping[str, object], prompt: str) -> PromptLogProbs:
    """Read the log-probabilities of a prompt that was echoed, whatever there is of them.

    Raises:
        PassingError: They are in no form that is known.
    """
    choices = cast("list[dict[str, object]]", record.get("choices") or [{}])  # checked field by field below
    logprobs = cast("dict[str, object]", choices[0].get("logprobs") or {})
    tokens = cast("list[object]", logprobs.get("tokens") or [])
    values = cast("list[object]", logprobs.get("token_logprobs") or [])
    offsets = cast("list[object] | None", logprobs.get("text_offset"))
    usage = cast("dict[str, object]", record.get("usage") or {})
    count = usage.get("prompt_tokens")
    if not isinstance(tokens, list) or not isinstance(values, list):  # pyright: ignore[reportUnnecessaryIsInstance] - JSON
        raise PassingError("the endpoint's log-probabilities cannot be read")
    return PromptLogProbs(
        prompt=prompt,
        tokens=tuple(str(token) for token in tokens),
        logprobs=tuple(float(v) if isinstance(v, int | float) else math.nan for v in values),
        offsets=None if offsets is None else tuple(int(str(offset)) for offset in offsets),
        n_prompt_tokens=count if isinstance(count, int) else None,
    )


def repair_surrogates(text: str) -> str:
    """Replace halves of characters, which no endpoint takes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _mapping(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _text_of(content: object) -> str:
    """Return the text of a message; some endpoints send it in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [_mapping(part) for part in cast("list[object]", content)]
        return "".join(
            str(part.get("text") or "") for part in parts if part.get("type") in {"text", "output_text"}
        )
    return ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _chat_logprobs(choice: Mapping[str, object]) -> tuple[TokenLogProb, ...] | None:
    entries = _mapping(choice.get("logprobs")).get("content")
    if not isinstance(entries, list):
        return None
    found: list[TokenLogProb] = []
    for entry in map(_mapping, cast("list[object]", entries)):
        others = entry.get("top_logprobs")
        top = [_mapping(other) for other in cast("list[object]", others)] if isinstance(others, list) else []
        found.append(
            TokenLogProb(
                token=str(entry.get("token") or ""),
                logprob=_number(entry.get("logprob")),
                top=tuple((str(other.get("token") or ""), _number(other.get("logprob"))) for other in top),
            )
        )
    return tuple(found)


def _plain_logprobs(choice: Mapping[str, object]) -> tuple[TokenLogProb, ...] | None:
    entries = _mapping(choice.get("logprobs"))
    tokens, values, tops = (entries.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if not isinstance(tokens, list) or not isinstance(values, list):
        return None
    names, numbers = cast("list[object]", tokens), cast("list[object]", values)
    likeliest = cast("list[object]", tops) if isinstance(tops, list) else [None] * len(names)
    return tuple(
        TokenLogProb(
            token=str(name),
            logprob=_number(number),
            top=tuple((token, _number(value)) for token, value in _mapping(top).items()),
        )
        for name, number, top in zip(names, numbers, likeliest, strict=False)
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")
