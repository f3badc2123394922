"""Public cases, section E: the same input, another score."""

import asyncio
from collections import Counter

import pytest
from tests.support.fake_model import FakeModel, fences, honest
from tests.support.scoring import score_items

from gameproof.audits.checks import CheckSettings
from gameproof.audits.run import Run, run_audit
from gameproof.metrics.catalogue import build_metrics
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.records import Dataset, Item

ITEMS = [
    Item(id=str(row), task_id=f"task {row}", candidate=f"Text {row}.", references=("It rained all night.",))
    for row in range(6)
]


def test_case_31_repeated_samples_say_how_repeatable_a_judge_is():
    seen = Counter()

    def alternate(request):
        text = fences(request)["candidate"]
        seen[text] += 1
        return f'{{"score": {3 + seen[text] % 2}}}'

    (metric,) = build_metrics(["judge,scale=5,samples=2"], llm=FakeModel(alternate))
    scores = score_items(metric, ITEMS)
    assert scores.values.tolist() == [3.5] * 6
    assert scores.spread.tolist() == [0.5] * 6
    assert "self-consistency 0%, sd 0.5 over 2 samples" in " ".join(metric.notes)


@pytest.mark.parametrize("name", ["judge", "TV+fvar+statement+oracle"])
def test_case_32_temperature_0_is_sent_and_signed(name):
    model = FakeModel(honest)
    (metric,) = build_metrics([name], llm=model)
    score_items(metric, ITEMS)
    assert {request.temperature for request in model.requests} == {0.0}
    assert "temperature=0" in metric.signature().split(",")


def test_case_31_an_effect_smaller_than_that_is_named():
    seen = Counter()

    def alternate(request):
        text = fences(request)["candidate"]
        seen[text] += 1
        return f'{{"score": {3 + seen[text] % 2}}}'

    run = Run(
        dataset=Dataset(name="test", items=tuple(ITEMS)),
        perturbations=[PERTURBATIONS["random_replacement"]],
        settings=CheckSettings(),
        seed=0,
    )
    metrics = build_metrics(["judge,scale=5,samples=2"], llm=FakeModel(alternate))
    (result,) = asyncio.run(run_audit(run, metrics)).metrics
    assert [alarm for alarm in result.alarms if "self-consistency" in alarm] == [
        (
            "self-consistency 0%, sd 0.5 when the same text is judged again: "
            "smaller than that are the effects of random_replacement"
        )
    ]
