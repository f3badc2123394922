"""A program that asks questions: python asking_process.py LLM STORE NUMBER CONCURRENCY, and prints the replies."""

import asyncio
import json
import sys

from gameproof.llm.client import Message, Request
from gameproof.llm.connect import connect
from gameproof.llm.limits import Limits


async def main(llm: str, store: str, number: int, concurrency: int) -> None:
    model = await connect(llm, cache=store, limits=Limits(concurrency=concurrency, backoff_s=0.01))
    requests = [
        Request(model=model.name, messages=(Message(role="user", content=f"question {n}"),))
        for n in range(number)
    ]
    try:
        replies = await asyncio.gather(*(model.complete(request) for request in requests))
    finally:
        await model.close()
    usage = model.usage()
    sys.stdout.write(
        json.dumps({"texts": [reply.text for reply in replies], "new": usage.calls, "kept": usage.cached})
    )


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
