"""A dry run says how many calls the run then makes: exactly, also where some answers are stored already."""

import asyncio
import json
from dataclasses import replace

import pytest
from tests.support.fake_model import fences

from gameproof import aio
from gameproof.audits.dry_run import DryRun
from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.llm.client import LanguageModel, Reply, Request
from gameproof.llm.providers.planted import Errors, PlantedJudge, PlantedOracle, PlantedRewriter
from gameproof.llm.store import CallStore
from gameproof.records import Dataset

RULES = ("sentence_deletion", "repeat_text")
FAULTLESS = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0))


class Counted:
    """Counts the questions to another model."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.name = model.name
        self.asked: list[Request] = []

    async def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return await self.model.complete(request)

    async def close(self) -> None:
        pass


class Spoken:
    """Answers each purpose by the model for it: one endpoint that does all."""

    name = "all"

    async def complete(self, request: Request) -> Reply:
        if request.purpose == "rewrite":
            return await PlantedRewriter().complete(request)
        if request.purpose == "judge":
            return await PlantedJudge().complete(request)
        return await FAULTLESS.complete(request)

    async def close(self) -> None:
        pass


class Agreeable(Spoken):
    """Finds every statement borne out by every text."""

    async def complete(self, request: Request) -> Reply:
        if request.purpose != "verify":
            return await super().complete(request)
        ids = [line.split(":")[0] for line in fences(request)["statements"].splitlines()]
        verdicts = [{"id": name, "verdict": "yes"} for name in ids]
        return Reply(text=json.dumps({"verdicts": verdicts}), model=self.name)


def dataset() -> Dataset:
    world = make_world(WorldSpec(seed=3, tasks_per_domain=3, candidates=1)).dataset
    return replace(world, variants=())


def plan_and_run(metrics, *, model=None, cache="off", rewriter=None, verify="overlap", names=RULES):
    """Return the dry run, the questions of the run that follows, and the dry run after it."""
    model = model or Counted(Spoken())
    given = {"llm": model, "cache": cache, "perturbations": names, "rewriter": rewriter, "verify": verify}

    async def work() -> tuple[DryRun, list[Request], DryRun]:
        before = await aio.dry_run(dataset(), metrics, **given)
        assert not model.asked  # nothing was spent
        await aio.audit(dataset(), metrics, **given)
        asked, model.asked = model.asked, []
        after = await aio.dry_run(dataset(), metrics, **given)
        assert not model.asked
        return before, asked, after

    return asyncio.run(work())


MODES = ("reference", "statement", "candidate")
ESTIMATED = "estimated, since the model decides how many statements there are"
METRICS = ["judge", "judge,samples=2", *(f"TV+fvar+statement+oracle,batch={mode}" for mode in MODES)]


@pytest.mark.parametrize("metric", METRICS)
def test_a_run_makes_the_calls_of_its_dry_run_and_the_same_run_again_makes_none(metric, tmp_path):
    before, asked, after = plan_and_run([metric], cache=tmp_path / "calls.sqlite")
    assert before.calls == len(asked) > 0 or ESTIMATED in " ".join(before.notes)
    assert before.stored == 0
    assert (after.calls, after.stored) == (0, len(asked))
    assert not after.notes


@pytest.mark.parametrize("metric", METRICS)
def test_answers_that_are_stored_are_not_counted_as_calls(metric, tmp_path):
    path = tmp_path / "calls.sqlite"
    _, asked, _ = plan_and_run([metric], cache=path)
    store = CallStore(path)
    kept = [call for place, call in enumerate(store.calls()) if place % 2 or call.purpose == "decompose"]
    store.close()
    half = CallStore(tmp_path / "half.sqlite")
    half.add_all(kept)
    half.close()

    before, again, _ = plan_and_run([metric], cache=tmp_path / "half.sqlite")
    assert before.calls == len(again) == len(asked) - len(kept)
    assert before.stored == len(kept)
    assert not before.notes  # statements are known, so even one question a statement can be counted


def test_one_question_a_statement_is_an_estimate_while_statements_are_unknown():
    for metric in METRICS:
        before, _, _ = plan_and_run([metric])
        assert (ESTIMATED in " ".join(before.notes)) == ("batch=statement" in metric)


def test_half_of_the_decompositions_are_as_good_as_none_for_questions_about_whole_references(tmp_path):
    path = tmp_path / "calls.sqlite"
    metric = "TV+fvar+statement+oracle"
    plan_and_run([metric], cache=path)
    store = CallStore(path)
    kept = [call for call in store.calls() if call.purpose == "decompose"][::2]
    store.close()
    half = CallStore(tmp_path / "half.sqlite")
    half.add_all(kept)
    half.close()

    before, asked, _ = plan_and_run([metric], cache=tmp_path / "half.sqlite")
    assert (before.calls, before.stored) == (len(asked), len(kept))


@pytest.mark.parametrize("metrics", [["rouge1"], ["judge"]])
def test_rewrites_that_nobody_verifies_by_a_model_are_counted(metrics, tmp_path):
    names = ("rephrase", "shorten")
    before, asked, after = plan_and_run(metrics, cache=tmp_path / "calls.sqlite", rewriter="all", names=names)
    written = sum(request.purpose == "rewrite" for request in asked)
    by_stage = {row["stage"]: row["calls"] for row in before.stages}
    assert by_stage["rewrite"] == written == 9 * 3  # nine texts: one rephrased, two shortened
    # Words may find fault with a rewrite, which is then not scored: its score is counted beforehand.
    assert len(asked) <= before.calls
    assert any("most there can be" in note for note in before.notes)
    assert (after.calls, after.stored) == (0, len(asked))
    assert not after.notes


def test_rewrites_with_a_verifying_model_are_counted_with_its_calls(tmp_path):
    before, asked, after = plan_and_run(
        ["judge"],
        model=Counted(Agreeable()),
        cache=tmp_path / "calls.sqlite",
        rewriter="all",
        verify="all",
        names=("rephrase",),
    )
    # Such a reader finds nothing lost or added: two questions a rewrite, none about what was lost.
    by_stage = {row["stage"]: row["calls"] for row in before.stages}
    assert by_stage == {"rewrite": 9, "verify": 18, "judge": 18}
    assert before.calls == len(asked) == 45
    assert (after.calls, after.stored) == (0, 45)


def test_what_a_verifying_model_finds_lost_is_said_to_be_unknown_and_known_when_it_is_stored(tmp_path):
    before, asked, after = plan_and_run(
        ["judge"],
        cache=tmp_path / "calls.sqlite",
        rewriter="all",
        verify="all",
        names=("ultra_concise_compression",),
    )
    assert any("one call more for each statement" in note for note in before.notes)
    assert sum(request.purpose == "verify" for request in asked) > 18
    assert (after.calls, after.stored) == (0, len(asked))
    assert not after.notes


def test_a_dry_run_makes_no_store(tmp_path):
    asyncio.run(aio.dry_run(dataset(), ["judge"], llm=Spoken(), cache=tmp_path / "calls.sqlite"))
    assert not (tmp_path / "calls.sqlite").exists()


def test_variance_counts_apart_what_has_been_answered_already(tmp_path):
    model = Counted(Spoken())
    cell = "TV+fvar+report+oracle,temperature=0.7"
    given = {"tasks": 4, "samples": 2, "llm": model, "cache": tmp_path / "calls.sqlite"}

    async def work():
        before = await aio.count_variance_calls(dataset(), cell, **given)
        await aio.variance(dataset(), cell, **given)
        return before, await aio.count_variance_calls(dataset(), cell, **given)

    before, after = asyncio.run(work())
    assert (before.calls, before.stored) == (len(model.asked), 0)
    assert (after.calls, after.stored, after.tokens_in, after.tokens_out) == (0, len(model.asked), 0, 0)
