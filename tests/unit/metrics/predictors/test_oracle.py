"""The oracle: what it asks in its three modes, and that they agree."""

import asyncio
import json
import math

import numpy as np
import pytest
from tests.support.fake_model import FakeModel, fences, honest, words

from gameproof.datasets.catalogue import load_dataset
from gameproof.errors import CallError, SpecError
from gameproof.llm.client import Reply
from gameproof.llm.providers.planted import PlantedOracle
from gameproof.metrics.catalogue import build_metrics, metric
from gameproof.records import Item

CELL = "TV+fvar+statement+oracle"
MODES = ("reference", "statement", "candidate")
TOPICS = ("harbour", "railway", "library", "orchard", "vineyard", "museum")
ITEMS = [
    Item(
        id=topic,
        task_id=topic,
        candidate=f"The {topic} was flooded. Guards closed the {topic}.",
        references=(f"The {topic} was flooded. Guards closed the {topic}. Nobody near the {topic} died.",),
    )
    for topic in TOPICS
]


def strict(request):
    """Support what names the candidate's own topic and something else that the candidate says."""
    texts = fences(request)
    if request.purpose == "decompose":
        return honest(request)
    known = words(texts["candidate"])
    if "reference" in texts:
        topic = texts["candidate"].split()[1]
        return json.dumps({"verdict": "yes" if topic in texts["reference"] else "no"})
    bins = "whole number" in request.messages[-1].content
    entries = []
    for line in texts["statements"].splitlines():
        name, statement = line.split(": ", 1)
        supports = words(statement) <= known
        entries.append({"id": name, "verdict": (3 if supports else -1) if bins else ["no", "yes"][supports]})
    return json.dumps({"verdicts": entries})


def score(name, model, items=ITEMS):
    async def work():
        prepared = await metric(name, llm=model).prepare(items)
        return await prepared.score(items)

    return asyncio.run(work())


def test_tv_score_is_the_share_of_own_statements_minus_that_of_foreign_ones():
    scores = score(CELL, FakeModel(strict))
    # of three statements each candidate supports its own first two, and of other tasks none
    np.testing.assert_allclose(scores.contrast.matched, 2 / 3 - 1 / 2)
    np.testing.assert_allclose(scores.values, 2 / 3)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("KL+direct+statement+oracle", (3 + 3 - 1) / 3 * math.log(2)),
        ("GPPM_J", (3 + 3 - 1) * math.log(2)),
        # 1 + mean of b log 2, minus the mean of 2^b over statements of other tasks
        ("KL+fvar+statement+oracle", 1 + 5 / 3 * math.log(2) - 1 / 2),
        ("TV+direct+statement+oracle", 2 / 3 * (1 - 1 / 8)),
        ("TVD_MI", 1.0),
        ("TV_STATEMENT", 2 / 3),
    ],
)
def test_cells_of_the_paper_have_the_values_of_its_table(name, expected):
    # the model gives 3 to two of its three statements and -1 elsewhere; own report: yes, another: no
    np.testing.assert_allclose(score(name, FakeModel(strict)).values, expected)


@pytest.mark.parametrize("mode", MODES)
def test_the_three_modes_agree_to_the_last_bit_with_an_oracle_that_errs_in_the_same_places(mode):
    items = load_dataset("planted,tasks=6").items
    by_reference = score(CELL, PlantedOracle(), items)
    assert not by_reference.reasons
    np.testing.assert_array_equal(
        score(f"{CELL},batch={mode}", PlantedOracle(), items).values, by_reference.values
    )


def test_a_shuffled_question_does_not_tell_own_statements_from_foreign_ones():
    model = FakeModel(honest)
    score(f"{CELL},batch=candidate", model)
    asked = [request for request in model.requests if request.purpose == "oracle"]
    own_first = 0
    for request in asked:
        texts = fences(request)
        lines = texts["statements"].splitlines()
        assert [line.split(":")[0] for line in lines] == [f"S{place}" for place in range(1, 16)]
        topic = texts["candidate"].split()[1]
        own_first += all(topic in line for line in lines[:3])
    assert own_first < len(asked)
    assert "reference" not in asked[0].messages[0].content


