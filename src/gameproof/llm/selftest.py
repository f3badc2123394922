"""Find out what an endpoint can do, and what it silently ignores."""

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from gameproof.errors import CallError, EndpointError, GameproofError
from gameproof.json_text import parse_json
from gameproof.llm.client import LanguageModel, Message, Reply, Request
from gameproof.llm.failures import PassingError
from gameproof.llm.prompt_logprobs import PromptLogProbs, token_starts

__all__ = ["Finding", "ScoresPrompts", "check_logprobs", "probe"]

SENTENCE = "The capital of France is Paris"
TOLERANCE = 0.05  # nats: batched kernels differ in the third digit, a wrong row by whole nats
FEWEST_COMPARED = 3
SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": ["vermilion", "ultramarine"]}},
    "required": ["colour"],
    "additionalProperties": False,
}
CELLS_WITHOUT = ("KL+direct+statement+oracle", "TV+fvar+statement+oracle", "TV+fvar+report+oracle")


@runtime_checkable
class ScoresPrompts(Protocol):
    """An endpoint that may give the log-probabilities of a prompt."""

    async def score_prompt(self, prompt: str) -> PromptLogProbs:
        """Return what it gives, unchecked."""
        ...

    async def next_token(self, prompt: str) -> tuple[str, float]:
        """Return the token that it would write next, and its log-probability."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What one probe found. `works` is None where it could not be told."""

    probe: str
    works: bool | None
    detail: str


async def check_logprobs(model: object, place: str) -> None:
    """Make sure that the log-probabilities of a prompt are what they claim to be.

    The number of values must be the number of tokens. Then each beginning of a sentence is continued by one
    token: the log-probability with which the model writes that token must be the one that it gets when it
    stands in the prompt. A server that reads its table one row too far, or scores its own output, fails.

    Raises:
        EndpointError: They are not; the message has both numbers and what works instead.
    """
    if not isinstance(model, ScoresPrompts):
        raise _refused(place, "it answers chats only")
    try:
        whole = await model.score_prompt(SENTENCE)
        _check_counts(whole, place)
        await _check_values(model, whole, place)
    except (PassingError, CallError) as error:
        raise _refused(place, f"it cannot be read: {error.message}") from error
    except EndpointError as error:
        if error.message.startswith(place):
            raise
        raise _refused(place, error.message) from error


def _check_counts(scored: PromptLogProbs, place: str) -> None:
    within = [begin for begin in token_starts(scored) if begin < len(SENTENCE)]
    n_values = len(scored.logprobs)
    if n_values != len(scored.tokens):
        raise _refused(place, f"it gave {n_values} log-probabilities for {len(scored.tokens)} tokens")
    if (
        scored.n_prompt_tokens is not None and len(within) < scored.n_prompt_tokens - 1
    ):  # BOS may have no text
        raise _refused(
            place, f"it gave {len(within)} log-probabilities for a prompt of {scored.n_prompt_tokens} tokens"
        )
    text = "".join(
        token for token, begin in zip(scored.tokens, token_starts(scored), strict=True) if begin in within
    )
    if not text.startswith(SENTENCE) or len(within) < FEWEST_COMPARED:
        raise _refused(
            place, f"it gave {len(within)} log-probabilities, for {text!r} instead of {SENTENCE!r}"
        )
    later = [value for value, begin in zip(scored.logprobs, token_starts(scored), strict=True) if begin > 0]
    if any(math.isnan(value) for value in later[: len(within) - 1]):
        raise _refused(place, "it gave no log-probability for a token after the first")
    if any(value > 0 for value in later):
        raise _refused(place, f"it gave the log-probability {max(later):.4f}, which is above 0")


async def _check_values(model: ScoresPrompts, whole: PromptLogProbs, place: str) -> None:
    compared = 0
    for begin in [begin for begin in token_starts(whole) if 0 < begin < len(SENTENCE)]:
        prefix = SENTENCE[:begin]
        token, written = await model.next_token(prefix)
        if not token:
            continue
        again = await model.score_prompt(prefix + token)
        read = _value_at(again, begin, token)
        if read is None:  # the tokens of the longer prompt are cut elsewhere
            continue
        compared += 1
        if math.isnan(read) or abs(read - written) > TOLERANCE:
            raise _refused(
                place,
                f"after {prefix!r} it writes {token!r} with log-probability {written:.4f}, "
                f"but gives it {read:.4f} when it stands in the prompt",
            )
    if compared < FEWEST_COMPARED:
        raise _refused(place, f"only {compared} of its log-probabilities could be compared")


