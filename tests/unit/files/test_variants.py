"""Variants from a file."""

import json

import pytest

from gameproof.errors import DataError
from gameproof.files import read_variants, write_variants
from gameproof.records import Variant

VARIANTS = (
    Variant(item_id="a", name="repeat", text="x x"),
    Variant(item_id="a", name="distractors", level=2, text=""),
    Variant(item_id="b", name="deletion", reason="one sentence"),
)


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "csv", "parquet"])
def test_variants_read_back_as_they_were(tmp_path, ending):
    path = tmp_path / f"variants.{ending}"
    assert write_variants(path, VARIANTS) == 3
    assert read_variants(path) == VARIANTS


def problems(tmp_path, *rows):
    path = tmp_path / "v.jsonl"
    path.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    with pytest.raises(DataError) as caught:
        read_variants(path)
    return [str(problem) for problem in caught.value.problems]


def test_all_problems_are_told_together(tmp_path):
    good = {"item": "a", "variant": "repeat", "text": "x"}
    assert problems(
        tmp_path,
        good,
        {**good, "item": 3},
        {"item": "a", "text": "x"},
        {**good, "level": "high"},
        {**good, "text": None},
        {**good, "reason": "why"},
        "{",
    ) == [
        "v.jsonl:2: item: found the number 3; allowed: the id of an item, as text",
        "v.jsonl:3: variant: found nothing; allowed: the name of a perturbation, as text",
        "v.jsonl:4: level: found the text 'high'; allowed: a whole number, or null",
        "v.jsonl:5: text: found neither a text nor a reason; allowed: a text, or a reason why there is none",
        "v.jsonl:6: text: found a text and a reason; allowed: a text, or a reason why there is none",
        "v.jsonl:7: found JSON that ends or breaks at character 2; allowed: one JSON object in a line, as {...}",
    ]


def test_equal_variants_merge_and_contradicting_ones_are_told(tmp_path):
    row = {"item": "a", "variant": "repeat", "text": "x"}
    assert problems(tmp_path, row, row, {**row, "text": "y"}) == [
        (
            "v.jsonl:3: item: found the same item, variant and level as v.jsonl:1 with another text; "
            "allowed: one row for each item, variant and level"
        )
    ]


def test_half_a_character_is_a_problem(tmp_path):
    assert "half a character" in problems(tmp_path, {"item": "a", "variant": "v", "text": "\ud83d"})[0]
