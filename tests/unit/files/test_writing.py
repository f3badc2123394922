"""Files are written whole or not at all, and read back as they were."""

import csv
import gzip
import json
import os
import subprocess
import sys
from enum import Enum
from pathlib import Path

import numpy as np
import pytest

from gameproof.errors import DataError, InputError, MissingExtraError, RunFolderError
from gameproof.files import load, open_writer, read_rows, write_rows
from gameproof.records import Item, Variant

ENDINGS = ("jsonl", "jsonl.gz", "csv", "tsv", "parquet")
ITEM = Item(
    id="a/A",
    task_id="a",
    candidate='It "rained",\nthen\r\nstopped; café 雨',
    references=("Rain, fell.", '["a"]'),
    source="s",
    system="A",
    ratings={"fluency": 1.5, "a.b": -2.0},
    raters={"ann": {"fluency": 1.5}, "rater": {"rater": 2.0}},
)


@pytest.mark.parametrize("ending", ENDINGS)
def test_items_read_back_as_they_were(tmp_path, ending):
    path = tmp_path / f"items.{ending}"
    other = Item(id="b", task_id="b", candidate="")
    assert write_rows(path, [ITEM, other]) == 2
    assert load(path).items == (ITEM, other)


@pytest.mark.parametrize("ending", ENDINGS)
def test_equal_rows_make_equal_files(tmp_path, ending):
    first, second = tmp_path / f"1.{ending}", tmp_path / f"2.{ending}"
    write_rows(first, [ITEM])
    write_rows(second, [ITEM])
    assert first.read_bytes() == second.read_bytes()


def test_numbers_that_are_not_finite_are_written_as_null(tmp_path):
    row = {"score": float("nan"), "low": -np.inf, "deep": [{"x": np.float64("nan")}], "fine": 1.5}
    write_rows(tmp_path / "a.jsonl", [row])
    assert (tmp_path / "a.jsonl").read_text() == (
        '{"score": null, "low": null, "deep": [{"x": null}], "fine": 1.5}\n'
    )


def test_numpy_enums_paths_and_arrays_are_written_as_plain_values(tmp_path):
    class Colour(Enum):
        RED = "red"

    row = {"a": np.int64(3), "b": Colour.RED, "c": Path("x"), "d": np.array([1.0, np.nan]), "e": {2}}
    write_rows(tmp_path / "a.jsonl", [row])
    assert json.loads((tmp_path / "a.jsonl").read_text()) == {
        "a": 3,
        "b": "red",
        "c": "x",
        "d": [1.0, None],
        "e": [2],
    }


def test_what_cannot_be_written_is_an_error_for_the_user(tmp_path):
    with pytest.raises(InputError, match="a value of type object cannot be written"):
        write_rows(tmp_path / "a.jsonl", [{"a": object()}])
    with pytest.raises(InputError, match="a row to write is a value of type int"):
        write_rows(tmp_path / "a.jsonl", [3])
    assert not list(tmp_path.iterdir())


def test_half_a_character_is_escaped_in_json_and_refused_in_tables(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": "\ud83d"}])
    assert list(read_rows(tmp_path / "a.jsonl")) == [{"text": "\ud83d"}]
    for ending in ("csv", "parquet"):
        with pytest.raises(InputError, match="half a character"):
            write_rows(tmp_path / f"a.{ending}", [{"text": "\ud83d"}])


def test_a_table_has_the_columns_of_all_rows(tmp_path):
    write_rows(tmp_path / "a.csv", [{"a": 1}, {"b": [1, 2], "c": None}])
    with (tmp_path / "a.csv").open(newline="") as file:
        assert list(csv.reader(file)) == [["a", "b", "c"], ["1", "", ""], ["", "[1, 2]", ""]]


def test_parquet_columns_have_the_types_of_their_values(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"text": "a", "whole": 1, "real": 1, "flag": True, "texts": ["a"], "mixed": 1, "none": None},
        {"text": None, "whole": None, "real": float("nan"), "flag": None, "texts": [], "mixed": "x"},
        {"real": 2.5, "huge": 2**70},
    ]
    write_rows(tmp_path / "a.parquet", rows)
    table = parquet.read_table(tmp_path / "a.parquet")
    assert {field.name: str(field.type) for field in table.schema} == {
        "text": "string",
        "whole": "int64",
        "real": "double",
        "flag": "bool",
        "texts": "list<element: string>",
        "mixed": "string",
        "none": "string",
        "huge": "string",
    }
    assert table.column("real").to_pylist() == [1.0, None, 2.5]


