"""ElicitationGPT with language models that answer as a test wants."""

import asyncio
import json
import math

import pytest
from tests.support.asking import connected
from tests.support.fake_model import FakeModel, elicited, fences
from tests.support.stub_server import StubServer, serve_model

from gameproof.errors import PlanError, SpecError
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.elicitation_clusters import rubric_batches
from gameproof.records import Item

SAYS = {"+": "agree", "-": "disagree", ".": "na"}


def item(task, candidate, *references, group="g", name=None):
    return Item(id=name or task, task_id=task, candidate=candidate, references=references, group=group)


def by_signs(request):
    """Texts are strings of +, - and . : what they say of the points A, B and C."""
    texts = fences(request)
    if "ground_truth" in texts or "text" not in texts:
        return json.dumps({"points": [{"positive": point, "negative": f"not {point}"} for point in "ABC"]})
    lines = [line.split(": ")[0] for line in texts["points"].splitlines()]
    signs = texts["text"].split()[0]
    verdicts = [{"id": name, "verdict": SAYS[signs[int(name[1:]) - 1]]} for name in lines]
    return json.dumps({"verdicts": [each for each in verdicts if signs[int(each["id"][1:]) - 1] in SAYS]})


def scored(items, name="elicitation", answer=by_signs, pool=None):
    model = FakeModel(answer)

    async def work():
        (metric,) = build_metrics([name], llm=model)
        prepared = await metric.prepare(pool or items)
        return await prepared.score(items), prepared

    scores, prepared = asyncio.run(work())
    return scores, prepared, model.requests


# References agree with A in 1 of 5 tasks, with B in 4 of 5, with C in 1 of the 2 that take a side.
REFERENCES = ["++.", "-+.", "-++", "-+-", "--."]
TASKS = [item(f"t{n}", f"{'+-.'} candidate {n}", signs) for n, signs in enumerate(REFERENCES)]


def test_each_candidate_is_paid_by_the_rule_with_the_priors_of_its_cluster():
    scores, prepared, _ = scored(TASKS)
    assert prepared.prepared.clusters[0].priors.tolist() == [0.2, 0.8, 0.5]
    # "+-." by the vectors of the rule: A at p = .2 pays 1 where the reference agrees, else .375; B at p = .8 pays
    # .375 where it agrees, else 1; C says nothing and pays .5. The mean over the three points:
    expected = [1.875 / 3, 1.25 / 3, 1.25 / 3, 1.25 / 3, 1.875 / 3]
    assert scores.values.tolist() == pytest.approx(expected, abs=1e-12)


def test_the_other_aggregation_takes_the_points_a_candidate_is_surest_of():
    # "+" on A and "-" on B both expect 1: their mean, without C
    scores, _, _ = scored(TASKS, "elicitation,agg=mv")
    assert scores.values.tolist() == pytest.approx([0.6875, 0.375, 0.375, 0.375, 0.6875], abs=1e-12)


def test_shares_of_all_references_may_be_the_priors():
    _, prepared, _ = scored(TASKS, "elicitation,prior=all")
    assert prepared.prepared.clusters[0].priors.tolist() == [0.2, 0.8, 0.2]


def test_a_candidate_that_says_nothing_earns_a_half():
    silent = [item(f"t{n}", "...", signs) for n, signs in enumerate(REFERENCES)]
    assert scored(silent)[0].values.tolist() == [0.5] * 5


