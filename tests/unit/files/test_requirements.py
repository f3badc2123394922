"""The column of requirements: loose shapes in, records out, and back again."""

import json

import pytest

from gameproof.errors import DataError
from gameproof.files import load, write_rows
from gameproof.records import Requirement


def read(value):
    (item,) = load([{"candidate": "c", "requirements": value}]).items
    return item.requirements


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (["The dose.", " "], [("The dose.", 1.0)]),
        ([{"text": "The dose.", "importance": 3}, "The cost."], [("The dose.", 3.0), ("The cost.", 1.0)]),
        (["The dose.", "The dose."], [("The dose.", 1.0)]),
        ('["The dose."]', [("The dose.", 1.0)]),
        (json.dumps([{"text": "The dose.", "importance": 0.5}]), [("The dose.", 0.5)]),
        ([], []),
        (None, []),
    ],
)
def test_lists_of_texts_and_of_objects_are_requirements(written, meant):
    assert read(written) == tuple(Requirement(text=text, importance=weight) for text, weight in meant)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("The dose.", "a list of texts, or of objects"),
        ([3], "a list of texts, or of objects"),
        ([{"importance": 3}], "requirements (text)"),
        ([{"text": "The dose.", "importance": 0}], "a number above 0"),
        ([{"text": "The dose.", "importance": True}], "requirements (importance)"),
    ],
)
def test_anything_else_is_refused_with_what_is_allowed(written, told):
    with pytest.raises(DataError) as raised:
        read(written)
    assert told in str(raised.value)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_requirements_survive_a_file(tmp_path, ending):
    pytest.importorskip("pyarrow" if ending == "parquet" else "json")
    items = load(
        [
            {
                "id": "a",
                "candidate": "c",
                "task_id": "t",
                "requirements": [{"text": "The dose.", "importance": 3}],
            }
        ]
    ).items
    path = tmp_path / f"items.{ending}"
    write_rows(path, items)
    assert load(str(path)).items == items
