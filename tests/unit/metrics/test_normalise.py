"""Style normalisation: what is asked, what is read, what becomes of texts without a form in the style."""

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, fences, honest

import gameproof
from gameproof.datasets.catalogue import load_dataset
from gameproof.errors import EndpointError, SpecError
from gameproof.llm.client import Reply
from gameproof.llm.providers.planted import open_planted
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.fmi import build_fmi
from gameproof.metrics.normalise import NOTHING_LEFT, STEMS
from gameproof.records import Item

TOPICS = ("harbour", "railway", "library", "orchard", "vineyard", "museum")


def items():
    return [
        Item(
            id=topic,
            task_id=topic,
            candidate=f"Well, the {topic} was flooded!",
            references=(f"It was the {topic} that was flooded.", f"Flooded: the {topic}."),
        )
        for topic in TOPICS
    ]


def plain(request):
    """Bring every text into the one plain form."""
    if request.purpose != "style":
        return honest(request)
    topic = next(topic for topic in TOPICS if topic in fences(request)["text"])
    return f"<text>\n- The {topic} was flooded\n</text>"


def score(name, answer, data=None):
    model = FakeModel(answer)
    data = items() if data is None else data

    async def work():
        (metric,) = build_metrics([name], llm=model)
        prepared = await metric.prepare(data)
        return await prepared.score(data), prepared

    return *asyncio.run(work()), model


def test_candidates_and_references_are_compared_in_the_style():
    scores, _, model = score("TV+fvar+report+overlap,norm=summary,neg=2", plain)
    # All that is left is the topic, the one word that not every task has: support 1 on own references, 0 on others.
    np.testing.assert_array_equal(scores.values, 1.0)
    assert len(model.requests) == 3 * len(TOPICS)  # each text once: a candidate and two references a task


def test_the_reply_is_read_as_plain_lines_with_full_stops():
    _, prepared, _ = score("TV+fvar+report+overlap,norm=summary", plain)
    assert "The harbour was flooded." in prepared.prepared.pool.units


def test_of_a_review_only_lines_with_an_opening_are_kept():
    def review(request):
        topic = next(topic for topic in TOPICS if topic in fences(request)["text"])
        lines = [f"{STEMS[0]} the {topic}", "Here is more:", f"* {STEMS[1].upper()} the {topic} view."]
        return f"Sure. <text>{chr(10).join(lines)}</text>"

    _, prepared, _ = score("TV+fvar+statement+overlap,norm=review", review)
    assert "The reviewer praises the harbour." in prepared.prepared.pool.units
    assert not any("Here" in unit for unit in prepared.prepared.pool.units)


def test_who_wrote_a_reference_stays_with_it_where_another_has_no_form_in_the_style():
    data = [replace(item, reference_kinds=("human", "model")) for item in items()]

    def answer(request):
        by_people = fences(request)["text"].startswith("It was the harbour")
        return "<text></text>" if by_people else plain(request)

    scores, _, _ = score("TV+fvar+report+overlap,norm=summary,neg=2,refs=kind:model", answer, data)
    assert not np.isnan(scores.values).any()
    scores, _, _ = score("TV+fvar+report+overlap,norm=summary,neg=2,refs=kind:human", answer, data)
    assert scores.reasons == {"harbour": f"its reference: norm=summary: {NOTHING_LEFT}"}
    data[1] = replace(data[1], reference_kinds=("model", "model"))
    scores, _, _ = score("TV+fvar+report+overlap,norm=summary,neg=2,refs=kind:human", plain, data)
    assert scores.reasons == {"railway": "no reference of kind:human"}


def test_only_the_references_that_are_used_are_asked_about_and_no_other_takes_the_place_of_one():
    def answer(request):
        is_first = fences(request)["text"].startswith("It was the harbour")
        return "<text></text>" if is_first else plain(request)

    scores, _, model = score("TV+fvar+report+overlap,norm=summary,neg=2,refs=first", answer)
    assert scores.reasons == {"harbour": f"its reference: norm=summary: {NOTHING_LEFT}"}
    assert len(model.requests) == 2 * len(TOPICS)  # a candidate and the first of two references a task


