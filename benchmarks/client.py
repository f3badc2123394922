"""How close model calls come to the ideal: 5,000 calls to a stub that answers after 200 ms, 128 at a time.

Every reply is committed to the store before it is counted. Run with

    .venv/bin/python benchmarks/client.py

and, where the openai SDK is installed in another environment, compare with

    OTHER/bin/python benchmarks/client.py --openai

``--aiohttp`` sends the same questions with the bare transport, and neither limits, retries nor keeps anything: what is
left to lose on a busy machine.

The stub is a process of its own: a bare asyncio protocol that parses nothing but the end of the request.
"""

import argparse
import asyncio
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LATENCY_S = 0.2
ANSWER = json.dumps(
    {
        "object": "chat.completion",
        "id": "1",
        "created": 1,
        "model": "stub",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "4"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8},
    }
).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
    len(ANSWER),
    ANSWER,
)
LENGTH = b"content-length:"


class Stub(asyncio.Protocol):
    """Answer each complete request after the latency."""

    def connection_made(self, transport):
        self.transport = transport
        self.received = b""
        self.loop = asyncio.get_running_loop()

    def data_received(self, data):
        self.received += data
        head, mark, body = self.received.partition(b"\r\n\r\n")
        if not mark:
            return
        place = head.lower().find(LENGTH)
        length = int(head[place + len(LENGTH) :].split(b"\r\n", 1)[0]) if place >= 0 else 0
        if len(body) >= length:
            self.received = body[length:]
            self.loop.call_later(LATENCY_S, self._answer)

    def _answer(self):
        if not self.transport.is_closing():
            self.transport.write(RESPONSE)


async def serve():
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


async def ask_gameproof(url, number, concurrency, store):
    from gameproof.llm.client import Message, Request  # noqa: PLC0415 - the environment of the other client has no gameproof
    from gameproof.llm.connect import connect  # noqa: PLC0415
    from gameproof.llm.limits import Limits  # noqa: PLC0415

    def request(n):
        return Request(model="stub", messages=(Message(role="user", content=f"question {n}"),))

    model = await connect(f"stub@{url}", cache=store, limits=Limits(concurrency=concurrency))
    try:
        # The first call of a run goes alone, to find out whether the endpoint takes calls at all.
        await model.complete(request(-1))
        begun, used = time.perf_counter(), cpu()
        await asyncio.gather(*(model.complete(request(n)) for n in range(number)))
        return time.perf_counter() - begun, cpu() - used
    finally:
        await model.close()


async def ask_aiohttp(url, number, concurrency, _store):
    import aiohttp  # noqa: PLC0415 - a dependency of gameproof, not of the other client

    places = asyncio.Semaphore(concurrency)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def ask(n):
            turns = [{"role": "user", "content": f"question {n}"}]
            body = {"model": "stub", "messages": turns, "max_tokens": 4000, "temperature": 0.0}
            async with places, session.post(f"{url}/chat/completions", data=json.dumps(body)) as answer:
                return json.loads(await answer.read())

        await ask(-1)
        begun, used = time.perf_counter(), cpu()
        await asyncio.gather(*(ask(n) for n in range(number)))
        return time.perf_counter() - begun, cpu() - used


async def ask_openai(url, number, concurrency, _store):
    import openai  # noqa: PLC0415 - in an environment of its own

    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    places = asyncio.Semaphore(concurrency)

    async def ask(n):
        async with places:
            turns = [{"role": "user", "content": f"question {n}"}]
            return await client.chat.completions.create(
                model="stub", messages=turns, temperature=0, max_tokens=4000
            )

    await ask(-1)
    begun, used = time.perf_counter(), cpu()
    await asyncio.gather(*(ask(n) for n in range(number)))
    return time.perf_counter() - begun, cpu() - used


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--openai", action="store_true", help="ask with the openai SDK instead")
    parser.add_argument("--aiohttp", action="store_true", help="ask with the bare transport instead")
    parser.add_argument("--calls", type=int, default=5000)
    parser.add_argument("--concurrency", type=int, default=128)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    if options.serve:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve())
        return
    stub = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{int(stub.stdout.readline())}/v1"
        ideal = -(-options.calls // options.concurrency) * LATENCY_S
        who = "openai" if options.openai else "aiohttp" if options.aiohttp else "gameproof"
        ask = {"openai": ask_openai, "aiohttp": ask_aiohttp, "gameproof": ask_gameproof}[who]
        for _ in range(options.repeats):
            with tempfile.TemporaryDirectory() as folder:
                store = Path(folder) / "calls.sqlite"
                seconds, used = asyncio.run(ask(url, options.calls, options.concurrency, store))
            print(
                f"{who}: {options.calls:,} calls in {seconds:.2f} s, "
                f"{ideal / seconds:.3f} of the ideal {ideal:.1f} s; {1000 * used / options.calls:.3f} ms CPU a call"
            )
    finally:
        stub.kill()
        stub.wait()


if __name__ == "__main__":
    main()
