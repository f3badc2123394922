"""Readers of what other programs answer: model endpoints, servers that score, OpenAlex; and replies of models in metrics."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from pydantic import BaseModel
from tests.fuzz.reader import REFUSED, Reader, folder, from_text, named_lines

import gameproof
from gameproof.llm.client import Message, Reply, Request
from gameproof.llm.failures import Endpoint, error_text, read_failure, read_retry_after
from gameproof.llm.providers.anthropic import Anthropic
from gameproof.llm.providers.fake import FakeModel
from gameproof.llm.providers.http import HttpSession
from gameproof.llm.providers.openai_compatible import OpenAICompatible
from gameproof.llm.replies import read_choice, read_json, read_score, read_statement_verdicts
from gameproof.llm.selftest import check_logprobs, probe
from gameproof.llm.stored import reply_from_json, reply_to_json
from gameproof.llm.token_scores import word_probabilities
from gameproof.metrics.adapters.answers import read_answer
from gameproof.metrics.adapters.http import from_http
from gameproof.study.retrieve.openalex import OpenAlex

__all__ = ["OF_ANSWERS"]

HERE = "http://127.0.0.1:9/v1"
ENDPOINT = Endpoint(url=HERE, url_from="--llm", model="m", key="secret")
QUESTION = Request(
    model="m",
    messages=(Message(role="user", content="Is it so?"),),
    schema={"type": "object"},
    top_logprobs=5,
)
ROWS = [
    {
        "id": f"{task}{n}",
        "task_id": task,
        "candidate": f"The {task} opened early. It has {n} floors.",
        "references": [f"The {task} opened early.", f"At last the {task} is open. It is large."],
        "source": f"Yesterday the {task} opened. It has {n} floors.",
        "query": "what opened?",
        "persona": {"role": "nurse", "knows": ["k"]},
        "domain": "reviews",
    }
    for task in ("bridge", "museum")
    for n in (1, 2)
]


class _Canned(HttpSession):
    """Gives every question the same answer, and sends nothing."""

    status = 200
    data = b""

    async def _send(self, method: str, url: str, data: bytes | None) -> tuple[int, Mapping[str, str], bytes]:
        del method, url, data
        return self.status, {"retry-after": "0"}, self.data


def _canned(data: bytes, status: int = 200) -> _Canned:
    session = _Canned(ENDPOINT, {}, attempt_s=1.0)
    session.data, session.status = data, status
    return session


async def _each(*calls: Callable[[], Awaitable[object]]) -> None:
    for call in calls:
        with suppress(*REFUSED):
            await call()


def _read_on(reply: Reply) -> None:
    """Do with a reply what the store and metrics do with it."""
    again = reply_from_json(reply_to_json(reply))
    word_probabilities(again, 0, ("yes", "no"))


def _chat(data: bytes) -> None:
    async def ask() -> None:
        for url in (HERE, f"{HERE}/completions"):
            model = OpenAICompatible(ENDPOINT.__class__(url=url, url_from="--llm", model="m"))
            model._http = _canned(data)

            async def complete(model: OpenAICompatible = model) -> None:
                _read_on(await model.complete(QUESTION))

            await _each(
                complete,
                lambda model=model: model.logprob("The capital is", " Paris"),
                lambda model=model: model.next_token("The"),
                model.list_models,
                lambda model=model: check_logprobs(model, "here"),
            )
            await probe(model, "here", provider=model)

    asyncio.run(ask())


def _anthropic(data: bytes) -> None:
    async def ask() -> None:
        model = Anthropic(ENDPOINT)
        model._http = _canned(data)
        _read_on(await model.complete(QUESTION))

    asyncio.run(ask())


STATUSES = (400, 401, 403, 404, 413, 422, 429, 500, 503)


def _failure(data: bytes) -> None:
    optional = frozenset({"temperature", "response_format", "max_tokens"})
    said = data.decode("utf-8", "replace")
    headers = {"retry-after": said[:80], "retry-after-ms": said[-20:]}
    read_retry_after(headers)
    error_text(said, ENDPOINT)
    for status in STATUSES:
        read_failure(status, headers, data, endpoint=ENDPOINT, optional=optional)


def _scored(data: bytes) -> None:
    with suppress(*REFUSED):
        read_answer(data, "bridge1", "./score.sh")
    metric = from_http("http://127.0.0.1:9/score", higher_is_better=True, backoff_s=0.0)
    with_answer = HttpSession._send
    HttpSession._send = _canned(data)._send  # type: ignore[method-assign, assignment]
    try:
        gameproof.score(ROWS[:1], metric, cache="off")
    finally:
        HttpSession._send = with_answer  # type: ignore[method-assign]


class _Answering(OpenAlex):
    """Has the answer already."""

    def __init__(self, data: bytes) -> None:
        super().__init__(key="", url="http://127.0.0.1:9", per_second=1e6, timeout_s=1.0)
        self._data = data

    async def _send(self, parameters: Mapping[str, str]) -> tuple[int, dict[str, str], bytes]:
        del parameters
        return 200, {}, self._data


class _Asked(BaseModel):
    statements: list[str]


def _reply(text: str) -> None:
    for finish in ("stop", "length"):
        reply = Reply(text=text, finish=finish)
        read_choice(reply, ("yes", "no", "unclear"))
        read_score(reply, 1, 5)
        read_json(reply, _Asked)
        read_statement_verdicts(reply, ["S1", "S2"], ["yes", "no"])


def _in_metric(metric: str, data: bytes) -> None:
    """Let a metric hear the same answer to whatever it asks."""
    if metric in ASKING:
        text = data.decode("utf-8", "replace")
        good = VERDICTS.decode()
        model = FakeModel(lambda request: good if metric == WEIGHED and request.purpose != "weigh" else text)
        gameproof.score(ROWS, metric, llm=model, cache="off")


def _in_rewrites(text: str) -> None:
    """Let the perturbations that ask a model hear the text."""
    names = ["rephrase", "shorten", "lengthen", "opinion_flip", "ultra_concise_compression"]
    gameproof.perturb(
        ROWS[:1],
        perturbations=names,
        rewriter=FakeModel(lambda _: text),
        out=folder() / "v.jsonl",
        cache="off",
    )


REPLIES = (
    b'Sure!\n```json\n{"score": 3, // fine\n}\n```\nHope that helps',
    b'{"reason": "uses \\$x and C:\\new", "score": 2, "verdict": "yes"}',
    b"[RESULT] 5 [RESULT] 2\nRating: 4/5\nVerdict: **no**",
    b'{"verdicts": [{"id": "S1", "verdict": "yes"}, {"id": "S2", "verdict": "no"}]}',
    b'{"S1": "yes", "S2": {"verdict": "no"}}\nS1: yes\nS2 - no',
    b'{"statements": ["It rained.", "It snowed.',
)
VERDICTS = b'{"statements": ["It opened.", "It is large."], "verdicts": [{"id": "S1", "verdict": "yes"}, {"id": "S2", "verdict": "no"}]}'
GRADES = (
    b'{"statements": ["It opened."], "verdicts": [{"id": "S1", "verdict": "2"}, {"id": "S2", "verdict": 3}]}'
)
NEEDS = (
    b'{"requirements": [{"text": "It names the opening.", "importance": 3}], "statements": ["It opened."], '
    b'"verdicts": [{"id": "S1", "verdict": "yes"}]}'
)
POINTS = b'{"points": [{"positive": "It is open.", "negative": "It is shut."}], "verdicts": [{"id": "P1", "verdict": "agree"}]}'
WEIGHED = "TV+fvar+statement+oracle,neg=1,weights=persona"  # all but the weights is answered well
# Metrics that ask a model, with a reply that each of them can read.
ASKING = {
    "judge": (b'{"reason": "r", "score": 2}', b"[RESULT] 5"),
    "judge,style=annotator": (b'{"notes": ["n"], "score": 4}',),
    "TV+fvar+report+oracle,neg=1": (b'{"reason": "r", "verdict": "yes"}',),
    "TV+fvar+statement+oracle,neg=1": (VERDICTS,),
    "KL+direct+statement+oracle": (GRADES,),
    WEIGHED: (GRADES,),
    "factscore": (VERDICTS,),
    "persona_precision": (VERDICTS,),
    "persona_recall": (NEEDS,),
    "reader-utility": (NEEDS,),
    "elicitation": (POINTS,),
}  # fmt: skip
LOGPROBS = {"token": "yes", "logprob": -0.1, "top_logprobs": [{"token": "no", "logprob": -2.3}]}
CHAT = (
    {
        "model": "m",
        "choices": [
            {"message": {"content": "yes"}, "finish_reason": "stop", "logprobs": {"content": [LOGPROBS]}}
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 1},
        "data": [{"id": "m", "max_model_len": 4096, "meta": {"n_ctx_train": 512}}],
    },
    {
        "choices": [
            {
                "message": {"content": [{"type": "text", "text": "yes"}]},
                "text": "The capital is Paris",
                "logprobs": {
                    "tokens": ["The", " capital", " is", " Paris"],
                    "token_logprobs": [None, -1.5, -0.5, -0.1],
                    "top_logprobs": [None, {" capital": -1.5}, {}, {" Paris": -0.1}],
                    "text_offset": [0, 3, 11, 14],
                },
            }
        ],
        "usage": {"prompt_tokens": 4},
    },
    {"error": {"message": "temperature is not supported", "code": 400, "param": "temperature"}},
)
MESSAGES = {
    "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "yes"}],
    "stop_reason": "end_turn",
    "model": "m",
    "usage": {"input_tokens": 3, "output_tokens": 1},
}
FAILURES = (
    b'{"error": {"message": "maximum context length is 4096 tokens", "code": "context_length_exceeded", "param": null}}',
    b'{"detail": [{"loc": ["body", "temperature"], "msg": "extra inputs are not permitted"}]}',
    b'{"error": {"message": "temperature is not supported; key sk-abcdefgh", "type": "invalid_request_error"}}',
    b"Mon, 30 Nov 2026 11:00:00 GMT",
)
WORKS = {
    "results": [
        {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1/x",
            "display_name": "Rain",
            "publication_year": 2020,
            "abstract_inverted_index": {"rained": [1], "It": [0, 2], "stopped.": [3]},
        }
    ]
}


def _json(*records: object) -> tuple[bytes, ...]:
    return tuple(json.dumps(record).encode() for record in records)


OF_ANSWERS: Mapping[str, Reader] = {
    "replies": Reader(read=from_text(_reply), seeds=REPLIES),
    "metric-replies": Reader(
        read=named_lines(_in_metric),
        seeds=tuple(json.dumps(name).encode() + b"\n" + reply for name, replies in ASKING.items() for reply in replies),
    ),
    "rewrites": Reader(
        read=from_text(_in_rewrites),
        seeds=(b"<text>The bridge is open. It has a floor.</text>", b"Here it is:\n```\nA bridge.\n```", *REPLIES[3:4]),
    ),
    "openai-wire": Reader(read=_chat, seeds=_json(*CHAT)),
    "anthropic-wire": Reader(read=_anthropic, seeds=_json(MESSAGES, CHAT[2])),
    "failures": Reader(read=_failure, seeds=FAILURES),
    "metric-answers": Reader(
        read=_scored, seeds=_json({"id": "bridge1", "score": 0.5}, {"score": None, "reason": "no verb"}, 0.25)
    ),
    "openalex": Reader(
        read=lambda data: asyncio.run(_Answering(data).search("rain", 2)), seeds=_json(WORKS)
    ),
}  # fmt: skip