def failing(reply):
    def answer(request):
        text = fences(request)["text"]
        return reply if text.startswith(("Well, the harbour", "Flooded: the railway")) else plain(request)

    return answer


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("<text></text>", f"norm=summary: {NOTHING_LEFT}"),
        ("<text>\n - \n</text>", f"norm=summary: {NOTHING_LEFT}"),
        ("The harbour was flooded.", "norm=summary: unreadable: no text between <text> and </text>"),
        (Reply(text="<text>The harbour", finish="length"), "norm=summary: truncated"),
        (Reply(text="", finish="filter"), "norm=summary: filtered"),
    ],
)
def test_a_text_without_a_form_in_the_style_is_missing_and_never_scored_as_it_was(reply, reason):
    scores, prepared, _ = score("TV+fvar+report+overlap,norm=summary,neg=2", failing(reply))
    assert scores.reasons == {"harbour": reason}
    assert np.isnan(scores.values[0])
    assert f"1 references dropped: {reason}" in prepared.notes
    assert scores.values[1] == 1.0  # the railway has another reference


def test_lines_without_an_opening_are_no_review():
    _, prepared, _ = score("TV+fvar+report+overlap,norm=summary", plain)
    del prepared
    with pytest.raises(EndpointError, match="no line begins with one of the four openings"):
        score("TV+fvar+report+overlap,norm=review", lambda _: "<text>It is good.</text>")


def test_an_item_whose_references_have_no_form_says_so():
    def answer(request):
        text = fences(request)["text"]
        return "<text></text>" if "harbour" in text and not text.startswith("Well") else plain(request)

    scores, _, _ = score("TV+fvar+report+overlap,norm=summary,neg=2", answer)
    assert scores.reasons == {"harbour": f"its reference: norm=summary: {NOTHING_LEFT}"}


def test_the_signature_pins_the_wording_and_rebuilds_the_metric():
    model = FakeModel(plain)
    (metric,) = build_metrics(["TV+fvar+report+overlap,norm=review"], llm=model)
    assert ",norm=review.v1@" in metric.signature()
    (again,) = build_metrics([metric.signature()], llm=model)
    assert again.signature() == metric.signature()
    assert metric.name == "TV+fvar+report+overlap,norm=review"
    assert again.name.startswith("TV+fvar+report+overlap")
    assert ",norm=review," in f"{again.name},"


def test_another_wording_than_that_of_this_version_is_refused():
    with pytest.raises(SpecError, match=r"norm: found review\.v1@00000000"):
        build_metrics(["TV+fvar+report+overlap,norm=review.v1@00000000"], llm=FakeModel(plain))


def test_a_style_needs_a_model():
    with pytest.raises(SpecError, match="none is given"):
        build_fmi("TV+fvar+report+overlap,norm=summary")


@pytest.mark.parametrize(
    "name", ["KL+direct+report+overlap,norm=summary", "TV+fvar+report+oracle,norm=answer"]
)
def test_the_calls_of_the_style_are_planned(name):
    model = FakeModel(plain)
    (metric,) = build_metrics([name], llm=model)
    planned = asyncio.run(metric.planned_calls(items(), items()))
    assert sum(call.purpose == "style" for call in planned.values()) == 3 * len(TOPICS)
    assert (metric.estimated is not None) == ("oracle" in name)


def test_an_ablation_compares_every_cell_with_and_without_the_style():
    data = [
        Item(
            id=f"{topic}/{n}",
            task_id=topic,
            candidate=f"Well, the {topic} was flooded!{' Much else was said of it there.' * n}",
            references=(f"It was the {topic} that was flooded.",),
            ratings={"quality": float(n)},
        )
        for topic in TOPICS
        for n in range(4)
    ]
    result = gameproof.sweep(data, "overlap", ablate="norm=summary", llm=FakeModel(plain))
    assert len(result.ablations) == len(result.rows) / 2
    row = next(row for row in result.ablations if row.ablates == "TV+fvar+report+overlap")
    assert row.metric == "TV+fvar+report+overlap,norm=summary"
    assert {cell.level for cell in row.differences} == {"within_task", "pooled"}
    # In the style all candidates of a task are one: the score is constant, and a difference of correlations undefined.
    assert next(cell for cell in row.differences if cell.level == "pooled").detail == "constant scores"


@pytest.mark.parametrize("style", ["summary", "review"])
def test_the_planted_rewriter_brings_planted_texts_into_a_style(style):
    data = load_dataset("planted,tasks=3").items
    (metric,) = build_metrics(
        [f"TV+fvar+statement+overlap,norm={style}"], llm=open_planted("planted:rewriter")
    )

    async def work():
        prepared = await metric.prepare(data)
        return await prepared.score(data), prepared.prepared.pool.units

    scores, units = asyncio.run(work())
    assert not scores.reasons
    if style == "review":
        assert {unit.split(":")[0] for unit in units} <= set(STEMS)
        assert any(unit.startswith(STEMS[0]) for unit in units)
    else:
        references = " ".join(reference for item in data for reference in item.references)
        assert all(
            unit in references for unit in units
        )  # every unit is a sentence of a reference, word for word
