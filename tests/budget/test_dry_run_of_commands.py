"""Dry runs of the other commands say how many calls the run then makes: exactly, but for `settle`, which may end earlier."""

import asyncio
from functools import partial

import pytest

from gameproof import aio
from gameproof.llm.providers.planted import Errors, PlantedJudge, PlantedOracle

FAULTLESS = partial(PlantedOracle, errors=Errors(topic=0, negation=0, held_out=0))
DATA = "planted,tasks=2"
CELL = "TV+fvar+statement+oracle"
PAIRS = [
    {
        "candidate_a": f"Text {number}.",
        "candidate_b": "Another text.",
        "preference": "a",
        "references": ["A reference."],
    }
    for number in range(3)
]

# Name -> (model, what counts, what runs), all given the same model.
VERBS = {
    "agree": (PlantedJudge, partial(aio.plan_agree, PAIRS, "judge"), partial(aio.agree, PAIRS, "judge")),
    "score": (PlantedJudge, partial(aio.plan_score, DATA, "judge"), partial(aio.score, DATA, "judge")),
    "score cells": (FAULTLESS, partial(aio.plan_score, DATA, CELL), partial(aio.score, DATA, CELL)),
    "calibration": (
        FAULTLESS,
        partial(aio.plan_calibration, "planted,tasks=4", "KL+fvar+statement+oracle"),
        partial(aio.calibration, "planted,tasks=4", "KL+fvar+statement+oracle"),
    ),
    "power": (
        PlantedJudge,
        partial(aio.plan_power, DATA, "judge", perturbations=["repeat_text"]),
        partial(aio.power, DATA, "judge", perturbations=["repeat_text"]),
    ),
    "prefer": (
        FAULTLESS,
        partial(aio.plan_prefer, DATA, opponents=2),
        partial(aio.prefer, DATA, opponents=2),
    ),
    "judge-pairs": (
        PlantedJudge,
        partial(aio.plan_judge_pairs, DATA, pairs_per_task=2),
        partial(aio.judge_pairs, DATA, pairs_per_task=2),
    ),
    "optimise": (
        FAULTLESS,
        partial(aio.plan_optimise, "planted,tasks=7", ["oracle"], divergences=["TV"], varied={"neg": ["2"]}, perturbations=["repeat_text", "sentence_deletion"]),
        partial(aio.optimise, "planted,tasks=7", ["oracle"], divergences=["TV"], varied={"neg": ["2"]}, perturbations=["repeat_text", "sentence_deletion"]),
    ),
}  # fmt: skip


class Counted:
    """Counts the questions to another model."""

    def __init__(self, model):
        self.model = model
        self.name = model.name
        self.asked = []

    async def complete(self, request):
        self.asked.append(request)
        return await self.model.complete(request)

    async def close(self):
        pass


@pytest.mark.parametrize("name", VERBS)
def test_a_run_makes_the_calls_of_its_dry_run_and_then_they_are_stored(name, tmp_path):
    make, plan, run = VERBS[name]
    model, cache = Counted(make()), tmp_path / "calls.db"

    async def work():
        before = await plan(llm=model, cache=cache)
        assert not model.asked  # nothing was spent
        await run(llm=model, cache=cache)
        n_asked = len(model.asked)
        return before, n_asked, await plan(llm=model, cache=cache), len(model.asked) - n_asked

    before, n_asked, after, n_more = asyncio.run(work())
    assert before.calls == n_asked > 0
    assert (after.calls, after.stored, n_more) == (0, n_asked, 0)
    assert before.tokens_in > 0
    assert before.tokens_out > 0


def test_sensitivity_counts_both_models():
    one, other = Counted(PlantedJudge()), Counted(PlantedJudge(name="other"))
    given = {"llms": (one, other), "perturbations": ["sentence_deletion"], "cache": "off"}

    async def work():
        before = await aio.plan_sensitivity(DATA, "judge", **given)
        assert not one.asked
        await aio.sensitivity(DATA, "judge", **given)
        return before

    assert asyncio.run(work()).calls == len(one.asked) + len(other.asked) > 0


@pytest.mark.parametrize("metric", [CELL, f"{CELL},temperature=0.7"])
def test_settle_asks_at_most_so_much(metric):
    model = Counted(FAULTLESS())
    given = {"llm": model, "cache": "off", "max_rounds": 8}

    async def work():
        before = await aio.plan_settle(DATA, metric, ["sentence_deletion"], **given)
        assert not model.asked
        await aio.settle(DATA, metric, ["sentence_deletion"], **given)
        return before

    before = asyncio.run(work())
    # Eight rounds are the fewest: all of them are made, and with drawn answers every round asks all its questions,
    # but for the negatives of some other task that are the same in length or lacking: hence not exactly.
    assert 0.8 * before.calls <= len(model.asked) <= before.calls
    assert "at most so many: 1 check in 8 rounds" in before.notes[-1]


def test_an_attack_asks_at_most_so_much():
    model = Counted(PlantedJudge())
    given = {"llm": model, "budget": 4, "universal_budget": 0}

    async def work():
        (before,) = await aio.plan_attack(DATA, "judge", **given)
        assert not model.asked
        await aio.attack(DATA, "judge", **given, cache="off")
        return before

    before = asyncio.run(work())
    # 24 texts: 5 scores of each in the search; in the measurement its original twice, three budgets and eleven probes.
    # A judge asks once for each; texts that come again are not asked about again, and few do.
    assert before["calls"] == before["search"] + before["measure"] == 24 * 5 + 24 * 16
    assert before["calls"] / 2 < len(model.asked) <= before["calls"]


def test_spot_checks_that_ask_again_are_said_to_be_left_out():
    plain, again = (
        asyncio.run(aio.plan_score(DATA, "judge", llm=PlantedJudge(), spot_checks=which, cache="off"))
        for which in ("local", "all")
    )
    assert again.notes[:-1] == plain.notes
    assert again.notes[-1].startswith("--spot-checks all scores up to 32 texts twice more")


def test_metrics_that_ask_no_model_say_so():
    counted = asyncio.run(aio.plan_agree(PAIRS, "length"))

    assert counted.describe_calls() == "no model calls"
    assert counted.n_scores == len({row["candidate_a"] for row in PAIRS}) + 1
