"""Two real servers with a small real model: what they can do is used, what they ignore is noticed and said."""

import asyncio
import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from gameproof.errors import EndpointError
from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.client import Message, Request
from gameproof.llm.connect import Connection, connect
from gameproof.llm.replies import UNREADABLE, read_choice

VERDICT = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["vermilion", "ultramarine"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
ITEMS = [
    {
        "id": f"item-{n}",
        "task_id": f"task-{n}",
        "candidate": candidate,
        "references": [reference],
        "source": f"{title}\n\n{candidate} {reference}",
    }
    for n, (title, candidate, reference) in enumerate(
        [
            (
                "Bridge closed",
                "The old bridge was closed on Monday. Divers found cracks in two of its piers. It was a wise decision.",
                "The council closed the bridge after divers had found cracks in the piers.",
            ),
            (
                "New library",
                "The town opened a library in the former mill. It holds ninety thousand books. Readers like it very much.",
                "A mill became a library with ninety thousand books.",
            ),
            (
                "Late frost",
                "A late frost killed most of the apple blossom. Farmers expect half of the usual harvest. Prices will rise.",
                "Because of frost in May farmers expect half as many apples.",
            ),
        ]
    )
]
PATIENCE_S = 300  # of one command: the machine may be busy
WRITTEN = {
    "deletion_and_completion",
    "surface_report",
    "ultra_concise_compression",
    "opinion_flip",
    "rephrase",
    "opinion_shift_positive",
    "opinion_shift_negative",
    "opinion_shift_neutral",
    "opinion_shift_strong",
    "lengthen",
    "shorten",
    "audience",
}  # the twelve of the two papers, as the issue names them


@pytest.fixture
def items(tmp_path: Path) -> str:
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ITEMS), encoding="utf-8")
    return "items.jsonl"


