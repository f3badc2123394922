"""Streaming: the whole data is validated before the first item, in constant memory."""

import json
import subprocess
import sys

import pytest

from gameproof.errors import DataError, InputError
from gameproof.files import load, open_items


def write(path, rows):
    with path.open("w") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    return path


def test_a_stream_yields_what_load_returns_as_often_as_asked(tmp_path):
    rows = [{"id": str(n % 7), "candidate": str(n % 7)} for n in range(20)]
    path = write(tmp_path / "a.jsonl", rows)
    data = load(path)
    with open_items(path) as stream:
        assert tuple(stream) == tuple(stream) == data.items
        assert (stream.n_items, stream.n_duplicates, stream.notes) == (7, 13, data.notes)
        assert stream.name == "a.jsonl"


def test_nothing_is_yielded_when_the_last_row_is_bad(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"candidate": "a"}, {"candidate": 3}])
    with pytest.raises(DataError):
        next(iter(open_items(path)))


def test_validate_tells_all_problems(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"candidate": 1}, {"candidate": "a"}, {"candidate": 2}])
    with pytest.raises(DataError) as caught:
        open_items(path).validate()
    assert [problem.where for problem in caught.value.problems] == ["a.jsonl:1", "a.jsonl:3"]


def test_a_file_that_changes_between_the_passes_is_noticed(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"candidate": "a"}])
    stream = open_items(path)
    stream.validate()
    write(path, [{"candidate": 5}])
    with pytest.raises(InputError, match="has changed since it was checked"):
        list(stream)


def test_limit_group_and_names_work_as_in_load(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"text": str(n), "venue": "v"} for n in range(5)])
    stream = open_items(path, rename={"candidate": "text"}, group_by="venue", limit=3)
    assert [(item.candidate, item.group) for item in stream] == [("0", "v"), ("1", "v"), ("2", "v")]


def test_problems_of_a_file_that_is_bad_throughout_are_counted_but_not_all_kept(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"candidate": n} for n in range(10_500)])
    with pytest.raises(DataError, match="10,500 problems") as caught:
        open_items(path).validate()
    assert len(caught.value.problems) == 10_000


# On Linux the largest size of the process itself: `ru_maxrss` there includes that of the parent.
PEAK = """
import pathlib, re, resource, sys
from gameproof.files import open_items
stream = open_items(sys.argv[1])
assert sum(1 for _ in stream) == int(sys.argv[2])
status = pathlib.Path("/proc/self/status")
if status.exists():
    print(int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]) * 1024)
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_bytes(path, n_rows):
    command = [sys.executable, "-c", PEAK, str(path), str(n_rows)]
    return int(subprocess.run(command, capture_output=True, check=True, timeout=120).stdout)


def test_memory_grows_by_less_than_a_hundred_bytes_a_row(tmp_path):
    # 24 bytes a row are hashes; sorting them needs as much again for a moment. A row itself has 1,000 bytes.
    text = "x" * 1000
    sizes = (1_000, 30_000)
    peaks = []
    for size in sizes:
        rows = ({"id": str(n), "candidate": text} for n in range(size))
        peaks.append(peak_bytes(write(tmp_path / f"{size}.jsonl", rows), size))
    assert peaks[1] - peaks[0] < 100 * (sizes[1] - sizes[0])
