"""Parquet files that are read in runs, and folders of them."""

import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gameproof.errors import DataError, InputError
from gameproof.files import open_items
from gameproof.records import Item

ROWS = [
    {
        "id": f"i{number}",
        "task_id": f"t{number // 3}",
        "candidate": f"text {number}",
        "references": ["it rained"],
    }
    for number in range(23)
]
REPEATED = [*ROWS[:5], ROWS[0], *ROWS[5:20], ROWS[3], ROWS[7], *ROWS[20:], ROWS[22]]


def write(path: Path, rows, *, group: int = 4) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=group)
    return path


@pytest.fixture(params=["one file", "a folder"])
def data(request, tmp_path: Path) -> Path:
    """Return rows with repeats among them as one file of several row groups, or as several files."""
    if request.param == "one file":
        return write(tmp_path / "items.parquet", REPEATED)
    for number, start in enumerate(range(0, len(REPEATED), 7)):
        write(tmp_path / "items" / f"part-{number}.parquet", REPEATED[start : start + 7])
    (tmp_path / "items" / "_SUCCESS").touch()
    return tmp_path / "items"


def ids(items) -> list[str]:
    return [item.id for item in items]


def test_a_folder_is_read_as_one_table_in_the_order_of_names(data: Path):
    with open_items(data) as stream:
        assert ids(stream) == [row["id"] for row in ROWS]
        assert stream.n_duplicates == 4


@pytest.mark.parametrize(("start", "stop"), [(0, 23), (0, 1), (4, 9), (19, 23), (22, 23), (6, 6)])
def test_a_run_of_items_is_what_the_whole_has_there(data: Path, start: int, stop: int):
    with open_items(data) as stream:
        runs = stream.runs()
        whole = list(stream)
    assert runs is not None
    sent = pickle.loads(pickle.dumps(runs))  # noqa: S301 - written in the line itself
    assert list(sent.between(start, stop)) == whole[start:stop]


def test_single_items_are_found_by_their_numbers(data: Path):
    with open_items(data) as stream:
        runs = stream.runs()
        whole: list[Item] = list(stream)
    assert runs is not None
    numbers = [0, 4, 5, 6, 13, 22]
    assert list(runs.at(numbers)) == [whole[number] for number in numbers]
    assert list(runs.at([])) == []


def test_other_formats_have_no_runs():
    with open_items([{"candidate": "a"}]) as stream:
        assert stream.runs() is None


def test_a_bad_row_is_named_by_its_file_and_its_place_there(tmp_path: Path):
    good = [{"id": "a", "candidate": "x"}, {"id": "b", "candidate": "y"}]
    write(tmp_path / "items" / "0.parquet", good)
    write(tmp_path / "items" / "1.parquet", [{"id": "c", "candidate": "z"}, {"id": "d", "candidate": None}])
    with open_items(tmp_path / "items") as stream, pytest.raises(DataError, match=r"items/1\.parquet, row 2"):
        stream.validate()


def test_a_folder_with_other_data_is_refused(tmp_path: Path):
    write(tmp_path / "items" / "0.parquet", ROWS)
    (tmp_path / "items" / "more.csv").write_text("candidate\nx\n")
    with pytest.raises(InputError, match="is a folder"):
        open_items(tmp_path / "items")
