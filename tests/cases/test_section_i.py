"""Public cases, section I: where users are: event loops, no network, other packages, shared run folders.

Jupyter, uvloop and pytest-asyncio themselves, and an environment with other packages, are in
tests/e2e/test_where_users_are.py.
"""

import ast
import asyncio
import importlib.util
import json
import subprocess
import sys
import threading
import tomllib
import zipfile
from pathlib import Path

import pytest
from tests.support.stub_server import StubServer, reply_with

import gameproof
from gameproof import aio
from gameproof.datasets.catalogue import load_dataset

ROOT = Path(__file__).resolve().parents[2]
ROWS = [{"task_id": f"t{n}", "candidate": f"Rain {n} fell.", "references": [f"Rain {n}."]} for n in range(4)]


def scores():
    return gameproof.score(ROWS, "rougeL").scores[0].values.tolist()


def test_case_59_the_synchronous_verbs_work_inside_a_running_loop():
    expected = scores()

    async def cell():
        return scores()

    assert asyncio.run(cell()) == expected


def test_case_59_the_loop_that_is_running_stays_as_it_is():
    async def cell():
        before = asyncio.get_running_loop()
        scores()
        beside = await aio.score(ROWS, "rougeL")
        return before is asyncio.get_running_loop(), beside.scores[0].values.tolist()

    assert asyncio.run(cell()) == (True, scores())


def test_case_59_many_threads_and_loops_at_once_get_the_same_scores():
    expected, found = scores(), []

    def work():
        async def cell():
            return scores()

        found.append(asyncio.run(cell()))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 6


def test_case_59_no_loop_is_patched_anywhere():
    assert importlib.util.find_spec("nest_asyncio") is None
    for path in (ROOT / "src").rglob("*.py"):
        assert "nest_asyncio" not in path.read_text("utf-8"), path


# Runs the command line with a watch on the interpreter: every address that anything connects to or looks up.
WATCHED = """
import json, sys
seen = []
def watch(event, args):
    if event == "socket.connect":
        seen.append(str(args[1]))
    elif event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "urllib.Request"}:
        seen.append(event + " " + str(args[-1] if event == "socket.sendto" else args[0]))
sys.addaudithook(watch)
from gameproof.cli.app import main
try:
    main()
except SystemExit as end:
    code = end.code or 0
else:
    code = 0
sys.stderr.write("\\nSEEN " + json.dumps([code, seen]))
"""


def watched(*command: str, cwd: Path) -> tuple[int, list[str]]:
    """Return the exit code, and all addresses that the process has asked for."""
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert "SEEN " in done.stderr, done.stderr
    code, seen = json.loads(done.stderr.rpartition("SEEN ")[2])
    return code, seen


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path.name


def test_case_61_and_62_nothing_is_fetched_and_nobody_is_told(tmp_path, data):
    for command in (
        ["score", data, "-m", "rougeL", "-m", "bleu", "-m", "chrf", "-o", "scores.jsonl"],
        ["audit", data, "-m", "rougeL", "-o", "run"],
        ["list", "metrics"],
        ["report", "run"],
    ):
        code, seen = watched(*command, cwd=tmp_path)
        assert code in {0, 3, 4}
        assert seen == []


def test_case_62_only_the_judges_own_address_is_ever_asked_for(tmp_path, data):
    with StubServer(lambda _: reply_with('{"reason": "as it is", "score": 3}')) as stub:
        llm = ["--llm", f"stub@{stub.url}", "--cache", "calls.sqlite"]
        code, seen = watched("score", data, "-m", "judge", *llm, "-o", "scores.jsonl", cwd=tmp_path)
        address = f"('127.0.0.1', {stub.port})"
        assert len(stub.calls) == len(ROWS)
    assert code == 0
    assert set(seen) == {address}


def test_case_62_the_watch_sees_what_it_is_there_for(tmp_path):
    code = "import socket; s = socket.socket(); s.settimeout(1)\ntry: s.connect(('127.0.0.1', 9))\nexcept OSError: pass\n"
    path = tmp_path / "talks.py"
    path.write_text(code + "def score(item): return 1.0\n")
    (tmp_path / "items.jsonl").write_text(json.dumps(ROWS[0]) + "\n")
    _, seen = watched("score", "items.jsonl", "-m", "talks:score", "-o", "scores.jsonl", cwd=tmp_path)
    assert seen == ["('127.0.0.1', 9)"]


def test_case_63_there_are_fewer_than_ten_direct_dependencies_and_none_is_pinned_from_above():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert len(project["dependencies"]) < 10
    assert not any("<" in line or "==" in line for line in project["dependencies"])


def test_case_65_no_dependency_nor_extra_nor_pinned_package_is_litellm():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = [
        *project["dependencies"],
        *(line for lines in project["optional-dependencies"].values() for line in lines),
    ]
    assert not any("litellm" in line for line in named)
    assert "litellm" not in (ROOT / "constraints.txt").read_text("utf-8")


def test_case_64_scoring_with_the_core_loads_no_torch():
    heavy = ["torch", "transformers", "tensorflow", "spacy", "nltk", "litellm", "pandas"]
    code = (
        "import sys, gameproof\n"
        f"gameproof.score({ROWS!r}, ['rougeL', 'bleu', 'TV+fvar+statement+overlap'])\n"
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# Metrics go from one process of a run to another in memory; no file and no reply is read there.
BETWEEN_PROCESSES = "engine/shipping.py"


def test_case_66_nothing_in_the_package_reads_pickles():
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if path.relative_to(ROOT / "src" / "gameproof").as_posix() == BETWEEN_PROCESSES:
                names = [name for name in names if name != "pickle"]
            assert not {"pickle", "shelve", "dill", "cloudpickle", "joblib", "diskcache", "marshal"} & {
                name.partition(".")[0] for name in names
            }, path
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "load"
            ):
                allowed = [key.value for key in node.keywords if key.arg == "allow_pickle"]
                assert all(isinstance(value, ast.Constant) and value.value is False for value in allowed), (
                    path
                )


def test_case_66_a_run_folder_holds_texts_and_plain_arrays(tmp_path):
    dataset = load_dataset("planted,tasks=2")
    metrics = ["rougeL", "TV+fvar+statement+overlap"]
    gameproof.audit(dataset, metrics, out=tmp_path / "run", perturbations=["sentence_deletion"])
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert {".jsonl", ".json", ".npz", ".html"} <= {path.suffix for path in files}
    for path in files:
        if path.suffix == ".npz":
            with zipfile.ZipFile(path) as arrays:
                for name in arrays.namelist():
                    assert b"|O" not in arrays.read(name)[:128]  # no column of pickled objects
        else:
            path.read_bytes().decode("utf-8")