def gameproof(commands: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [commands / "gameproof", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def with_model(address: str, work):
    async def run():
        model = await connect(address, cache="off")
        try:
            return await work(model)
        finally:
            await model.close()

    return asyncio.run(run())


def ask(model: Connection, text: str, **more) -> Request:
    return Request(model=model.name, messages=(Message(role="user", content=text),), max_tokens=40, **more)


@pytest.mark.parametrize("server", ["llama_server", "transformers_server"])
def test_a_question_is_answered_and_its_tokens_are_counted(
    server: str, request: pytest.FixtureRequest
) -> None:
    reply = with_model(
        request.getfixturevalue(server), lambda model: model.complete(ask(model, "What colour is the sky?"))
    )
    assert reply.text.strip()
    assert reply.tokens_in > 5  # the words of the question and what the template adds
    assert 0 < reply.tokens_out <= 40


def test_xllamacpp_keeps_to_a_schema(llama_server: str) -> None:
    question = "Say anything you like, at length."
    reply = with_model(
        llama_server,
        lambda model: model.complete(ask(model, question, schema=VERDICT, schema_name="verdict")),
    )
    assert json.loads(reply.text)["verdict"] in {"vermilion", "ultramarine"}
    assert reply.dropped == ()


def test_doctor_says_what_xllamacpp_can_do(llama_server: str, commands: Path, tmp_path: Path) -> None:
    found = findings(commands, tmp_path, llama_server)
    assert {name: found[name]["works"] for name in ("chat", "max_tokens", "json_schema", "logprobs")} == {
        "chat": True,
        "max_tokens": True,
        "json_schema": True,
        "logprobs": True,
    }
    assert found["prompt log-probs"]["works"] is False
    assert "autoreg" in found["prompt log-probs"]["detail"]


def test_doctor_says_what_transformers_serve_silently_ignores(
    transformers_server: str, commands: Path, tmp_path: Path
) -> None:
    found = findings(commands, tmp_path, transformers_server)
    assert found["chat"]["works"] is True
    assert found["json_schema"]["works"] is False
    assert "silently ignored" in found["json_schema"]["detail"]
    assert found["logprobs"]["detail"].startswith("silently ignored")
    assert found["prompt log-probs"]["works"] is False


def findings(commands: Path, folder: Path, address: str) -> dict[str, dict[str, object]]:
    done = gameproof(commands, folder, "doctor", "--llm", address, "--json")
    assert done.returncode == 0, done.stderr
    return {finding["probe"]: finding for finding in json.loads(done.stdout)}


@pytest.mark.parametrize("server", ["llama_server", "transformers_server"])
def test_neither_may_score_given_texts(server: str, request: pytest.FixtureRequest) -> None:
    """Public case 57: asked to echo, both answer with one token or none for a whole prompt."""
    with pytest.raises(
        EndpointError, match=r"cannot serve autoreg.* log-probabilities for a prompt of 6 tokens"
    ) as error:
        with_model(
            request.getfixturevalue(server), lambda model: model.logprob("The capital of France is", " Paris")
        )
    assert "TV+fvar+statement+oracle" in str(error.value.hint)  # what works instead


def test_a_judge_scores_through_xllamacpp_by_the_probabilities_of_grades(
    llama_server: str, commands: Path, items: str, tmp_path: Path
) -> None:
    words = [
        "-m",
        "judge,expectation=true,scale=5",
        "--llm",
        llama_server,
        "--cache",
        "calls.sqlite",
        "--json",
    ]
    done = gameproof(commands, tmp_path, "score", items, *words)
    assert done.returncode == 0, done.stderr
    scores = [json.loads(line)["score"] for line in done.stdout.splitlines()]
    assert len(scores) == len(ITEMS)
    assert all(1 < score < 5 for score in scores)  # a mean over grades that all have some probability


def test_the_preflight_notices_that_transformers_serve_ignores_the_schema(transformers_server: str) -> None:
    def question(model: Connection, n: int) -> Question[str]:
        return Question(
            request=ask(
                model, f"Answer with the one word: yes{'!' * n}", schema=VERDICT, schema_name="verdict"
            ),
            read=lambda reply: (
                read_choice(reply, ["vermilion", "ultramarine"]).value or Unread(reason=UNREADABLE)
            ),
        )

    async def ask_three(model: Connection) -> None:
        await Asker(model).ask([question(model, n) for n in range(3)])

    with pytest.raises(EndpointError, match="of the first 3 replies cannot be read") as error:
        with_model(transformers_server, ask_three)
    assert "silently ignores response_format" in str(error.value.hint)


def test_all_twelve_kinds_of_rewrites_are_written_verified_and_counted(
    llama_server: str, commands: Path, items: str, tmp_path: Path
) -> None:
    chosen = [part for name in sorted(WRITTEN) for part in ("--perturbation", name)]
    model = ["--rewriter", llama_server, "--cache", "calls.sqlite"]
    shared = [items, *chosen, "--domain", "reviews"]  # an opinion can be flipped in reviews only
    done = gameproof(commands, tmp_path, "perturb", *shared, *model, "-o", "variants.jsonl")
    assert done.returncode == 0, done.stderr
    review = (tmp_path / "variants.review.jsonl").read_text(encoding="utf-8")
    reviewed = [json.loads(line) for line in review.splitlines()]
    # Two lengths longer, two shorter and three audiences, one level of each other kind.
    assert Counter(row["variant"] for row in reviewed) == {
        name: len(ITEMS) * {"lengthen": 2, "shorten": 2, "audience": 3}.get(name, 1) for name in WRITTEN
    }
    originals = {row["id"]: row["candidate"] for row in ITEMS}
    for row in reviewed:
        if row.get("verdict") == "keep":
            assert row["text"].strip() not in {"", originals[row["item"]]}, row  # never the unchanged text
        else:
            assert row.get("why") or row.get("reason"), row
    again = gameproof(
        commands, tmp_path, "audit", *shared, "-m", "rougeL", "--variants", "variants.review.jsonl"
    )
    assert again.returncode in {0, 3, 4}, again.stderr  # a verdict, whichever


def test_a_file_is_run_in_llama_cpp_without_a_server(
    commands: Path, gguf: str, items: str, tmp_path: Path
) -> None:
    words = [
        "score",
        items,
        "-m",
        "judge,expectation=true,scale=5",
        "--llm",
        f"llamacpp:{gguf}",
        "--cache",
        "calls.sqlite",
        "--json",
    ]
    first, second = (gameproof(commands, tmp_path, *words) for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert len(first.stdout.splitlines()) == len(ITEMS)
    assert second.stdout == first.stdout
    assert "0 new calls" in second.stderr


def test_a_file_that_transformers_runs_passes_the_self_test(
    commands: Path, model_folder: Path, tmp_path: Path
) -> None:
    found = findings(commands, tmp_path, f"transformers:{model_folder}")
    assert found["prompt log-probs"]["works"] is True, found
