"""How many calls statement-style metrics make for the same 200 texts, and how close they come to the endpoint's pace.

    python -m benchmarks.statement_calls [--deepeval PYTHON] [--ragas PYTHON]

Ours holds every text against 5 references of 6 statements each: its own and those of 4 other tasks. One question holds the
statements of one reference (`batch=reference`, the default), of all (`batch=candidate`), or a single one (`batch=statement`,
which is what a loop over statements asks). DeepEval's and Ragas' Faithfulness, in environments of their own, ask about one
text and one context. The stub, a process of its own, answers every question after 200 ms in the form that is asked for. The
ideal time is that of as many calls, so many at a time, without any work between them.
"""

import argparse
import asyncio
import contextlib
import json
import math
import re
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

LATENCY_S = 0.2
N_ITEMS, N_TASKS, N_STATEMENTS, NEG = 200, 50, 6, 4
CELL = f"TV+fvar+statement+oracle,neg={NEG},decompose=rules.v1"
MODES = ("reference", "candidate", "statement")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def sentence(task, number):
    return f"In town {task} there are {7 * task + number} bridges of kind {number}."


def rows():
    return [
        {
            "id": f"i{number}",
            "task_id": f"t{number % N_TASKS}",
            "candidate": f"Report {number}. "
            + " ".join(sentence(number % N_TASKS, place) for place in range(number % 5 + 1)),
            "references": [" ".join(sentence(number % N_TASKS, place) for place in range(N_STATEMENTS))],
        }
        for number in range(N_ITEMS)
    ]


def answer(body):
    """Say what each host can read: the form stands in its schema, or in the words of its prompt."""
    content = body["messages"][-1]["content"]
    prompt = content if isinstance(content, str) else "".join(part["text"] for part in content)
    schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    try:
        entry = schema["properties"]["verdicts"]["items"]["properties"]
        return {
            "verdicts": [
                {"id": name, "verdict": entry["verdict"]["enum"][-1]} for name in entry["id"]["enum"]
            ]
        }
    except KeyError:
        pass
    found = [sentence(1, place) for place in range(N_STATEMENTS)]
    if "judge the faithfulness of a series of statements" in prompt:
        return {"statements": [{"statement": text, "reason": "so", "verdict": 1} for text in found]}
    if "one or more fully understandable statements" in prompt:
        return {"statements": found}
    if "'verdicts' key" in prompt or '"verdicts"' in prompt:
        return {"verdicts": [{"verdict": "yes"} for _ in found]}
    if '"truths"' in prompt or "'truths' key" in prompt:
        return {"truths": found}
    return {"claims": found} if '"claims"' in prompt or "'claims' key" in prompt else {"reason": "so"}


class Stub(asyncio.Protocol):
    """Answer each complete request after the latency; a GET tells how many there were."""

    n_calls = 0

    def connection_made(self, transport):
        self.transport = transport
        self.received = b""

    def data_received(self, data):
        self.received += data
        head, mark, body = self.received.partition(b"\r\n\r\n")
        if not mark:
            return
        if head.startswith(b"GET"):
            self.received = b""
            self.send(json.dumps({"calls": Stub.n_calls}).encode())
            return
        length = int(LENGTH.search(head)[1])
        if len(body) >= length:
            Stub.n_calls += 1
            self.received = body[length:]
            text = json.dumps(answer(json.loads(body[:length])))
            message = {"role": "assistant", "content": text}
            reply = {
                "object": "chat.completion",
                "id": "1",
                "created": 1,
                "model": "stub",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8},
            }
            asyncio.get_running_loop().call_later(LATENCY_S, self.send, json.dumps(reply).encode())

    def send(self, body):
        if not self.transport.is_closing():
            self.transport.write(HEAD % len(body) + body)


