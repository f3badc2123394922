"""Ask a model from a test, with limits that wait milliseconds instead of minutes."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from gameproof.errors import CallError
from gameproof.llm.client import LanguageModel, Message, Reply, Request
from gameproof.llm.connect import Connection, connect
from gameproof.llm.limits import Limits

QUICK = Limits(backoff_s=0.005, longest_backoff_s=0.05, attempt_s=10.0, deadline_s=30.0)


def question(text: str, *, model: str = "stub", **more: object) -> Request:
    """Make a request of one turn."""
    return Request(model=model, messages=(Message(role="user", content=text),), **more)


def connected(
    work, llm: str | LanguageModel, *, cache="off", environment=None, limits=QUICK, **changes: object
):
    """Connect, do asynchronous work with the connection, close it, and return what the work returns."""

    async def run() -> object:
        model = await connect(
            llm, cache=cache, environment=environment or {}, limits=replace(limits, **changes)
        )
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(run())


async def ask_all(model: Connection, requests: Iterable[Request]) -> list[Reply | CallError]:
    """Ask everything at once; a call that failed is its error, anything else is raised."""
    found = await asyncio.gather(*(model.complete(request) for request in requests), return_exceptions=True)
    for entry in found:
        if isinstance(entry, BaseException) and not isinstance(entry, CallError):
            raise entry
    return found


def texts(llm: str | LanguageModel, prompts: Iterable[str], **options: object) -> list[str | None]:
    """Ask prompts at once, and return the texts of the replies; None where a call failed."""
    requests = [question(prompt) for prompt in prompts]
    replies = connected(lambda model: ask_all(model, requests), llm, **options)
    return [None if isinstance(reply, CallError) else reply.text for reply in replies]
