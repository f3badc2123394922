"""The wheel as a user has it: built, installed into an empty environment, used from another folder."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTS = (  # what is no code
    "py.typed",
    "prompts/judge/",
    "reports/templates/",
    "web/templates/",
    "web/static/",
    "study/texts/",
    "study/migrations/versions/",
    "datasets/published/p1_table06",
    "integrations/for_evaluate/",
)


def run(command: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    return subprocess.run(
        command, cwd=cwd, capture_output=True, text=True, check=False, env={**clean, **environment}
    )


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of commands of an environment that has only the wheel and what it depends on."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    built = run([*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)], folder)
    assert built.returncode == 0, built.stderr
    assert run([sys.executable, "-m", "venv", str(folder / "env")], folder).returncode == 0
    commands = folder / "env" / "bin"
    wheel = next(folder.glob("gameproof-*.whl"))
    constraints = str(ROOT / "constraints.txt")
    done = run(
        [str(commands / "python"), *pip[1:], "install", "--constraint", constraints, str(wheel)], folder
    )
    assert done.returncode == 0, done.stderr
    return commands


def test_demo_ends_in_a_verdict_and_a_report(installed: Path, tmp_path: Path) -> None:
    done = run([str(installed / "gameproof"), "demo", "-o", str(tmp_path / "run")], tmp_path, COLUMNS="120")
    assert done.returncode == 0, done.stderr
    assert "length" in done.stdout
    assert (tmp_path / "run" / "report.html").is_file()
    result = json.loads((tmp_path / "run" / "result.json").read_text("utf-8"))
    length = next(metric for metric in result["metrics"] if metric["metric"] == "length")
    filler = next(check for check in length["checks"] if check["check"] == "meaningless_elongation")
    assert (filler["verdict"], filler["state"]) == ("fail", "deterministic")
    assert length["card"]["trusted"] == "no"


def test_a_metric_scores_without_any_network(installed: Path, tmp_path: Path) -> None:
    """Public case 61: nothing is fetched at run time."""
    rows = [{"task_id": "a", "candidate": "The cat sat.", "references": ["The cat sat down."]}]
    (tmp_path / "items.jsonl").write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    done = run(
        [str(installed / "gameproof"), "score", "items.jsonl", "-m", "rougeL", "--json"],
        tmp_path,
        https_proxy="http://127.0.0.1:9",
        http_proxy="http://127.0.0.1:9",
    )
    assert done.returncode == 0, done.stderr
    # By hand: 3 of 3 candidate words and 3 of 4 reference words in order, F1 = 2 * 1 * .75 / 1.75.
    assert json.loads(done.stdout.splitlines()[0])["score"] == pytest.approx(6 / 7)


def test_a_users_mistake_is_one_clear_error(installed: Path, tmp_path: Path) -> None:
    done = run([str(installed / "gameproof"), "score", "missing.jsonl", "-m", "rougeL"], tmp_path)
    assert done.returncode == 2
    assert "missing.jsonl" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_wheel_has_all_that_is_no_code_and_the_wheel_of_the_source_archive_is_the_same(
    tmp_path: Path,
) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    assert run([sys.executable, "-m", "venv", str(tmp_path / "env")], tmp_path).returncode == 0
    python = str(tmp_path / "env" / "bin" / "python")
    assert run([python, *pip[1:], "install", "hatchling"], tmp_path).returncode == 0
    done = run([python, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)], ROOT)
    assert done.returncode == 0, done.stderr
    archive = next(tmp_path.glob("gameproof-*.tar.gz"))
    for folder, source in (("tree", ROOT), ("archive", archive)):
        built = run(
            [*pip, "wheel", "--no-deps", "--wheel-dir", str(tmp_path / folder), str(source)], tmp_path
        )
        assert built.returncode == 0, built.stderr
    tree, again = (_contents(tmp_path / folder) for folder in ("tree", "archive"))
    assert again == tree
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src" / "gameproof").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sources <= set(tree)
    for part in PARTS:
        assert any(name.startswith(f"gameproof/{part}") for name in tree), part
    assert any(name.endswith("licenses/LICENSE") for name in tree)


def _contents(folder: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}
