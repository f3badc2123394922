"""`--gate`: one metric alone decides the exit code; the run keeps it for `check`, `report` and its page."""

import json

import pytest
from typer.testing import CliRunner

import gameproof
from gameproof.cli.app import app

CHECKS = ("--perturbation", "null_answer", "--perturbation", "repeat_text")
AUDIT = ("audit", "planted,tasks=3", "-m", "length", "-m", "rougeL", *CHECKS, "--quiet")
# Nine tasks: nothing is shown of rougeL (exit code 4). length is gamed by repeated text (exit code 3).


def run(*args):
    return CliRunner().invoke(app, list(map(str, args)))


@pytest.fixture
def folder(tmp_path):
    assert run(*AUDIT, "--gate", "rougeL", "-o", tmp_path / "run").exit_code == 4
    return tmp_path / "run"


def read_gate(folder):
    return json.loads((folder / "result.json").read_text("utf-8"))["run"].get("gate")


def test_the_gate_is_kept_in_the_run_and_told_on_its_page(folder):
    page = (folder / "report.html").read_text("utf-8")
    assert read_gate(folder) == "rougeL"
    assert "not everything could be shown (rougeL)" in page
    assert "rougeL alone decides the exit code" in page


def test_check_and_report_speak_of_the_gate_of_the_audit(folder, tmp_path):
    checked = run("check", folder, "--quiet")
    assert checked.exit_code == 4
    assert "(rougeL)" in checked.stdout
    assert run("report", folder, "-o", tmp_path / "again.html").exit_code == 0
    assert "Exit code 4" in (tmp_path / "again.html").read_text("utf-8")


def test_check_names_another_gate_or_none(folder):
    assert run("check", folder, "--quiet", "--gate", "length").exit_code == 3
    assert read_gate(folder) == "length"
    assert run("check", folder, "--quiet", "--gate").exit_code == 3  # length decides with the others
    assert read_gate(folder) is None
    assert run("check", folder, "--quiet").exit_code == 4  # as the audit was asked


def test_a_gate_that_is_no_metric_of_the_run_is_refused_with_those_there_are(folder):
    refused = run("check", folder, "--gate", "bleu")
    assert refused.exit_code == 2
    assert "is not one of the audited metrics: length, rougeL" in " ".join(refused.stderr.split())


def test_a_gate_may_be_written_with_an_option_that_is_the_default(tmp_path):
    assert run(*AUDIT, "--gate", "rougeL,stem=false", "-o", tmp_path / "run").exit_code == 4
    assert read_gate(tmp_path / "run") == "rougeL"


def test_a_run_without_a_gate_is_read_as_one_that_all_metrics_decide(tmp_path):
    assert run(*AUDIT, "-o", tmp_path / "run").exit_code == 3
    manifest = tmp_path / "run" / "manifest.json"
    record = json.loads(manifest.read_text("utf-8"))
    del record["plan"]["gate"]  # as runs of before have it
    manifest.write_text(json.dumps(record), "utf-8")
    assert run("check", tmp_path / "run", "--quiet").exit_code == 3


def test_python_takes_a_gate_too():
    def words(item):
        return len(item.candidate.split())

    found = gameproof.audit("planted,tasks=1", [words, "rougeL"], perturbations=["repeat_text"], gate="words")
    assert found.gate == "words"


@pytest.mark.parametrize("gate", ["bleu", 5, ["rougeL"]])
def test_a_gate_edited_into_the_run_blames_the_run_and_may_be_replaced(folder, gate):
    manifest = folder / "manifest.json"
    record = json.loads(manifest.read_text("utf-8"))
    record["plan"]["gate"] = gate
    manifest.write_text(json.dumps(record), "utf-8")
    refused = run("check", folder, "--quiet")
    said = " ".join(refused.stderr.split())
    assert refused.exit_code == 2
    assert f"manifest.json is damaged: its gate is {gate!r}; allowed: length, rougeL, or null" in said
    assert run("check", folder, "--quiet", "--gate", "length").exit_code == 3


@pytest.mark.parametrize("verb", ["report", "check"])
def test_a_run_that_was_not_finished_says_how_it_is_finished(folder, verb):
    (folder / "result.json").unlink()
    manifest = folder / "manifest.json"
    record = json.loads(manifest.read_text("utf-8"))
    record["stages"] = {}  # as where the audit was killed while it scored
    manifest.write_text(json.dumps(record), "utf-8")
    refused = run(verb, folder)
    said = " ".join(refused.stderr.split())
    assert refused.exit_code == 2
    assert "holds a run that was not finished. Run the same `gameproof audit` again" in said
