"""The planted oracle as ElicitationGPT asks it."""

import asyncio
import json

import numpy as np
import pytest

from gameproof.datasets.catalogue import load_dataset
from gameproof.errors import CallError
from gameproof.llm.client import Request
from gameproof.llm.providers.planted import Errors, PlantedOracle, open_planted
from gameproof.metrics.catalogue import build_metrics
from gameproof.prompts.loading import load

FAULTLESS = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0))
WEIGHS = "It weighs 230 grams without its packaging."
COSTS = "The shop price is 131 euros."


def ask(name, **slots):
    request = Request(model="planted", messages=load("elicitation", name).render(**slots))
    return json.loads(asyncio.run(FAULTLESS.complete(request)).text)


def test_it_finds_the_points_of_a_text_each_with_an_opposite():
    points = ask("points", ground_truth=f"{WEIGHS} What a day! {COSTS}")["points"]
    assert [point["positive"] for point in points] == [WEIGHS, COSTS]
    assert all(point["negative"] for point in points)


def test_lines_that_mean_the_same_are_one_point_and_frequent_ones_come_first():
    lines = {
        "P1": f"{COSTS} [opposite: not so]",
        "P2": f"{WEIGHS} [opposite: not so]",
        "P3": "In the hand it amounts to 230 grams. [opposite: not so]",
    }
    assert ask("rubric", points=lines, limit=1) == {"points": [{"positive": WEIGHS, "negative": "not so"}]}
    assert len(ask("rubric", points=lines, limit=5)["points"]) == 2


def test_it_agrees_disagrees_or_says_nothing():
    answers = ask(
        "answers",
        text="In the hand it amounts to 230 grams. It does not sell for 131 euros at most shops.",
        points={
            "P1": f"{WEIGHS} [opposite: not so]",
            "P2": f"{COSTS} [opposite: not so]",
            "P3": "The casing is made of cork. [opposite: not so]",
        },
    )
    assert [each["verdict"] for each in answers["verdicts"]] == ["agree", "disagree", "na"]


def test_a_text_from_elsewhere_is_no_text_for_it():
    with pytest.raises(CallError, match="planted world"):
        ask("points", ground_truth="The council met on Tuesday.")


def test_elicitation_follows_the_truth_of_planted_texts():
    dataset = load_dataset("planted,tasks=12")
    items = dataset.items
    wrong = {
        variant.item_id: variant.text
        for variant in dataset.variants
        if variant.name == "deletion_and_completion"
    }

    async def work():
        (metric,) = build_metrics(["elicitation,points=60"], llm=open_planted("planted:oracle"))
        prepared = await metric.prepare(items)
        worse = [item.with_candidate(wrong[item.id]) for item in items if wrong.get(item.id)]
        kept = [item for item in items if wrong.get(item.id)]
        return (await prepared.score(kept)).values, (await prepared.score(worse)).values

    scores, worse = asyncio.run(work())
    change = worse - scores
    # half of the statements are gone: the mean falls by more than three of its standard errors
    assert np.mean(change) < -3 * np.std(change, ddof=1) / len(change) ** 0.5