def test_several_references_are_averaged_or_the_first_taken():
    more = [*TASKS[:4], item("t4", "+-. candidate 4", "--.", "++.")]
    # six ground truths now: A 2 of 6, B 5 of 6, C 1 of 2
    both, prepared, _ = scored(more)
    assert prepared.prepared.clusters[0].priors.tolist() == pytest.approx([2 / 6, 5 / 6, 1 / 2])
    # by hand: A at 1/3: disagreeing truth 1/2 - 1/4 = .25, agreeing 1; B (turned, q = 1/6): truth agrees 0 ... 1/2 -
    # (5/6) / (5/3) = 0, disagrees: "-" against "-" is 1. So (.25 + 1 + .5) / 3 and (1 + .4 + .5) / 3, where
    # report "-" on B turned is 1 > q, truth "+" turned is 0: 1/2 - (1/6) / (5/3) = .4
    assert both.values[4] == pytest.approx((1.75 / 3 + 1.9 / 3) / 2, abs=1e-12)
    first, _, _ = scored(more, "elicitation,refs=first")
    assert first.values[4] == pytest.approx(1.875 / 3, abs=1e-12)


def test_candidate_and_reference_never_stand_in_one_prompt():
    _, _, requests = scored(TASKS)
    for request in requests:
        prompt = " ".join(message.content for message in request.messages)
        assert not (
            "candidate" in fences(request).get("text", "") and any(r in prompt for r in REFERENCES[:1])
        )
        assert set(fences(request)) in ({"ground_truth"}, {"points"}, {"text", "points"})


def test_every_call_is_made_once_and_told_beforehand():
    model = FakeModel(by_signs)

    async def work():
        metrics = build_metrics(["elicitation", "elicitation,agg=mv"], llm=model)
        planned = {}
        for metric in metrics:
            planned |= await metric.planned_calls(TASKS, TASKS)
        assert not model.requests
        for metric in metrics:
            await (await metric.prepare(TASKS)).score(TASKS)
        return planned

    planned = asyncio.run(work())
    # 5 references taken apart, 1 rubric, 5 references and 5 candidates asked about; the second metric shares all
    assert len(planned) == len(model.requests) == 16


def test_many_references_are_put_together_in_batches_and_then_once_more():
    assert [rubric_batches(n) for n in (1, 40, 41, 80, 81)] == [1, 1, 3, 3, 4]
    many = [item(f"t{n:02}", "+-.", f"{REFERENCES[n % 5]} {n}") for n in range(41)]
    _, prepared, requests = scored(many)
    assert sum(request.purpose == "elicitation rubric" for request in requests) == 3
    assert len(requests) == len(asyncio.run(prepared.planned_calls(many, many)))


def test_small_groups_share_the_points_of_the_whole_data():
    strays = [item(f"s{n}", "+-.", f"+-. {n}", group="small") for n in range(2)]
    _, prepared, _ = scored([*TASKS, *strays])
    assert [cluster.name for cluster in prepared.prepared.clusters] == ["g", None]
    assert len(prepared.prepared.clusters[1].texts) == 7
    assert any("2 of 7 tasks are in groups of fewer than 5" in note for note in prepared.notes)


def test_one_task_alone_has_no_prior():
    scores, _, requests = scored(TASKS[:1])
    assert scores.reasons == {"t0": "no prior: no other task of its cluster has references"}
    assert not requests


def test_a_point_without_verdict_is_asked_about_again_and_then_left_out():
    def answer(request):
        return by_signs(request).replace('{"id": "P3", "verdict": "na"}', "").replace("}, ]", "}]")

    scores, _, requests = scored(TASKS, answer=answer)
    again = [request for request in requests if fences(request).get("points", "").startswith("P3")]
    assert len(again) == 5 + 3  # the candidates, and the references that say nothing of C
    # without C: the mean of A and B where the truth lacks it or the candidate does
    assert scores.values.tolist() == pytest.approx([0.6875, 0.375, 0.375, 0.375, 0.6875], abs=1e-12)


def test_a_candidate_without_readable_verdicts_is_missing_with_the_reason():
    def answer(request):
        return "hm" if "candidate 3" in fences(request).get("text", "") else by_signs(request)

    scores, _, _ = scored(TASKS, answer=answer)
    assert scores.reasons == {"t3": "unreadable"}
    assert math.isnan(scores.values[3])


