"""The how-to pages that start from more than a folder do what they say; `tests/docs` has the others."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from gameproof.cli.app import app
from gameproof.datasets.opening import DataOptions, open_dataset

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ENDS = {0, 3, 4}  # a verdict is no error


@pytest.fixture
def judge_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make what the page on CI starts from: rated texts, and the judge that the page shows."""
    page = (ROOT / "docs" / "howto" / "audit-in-ci.md").read_text("utf-8")
    (judge,) = [code for language, code in BLOCK.findall(page) if language == "python"]
    (tmp_path / "my_judge.py").write_text(judge, "utf-8")
    items = open_dataset("planted,tasks=7", DataOptions()).items[::2]
    rows = [
        {
            "task_id": item.task_id,
            "system": item.system,
            "candidate": item.candidate,
            "references": list(item.references),
            "ratings": dict(item.ratings),
        }
        for item in items
    ]
    lines = [json.dumps(row) for row in rows]
    (tmp_path / "rated.jsonl").write_text("\n".join(lines), "utf-8")
    monkeypatch.chdir(tmp_path)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    monkeypatch.setenv("PATH", path)
    return tmp_path


def test_the_workflow_for_ci_is_valid_and_its_commands_run(judge_folder: Path) -> None:
    page = (ROOT / "docs" / "howto" / "audit-in-ci.md").read_text("utf-8")
    workflow, step = [yaml.safe_load(code) for language, code in BLOCK.findall(page) if language == "yaml"]
    assert set(workflow) == {"name", True, "permissions", "jobs"}  # `on` is YAML 1.1's true
    steps = workflow["jobs"]["audit"]["steps"]
    assert all(("uses" in each) != ("run" in each) for each in steps)
    assert all(re.fullmatch(r"[\w./-]+@v\d+", each["uses"]) for each in steps if "uses" in each)
    summary = judge_folder / "job.md"
    environment = {**os.environ, **workflow["jobs"]["audit"]["env"], "GITHUB_STEP_SUMMARY": str(summary)}

    def run(command: str) -> int:
        done = subprocess.run(
            ["/bin/bash", "-e", "-c", command], env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode in ENDS, done.stderr
        return done.returncode

    codes = [run(each["run"]) for each in steps if each.get("run", "pip").split()[0] != "pip"]
    assert codes == [3, 0]  # the judge of the page overlooks damage
    assert "my_judge:score" in summary.read_text("utf-8")
    # Letting 4 pass does not let 3 pass; the run folder has it all already.
    assert subprocess.run(
        ["/bin/bash", "-e", "-c", step[0]["run"]], capture_output=True, check=False
    ).returncode


def test_the_other_commands_for_ci_run(judge_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(judge_folder))
    page = (ROOT / "docs" / "howto" / "audit-in-ci.md").read_text("utf-8")
    lines = [line for language, code in BLOCK.findall(page) if language == "sh" for line in code.splitlines()]
    codes = [CliRunner().invoke(app, shlex.split(line)[1:]).exit_code for line in lines]
    sys.modules.pop("my_judge", None)
    assert codes == [0, 3, 3, 0]  # dry run, two audits, no verdict has changed


def test_the_examples_for_other_tools_that_need_no_other_tool_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "howto" / "in-other-tools.md").read_text("utf-8")
    blocks = BLOCK.findall(page)
    (pool,) = [code for language, code in blocks if language == "jsonl"]
    (tmp_path / "answers.jsonl").write_text(pool.partition("\n")[2], "utf-8")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    run = [
        code
        for language, code in blocks
        if language == "python" and ("ReadyMetric" in code or "lm_eval" in code)
    ]
    for code in run:
        exec(compile(code, "in-other-tools.md", "exec"), names)  # noqa: S102 - our own page
    assert len(run) == 2
    assert names["outcome"].value is not None
    assert names["process_results"](names["rows"][0], ["The moon pulls the ocean."])["rougeL"] > 0.3
