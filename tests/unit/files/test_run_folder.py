"""The folder of a run: which stages are done, and who may write."""

import fcntl
import json
import subprocess
import sys

import pytest

from gameproof.errors import RunFolderError
from gameproof.files import RunFolder


def refusal(path, **options):
    with pytest.raises(RunFolderError) as caught:
        RunFolder.open(path, **options)
    return str(caught.value)


def finished(path):
    with RunFolder.open(path) as run:
        run.record_plan({"seed": 7})
        run.file("variants.jsonl").write_text("{}\n")
        run.finish_stage("perturb", "inputs-1", ["variants.jsonl"])
    return path


def test_a_new_folder_is_made_with_a_manifest(tmp_path):
    with RunFolder.open(tmp_path / "deep" / "run") as run:
        assert run.plan == {}
    content = json.loads((tmp_path / "deep" / "run" / "manifest.json").read_text())
    assert content["schema"] == "gameproof.manifest/1"
    assert {"gameproof", "python", "numpy"} <= set(content["versions"])


def test_a_finished_stage_is_current_in_a_later_process(tmp_path):
    with RunFolder.open(finished(tmp_path)) as run:
        assert run.plan == {"seed": 7}
        assert run.stage_is_current("perturb", "inputs-1")


def test_a_stage_is_not_current_for_other_inputs(tmp_path):
    with RunFolder.open(finished(tmp_path)) as run:
        assert not run.stage_is_current("perturb", "inputs-2")


def test_a_stage_that_never_ran_is_not_current(tmp_path):
    with RunFolder.open(tmp_path) as run:
        assert not run.stage_is_current("score", "inputs-1")


@pytest.mark.parametrize("damage", ["change", "remove"])
def test_a_stage_whose_file_was_touched_is_not_current(tmp_path, damage):
    with RunFolder.open(finished(tmp_path)) as run:
        file = run.file("variants.jsonl")
        file.write_text("{}\nmore\n") if damage == "change" else file.unlink()
        assert not run.stage_is_current("perturb", "inputs-1")


def test_a_stage_cannot_be_finished_without_its_files(tmp_path):
    with RunFolder.open(tmp_path) as run, pytest.raises(RunFolderError, match="has not written"):
        run.finish_stage("score", "inputs-1", ["scores.jsonl"])


@pytest.mark.parametrize("name", ["../outside", "/etc/passwd", ""])
def test_names_of_files_stay_inside_the_folder(tmp_path, name):
    with RunFolder.open(tmp_path) as run, pytest.raises(RunFolderError, match="no name of a file"):
        run.file(name)


def test_a_second_holder_is_refused_and_told_who_the_first_is(tmp_path):
    with RunFolder.open(tmp_path):
        assert "is in use by process" in refusal(tmp_path)
    RunFolder.open(tmp_path).close()


def test_another_process_is_refused(tmp_path):
    code = f"from gameproof.files import RunFolder\nRunFolder.open({str(tmp_path)!r})"
    with RunFolder.open(tmp_path):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=120)
    assert "RunFolderError" in done.stderr.decode()
    assert "Wait until it ends" in done.stderr.decode()


def test_a_process_that_died_does_not_keep_the_lock(tmp_path):
    code = f"import os\nfrom gameproof.files import RunFolder\nRunFolder.open({str(tmp_path)!r})\nos._exit(9)"
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=False, timeout=120)
    RunFolder.open(tmp_path).close()


def test_a_lock_that_its_holder_removed_meanwhile_is_taken_anew(tmp_path, monkeypatch):
    lock = fcntl.flock
    removed = []

    def lock_late(file, operation):
        if not removed:
            removed.append((tmp_path / ".lock").unlink())  # between opening the file and locking it
        lock(file, operation)

    monkeypatch.setattr(fcntl, "flock", lock_late)
    with RunFolder.open(tmp_path), pytest.raises(RunFolderError, match="is in use by process"):
        RunFolder.open(tmp_path)


def test_what_a_killed_process_left_of_a_file_is_removed(tmp_path):
    (tmp_path / ".scores.jsonl.0a1b2c3d.part").write_text("half")
    finished(tmp_path)
    names = {child.name for child in tmp_path.iterdir()}
    assert names == {".lock", "manifest.json", "variants.jsonl"}


def test_looking_only_needs_no_lock_and_cannot_write(tmp_path):
    finished(tmp_path)
    with RunFolder.open(tmp_path), RunFolder.open(tmp_path, read_only=True) as run:
        assert run.stage_is_current("perturb", "inputs-1")
        with pytest.raises(RunFolderError, match="for reading only"):
            run.record_plan({})


def test_a_folder_with_strange_files_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    assert "holds files that no run has made (thesis.tex)" in refusal(tmp_path)
    assert not (tmp_path / "manifest.json").exists()


def test_a_folder_that_is_not_there_is_refused_unless_it_may_be_made(tmp_path):
    assert "does not exist (no manifest.json)" in refusal(tmp_path / "run", create=False)
    assert "has no run (no manifest.json)" in refusal(tmp_path, read_only=True)


def test_a_file_is_refused(tmp_path):
    (tmp_path / "run").write_text("x")
    assert "is a file; a run is kept in a folder" in refusal(tmp_path / "run")
    assert "a part of the path is a file" in refusal(tmp_path / "run" / "deeper")


def test_a_folder_that_cannot_be_written_is_an_error_for_the_user():
    # /proc refuses new folders to everybody, root included.
    assert "cannot write /proc/gameproof-run" in refusal("/proc/gameproof-run")


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"schema": "gameproof.manifest/1"}'],
)
def test_a_damaged_manifest_is_named(tmp_path, content):
    (tmp_path / "manifest.json").write_text(content)
    assert "manifest.json is damaged" in refusal(tmp_path)


def test_an_incomplete_stage_is_damage(tmp_path):
    content = {
        "schema": "gameproof.manifest/1",
        "plan": {},
        "versions": {},
        "stages": {"score": {"files": {}}},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(content))
    assert "its stage 'score' is incomplete" in refusal(tmp_path)


def test_a_manifest_of_a_newer_version_is_named(tmp_path):
    (tmp_path / "manifest.json").write_text('{"schema": "gameproof.manifest/2"}')
    assert "has the schema 'gameproof.manifest/2'" in refusal(tmp_path)
