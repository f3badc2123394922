"""Weights of statements as metrics use them: from the references alone, the same for every candidate."""

import asyncio
import json

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, fences, honest

from gameproof.errors import SpecError
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.persona_weights import IRRELEVANT
from gameproof.records import Item, Persona

TOPICS = ("harbour", "railway", "library", "orchard", "vineyard", "museum")
COMMON = "Visitors found many friendly people there."


def make_items(**more):
    return [
        Item(
            id=topic,
            task_id=topic,
            candidate=f"The {topic} was flooded.",
            references=(f"The {topic} was flooded. {COMMON}",),
            **more,
        )
        for topic in TOPICS
    ]


def prepared(name, items, model=None):
    async def work():
        (metric,) = build_metrics([name], llm=model)
        return await metric.prepare(items)

    return asyncio.run(work())


def scores_of(metric, items):
    return asyncio.run(metric.score(items))


def test_rarity_gives_a_statement_that_every_task_makes_no_weight():
    items = make_items()
    name = "TV+fvar+statement+oracle,weights=rarity,decompose=rules.v1,neg=2"
    metric = prepared(name, items, FakeModel(honest))
    weights = metric.prepared.plan(items[0]).layout.weights
    # two statements a reference, three tasks; the second is in all six tasks
    assert weights.units[1::2].tolist() == [0.0, 0.0, 0.0]
    assert np.all(weights.units[::2] > 0)


def test_under_rarity_a_generic_addition_earns_little():
    special = Item(id="s", task_id="s", candidate="x", references=("The old mill burnt down.",))
    items = [*make_items(), special]
    stuffed = [item.with_candidate(f"Visitors came. {COMMON}") for item in items]
    matched = {}
    for weights in ("equal", "rarity"):
        metric = prepared(f"TV+fvar+statement+overlap,weights={weights},neg=2", items)
        matched[weights] = scores_of(metric, stuffed).contrast.matched[0]
    # p = (1 + 5)/(1 + 6): -log p = .154 against log 7 = 1.946 for the statement of one task. By hand
    # w = .0734: T = .0734 x 1/2 - .9266 x 1/2 = -.4266; with equal weights 1/2 of each
    assert matched == {"equal": pytest.approx(0.0), "rarity": pytest.approx(-0.4266, abs=1e-4)}


def test_a_reference_whose_statements_are_all_common_keeps_them_alike():
    common = "Visitors found many friendly people there. Guests praised the excellent local cooking."
    items = [
        Item(id=t, task_id=t, candidate="x", references=(common,)) for t in TOPICS
    ]  # the oracle judges statements that words cannot tell apart
    metric = prepared(
        "TV+fvar+statement+oracle,weights=rarity,decompose=rules.v1,neg=2", items, FakeModel(honest)
    )
    assert metric.prepared.plan(items[0]).layout.weights.units.tolist() == [1.0] * 6


def test_consensus_gives_what_more_references_say_more_weight():
    items = [
        Item(
            id=topic,
            task_id=topic,
            candidate=f"The {topic} was closed.",
            references=(
                f"The {topic} was flooded. The {topic} was closed.",
                f"The {topic} was closed. Nobody near the {topic} was hurt.",
            ),
        )
        for topic in TOPICS
    ]
    metric = prepared(
        "TV+fvar+statement+oracle,weights=consensus,decompose=rules.v1,neg=1", items, FakeModel(honest)
    )
    weights = metric.prepared.plan(items[0]).layout.weights
    # of the union's statements (flooded, closed, hurt) both references say the second: 1, 2, 1 of 4
    assert weights.units[:4].tolist() == [0.25, 0.5, 0.0, 0.25]
    assert weights.references[:2].tolist() == [0.75, 0.25]
    # the candidate supports the statement of weight 1/2: T = 0 against -1/2 elsewhere
    assert scores_of(metric, items).values.tolist() == [0.5] * len(TOPICS)


def test_consensus_asks_about_each_other_reference_once_and_a_dry_run_knows():
    items = [
        Item(id=t, task_id=t, candidate=f"The {t} burnt.", references=(f"The {t} was flooded today.", f"Guards closed the {t} early."))
        for t in TOPICS
    ]  # fmt: skip
    model = FakeModel(honest)
    name = "TV+fvar+statement+oracle,weights=consensus,decompose=rules.v1,neg=1"
    metric = prepared(name, items, model)
    assert len(model.requests) == 2 * len(TOPICS)
    scores_of(metric, items)
    assert len(asyncio.run(metric.planned_calls(items, items))) == len(model.requests)


