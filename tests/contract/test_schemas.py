"""The published formats: what gameproof writes and reads is what `schemas/` says."""

import json
from dataclasses import fields
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from tests.support.fake_difference import fake_difference
from tests.support.fake_results import fake_result
from tests.support.fake_runs import fake_run

import gameproof
from gameproof.audits.reproduce import Closeness, Reproduced, read_by_our_rule, recompute
from gameproof.audits.result import (
    AuditResult,
    Card,
    CardMark,
    CheckRow,
    CorrelationRow,
    Cost,
    ExchangeRate,
    LevelRow,
    MetricResult,
    SentenceRatio,
)
from gameproof.audits.run_difference_result import (
    CheckChange,
    CorrelationChange,
    MetricChange,
    PropertyChange,
)
from gameproof.errors import DataError
from gameproof.files import FIELDS, RunFolder, load, read_rows, read_variants, write_rows
from gameproof.records import Item, Persona, Variant
from gameproof.reports.reproduce import Reproduction, as_records
from gameproof.reports.reproducible import LEVELS
from gameproof.reports.result_json import render_json
from gameproof.reports.run_difference_json import difference_record
from gameproof.reports.run_tables import render_tables_json
from gameproof.reports.typed_json import plain_json
from gameproof.stats.results import Interval, Note, State, Verdict

FOLDER = Path(__file__).resolve().parents[2] / "schemas"
NAMES = (
    "agreement.1",
    "attack.1",
    "calibration.1",
    "compare.1",
    "item.1",
    "judge_pairs.1",
    "manifest.1",
    "optimise.1",
    "power.1",
    "prefer.1",
    "references.1",
    "reproduction.1",
    "result.1",
    "score.1",
    "score_summary.1",
    "sensitivity.1",
    "settle.1",
    "study_analysis.1",
    "sweep.1",
    "tables.1",
    "variance.1",
    "variant.1",
)


def schema(name):
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def validator(name):
    return Draft202012Validator(schema(name))


def test_every_format_has_a_schema_and_every_schema_is_legal():
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(NAMES)
    for name in NAMES:
        Draft202012Validator.check_schema(schema(name))
        assert schema(name)["$id"] == f"gameproof.{name}"


def test_items_that_are_written_are_legal_rows(tmp_path):
    items = [
        Item(id="a", task_id="t", candidate="c"),
        Item(
            id="b",
            task_id="t",
            candidate="",
            references=("r",),
            source="s",
            system="A",
            domain="answers",
            ratings={"x": 1.0},
            raters={"ann": {"x": 1.0}},
            persona=Persona(role="nurse", knows=("k",)),
            query="q",
        ),
    ]
    write_rows(tmp_path / "items.jsonl", items)
    for row in read_rows(tmp_path / "items.jsonl"):
        validator("item.1").validate(row)


def test_a_sweep_is_legal():
    rows = [
        {
            "id": f"{task}{n}",
            "task_id": task,
            "candidate": f"The {task} was opened" + " early" * n,
            "references": [f"The {task} was opened early.", f"At last the {task} is open."],
            "ratings": {"quality": n},
        }
        for task in ("bridge", "harbour", "museum")
        for n in range(4)
    ]
    result = gameproof.sweep(rows, "overlap", ablate="refs=first")
    validator("sweep.1").validate(json.loads(json.dumps(result.to_record(), allow_nan=False)))
    assert result.ablations


LEGAL = [
    {"candidate": "c"},
    {"candidate": "c", "references": "r", "ratings": 3, "persona": "nurse", "task_id": 7},
    {"candidate": "c", "references": ["r", None, ["s"]], "ratings": {"x": None}, "source": ["a", "b"]},
    {"candidate": "c", "raters": [{"rater": "ann", "x": 1, "comment": "good"}], "unknown": [1]},
    {"candidate": "c", "raters": {"ann": {"x": 1}, "bob": 2}},
]
ILLEGAL = [
    {},
    {"candidate": None},
    {"candidate": 3},
    {"candidate": "c", "references": [3]},
    {"candidate": "c", "references": [[["r"]]]},
    {"candidate": "c", "ratings": {"x": [1]}},
    {"candidate": "c", "raters": [1]},
    {"candidate": "c", "persona": {"role": 3}},
    {"candidate": "c", "task_id": ["t"]},
]


@pytest.mark.parametrize("row", LEGAL)
def test_a_row_that_the_schema_allows_is_read(row):
    validator("item.1").validate(row)
    assert load([row]).items


@pytest.mark.parametrize("row", ILLEGAL)
def test_a_row_that_the_schema_forbids_is_refused(row):
    assert not validator("item.1").is_valid(row)
    with pytest.raises(DataError):
        load([row])


def test_the_item_schema_knows_every_field():
    assert set(schema("item.1")["properties"]) == set(FIELDS)


