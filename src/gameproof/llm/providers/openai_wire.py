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
    "count_of",
    "make_body",
    "mapping_of",
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
FINISHES: Mapping[str, Finish] = {
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
    whole = mapping_of(record)
    choices = whole.get("choices")
    if not isinstance(choices, list) or not choices:
        raise PassingError(NO_ANSWER)
    choice = mapping_of(cast("list[object]", choices)[0])
    content = mapping_of(choice.get("message")).get("content") if style == "chat" else choice.get("text")
    usage = mapping_of(whole.get("usage"))
    return Reply(
        text=_text_of(content),
        finish=FINISHES.get(str(choice.get("finish_reason")), "other"),
        model=str(whole.get("model") or ""),
        tokens_in=count_of(usage.get("prompt_tokens")),
        tokens_out=count_of(usage.get("completion_tokens")),
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
    choices = _listed(record.get("choices") or [None])
    logprobs = mapping_of(mapping_of(choices[0]).get("logprobs"))
    tokens, values = _listed(logprobs.get("tokens") or []), _listed(logprobs.get("token_logprobs") or [])
    count = mapping_of(record.get("usage")).get("prompt_tokens")
    return PromptLogProbs(
        prompt=prompt,
        tokens=tuple(str(token) for token in tokens),
        logprobs=tuple(_number(value) for value in values),
        offsets=_offsets(logprobs.get("text_offset")),
        n_prompt_tokens=count if isinstance(count, int) else None,
    )


def _listed(value: object) -> list[object]:
    if not isinstance(value, list):
        raise PassingError("the endpoint's log-probabilities cannot be read")
    return cast("list[object]", value)


def _offsets(value: object) -> tuple[int, ...] | None:
    """Return where tokens begin; None where an endpoint does not say it of every token."""
    places = cast("list[object]", value) if isinstance(value, list) else []
    found = tuple(place for place in places if isinstance(place, int))
    return found if found and len(found) == len(places) else None


def repair_surrogates(text: str) -> str:
    """Replace halves of characters, which no endpoint takes."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def mapping_of(value: object) -> dict[str, object]:
    """Return an object of JSON, an empty one in the place of anything else."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _text_of(content: object) -> str:
    """Return the text of a message; some endpoints send it in parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [mapping_of(part) for part in cast("list[object]", content)]
        return "".join(
            str(part.get("text") or "") for part in parts if part.get("type") in ("text", "output_text")
        )
    return ""


def count_of(value: object) -> int:
    """Return a number of tokens, 0 where there is none."""
    return value if isinstance(value, int) and value > 0 else 0


def _chat_logprobs(choice: Mapping[str, object]) -> tuple[TokenLogProb, ...] | None:
    entries = mapping_of(choice.get("logprobs")).get("content")
    if not isinstance(entries, list):
        return None
    found: list[TokenLogProb] = []
    for entry in map(mapping_of, cast("list[object]", entries)):
        others = entry.get("top_logprobs")
        top = (
            [mapping_of(other) for other in cast("list[object]", others)] if isinstance(others, list) else []
        )
        found.append(
            TokenLogProb(
                token=str(entry.get("token") or ""),
                logprob=_number(entry.get("logprob")),
                top=tuple((str(other.get("token") or ""), _number(other.get("logprob"))) for other in top),
            )
        )
    return tuple(found)


def _plain_logprobs(choice: Mapping[str, object]) -> tuple[TokenLogProb, ...] | None:
    entries = mapping_of(choice.get("logprobs"))
    tokens, values, tops = (entries.get(name) for name in ("tokens", "token_logprobs", "top_logprobs"))
    if not isinstance(tokens, list) or not isinstance(values, list):
        return None
    names, numbers = cast("list[object]", tokens), cast("list[object]", values)
    likeliest = cast("list[object]", tops) if isinstance(tops, list) else [None] * len(names)
    return tuple(
        TokenLogProb(
            token=str(name),
            logprob=_number(number),
            top=tuple((token, _number(value)) for token, value in mapping_of(top).items()),
        )
        for name, number, top in zip(names, numbers, likeliest, strict=False)
    )


def _number(value: object) -> float:
    """Return a number; NaN where there is none, or none that fits."""
    try:
        return float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        return math.nan