def grade_floods_high(request):
    if request.purpose != "weigh":
        return honest(request)
    texts = fences(request)
    lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
    wanted = "flooded" if "engineer" in texts["reader"] else "friendly"
    return json.dumps(
        {"verdicts": [{"id": name, "verdict": 3 if wanted in text else 0} for name, text in lines.items()]}
    )


PERSONA = "TV+fvar+statement+oracle,weights=persona,decompose=rules.v1,neg=2"


def test_statements_that_do_not_matter_to_the_reader_have_no_weight():
    engineer, host = make_items(persona=Persona(role="engineer")), make_items(persona=Persona(role="host"))
    values = []
    for items in (engineer, host):
        metric = prepared(PERSONA, items, FakeModel(grade_floods_high))
        values.append(scores_of(metric, items).values.tolist())
    # the candidate says only what matters to the engineer: T = 1/2 against -1/2; to the host it says nothing
    assert values == [[1.0] * 6, [0.0] * 6]


def test_relevance_is_judged_without_any_candidate_once_for_each_reader_and_reference():
    model = FakeModel(grade_floods_high)
    items = make_items(persona=Persona(role="engineer"))
    more = [Item(id=f"{i.id}/2", task_id=i.task_id, candidate="y", references=i.references, persona=i.persona) for i in items]  # fmt: skip
    metric = prepared(PERSONA, [*items, *more], model)
    assert [request.purpose for request in model.requests] == ["weigh"] * len(TOPICS)
    assert all("candidate" not in fences(request) for request in model.requests)
    scores_of(metric, [*items, *more])
    assert len(asyncio.run(metric.planned_calls([*items, *more], [*items, *more]))) == len(model.requests)


def test_an_item_without_a_persona_or_with_nothing_that_matters_is_missing():
    items = make_items(persona=Persona(role="engineer"))
    nothing = Item(id="n", task_id="n", candidate="x", references=("The old mill burnt down.",), persona=Persona(role="engineer"))  # fmt: skip
    nobody = Item(id="p", task_id="harbour", candidate="x", references=items[0].references)
    data = [*items, nothing, nobody]
    metric = prepared(PERSONA, data, FakeModel(grade_floods_high))
    assert scores_of(metric, data).reasons == {"n": IRRELEVANT, "p": "no persona"}
    assert len(metric.prepared.negatives.tasks) == len(TOPICS)  # the mill is nobody's negative


def test_a_task_with_two_readers_is_a_negative_for_both_in_equal_parts():
    roles = ("engineer", "host")
    items = [
        Item(id=f"{i.id}/{role}", task_id=i.task_id, candidate=i.candidate, references=i.references, persona=Persona(role=role))
        for i in make_items()
        for role in roles
    ]  # fmt: skip
    metric = prepared(PERSONA, items, FakeModel(grade_floods_high))
    weights = metric.prepared.plan(items[0]).layout.weights
    assert weights.units[:2].tolist() == [1.0, 0.0]  # own reader: the engineer
    assert weights.units[2:].tolist() == [1.0, 1.0, 1.0, 1.0]


def test_weights_and_sums_are_refused_together():
    with pytest.raises(SpecError, match="agg=sum adds the statements up"):
        build_metrics(["TV+fvar+statement+overlap,weights=rarity,agg=sum"])


def test_two_decompositions_are_averaged_and_the_first_is_the_one_there_is_without():
    def answer(request):
        if request.purpose != "decompose":
            return honest(request)
        found = (
            ["It rained.", fences(request)["reference"]] if request.sample else [fences(request)["reference"]]
        )
        return json.dumps({"statements": found})

    items = [
        Item(id=t, task_id=t, candidate=f"The {t} was flooded.", references=(f"The {t} was flooded.",))
        for t in TOPICS
    ]
    values, models = [], []
    for count in (1, 2):
        model = FakeModel(answer)
        metric = prepared(f"TV+fvar+statement+oracle,neg=2,decompositions={count}", items, model)
        values.append(scores_of(metric, items).values.tolist())
        models.append(model)
        assert len(asyncio.run(metric.planned_calls(items, items))) == len(model.requests)
    # once: T = 1/2; the second decomposition has T = (1/2 - 1/2)/2 = 0, so 1/4 on average, against -1/2
    assert values == [[1.0] * 6, [0.75] * 6]
    first, second = ([r for r in model.requests if r.purpose == "decompose"] for model in models)
    assert [request.digest("") for request in second[:6]] == [request.digest("") for request in first]
    assert {request.sample for request in second[6:]} == {1}