async def serve():
    server = await asyncio.get_running_loop().create_server(Stub, "127.0.0.1", 0, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


def calls_so_far(url):
    with urllib.request.urlopen(f"{url}/calls") as found:  # noqa: S310 - the stub's own address
        return json.load(found)["calls"]


def ask_gameproof(url, concurrency, mode):
    import gameproof  # noqa: PLC0415 - not in the environments of the others
    from gameproof.llm.limits import Limits  # noqa: PLC0415

    gameproof.score(  # what a process loads once is loaded
        rows()[:8], "TV+fvar+statement+overlap", spot_checks="none"
    )
    with tempfile.TemporaryDirectory() as folder:
        before, begun, used = calls_so_far(url), time.perf_counter(), cpu()
        table = gameproof.score(
            rows(),
            f"{CELL},batch={mode}",
            llm=f"stub@{url}",
            cache=Path(folder) / "calls.sqlite",
            limits=Limits(concurrency=concurrency),
        )
        seconds, used = time.perf_counter() - begun, cpu() - used
        return seconds, used, table.summaries[0].n, calls_so_far(url) - before


def ask_deepeval(url, concurrency, _mode):
    from deepeval.metrics import FaithfulnessMetric  # noqa: PLC0415
    from deepeval.models import GPTModel  # noqa: PLC0415
    from deepeval.test_case import LLMTestCase  # noqa: PLC0415

    model = GPTModel(model="gpt-4o-mini", base_url=url, api_key="none")

    async def score(row):
        case = LLMTestCase(
            input="What is there?", actual_output=row["candidate"], retrieval_context=row["references"]
        )
        return await FaithfulnessMetric(model=model).a_measure(case, _show_indicator=False)

    return measure_peer(score, url, concurrency)


def ask_ragas(url, concurrency, _mode):
    from langchain_openai import ChatOpenAI  # noqa: PLC0415
    from ragas import SingleTurnSample  # noqa: PLC0415
    from ragas.llms import LangchainLLMWrapper  # noqa: PLC0415
    from ragas.metrics import Faithfulness  # noqa: PLC0415

    metric = Faithfulness(llm=LangchainLLMWrapper(ChatOpenAI(model="stub", base_url=url, api_key="none")))

    async def score(row):
        sample = SingleTurnSample(
            user_input="What is there?", response=row["candidate"], retrieved_contexts=row["references"]
        )
        return await metric.single_turn_ascore(sample)

    return measure_peer(score, url, concurrency)


def measure_peer(score, url, concurrency):
    """Score all texts, so many at a time, after one that is not measured."""

    async def work():
        places = asyncio.Semaphore(concurrency)

        async def one(row):
            async with places:
                return await score(row)

        texts = rows()
        await score(texts[0])
        before, begun, used = calls_so_far(url), time.perf_counter(), cpu()
        found = await asyncio.gather(*(one(row) for row in texts))
        seconds, used = time.perf_counter() - begun, cpu() - used
        return seconds, used, sum(not math.isnan(value) for value in found), calls_so_far(url) - before

    return asyncio.run(work())


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


ASK = {"gameproof": ask_gameproof, "deepeval": ask_deepeval, "ragas": ask_ragas}


def run_one(options):
    """Measure one host in this process, and print a line."""
    seconds, used, n_scored, n_calls = ASK[options.who](options.url, options.concurrency, options.mode)
    ideal = -(-n_calls // options.concurrency) * LATENCY_S
    record = {
        "who": options.who if options.mode is None else f"gameproof, batch={options.mode}",
        "texts": n_scored,
        "calls": n_calls,
        "calls_per_text": round(n_calls / N_ITEMS, 2),
        "seconds": round(seconds, 2),
        "share_of_ideal": round(ideal / seconds, 3),
        "cpu_ms_per_text": round(1000 * used / N_ITEMS, 2),
    }
    print(json.dumps({"benchmark": "statement_calls", **record}), flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--deepeval", metavar="PYTHON", help="of an environment that has deepeval")
    parser.add_argument("--ragas", metavar="PYTHON", help="of an environment that has ragas")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--who", choices=ASK, help=argparse.SUPPRESS)
    parser.add_argument("--mode", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(serve())
    elif options.who:
        run_one(options)
    else:
        run_all(options)


def run_all(options):
    stub = subprocess.Popen([sys.executable, __file__, "--serve"], stdout=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{int(stub.stdout.readline())}/v1"
        told = ["--url", url, "--concurrency", str(options.concurrency)]
        runs = [[sys.executable, __file__, "--who", "gameproof", "--mode", mode] for mode in MODES]
        runs += [
            [python, __file__, "--who", who]
            for who, python in (("deepeval", options.deepeval), ("ragas", options.ragas))
            if python
        ]
        for words in runs:
            subprocess.run([*words, *told], check=True)
    finally:
        stub.kill()
        stub.wait()


if __name__ == "__main__":
    main()
