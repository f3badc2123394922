"""The three ways of asking an oracle about statements, on real texts and a small real model: calls, and agreement.

    python -m benchmarks.batch_modes --server-python ENV/bin/python

ENV as in ``benchmarks/rewrites.py``. Each way scores the same summaries with the same negatives; what differs is
which statements stand together in a question. SmolLM2-135M is near chance as an oracle, and its verdicts depend
on what stands beside a statement: that the modes agree exactly where a model reads each statement for itself is
tested with the planted oracle.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.rewrites import DATA, ROOT, serve

MODES = ("reference", "statement", "candidate")
SLOT_TOKENS = 2048  # of context: all statements of a candidate stand in one question
CELL = "TV+fvar+statement+oracle,neg=2,refs=first,decompose=rules.v1"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--tasks", type=int, default=6)
    parser.add_argument("--per-task", type=int, default=2)
    parser.add_argument("--llm", help="ask this model instead of serving SmolLM2")
    parser.add_argument("--server-python", default=str(ROOT / ".venv-e2e" / "bin" / "python"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        n_items = write_items(options, folder / "items.jsonl")
        if options.llm:
            measure(options.llm, folder, n_items)
            return
        with serve(options.server_python, slot_tokens=SLOT_TOKENS) as address:
            measure(address, folder, n_items)


def measure(model, folder, n_items):
    scores = {}
    for mode in MODES:
        found, said = score(folder, mode, model)
        there = found[np.isfinite(found)]
        mean = f", mean {there.mean():+.3f}" if there.size else ""
        print(f"{mode:10} {there.size} of {n_items} scored{mean}; {said}", flush=True)
        scores[mode] = found
    for one, other in itertools.combinations(MODES, 2):
        print(f"{one} and {other}: {agreement(scores[one], scores[other])}")


def agreement(one, other):
    both = np.isfinite(one) & np.isfinite(other)
    first, second = one[both], other[both]
    if not first.size:
        return "no text has both scores"
    distance = np.abs(first - second)
    varies = first.size > 2 and first.std() > 0 and second.std() > 0
    r = f"r = {np.corrcoef(first, second)[0, 1]:.2f}" if varies else "r undefined"
    return f"{r}, mean distance {distance.mean():.3f}, equal for {(distance < 1e-9).sum()} of {first.size}"


def score(folder, mode, model):
    words = f"score items.jsonl -m {CELL},batch={mode} --llm {model} --cache {mode}.sqlite --max-concurrency 1 --json"
    done = subprocess.run(
        [sys.executable, "-m", "gameproof", *words.split()],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    said = next((line.strip() for line in done.stderr.splitlines() if "new calls" in line), "")
    return np.array([np.nan if row["score"] is None else row["score"] for row in rows], dtype=float), said


def write_items(options, path):
    rows, seen = [], {}
    with options.data.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            n_seen = seen.get(row["task_id"], 0)
            if n_seen < options.per_task and (n_seen or len(seen) < options.tasks):
                seen[row["task_id"]] = n_seen + 1
                rows.append(row | {"group": "all"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return len(rows)


if __name__ == "__main__":
    main()
