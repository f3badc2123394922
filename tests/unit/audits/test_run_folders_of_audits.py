"""What an audit does with the folder it is given: other data in it, and runs that fail."""

import json

import pytest
from typer.testing import CliRunner

import gameproof
from gameproof.cli.app import app
from gameproof.errors import RunFolderError

CHECK = ("--perturbation", "repeat_text", "--quiet")
DEAD = ("--llm", "model@http://127.0.0.1:9/v1", "--cache", "off")  # port 9, discard: nothing answers here
ROWS = [
    {
        "task_id": f"t{n}",
        "candidate": f"Rain {n} fell on the bridge. It was closed at {n + 5}. Nobody was hurt.",
        "references": [f"The bridge was closed at {n + 5}, since rain fell."],
        "ratings": {"quality": n % 5},
    }
    for n in range(12)
]


def run(*args):
    return CliRunner().invoke(app, list(map(str, args)))


def write(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def data_of(folder):
    return json.loads((folder / "result.json").read_text("utf-8"))["run"]["data"]


@pytest.fixture
def finished(tmp_path):
    write(tmp_path / "first.jsonl", ROWS)
    assert (
        run("audit", tmp_path / "first.jsonl", "-m", "length", *CHECK, "-o", tmp_path / "run").exit_code == 3
    )
    return tmp_path / "run"


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_other_data_is_refused_and_what_lies_there_is_named(finished):
    before = files(finished)
    done = run("audit", "planted,tasks=1", "-m", "length", *CHECK, "-o", finished)
    said = " ".join(done.stderr.split())
    assert done.exit_code == 2
    assert "holds a run of first.jsonl (12 texts), and planted,tasks=1 (12 texts) is other data" in said
    assert "another folder with -o" in said
    assert "--overwrite" in said
    assert files(finished) == before


def test_other_data_replaces_the_run_where_that_is_asked_for(finished):
    done = run("audit", "planted,tasks=1", "-m", "length", *CHECK, "-o", finished, "--overwrite")
    assert done.exit_code == 3
    assert data_of(finished) == "planted,tasks=1"


@pytest.mark.parametrize("rows", [ROWS[:6], [*ROWS[:11], {**ROWS[11], "candidate": "Snow."}]])
def test_the_same_data_with_less_or_changed_texts_goes_on(finished, tmp_path, rows):
    write(tmp_path / "first.jsonl", rows)
    assert run("audit", tmp_path / "first.jsonl", "-m", "length", *CHECK, "-o", finished).exit_code in {3, 4}
    assert len((finished / "items.jsonl").read_text("utf-8").splitlines()) == len(rows)


def test_the_same_texts_under_another_name_go_on(finished, tmp_path):
    renamed = write(tmp_path / "second.jsonl", ROWS)
    assert run("audit", renamed, "-m", "length", *CHECK, "-o", finished).exit_code == 3
    assert data_of(finished) == "second.jsonl"


def test_a_few_texts_in_common_make_no_same_data(finished, tmp_path):
    others = [{**row, "task_id": f"u{n}"} for n, row in enumerate(ROWS[:8])]
    other = write(tmp_path / "second.jsonl", [*ROWS[8:], *others])
    done = run("audit", other, "-m", "length", *CHECK, "-o", finished)
    assert done.exit_code == 2
    assert "only 4 texts are the same" in " ".join(done.stderr.split())


def test_a_sweep_is_not_replaced_by_an_audit(tmp_path):
    assert run("sweep", "planted,tasks=2", "-o", tmp_path / "run").exit_code == 0
    done = run("audit", "planted,tasks=2", "-m", "length", *CHECK, "-o", tmp_path / "run")
    assert done.exit_code == 2
    assert "holds a sweep of planted,tasks=2" in " ".join(done.stderr.split())


def test_python_refuses_as_well(finished):
    with pytest.raises(RunFolderError, match="other data"):
        gameproof.audit("planted,tasks=1", ["length"], perturbations=["repeat_text"], out=finished)


@pytest.mark.parametrize("there", [True, False])
def test_an_endpoint_that_fails_at_once_leaves_nothing(tmp_path, there):
    folder = tmp_path / "run"
    if there:
        folder.mkdir()
    assert run("audit", "planted,tasks=1", "-m", "judge", *DEAD, *CHECK, "-o", folder).exit_code == 2
    assert folder.exists() == there
    assert not there or not list(folder.iterdir())


def test_a_run_that_fails_leaves_the_finished_one_as_it_was_and_says_so(finished, tmp_path):
    before = files(finished)
    command = ("audit", tmp_path / "first.jsonl", "-m", "length", "-m", "judge", *CHECK, "-o", finished)
    done = run(*command, *DEAD)
    assert done.exit_code == 2
    assert "still has the report of the run before" in " ".join(done.stderr.split())
    assert files(finished) == before
    assert run("check", finished, "--quiet").exit_code == 3


def test_statistics_are_not_done_on_scores_of_texts_that_were_replaced(finished, tmp_path):
    write(tmp_path / "first.jsonl", [*ROWS[:11], {**ROWS[11], "candidate": "Snow fell. It was cold."}])
    command = ("audit", tmp_path / "first.jsonl", "-m", "length", "-m", "judge", *CHECK, "-o", finished)
    assert "on other texts" in " ".join(run(*command, *DEAD).stderr.split())
    done = run("check", finished, "--quiet")
    assert done.exit_code == 2
    assert "was not finished" in done.stderr
