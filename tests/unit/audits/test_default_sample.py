"""200 originals are drawn where a language model is asked and nobody says how many (product.md, "Verbs")."""

import asyncio

import pytest
from tests.support.fake_model import FakeModel, honest

from gameproof import aio
from gameproof.files import write_variants
from gameproof.records import Variant

ROWS = [
    {
        "task_id": f"t{task}",
        "system": f"s{system}",
        "candidate": f"Rain fell on day {task}. It was day {system}.",
        "references": [f"It rained on day {task}."],
        "ratings": {"quality": system},
    }
    for task in range(100)
    for system in range(3)
]
BY_DEFAULT = (
    "200 of 300 items drawn at random with seed 0, of 67 of 100 tasks: the default where a language model is asked; "
    "--sample all takes all"
)


def count(metric: str = "judge", **options: object):
    options = {"llm": FakeModel(honest), "perturbations": ["sentence_deletion"]} | options
    return asyncio.run(aio.dry_run(ROWS, [metric], **options))


def test_a_metric_that_asks_a_model_gets_a_sample_and_the_run_says_so():
    found = count()
    assert found.n_items == 200
    assert BY_DEFAULT in found.data_notes


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"sample": "all"}, 300),
        ({"sample": 250}, 250),
        ({"metric": "rougeL"}, 300),
        ({"metric": "rougeL", "rewriter": FakeModel(honest)}, 200),
        ({"llm": "planted:judge"}, 300),
        ({"metric": "rougeL", "rewriter": "planted:rewriter"}, 300),
        ({"limit": 150}, 150),
    ],
)
def test_the_sample_is_drawn_for_models_alone_and_only_where_none_is_asked_for(options, expected):
    found = count(**options)
    assert found.n_items == expected
    assert (BY_DEFAULT in found.data_notes) == (expected == 200)


def test_who_brings_variants_has_chosen_the_texts(tmp_path):
    made = [Variant(item_id="t1/s1", name="sentence_deletion", level=None, text="Rain.")]
    path = tmp_path / "variants.jsonl"
    write_variants(path, made)
    assert count(variants=path).n_items == 300


def test_an_audit_scores_the_sample():
    result = asyncio.run(
        aio.audit(ROWS, ["judge"], llm=FakeModel(honest), perturbations=["repeat_text"], cache="off")
    )
    assert BY_DEFAULT in result.run["notes"]
    assert {row.n for row in result.metrics[0].checks} == {200}


def audited_by_two(**given):
    return aio.sensitivity(ROWS, "judge", llms=(FakeModel(honest), "planted:judge"), **given)


CHECKED = {"perturbations": ["repeat_text"], "cache": "off"}


@pytest.mark.parametrize(
    "run",
    [
        lambda: aio.power(ROWS, "judge", llm=FakeModel(honest), **CHECKED),
        lambda: aio.calibration(ROWS, "KL+fvar+statement+oracle,neg=1", llm=FakeModel(honest), cache="off"),
        lambda: audited_by_two(**CHECKED),
    ],
    ids=["power", "calibration", "sensitivity"],
)
def test_verbs_whose_results_have_no_notes_log_that_they_drew(run, caplog):
    asyncio.run(run())
    assert [(record.name, record.message) for record in caplog.records] == [("gameproof", BY_DEFAULT)]


def test_optimise_notes_that_it_drew():
    result = asyncio.run(
        aio.optimise(
            ROWS, ["oracle"], divergences=["TV"], varied={"neg": ["1"]},
            perturbations=["repeat_text", "sentence_deletion"], llm=FakeModel(honest), cache="off",
        )
    )  # fmt: skip
    assert BY_DEFAULT in result.notes
