"""Worker processes on a Ray cluster of this machine: the bytes of the local engine, also while a worker is killed."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gameproof.engine.partition import cut

pytest.importorskip(
    "ray", reason='`pip install "gameproof[ray]"`: `make e2e-ray` makes an environment for it'
)

N_ITEMS = 100_000
PATIENCE_S = 600.0
WORKER = "ray::_Actor"  # how Ray names the processes of our workers


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "gameproof", *map(str, words), "--quiet"]


def run(*words: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*words), capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def descendants(pid: int) -> Iterator[tuple[int, str]]:
    """Yield the processes that a process has started, and those that they have, with their names."""
    parents: dict[int, tuple[int, str]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                name = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue  # it has ended meanwhile
            parents[int(folder.name)] = (parent, name)
    found = {pid}
    while new := {child for child, (parent, _) in parents.items() if parent in found} - found:
        found |= new
    yield from ((child, parents[child][1]) for child in found - {pid})


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of Parquet parts: 100,000 texts of words at random, some empty, one that comes twice."""
    folder = tmp_path_factory.mktemp("data") / "items"
    folder.mkdir()
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(3000)])

    def text(length: int) -> str:
        return " ".join(words[(rng.zipf(1.3, length) - 1) % len(words)]) + "."

    references = [text(28) for _ in range(N_ITEMS // 4)]
    rows = [
        {
            "id": f"i{number}",
            "task_id": f"t{number // 4}",
            "candidate": text(20 + number % 17) if number % 997 else "",
            "references": [references[number // 4]],
        }
        for number in range(N_ITEMS)
    ]
    rows.append(rows[12_345])
    for start in range(0, len(rows), 23_456):
        part = pa.Table.from_pylist(rows[start : start + 23_456])
        pq.write_table(part, folder / f"part-{start:06d}.parquet", row_group_size=5000)
    return folder


def test_a_killed_worker_changes_nothing(items: Path, tmp_path: Path):
    """The file and the summary are those of the local engine; every part is there once."""
    metrics = ("-m", "rougeL", "-m", "rouge2")
    one = run("score", items, *metrics, "-o", tmp_path / "one.jsonl", "--summary", tmp_path / "one.json")
    assert one.returncode == 0, one.stderr
    parts = tmp_path / "parts"
    out, summary = tmp_path / "many.jsonl", tmp_path / "many.json"
    words = ("score", items, *metrics, "-o", out, "--summary", summary)
    running = subprocess.Popen(
        command(*words, "--engine", "ray", "--workers", 2, "--parts", parts),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        n_parts_then, killed = kill_a_worker(running, parts, after=3)
        _, said = running.communicate(timeout=PATIENCE_S)
    finally:
        running.kill()
    assert running.returncode == 0, said
    n_parts = len(cut(N_ITEMS))
    assert 3 <= n_parts_then < n_parts - 1, "the worker was killed too late to matter"
    assert not Path("/proc", str(killed)).exists()
    assert out.read_bytes() == (tmp_path / "one.jsonl").read_bytes()
    assert summary.read_bytes() == (tmp_path / "one.json").read_bytes()
    held = [path.read_bytes() for path in sorted(parts.glob("*.jsonl"))]
    assert len(held) == n_parts
    assert b"".join(held) == out.read_bytes()
    ids = [json.loads(line)["item"] for line in out.read_bytes().splitlines()]
    assert len(ids) == 2 * N_ITEMS
    assert len(set(ids)) == N_ITEMS
    assert_finished_parts_are_skipped(words, parts, out)


def kill_a_worker(running: subprocess.Popen[str], parts: Path, *, after: int) -> tuple[int, int]:
    """Kill one of the workers when some parts are finished; return how many there were, and which process it was."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        assert running.poll() is None, running.communicate()[1]
        n_parts = len(list(parts.glob("*.jsonl")))
        workers = (
            [child for child, name in descendants(running.pid) if name.startswith(WORKER)]
            if n_parts >= after
            else []
        )
        if workers:
            os.kill(workers[0], signal.SIGKILL)
            return n_parts, workers[0]
        time.sleep(0.1)
    raise AssertionError("no worker has finished a part")


def assert_finished_parts_are_skipped(words: tuple[object, ...], parts: Path, out: Path) -> None:
    rows = out.read_bytes()
    held = {path: path.stat().st_mtime_ns for path in parts.glob("*.jsonl")}
    lost = sorted(held)[5]
    lost.unlink()
    again = run(*words, "--engine", "ray", "--workers", 2, "--parts", parts)
    assert again.returncode == 0, again.stderr
    assert out.read_bytes() == rows
    changed = [path for path in parts.glob("*.jsonl") if held[path] != path.stat().st_mtime_ns]
    assert changed == [lost]


def test_nothing_is_left_running(tmp_path: Path):
    """Also not after Ctrl-C; Ray's folder of logs goes too."""
    words = ("score", "planted", "-m", "slow_metric:slow", "--engine", "ray", "--workers", 1)
    (tmp_path / "slow_metric.py").write_text(
        "import time\ndef slow(item):\n    time.sleep(1)\n    return 1.0\n"
    )
    running = subprocess.Popen(
        command(*words),
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    started: dict[int, str] = {}
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and not any(name.startswith(WORKER) for name in started.values()):
        started.update(descendants(running.pid))
        assert running.poll() is None, running.communicate()[1]
        time.sleep(0.1)
    started.update(descendants(running.pid))
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=PATIENCE_S)
    time.sleep(1.0)
    left = {
        name
        for pid, name in started.items()
        if Path("/proc", str(pid), "exe").exists() and is_same(pid, name)
    }
    assert left == set()
    folders = {found for name in started.values() for found in re.findall(r"[^= ]*/gp-ray-\w+", name)}
    assert folders
    assert not any(Path(folder).exists() for folder in folders)


def is_same(pid: int, name: str) -> bool:
    found = Path("/proc", str(pid), "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found == name


def test_an_audit_and_its_variants_are_the_same(tmp_path: Path):
    words = ("planted", "--sample", 120)
    metrics = ("-m", "rougeL", "-m", "TV+fvar+statement+overlap", "-m", "TV+fvar+report+oracle")
    for engine in ("local", "ray"):
        how = ("--engine", engine, *(() if engine == "local" else ("--workers", 2)))
        found = run("audit", *words, *metrics, "--llm", "planted:oracle", "-o", tmp_path / engine, *how)
        assert found.returncode in {0, 3, 4}, found.stderr
        made = run("perturb", *words, "-o", tmp_path / f"{engine}.jsonl", *how)
        assert made.returncode == 0, made.stderr
    for name in ("items.jsonl", "variants.jsonl", "scores.jsonl", "contrasts.npz"):
        assert (tmp_path / "ray" / name).read_bytes() == (tmp_path / "local" / name).read_bytes(), name
    assert (tmp_path / "ray.jsonl").read_bytes() == (tmp_path / "local.jsonl").read_bytes()
    assert not (tmp_path / "ray" / "parts").exists()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "auto"])
def test_a_cluster_that_does_not_answer_is_named(address: str):
    found = run("score", "planted", "-m", "rougeL", "--engine", "ray", RAY_ADDRESS=address)
    assert found.returncode == 2
    assert f"no Ray cluster answers at {address} (RAY_ADDRESS)" in found.stderr


def test_more_workers_than_a_cluster_has_are_refused():
    """A cluster that is there already stays there: only the run's own processes end."""
    script = (
        "import ray, gameproof\n"
        "ray.init(num_cpus=2, include_dashboard=False, _node_ip_address='127.0.0.1', log_to_driver=False)\n"
        "rows = [{'candidate': f'text {n}', 'reference': 'a text'} for n in range(9)]\n"
        "one = gameproof.score(rows, [lambda item: len(item.candidate), 'rougeL'])\n"
        "many = gameproof.score(rows, [lambda item: len(item.candidate), 'rougeL'], engine='ray', workers=2)\n"
        "assert list(one.rows()) == list(many.rows())\n"
        "try:\n"
        "    gameproof.score(rows, ['rougeL'], engine='ray', workers=3)\n"
        "except gameproof.GameproofError as error:\n"
        "    print(error.message)\n"
        "assert ray.is_initialized()\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    assert "--workers 3: the Ray cluster has 2 processors" in found.stdout
