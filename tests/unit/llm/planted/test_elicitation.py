"""The planted oracle as ElicitationGPT asks it."""

import asyncio
import json

import numpy as np
import pytest

from gameproof.datasets.planted.truth import FactState
from gameproof.datasets.planted.world import WorldSpec, make_world
from gameproof.errors import CallError
from gameproof.llm.client import Request
from gameproof.llm.providers.planted import Errors, PlantedOracle, open_planted
from gameproof.metrics.catalogue import build_metrics
from gameproof.prompts.loading import load

FAULTLESS = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0))
WEIGHS = "It weighs 230 grams without its packaging."
COSTS = "The shop price is 131 euros."
DELETION = "deletion_and_completion"


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


@pytest.fixture(scope="module")
def devices():
    """Return 24 tasks of one domain in three groups, one candidate each, and what is left of half of it."""
    spec = WorldSpec(
        tasks_per_domain=24,
        systems=1,
        generic_facts=False,  # nothing is said of all tasks alike,
        near_copies=False,  # and tasks are drawn independently
        variants=frozenset({DELETION}),
    )
    world = make_world(spec)
    texts = {variant.item_id: variant.text for variant in world.dataset.variants}
    domain = world.dataset.items[0].domain
    items = [item for item in world.dataset.items if item.domain == domain]
    return world, items, [item.with_candidate(texts[item.id] or item.candidate) for item in items]


def changes(llm, items, worse):
    async def work():
        (metric,) = build_metrics(["elicitation,points=60"], llm=llm)
        prepared = await metric.prepare(items)
        return (await prepared.score(worse)).values - (await prepared.score(items)).values

    return asyncio.run(work())


def test_without_errors_no_text_gains_by_the_loss_of_right_statements(devices):
    world, items, worse = devices
    lost: dict[int, int] = {}  # row -> statements of its references that the text had right and has no more
    for row, item in enumerate(items):
        before, after = world.truth(item.id).states, world.truth(item.id, DELETION).states
        if {*before, *after} <= {FactState.CORRECT, FactState.OMITTED}:
            referred = {fact for facts in world.tasks[item.task_id].reference_facts for fact in facts}
            lost[row] = sum(
                before[fact] != after[fact] for fact in referred if fact is not None and fact < len(before)
            )
    found = changes(FAULTLESS, items, worse)
    # A report that says what is true earns at least 1/2, and more where references of the cluster differ, as
    # they do on every fact of these; saying nothing earns 1/2. So each loss lowers the score, and nothing raises it.
    assert len(lost) >= 6  # of 24: the best system gets most of its facts right
    assert all(found[row] < 0 if n_lost else found[row] <= 1e-12 for row, n_lost in lost.items())


def test_an_oracle_that_errs_still_sees_half_of_the_statements_go(devices):
    _, items, worse = devices
    found = changes(open_planted("planted:oracle"), items, worse)
    # One candidate a task, so 24 independent changes. -3.485 is the 0.1% quantile of t(23): of 1,000 worlds, a metric
    # that does not see the loss would be below it in one. In worlds of other seeds t was -5.2 with these errors
    # and -10.7 without any.
    assert len({item.task_id for item in items}) == len(items) == 24
    assert np.mean(found) / (np.std(found, ddof=1) / len(found) ** 0.5) < -3.485
