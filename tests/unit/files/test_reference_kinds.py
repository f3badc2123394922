"""Who wrote each reference: how data says it, and what is wrong with data that says it badly."""

import json

import pytest

from gameproof.errors import DataError
from gameproof.files import load, write_rows


def item(**row):
    return load([{"candidate": "c", **row}]).items[0]


def problem(**row):
    with pytest.raises(DataError) as caught:
        load([{"candidate": "c", **row}])
    return str(caught.value.problems[0])


def test_each_reference_has_its_kind():
    found = item(references=["a", "b"], reference_kinds=["human", "Model "])
    assert found.references == ("a", "b")
    assert found.reference_kinds == ("human", "model")


def test_one_word_stands_for_all_references():
    assert item(references=["a", "", "b"], reference_kinds="panel").reference_kinds == ("panel", "panel")
    assert item(reference="a", reference_kind="human").reference_kinds == ("human",)


def test_a_blank_reference_is_dropped_with_its_kind():
    found = item(references=["a", None, " ", "b"], reference_kinds=["human", "panel", "panel", "model"])
    assert found.references == ("a", "b")
    assert found.reference_kinds == ("human", "model")
    notes = load([{"candidate": "c", "references": ["a", None], "reference_kinds": ["human", "panel"]}]).notes
    assert "references dropped because they were null or blank: 1" in notes  # counted once, not twice


def test_nested_references_take_nested_or_flat_kinds():
    nested = [["a", "b"], "c"]
    assert item(references=nested, reference_kinds=["x", "y", "z"]).reference_kinds == ("x", "y", "z")
    assert item(references=nested, reference_kinds=[["x", "y"], "z"]).reference_kinds == ("x", "y", "z")


@pytest.mark.parametrize("kinds", [None, "", []])
def test_kinds_may_be_left_out(kinds):
    assert item(references=["a"], reference_kinds=kinds).reference_kinds == ()
    assert item(references=["a"], reference_kinds=kinds).references == ("a",)


def test_kinds_of_a_row_without_references_say_nothing():
    assert item(reference_kinds="human").reference_kinds == ()


@pytest.mark.parametrize(
    ("kinds", "found"),
    [
        (["human"], "found 1 word for 2 references; allowed: one short word such as human, panel or model"),
        (["a", "b", "c"], "found 3 words for 2 references"),
        (["human", None], "found null"),
        (["human", "two words"], "found the text 'two words'"),
        ("9", "found the text '9'"),
        (7, "found the number 7"),
        ({"a": "human"}, "found an object with the keys 'a'"),
    ],
)
def test_bad_kinds_name_row_found_and_allowed(kinds, found):
    said = problem(references=["a", "b"], reference_kinds=kinds)
    assert said.startswith(f"data, row 1: reference_kinds: {found}")
    assert "; allowed: one short word such as human, panel or model" in said


def test_bad_references_are_the_only_problem_of_a_row():
    with pytest.raises(DataError) as caught:
        load([{"candidate": "c", "references": [1], "reference_kinds": ["human"]}])
    assert [one.field for one in caught.value.problems] == ["references"]


def test_tables_hold_lists_as_text(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(
        'candidate,references,reference_kinds\nc,"[""a"", """", ""b""]","[""human"", ""human"", ""model""]"\n'
        "d,one text,panel\ne,one text,\n",
        encoding="utf-8",
    )
    assert [one.reference_kinds for one in load(path).items] == [("human", "model"), ("panel",), ()]


def test_kinds_survive_writing_and_reading(tmp_path):
    items = load([{"candidate": "c", "references": ["a", "b"], "reference_kinds": ["human", "model"]}]).items
    for name in ("items.jsonl", "items.csv", "items.parquet"):
        write_rows(tmp_path / name, items)
        assert load(tmp_path / name).items == items
    assert json.loads((tmp_path / "items.jsonl").read_text())["reference_kinds"] == ["human", "model"]


def test_rows_that_differ_in_kinds_alone_are_not_merged():
    rows = [
        {"id": "x", "candidate": "c", "reference": "a", "reference_kind": kind} for kind in ("human", "model")
    ]
    with pytest.raises(DataError, match="not with the same reference_kinds as"):
        load(rows)
