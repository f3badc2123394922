"""Audits of metrics that ask planted models: they must come out as those models are made."""

import asyncio

import pytest

from gameproof import aio
from gameproof.audits.result import CheckRow
from gameproof.datasets.planted import WorldSpec, make_world
from gameproof.llm.client import LanguageModel
from gameproof.llm.providers.planted import Errors, PlantedJudge, PlantedOracle
from gameproof.stats.results import Verdict

SEED = 4_000_007  # of no other world


def audit(metric: str, model: LanguageModel, *names: str) -> dict[str, CheckRow]:
    dataset = make_world(WorldSpec(seed=SEED, candidates=1)).dataset
    result = asyncio.run(aio.audit(dataset, [metric], llm=model, perturbations=names))
    return {row.check: row for row in result.metrics[0].checks}


@pytest.mark.slow
def test_the_biased_judge_sees_a_loss_and_fails_what_it_likes():
    liked = ("meaningless_elongation", "opinion_shift_neutral", "opinion_shift_strong", "repeat_text")
    rows = audit("judge", PlantedJudge(), "sentence_deletion", *liked)
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert {name: rows[name].verdict for name in liked} == dict.fromkeys(liked, Verdict.FAIL)


@pytest.mark.slow
def test_a_cell_with_a_faultless_oracle_sees_a_loss_and_nothing_in_padding():
    oracle = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0))
    empty = ("meaningless_elongation", "repeat_text")
    rows = audit("TV+fvar+statement+oracle", oracle, "sentence_deletion", *empty)
    # Half of the sentences hold half of the facts; what says nothing changes no verdict of such a reader.
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    for name in empty:
        assert rows[name].verdict is Verdict.PASS
        assert rows[name].effect == 0