def _value_at(scored: PromptLogProbs, begin: int, token: str) -> float | None:
    for start, name, value in zip(token_starts(scored), scored.tokens, scored.logprobs, strict=False):
        if start == begin and name == token:
            return value
    return None


def _refused(place: str, why: str) -> EndpointError:
    return EndpointError(
        f"{place} cannot serve autoreg, which scores a given text by log-probabilities: {why}.",
        hint=f"These cells work with any chat endpoint: {', '.join(CELLS_WITHOUT)}. "
        "A local folder or GGUF file (--llm transformers:FOLDER or transformers:FILE.gguf) serves autoreg.",
    )


async def probe(model: LanguageModel, place: str, *, provider: object = None) -> tuple[Finding, ...]:
    """Try what metrics need of an endpoint: a chat, a limit of length, JSON, log-probabilities.

    Args:
        model: What is asked.
        place: Its name for messages.
        provider: What may score prompts; the model itself by default.

    Raises:
        EndpointError: It does not answer at all.
    """
    findings = await _probe_chat(model)
    for name, work in (
        ("max_tokens", _probe_length),
        ("json_schema", _probe_schema),
        ("logprobs", _probe_top),
    ):
        findings.append(await _try(name, lambda work=work: work(model)))

    async def prompt_logprobs() -> Finding:
        await check_logprobs(provider if provider is not None else model, place)
        return Finding(
            probe="prompt log-probs", works=True, detail="they passed the self-test: autoreg can run"
        )

    found = await _try("prompt log-probs", prompt_logprobs)
    findings.append(replace(found, detail=found.detail.removeprefix(f"{place} ")))
    return tuple(findings)


async def _probe_chat(model: LanguageModel) -> list[Finding]:
    try:
        chat = await model.complete(_question(model, "Answer with the one word: yes"))
    except CallError as error:
        return [Finding(probe="chat", works=False, detail=error.message)]
    found = [
        Finding(probe="chat", works=bool(chat.text.strip()), detail=f"it answered {_short(chat.text)!r}")
    ]
    if chat.dropped:
        found.append(
            Finding(probe="parameters", works=False, detail=f"it refused: {', '.join(chat.dropped)}")
        )
    return found


async def _try(name: str, work: Callable[[], Awaitable[Finding]]) -> Finding:
    try:
        return await work()
    except GameproofError as error:
        return Finding(probe=name, works=False, detail=error.message)


async def _probe_length(model: LanguageModel) -> Finding:
    asked = 5
    reply = await model.complete(_question(model, "Count from 1 to 200 in words.", max_tokens=asked))
    n_words = len(reply.text.split())
    works = n_words <= asked
    detail = f"asked for {asked} tokens, it wrote {n_words} words" + (
        "" if works else ": the limit is ignored"
    )
    return Finding(probe="max_tokens", works=works, detail=detail)


async def _probe_schema(model: LanguageModel) -> Finding:
    question = _question(model, "Name a colour. Answer in JSON.", schema=SCHEMA)
    reply = await model.complete(question)
    if "json_schema" in reply.dropped:
        weaker = "json_object" if "json_object" not in reply.dropped else "text"
        return Finding(probe="json_schema", works=False, detail=f"refused; {weaker} is used instead")
    try:
        record = parse_json(reply.text)
    except ValueError:
        record = None
    works = isinstance(record, dict) and record.get("colour") in ("vermilion", "ultramarine")  # pyright: ignore[reportUnknownMemberType] - JSON
    detail = (
        "enforced"
        if works
        else f"silently ignored: it answered {_short(reply.text)!r}; replies are read as they come"
    )
    return Finding(probe="json_schema", works=works, detail=detail)


async def _probe_top(model: LanguageModel) -> Finding:
    reply = await model.complete(_question(model, "Answer with the one word: yes", top_logprobs=5))
    works = bool(reply.logprobs)
    return Finding(probe="logprobs", works=works, detail=_top_detail(reply))


def _top_detail(reply: Reply) -> str:
    if reply.logprobs:
        return (
            f"{len(reply.logprobs)} tokens, {max(len(token.top) for token in reply.logprobs)} likeliest each"
        )
    return "refused" if "logprobs" in reply.dropped or "top_logprobs" in reply.dropped else "silently ignored"


def _question(
    model: LanguageModel,
    text: str,
    *,
    max_tokens: int = 50,
    schema: Mapping[str, object] | None = None,
    top_logprobs: int | None = None,
) -> Request:
    return Request(
        model=model.name,
        messages=(Message(role="user", content=text),),
        max_tokens=max_tokens,
        schema=schema,
        schema_name="probe" if schema else None,
        top_logprobs=top_logprobs,
        purpose="self-test",
    )


def _short(text: str, most: int = 60) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1] + "…"