def test_variants_that_are_written_are_legal_rows(tmp_path):
    variants = [
        Variant(item_id="a", name="repeat", text="x"),
        Variant(item_id="a", name="distractors", level=2, reason="one task only"),
    ]
    write_rows(tmp_path / "variants.jsonl", variants)
    for row in read_rows(tmp_path / "variants.jsonl"):
        validator("variant.1").validate(row)


@pytest.mark.parametrize(
    "row",
    [
        {"item": "a", "variant": "v"},
        {"item": "a", "variant": "v", "text": "x", "reason": "y"},
        {"item": "", "variant": "v", "text": "x"},
        {"item": "a", "variant": "v", "text": "x", "level": 1.5},
        {"item": "a", "text": "x"},
    ],
)
def test_a_variant_that_the_schema_forbids_is_refused(tmp_path, row):
    assert not validator("variant.1").is_valid(row)
    write_rows(tmp_path / "v.jsonl", [row])
    with pytest.raises(DataError):
        read_variants(tmp_path / "v.jsonl")


def test_tables_that_are_written_are_legal():
    record = json.loads(json.dumps(plain_json(render_tables_json([fake_run()])), allow_nan=False))
    validator("tables.1").validate(record)


def test_a_comparison_that_is_written_is_legal():
    record = json.loads(json.dumps(difference_record(fake_difference()), allow_nan=False))
    validator("compare.1").validate(record)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (MetricChange, "metric"),
        (CheckChange, "check"),
        (PropertyChange, "property"),
        (CorrelationChange, "correlation"),
    ],
)
def test_the_comparison_schema_has_the_fields_of_the_comparison(kind, part):
    found = schema("compare.1")["$defs"][part]
    assert list(found["properties"]) == found["required"] == [item.name for item in fields(kind)]


def test_a_reproduction_is_legal():
    row = {
        "table": LEVELS,
        "ours": "1.00",
        "published": "-1.00",
        "closeness": Closeness.DIFFERS,
        "difference": 2.0,
    }
    measured = (
        Reproduced(what="rouge1 · distractor", against="source", **row),
        Reproduced(what="rougeL", **row),
    )
    found = Reproduction(recomputed=recompute(), readings=read_by_our_rule(), measured=measured, notes=("a",))
    validator("reproduction.1").validate(json.loads(json.dumps(as_records(found), allow_nan=False)))


def test_a_score_is_a_number_or_a_reason():
    row = {"item": "a", "variant": None, "level": None, "metric": "rougeL", "score": 0.5, "reason": None}
    check = validator("score.1")
    assert check.is_valid(row)
    assert check.is_valid({**row, "score": None, "reason": "empty"})
    assert not check.is_valid({**row, "score": None})
    assert not check.is_valid({**row, "reason": "empty"})
    assert check.is_valid({**row, "remark": "4/5 statements", "spread": 0.5})
    assert not check.is_valid({**row, "spread": -0.5})


def test_a_manifest_that_is_written_is_legal(tmp_path):
    with RunFolder.open(tmp_path) as run:
        run.record_plan({"seed": 7})
        run.file("a.jsonl").write_text("{}")
        run.finish_stage("perturb", "5f0c", ["a.jsonl"])
    validator("manifest.1").validate(json.loads((tmp_path / "manifest.json").read_text()))


def test_a_result_that_is_written_is_legal():
    record = json.loads(json.dumps(render_json(fake_result()), allow_nan=False))
    validator("result.1").validate(record)


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (MetricResult, "metric"),
        (CorrelationRow, "correlation"),
        (CheckRow, "check"),
        (Card, "card"),
        (Cost, "cost"),
        (ExchangeRate, "exchange"),
        (LevelRow, "level"),
        (SentenceRatio, "sentence_ratio"),
        (Interval, "interval"),
    ],
)
def test_the_result_schema_has_the_fields_of_the_result(kind, part):
    found = schema("result.1")["$defs"][part]
    assert list(found["properties"]) == found["required"] == [item.name for item in fields(kind)]


def test_the_result_schema_has_the_words_of_the_result():
    found = schema("result.1")
    check = found["$defs"]["check"]["properties"]
    assert set(check["verdict"]["enum"]) == {*Verdict, None}
    assert set(check["note"]["enum"]) == {*Note, None}
    assert set(check["state"]["enum"]) == {*State, None}
    assert set(found["$defs"]["card"]["properties"]["trusted"]["enum"]) == set(CardMark)
    assert {item.name for item in fields(AuditResult)} == set(found["required"])


@pytest.mark.real_data
def test_the_rated_sets_are_legal_rows(shared_folder):
    rows = read_rows(shared_folder / "data" / "summeval" / "summeval.jsonl")
    check = validator("item.1")
    assert all(check.is_valid(row) for row in rows)