def test_many_rows_go_through_in_batches(tmp_path):
    pytest.importorskip("pyarrow")
    for ending in ("jsonl", "csv", "parquet"):
        path = tmp_path / f"a.{ending}"
        assert write_rows(path, ({"n": n} for n in range(3000))) == 3000
        assert sum(1 for _ in read_rows(path)) == 3000


def test_no_rows_make_a_file_without_rows(tmp_path):
    for ending in ENDINGS:
        path = tmp_path / f"a.{ending}"
        assert write_rows(path, []) == 0
        assert path.exists()
    assert list(read_rows(tmp_path / "a.jsonl")) == []


def test_a_file_appears_only_when_all_rows_are_written(tmp_path):
    path = tmp_path / "a.jsonl"
    with open_writer(path) as writer:
        writer.write({"a": 1})
        assert not path.exists()
    assert path.exists()


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    path.write_text("old")

    def rows():
        yield {"a": 1}
        raise ValueError("the metric failed")

    with pytest.raises(ValueError, match="the metric failed"):
        write_rows(path, rows())
    assert path.read_text() == "old"
    assert [child.name for child in tmp_path.iterdir()] == [path.name]


def test_missing_folders_are_made(tmp_path):
    write_rows(tmp_path / "new" / "deep" / "a.jsonl", [{"a": 1}])
    assert (tmp_path / "new" / "deep" / "a.jsonl").exists()


def test_a_new_file_has_the_permissions_that_the_user_s_mask_asks_for(tmp_path):
    old = os.umask(0o027)
    try:
        write_rows(tmp_path / "a.jsonl", [])
    finally:
        os.umask(old)
    assert (tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to_and_not_replaced():
    write_rows("/dev/null", [{"a": 1}])
    assert Path("/dev/null").is_char_device()


def test_a_folder_cannot_be_written(tmp_path):
    (tmp_path / "a.jsonl").mkdir()
    with pytest.raises(RunFolderError, match="it is a folder"):
        write_rows(tmp_path / "a.jsonl", [])


def test_a_path_through_a_file_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(RunFolderError, match="a part of the path is a file"):
        write_rows(tmp_path / "file" / "a.jsonl", [])


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    with pytest.raises(InputError, match=r"none of \.jsonl, \.jsonl\.gz, \.csv, \.tsv, \.parquet"):
        write_rows(tmp_path / "a.txt", [])


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="the extra 'data'"):
        write_rows(tmp_path / "a.parquet", [{"a": 1}])
    assert not list(tmp_path.iterdir())


FULL = """
import resource, sys
from gameproof.errors import RunFolderError
from gameproof.files import write_rows
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    write_rows(sys.argv[1], ({"text": "x" * 1000} for _ in range(3000)))
except RunFolderError as error:
    print(error)
"""


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_is_an_error_for_the_user(tmp_path, ending):
    # A limit on the size of files stands in for a full disk: both fail in the middle of a write.
    path = tmp_path / f"a.{ending}"
    code = FULL.replace('"x" * 1000', "__import__('os').urandom(500).hex()")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, check=False, timeout=120
    )
    assert f"cannot write {path}: File too large." in done.stdout.decode(), done.stderr.decode()
    assert "Free some space" in done.stdout.decode()
    assert not done.stderr
    assert not list(tmp_path.iterdir())


def test_rows_read_back_raise_all_their_problems(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": 1}\n{"a"\n{"b": 2}\nx\n')
    with pytest.raises(DataError) as caught:
        list(read_rows(tmp_path / "a.jsonl"))
    assert [problem.where for problem in caught.value.problems] == ["a.jsonl:2", "a.jsonl:4"]


def test_variants_and_other_records_are_rows_too(tmp_path):
    write_rows(tmp_path / "a.jsonl", [Variant(item_id="x", name="repeat", text="a a")])
    assert list(read_rows(tmp_path / "a.jsonl")) == [
        {"item": "x", "variant": "repeat", "level": None, "text": "a a", "reason": None}
    ]


def test_a_packed_file_is_gzip(tmp_path):
    write_rows(tmp_path / "a.jsonl.gz", [{"a": 1}])
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b'{"a": 1}\n'
