"""Public cases, section E: the same input, another score."""

from collections import Counter

import pytest
from tests.support.fake_model import FakeModel, fences, honest
from tests.support.scoring import score_items

from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item

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