def test_samples_of_one_question_are_averaged():
    def answer(request):
        if request.purpose == "decompose":
            return honest(request)
        ids = [line.split(":")[0] for line in fences(request)["statements"].splitlines()]
        return json.dumps({"verdicts": [{"id": name, "verdict": request.sample} for name in ids]})

    scores = score("KL+direct+statement+oracle,samples=3", FakeModel(answer))
    np.testing.assert_allclose(scores.values, math.log(2))  # of 0, 1 and 2


def test_a_failed_call_is_the_reason_of_the_items_it_is_about():
    def answer(request):
        if request.purpose == "oracle" and "harbour" in fences(request)["candidate"]:
            raise CallError("503 after 4 attempts")
        return honest(request)

    scores = score(CELL, FakeModel(answer))
    assert scores.reasons == {"harbour": "503 after 4 attempts"}
    assert np.isfinite(scores.values[1:]).all()


def test_a_reference_without_statements_is_dropped_on_both_sides():
    def answer(request):
        if request.purpose == "decompose" and "harbour" in fences(request)["reference"]:
            return '{"statements": []}'
        return honest(request)

    model = FakeModel(answer)
    scores = score(CELL, model)
    assert scores.reasons == {"harbour": "no statement in the reference"}
    asked = [fences(request)["statements"] for request in model.requests if request.purpose == "oracle"]
    assert not any("harbour" in statements for statements in asked)


def test_a_reference_whose_decomposition_fails_says_so():
    def answer(request):
        if request.purpose == "decompose" and "museum" in fences(request)["reference"]:
            return Reply(text='{"statements": ["a', finish="length")
        return honest(request)

    assert score(CELL, FakeModel(answer)).reasons == {"museum": "its statements: truncated"}


@pytest.mark.parametrize(
    ("domain", "word"),
    [("reviews", "judgements"), ("answers", "points"), ("summaries", "facts"), (None, "facts")],
)
def test_each_domain_has_its_own_decomposition(domain, word):
    model = FakeModel(honest)
    items = [
        Item(id=i.id, task_id=i.task_id, candidate=i.candidate, references=i.references, domain=domain)
        for i in ITEMS
    ]
    score(CELL, model, items)
    (first, *_) = [request for request in model.requests if request.purpose == "decompose"]
    assert f"into its {word}" in first.messages[0].content or f"into the {word}" in first.messages[0].content


def test_a_signature_names_model_and_wording_and_rebuilds_the_metric():
    model = FakeModel(honest)
    (built,) = build_metrics([CELL], llm=model)
    options = dict(part.split("=") for part in built.signature().split(",")[1:])
    assert options["llm"] == "fake"
    assert options["prompt"].startswith("supports.v1@")
    assert options["decompose"].startswith("atomic.v1@")
    assert metric(built.signature(), llm=model).signature() == built.signature()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"{CELL},llm=somebody", "names the model somebody, and the one given is fake"),
        (f"{CELL},prompt=supports.v1@00000000", "prompt: found supports.v1@00000000"),
        (f"{CELL},prompt=other.v1", "prompt: found other.v1"),
        ("judge,llm=somebody", "names the model somebody"),
        ("judge,samples=0", "samples: found '0'"),
        (
            "judge,prompt=score.v1@00000000",
            "prompt: found .score.v1@00000000.; allowed: score.v1@[0-9a-f]{8}, what there is here",
        ),
        ("judge,dimension=charm", "dimension: found 'charm'"),
    ],
)
def test_what_would_not_be_the_metric_that_was_asked_for_is_refused(text, message):
    with pytest.raises(SpecError, match=message):
        metric(text, llm=FakeModel(honest))


@pytest.mark.parametrize("text", [CELL, "judge", "TV+fvar+statement+overlap,decompose=atomic.v1"])
def test_without_a_model_the_refusal_says_how_to_give_one(text):
    with pytest.raises(SpecError, match="asks a language model, and none is given"):
        metric(text)


def test_models_are_found_by_the_names_in_the_texts():
    models = {None: FakeModel(honest), "big": FakeModel(honest)}
    models["big"].name = "big"
    built = build_metrics(["judge", "judge,llm=big"], llm=models.__getitem__)
    assert [each.name for each in built] == ["judge", "judge,llm=big"]
    assert ["llm=fake" in built[0].signature(), "llm=big" in built[1].signature()] == [True, True]
