import pytest

from gameproof.cli.audit import default_folder, fill_bare_gate
from gameproof.cli.options import parse_map
from gameproof.errors import PlanError


def test_a_map_is_field_to_column():
    assert parse_map(["candidate=output", " task_id = doc id "]) == {
        "candidate": "output",
        "task_id": "doc id",
    }


def test_no_map_is_none():
    assert parse_map(None) is None
    assert parse_map([]) is None


@pytest.mark.parametrize("pair", ["candidate", "=output", "candidate=", "="])
def test_half_a_pair_is_refused(pair):
    with pytest.raises(PlanError, match="NEW=OLD"):
        parse_map([pair])


def test_a_field_with_two_columns_is_refused():
    with pytest.raises(PlanError, match="'a' and 'b'"):
        parse_map(["candidate=a", "candidate=b"])


@pytest.mark.parametrize(
    ("args", "filled"),
    [
        (["d.jsonl", "--gate"], ["d.jsonl", "--gate=all"]),
        (["--gate", "-m", "rougeL"], ["--gate=all", "-m", "rougeL"]),
        (["--gate", "-"], ["--gate=all", "-"]),
        (["--gate", "rougeL", "d.jsonl"], ["--gate", "rougeL", "d.jsonl"]),
        (["--gate=rougeL"], ["--gate=rougeL"]),
        ([], []),
    ],
)
def test_gate_may_stand_alone(args, filled):
    assert fill_bare_gate(args) == filled


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        ("-", "gameproof-runs/stdin"),
        ("planted", "gameproof-runs/planted"),
        ("planted,seed=3", "gameproof-runs/planted-seed=3"),
        ("/a/b/my data.csv.gz", "gameproof-runs/my-data"),
        ("...", "gameproof-runs/data"),
        ("../..", "gameproof-runs/data"),
    ],
)
def test_a_run_folder_is_named_after_the_data_and_stays_below_one_folder(data, folder):
    assert default_folder(data) == folder
