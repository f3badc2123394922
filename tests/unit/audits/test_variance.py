"""Where the error of scores comes from, with a model whose errors are known."""

import asyncio
import hashlib
import json

import pytest
from tests.support.fake_model import FakeModel, fences

import gameproof
from gameproof import aio
from gameproof.errors import GameproofError, PlanError
from gameproof.records import Dataset, Item

N_TASKS, N_STATEMENTS = 24, 2
CELL = "TV+fvar+statement+oracle,decompose=rules.v1,temperature=1"


def make_data(n_tasks=N_TASKS):
    items = [
        Item(
            id=f"{task}/{writer}",
            task_id=f"{task:02}",
            candidate=f"Text of writer {writer} on subject number {task}.",
            references=(f"Subject number {task} has one side. Subject number {task} has another side.",),
        )
        for task in range(n_tasks)
        for writer in range(3)
    ]
    return Dataset(name="subjects", items=tuple(items))


def chance(*names):
    digest = hashlib.blake2b(repr(names).encode(), digest_size=7).digest()
    return int.from_bytes(digest) / 2**56


def tossing(request):
    """Say yes or no by the toss of a coin, thrown anew for every sample."""
    texts = fences(request)
    if request.purpose == "decompose":
        return json.dumps({"statements": [f"Cut {request.sample}: {texts['reference']}"]})
    lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
    verdicts = [
        {"id": name, "verdict": "yes" if chance(request.sample, texts["candidate"], text) < 0.5 else "no"}
        for name, text in lines.items()
    ]
    return json.dumps({"verdicts": verdicts})


def stubborn(request):
    """Toss the coin once for each decomposition of a reference, and stay with it."""
    texts = fences(request)
    if request.purpose == "decompose":
        return json.dumps({"statements": [f"Cut {request.sample}: {texts['reference']}"]})
    lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
    verdicts = [
        {"id": name, "verdict": "yes" if chance(texts["candidate"], text) < 0.5 else "no"}
        for name, text in lines.items()
    ]
    return json.dumps({"verdicts": verdicts})


def measure(cell, answer, **more):
    model = FakeModel(answer)
    report = asyncio.run(aio.variance(make_data(), cell, llm=model, cache="off", **more))
    return report, {row["source"]: row for row in report.sources}, model


def test_a_model_that_tosses_coins_errs_by_its_answers_alone():
    report, sources, _ = measure(CELL, tossing, tasks=N_TASKS, samples=4)
    # an answer is +-1/2 with equal chances: variance 1/4, and 1/8 for the mean of two statements
    assert sources["oracle"]["of_one_negative"] == pytest.approx(0.125, rel=0.05)  # 24 x 23 x 3 degrees: 2.5%
    assert abs(sources["oracle"]["of_one"] - 0.125) < 4 * sources["oracle"]["of_one_se"]
    # one sample, four negatives: 1/8 + 1/32, all of it from answers
    assert report.error_sd == pytest.approx((0.125 + 0.125 / 4) ** 0.5, rel=0.2)
    assert sources["oracle"]["share_of_error"] > 0.9
    assert abs(sources["item"]["of_one"]) < 4 * sources["item"]["of_one_se"]
    assert any("below 0" in note for note in report.notes) == (
        min(row["of_one"] for row in report.sources) < 0 or sources["oracle"]["of_one_negative"] < 0
    )


def test_a_model_that_stays_with_its_word_errs_by_decompositions():
    cell = "TV+fvar+statement+oracle,temperature=1"
    _, sources, _ = measure(cell, stubborn, tasks=N_TASKS, decompositions=3)
    assert sources["oracle"]["of_one"] == sources["oracle"]["of_one_negative"] == 0.0
    # one statement a decomposition: 1/4
    assert sources["decomposition"]["of_one_negative"] == pytest.approx(0.25, rel=0.06)  # 24 x 23 x 2 degrees
    assert abs(sources["negatives"]["of_one"]) < 4 * sources["negatives"]["of_one_se"]


@pytest.mark.parametrize(
    "cell", [CELL, "TV+fvar+statement+oracle", "KL+direct+statement+oracle,batch=statement"]
)
def test_a_dry_run_counts_the_calls_of_the_run(cell):
    answer = tossing if "KL" not in cell else bins
    _, _, model = measure(cell, answer, tasks=6, samples=3)
    planned = asyncio.run(
        aio.count_variance_calls(make_data(), cell, tasks=6, samples=3, llm=FakeModel(answer))
    )
    if "batch=statement" not in cell:  # the model decides how many statements there are
        assert planned.calls == len(model.requests)
    assert len(model.requests) == len({request.digest("") for request in model.requests})


def bins(request):
    texts = fences(request)
    if request.purpose == "decompose":
        return json.dumps({"statements": [texts["reference"]]})
    lines = dict(line.split(": ", 1) for line in texts["statements"].splitlines())
    verdicts = [{"id": name, "verdict": round(6 * chance(request.sample, texts["candidate"], text)) - 3} for name, text in lines.items()]  # fmt: skip
    return json.dumps({"verdicts": verdicts})


def test_designs_name_a_budget_that_halves_the_error():
    report, _, _ = measure(CELL, tossing, tasks=N_TASKS, samples=4)
    designs = {row["aim"]: row for row in report.designs}
    now, halved = designs["now"], designs["half the error of each item"]
    assert (now["negatives"], now["samples"], now["items"]) == (4, 1, 3 * N_TASKS)
    assert now["cost"] == 3 * N_TASKS * 5  # one question for each of five references
    assert halved["error_sd"] <= now["error_sd"] / 2 * (1 + 1e-9)
    assert designs["best for the same cost"]["error_sd"] <= now["error_sd"]
    assert designs["best for the same cost"]["cost"] <= now["cost"]
    assert report.unit == "calls"


def test_a_direct_cell_has_no_negatives_and_a_cell_without_a_model_has_comparisons():
    report = gameproof.variance(make_data(), "KL+direct+statement+overlap")
    assert report.unit == "comparisons"
    assert {row["negatives"] for row in report.designs} == {0}
    assert report.error_sd == 0.0


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ("rouge1", "is no mutual-information cell"),
        ("TV+fvar+statement+overlap,control=base_rate", "control=base_rate is fitted on the whole data"),
        ("TV+fvar+statement+oracle,batch=candidate", "cannot be told apart"),
    ],
)
def test_what_has_no_components_is_refused(cell, message):
    with pytest.raises(GameproofError, match=message):
        gameproof.variance(make_data(), cell, llm=FakeModel(tossing), cache="off")


def test_few_tasks_are_refused():
    with pytest.raises(PlanError, match="3 can be scored"):
        gameproof.variance(make_data(3), "TV+fvar+statement+overlap")


def test_texts_whose_reference_was_not_decomposed_every_time_are_left_out():
    def failing(request):
        if request.purpose == "decompose" and request.sample and "number 7 " in fences(request)["reference"]:
            return json.dumps({"statements": []})
        return tossing(request)

    report, _, _ = measure("TV+fvar+statement+oracle,temperature=1", failing, tasks=N_TASKS)
    assert report.n_items == N_TASKS - 1
