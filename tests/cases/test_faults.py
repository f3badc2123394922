"""With 30% of all calls failing, in every way that the stub knows, the scores are those of a run without faults."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.stub_server import StubServer, faulty, serve_model

from gameproof import aio
from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.llm.limits import Limits
from gameproof.llm.passing import is_passing
from gameproof.llm.providers.planted import PlantedJudge, PlantedOracle, PlantedRewriter
from gameproof.records import Dataset

SHARE = 0.3
METRICS = ["judge", "TV+fvar+statement+oracle,neg=2"]
NAMES = ("sentence_deletion", "rephrase")
FILES = ("variants.jsonl", "scores.jsonl")


class Everything:
    """Judge, oracle and rewriter behind one name."""

    name = "stub"

    async def complete(self, request):
        words = request.messages[0].content
        if "Rewriting task" in words:
            return await PlantedRewriter().complete(request)
        is_judge = "score" in str(request.schema)
        return await (PlantedJudge() if is_judge else PlantedOracle()).complete(request)

    async def close(self):
        pass


def data() -> Dataset:
    world = make_world(WorldSpec(seed=5, tasks_per_domain=4, candidates=1)).dataset
    return replace(world, variants=())


def run(stub: StubServer, folder: Path, **limits):
    """Audit over HTTP: rewrites by the model, a judge and a cell that takes references apart."""
    result = asyncio.run(
        aio.audit(
            data(),
            METRICS,
            out=folder,
            llm=f"stub@{stub.url}",
            rewriter=f"stub@{stub.url}",
            perturbations=NAMES,
            cache=folder.with_suffix(".sqlite"),
            limits=Limits(backoff_s=0.001, **limits),
        )
    )
    assert result.metrics
    return [(folder / name).read_bytes() for name in FILES]


@pytest.fixture(scope="module")
def without_faults(tmp_path_factory):
    with StubServer(serve_model(Everything())) as stub:
        found = run(stub, tmp_path_factory.mktemp("whole") / "run")
        return found, len(stub.calls)


def test_one_run_with_its_retries_ends_with_the_same_scores_to_the_last_bit(tmp_path, without_faults):
    # A call has four attempts, and two rounds of four more when the others are through: it is lost with a chance
    # of .3^12 = 5e-7 at most (429 has more attempts).
    expected, n_calls = without_faults
    for seed in range(3):
        with StubServer(faulty(serve_model(Everything()), share=SHARE, seed=seed)) as stub:
            found = run(stub, tmp_path / f"run{seed}")
            assert len(stub.calls) > 1.3 * n_calls
        assert found == expected


def test_runs_that_lose_calls_are_taken_up_until_they_are_complete_and_end_with_the_same_bits(
    tmp_path, without_faults
):
    # One attempt a call: a third of them is lost, far too many to be asked again at once.
    expected, _ = without_faults
    folder = tmp_path / "run"
    with StubServer(faulty(serve_model(Everything()), share=SHARE)) as stub:
        states = [run(stub, folder, attempts=1, throttled_attempts=1)]
        assert states[0] != expected
        assert any(is_passing(line.decode()) for line in states[0])
        while states[-1] != expected and len(states) < 30:
            states.append(run(stub, folder, attempts=1, throttled_attempts=1))
        n_calls = len(stub.calls)
        assert states[-1] == expected

        assert run(stub, folder, attempts=1, throttled_attempts=1) == expected
        assert len(stub.calls) == n_calls  # what is complete is not touched again


def test_what_a_model_refuses_is_not_asked_again_by_the_next_run(tmp_path):
    class Refuses(Everything):
        async def complete(self, request):
            reply = await super().complete(request)
            is_rewrite = "Rewriting task" in request.messages[0].content
            return replace(reply, text="I'm sorry, I cannot do that.") if is_rewrite else reply

    with StubServer(serve_model(Refuses())) as stub:
        first = run(stub, tmp_path / "run")
        n_calls = len(stub.calls)
        assert b"the model refused" in first[0]
        assert run(stub, tmp_path / "run") == first
        assert len(stub.calls) == n_calls
