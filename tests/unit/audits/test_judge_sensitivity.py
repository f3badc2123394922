"""One metric and two judges."""

import asyncio
import json
from dataclasses import replace

import pytest
from tests.support.fake_model import FakeModel, fences, honest

from gameproof.audits.checks import CheckSettings
from gameproof.audits.judge_sensitivity import measure_judge_sensitivity
from gameproof.audits.run import Run
from gameproof.errors import PlanError
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.records import Dataset, Item
from gameproof.stats.results import Verdict

WORDS = [
    "harbour",
    "railway",
    "library",
    "orchard",
    "vineyard",
    "museum",
    "theatre",
    "granary",
    "foundry",
    "brewery",
    "quarry",
    "chapel",
]
NAMES = [f"{first} {second}" for first in WORDS for second in WORDS[:2] if first != second]


def make_items():
    for number, name in enumerate(NAMES):
        said = f"The {name} was flooded. Guards closed the {name}. Nobody near the {name} was injured."
        candidate = " ".join(said.split(". ")[: 1 + number % 3])
        yield Item(id=name, task_id=name, candidate=f"{candidate}. It went on.", references=(said,))


RUN = Run(
    dataset=Dataset(name="test", items=tuple(make_items())),
    perturbations=[PERTURBATIONS["random_replacement"]],
    settings=CheckSettings(),
    seed=0,
)


class Other(FakeModel):
    name = "other"


def blind(request):
    """Grade by length alone."""
    return json.dumps({"score": 1 + len(fences(request)["candidate"]) % 10})


def measure(first, second, metric="judge"):
    return asyncio.run(measure_judge_sensitivity(RUN, metric, first, second))


def test_two_judges_that_grade_alike_agree_in_everything():
    found = measure(FakeModel(honest), Other(honest))
    assert found.models == ("fake", "other")
    assert (found.n, found.spearman, found.mean_distance) == (len(NAMES), pytest.approx(1.0), 0.0)
    assert (found.flipped, found.flip_rate) == ({}, 0.0)


def test_a_blind_judge_flips_the_verdict_on_replaced_texts():
    found = measure(FakeModel(honest), Other(blind))
    assert found.spearman < 0.9
    (verdicts,) = found.flipped.values()
    assert verdicts[0] is Verdict.PASS
    assert verdicts[1] is not Verdict.PASS
    assert (found.flip_rate, found.n_checks) == (1.0, 1)


def test_checks_that_could_not_be_measured_are_no_verdicts_that_agree():
    # Nobody writes rephrasings here: one check of two has a verdict, and it depends on the judge.
    run = replace(RUN, perturbations=[*RUN.perturbations, PERTURBATIONS["rephrase"]])
    found = asyncio.run(measure_judge_sensitivity(run, "judge", FakeModel(honest), Other(blind)))
    assert len(found.results[0].checks) == 2
    assert (found.flip_rate, found.n_checks) == (1.0, 1)


def test_what_no_model_can_change_is_refused():
    with pytest.raises(PlanError, match="asks no language model"):
        measure(FakeModel(honest), Other(honest), "rouge1")
    with pytest.raises(PlanError, match="both models are called fake"):
        measure(FakeModel(honest), FakeModel(honest))