def test_a_reference_without_readable_verdicts_is_dropped_and_counted():
    def answer(request):
        return "hm" if fences(request).get("text", "") == REFERENCES[3] else by_signs(request)

    scores, prepared, _ = scored(TASKS, answer=answer)
    assert scores.reasons == {"t3": "its references: unreadable"}
    assert prepared.prepared.clusters[0].priors.tolist() == [0.25, 0.75, 1.0]
    assert "1 of 5 references dropped" in prepared.notes[0]


def test_a_cluster_whose_points_cannot_be_read_has_no_scores():
    def answer(request):
        return "hm" if request.purpose == "elicitation rubric" else by_signs(request)

    scores, _, _ = scored(TASKS, answer=answer)
    assert set(scores.reasons.values()) == {"the points of its cluster: unreadable"}


def test_a_reference_whose_points_cannot_be_read_is_counted_and_not_taken_for_one_without_points():
    def answer(request):
        return "hm" if fences(request).get("ground_truth", "") == REFERENCES[4] else by_signs(request)

    scores, prepared, _ = scored(TASKS, answer=answer)
    assert not scores.reasons
    assert prepared.notes[0] == "1 of 5 references have no part in the points: unreadable"


def test_without_any_readable_points_the_reason_is_not_that_there_are_none():
    def answer(request):
        return "hm" if "ground_truth" in fences(request) else by_signs(request)

    items = TASKS[:2]  # three unreadable replies would stop the run
    scores, _, _ = scored(items, answer=answer)
    assert set(scores.reasons.values()) == {"the points of its references: unreadable"}


def test_references_that_make_no_point_give_no_scores():
    scores, _, _ = scored(TASKS, answer=lambda _: '{"points": []}')
    assert set(scores.reasons.values()) == {"no points were found in the references of its cluster"}


def test_items_of_unknown_tasks_and_references_are_missing():
    strangers = [item("t9", "+-.", "++."), item("t0", "+-.", "never seen", name="other")]
    scores, _, _ = scored(strangers, pool=TASKS)
    assert "not in the data" in scores.reasons["t9"]
    assert "its references are not in the data" in scores.reasons["other"]


def test_the_signature_pins_references_wordings_and_model_and_rebuilds_the_metric():
    _, prepared, _ = scored(TASKS)
    signature = prepared.signature()
    for part in ("agg=av", "llm=fake", "pool=", "prompt_answers=answers.v1@", "prior=known"):
        assert part in signature
    again, _, _ = scored(TASKS, signature)
    assert again.signature == signature
    with pytest.raises(PlanError, match="the signature names references"):
        scored(TASKS[:4], signature)


def test_it_must_see_all_tasks_before_it_scores():
    (metric,) = build_metrics(["elicitation"], llm=FakeModel(by_signs))
    with pytest.raises(PlanError, match="must see them first"):
        asyncio.run(metric.score(TASKS))


def test_it_asks_for_a_model_where_none_is_given():
    with pytest.raises(SpecError, match="asks a language model, and none is given"):
        build_metrics(["elicitation"])
    with pytest.raises(SpecError, match="agg: found 'sum'; allowed: av, mv"):
        build_metrics(["elicitation,agg=sum"], llm=FakeModel(by_signs))


def test_it_runs_over_http():
    texts = [
        "The harbour was flooded at dawn.",
        "The harbour was closed by noon.",
        "Guards closed the harbour.",
    ]
    items = [item(f"t{n}", f"{texts[n % 3]} {n}.", f"{texts[n % 3]} {n}.") for n in range(6)]
    local = FakeModel(lambda request: json.dumps(elicited(fences(request))))

    async def work(model):
        (metric,) = build_metrics(["elicitation"], llm=model)
        return await (await metric.prepare(items)).score(items)

    with StubServer(serve_model(local)) as stub:
        found = connected(work, f"stub@{stub.url}")
    assert not found.reasons
    assert found.values.min() >= 0.5  # candidates repeat their references
