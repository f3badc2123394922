"""A model endpoint over real HTTP that answers what a test wants, with every fault that real ones have."""

import asyncio
import inspect
import json
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from gameproof.llm.client import LanguageModel, Request
from gameproof.prompts.messages import Message
from gameproof.seeds import rng_for

REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 429: "Too Many Requests", 500: "Server Error"}
NEVER = 3600.0  # seconds: longer than any test


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request as it arrived; `number` counts from 0."""

    number: int
    method: str
    path: str
    headers: dict[str, str]
    body: dict

    @property
    def prompt(self) -> str:
        """The text of the last turn, or of a plain completion."""
        return self.body["messages"][-1]["content"] if "messages" in self.body else self.body["prompt"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back. `cut` closes the connection in the middle of the body."""

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False


Script = Callable[[Call], Answer | Awaitable[Answer]]


class StubServer:
    """Serves a script on a port of its own, in a thread of its own, as a context manager.

    `calls` has every POST in the order of arrival; with `scripted_gets` the script answers GETs too, and they count.
    """

    def __init__(
        self, script: Script, *, models: Sequence[str] = ("stub",), scripted_gets: bool = False
    ) -> None:
        self.script = script
        self.scripted_gets = scripted_gets
        self.models = models
        self.calls: list[Call] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Close the port and all connections; calling it again does nothing."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, backlog=512)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (call := await self._read(reader)) is not None:
                if not await self._answer(call, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Call | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        first, *lines = head.decode("latin-1").strip().split("\r\n")
        method, path, _ = first.split(" ")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        call = Call(
            number=len(self.calls),
            method=method,
            path=path,
            headers=headers,
            body=json.loads(body) if body else {},
        )
        if method == "POST" or self.scripted_gets:
            self.calls.append(call)
        return call

    async def _answer(self, call: Call, writer: asyncio.StreamWriter) -> bool:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            answer = self.script(call) if call.method == "POST" or self.scripted_gets else self._listing()
            if inspect.isawaitable(answer):
                answer = await answer
            await asyncio.sleep(answer.delay_s)
        finally:
            self.in_flight -= 1
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **answer.headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        status = f"{answer.status} {REASONS.get(answer.status, 'Status')}"
        writer.write(
            f"HTTP/1.1 {status}\r\n{lines}\r\n".encode() + (body[: len(body) // 2] if answer.cut else body)
        )
        await writer.drain()
        return not answer.cut

    def _listing(self) -> Answer:
        return Answer(
            body={"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
        )


def reply_with(
    text: str, *, finish: str = "stop", tokens_in: int = 7, tokens_out: int = 3, **more: object
) -> Answer:
    """Make a chat reply of the text."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish, **more}
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
    return Answer(body={"object": "chat.completion", "model": "stub", "choices": [choice], "usage": usage})


def always(text: str, *, finish: str = "stop", delay_s: float = 0.0) -> Script:
    """Answer everything with one text."""
    answer = replace(reply_with(text, finish=finish), delay_s=delay_s)
    return lambda _: answer


def echo_prompt(call: Call) -> Answer:
    """Answer with the prompt itself."""
    return reply_with(call.prompt)


def error(
    status: int, message: str, *, param: str | None = None, code: str | None = None, **headers: str
) -> Answer:
    """Make an error as OpenAI-compatible servers word it; headers with _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(
        status=status, body={"error": {"message": message, "param": param, "code": code}}, headers=named
    )


def throttled(retry_after: str | None = "0.01") -> Answer:
    """Make a 429."""
    more = {} if retry_after is None else {"Retry_After": retry_after}
    return error(429, "Rate limit reached.", **more)


def refusing(parameter: str, script: Script) -> Script:
    """Refuse every request that has a parameter; otherwise follow the script."""

    def answer(call: Call) -> Answer | Awaitable[Answer]:
        if parameter in call.body:
            return error(
                400, f"Unsupported parameter: '{parameter}'.", param=parameter, code="unsupported_parameter"
            )
        return script(call)

    return answer


def without_schema(script: Script, *, json_object: bool) -> Script:
    """Know no json_schema, and json_object only where it is said."""

    def answer(call: Call) -> Answer | Awaitable[Answer]:
        kind = call.body.get("response_format", {}).get("type")
        if kind == "json_schema" or (kind == "json_object" and not json_object):
            return error(
                400,
                f"response_format of type {kind} is not supported by this model.",
                param="response_format",
            )
        return script(call)

    return answer


def first_then(firsts: Sequence[Answer], script: Script) -> Script:
    """Give some answers first, whoever asks, then follow the script."""
    waiting = list(firsts)
    return lambda call: waiting.pop(0) if waiting else script(call)


def faulty(script: Script, *, share: float, seed: int = 0, slow_s: float = 0.02) -> Script:
    """Let a share of all calls fail: 429, 500, cut bodies, closed connections, broken JSON, slow answers.

    Whether the n-th attempt of a question fails depends on the question, n and the seed, not on what else is
    under way; the same question may fail and then work.
    """
    attempts: Counter[str] = Counter()

    def answer(call: Call) -> Answer | Awaitable[Answer]:
        attempts[call.prompt] += 1
        rng = rng_for(seed, "stub faults", call.prompt, attempts[call.prompt])
        if rng.random() >= share:
            return script(call)
        return (
            throttled("0.01"),
            throttled(None),
            error(500, "Internal error."),
            error(503, "Overloaded.", Retry_After="0.01"),
            replace(reply_with("This is cut off in the middle."), cut=True),
            Answer(body=b""),
            Answer(body=b'{"choices": [{"message": {"content": "half a rep'),
            error(408, "Timeout.", Retry_After="0"),
            replace(error(500, "Slow failure."), delay_s=slow_s),
        )[int(rng.integers(9))]

    return answer


def serve_model(model: LanguageModel) -> Script:
    """Answer with a model that lives in this process, so that it can be asked over HTTP."""

    async def answer(call: Call) -> Answer:
        form = call.body.get("response_format", {}).get("json_schema", {})
        request = Request(
            model=call.body["model"],
            messages=tuple(
                Message(role=turn["role"], content=turn["content"]) for turn in call.body["messages"]
            ),
            max_tokens=call.body.get("max_tokens", 4000),
            temperature=call.body.get("temperature"),
            schema=form.get("schema"),
            schema_name=form.get("name"),
        )
        reply = await model.complete(request)
        return reply_with(
            reply.text, finish=reply.finish, tokens_in=reply.tokens_in, tokens_out=reply.tokens_out
        )

    return answer
