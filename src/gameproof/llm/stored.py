"""Answer from the store what has been asked before, and keep every new answer before anyone reads it."""

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import cast

from gameproof.errors import EndpointError, StoreError
from gameproof.json_text import parse_json
from gameproof.llm.client import (
    FINISHES,
    LanguageModel,
    LogProbModel,
    Reply,
    Request,
    TokenLogProb,
    canonical_json,
    digest_of,
)
from gameproof.llm.limits import LateReply
from gameproof.llm.store import KeepsCalls, StoredCall

__all__ = ["Stored", "reply_from_json", "reply_from_record", "reply_to_json", "reply_to_record"]

LAST_MOMENT_S = 0.25
_REPLIES = json.JSONEncoder(allow_nan=False)


class Stored:
    """Wraps another model. Errors are not kept; equal questions asked at the same time are one call."""

    def __init__(self, store: KeepsCalls, model: LanguageModel, *, base_url: str) -> None:
        """Keep calls under the address of the endpoint, without credentials."""
        self._store = store
        self._model = model
        self._base_url = base_url
        self._under_way: dict[str, asyncio.Future[None]] = {}
        self.n_cached = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model.name

    async def complete(self, request: Request) -> Reply:
        """Answer from the store, or ask and keep the answer."""
        payload = request.payload()

        async def ask() -> tuple[str, Reply]:
            reply = await self._model.complete(request)
            return reply_to_json(reply), reply

        def late(reply: object) -> tuple[str, Reply]:
            return reply_to_json(cast("Reply", reply)), cast("Reply", reply)  # the model returns replies

        text, new = await self._answer(payload, ask=ask, late=late, purpose=request.purpose)
        return replace(reply_from_json(text), cached=True) if new is None else new

    def recall(self, request: Request) -> Reply | None:
        """Return the answer that is stored; nothing is asked."""
        kept = self._store.get(request.digest(self._base_url))
        return None if kept is None else replace(reply_from_json(kept), cached=True)

    async def logprob(self, context: str, continuation: str) -> float:
        """Score a text from the store, or score it and keep the number."""
        model = self._model
        if not isinstance(model, LogProbModel):
            raise EndpointError(f"{self.name} cannot score a given text.")
        payload: dict[str, object] = {"model": self.name, "context": context, "continuation": continuation}

        def as_kept(value: object) -> tuple[str, Reply]:
            return json.dumps({"logprob": value}), Reply(text="")

        async def ask() -> tuple[str, Reply]:
            return as_kept(await model.logprob(context, continuation))

        text, _ = await self._answer(payload, ask=ask, late=as_kept, purpose="logprob")
        return _logprob_of(text)

    async def close(self) -> None:
        """Close the model, then the file: replies that came last are still kept."""
        await self._model.close()
        if self._under_way:
            await asyncio.wait(set(self._under_way.values()), timeout=LAST_MOMENT_S)
        self._store.close()

    async def _answer(
        self,
        payload: Mapping[str, object],
        *,
        ask: Callable[[], Awaitable[tuple[str, Reply]]],
        late: Callable[[object], tuple[str, Reply]],
        purpose: str,
    ) -> tuple[str, Reply | None]:
        """Return the reply as the store has it, and the one that has just come."""
        question = canonical_json(payload)
        key = digest_of(self._base_url, question)
        while (other := self._under_way.get(key)) is not None:
            await asyncio.shield(other)
        kept = self._store.get(key)
        if kept is not None:
            self.n_cached += 1
            return kept, None
        place = self._under_way[key] = asyncio.get_running_loop().create_future()
        try:
            text, reply = await ask()
        except LateReply as cancelled:
            text, reply = late(cancelled.reply)
            self._keep(key, payload, question, text, reply, purpose=purpose)
            raise
        else:
            kept = self._keep(key, payload, question, text, reply, purpose=purpose)
            return kept, reply if kept is text else None  # another process may have been first
        finally:
            del self._under_way[key]
            place.set_result(None)

    def _keep(
        self, key: str, payload: Mapping[str, object], question: str, text: str, reply: Reply, *, purpose: str
    ) -> str:
        return self._store.put(
            StoredCall(
                key=key,
                model=str(payload["model"]),
                purpose=purpose,
                request=question,
                reply=text,
                tokens_in=reply.tokens_in,
                tokens_out=reply.tokens_out,
                created=time.time(),
            )
        )


def reply_to_json(reply: Reply) -> str:
    """Write a reply as JSON text."""
    return _REPLIES.encode(reply_to_record(reply))


def reply_to_record(reply: Reply) -> dict[str, object]:
    """Write a reply as JSON has it; a log-probability that is not a number becomes null."""
    return {
        "text": reply.text,
        "finish": reply.finish,
        "model": reply.model,
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "dropped": list(reply.dropped),
        "logprobs": None
        if reply.logprobs is None
        else [
            [token.token, _finite(token.logprob), [[name, _finite(value)] for name, value in token.top]]
            for token in reply.logprobs
        ],
    }


def reply_from_json(text: str) -> Reply:
    """Read what `reply_to_json` wrote.

    Raises:
        StoreError: It is something else.
    """
    try:
        return reply_from_record(parse_json(text))
    except ValueError as error:
        raise StoreError(f"the store holds something that is no reply: {error}.") from error


def reply_from_record(record: object) -> Reply:
    """Read what `reply_to_record` wrote.

    Raises:
        StoreError: It is something else.
    """
    try:
        known = cast("dict[str, object]", record)
        entries = cast(
            "list[tuple[str, float | None, list[tuple[str, float | None]]]] | None", known["logprobs"]
        )
        finish = str(known["finish"])
        return Reply(
            text=str(known["text"]),
            finish=FINISHES.get(finish, "other"),
            model=str(known["model"]),
            tokens_in=int(str(known["tokens_in"])),
            tokens_out=int(str(known["tokens_out"])),
            dropped=tuple(str(name) for name in cast("list[object]", known["dropped"])),
            logprobs=None if entries is None else tuple(_token(*entry) for entry in entries),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"the store holds something that is no reply: {error!r}.") from error


def _logprob_of(text: str) -> float:
    try:
        return float(cast("dict[str, float]", parse_json(text))["logprob"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise StoreError(f"the store holds something that is no log-probability: {error!r}.") from error


def _token(name: str, logprob: float | None, top: list[tuple[str, float | None]]) -> TokenLogProb:
    return TokenLogProb(
        token=name,
        logprob=math.nan if logprob is None else logprob,
        top=tuple((other, math.nan if value is None else value) for other, value in top),
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
