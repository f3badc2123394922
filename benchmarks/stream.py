"""Memory and time of `gameproof score -m rougeL` as the file grows.

    python -m benchmarks.stream [--rows 10000 100000 1000000]

Prints for each size the wall and processor seconds, the processor's microseconds a row, and the peak memory.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORDS = 4_000  # size of the made-up vocabulary
SEED = 7


def write_rows(path: Path, count: int) -> None:
    rng = random.Random(SEED)  # noqa: S311 - made-up text, not cryptography
    vocabulary = ["".join(rng.choices("aeioubdfgklmnprstvz", k=rng.randint(2, 9))) for _ in range(WORDS)]
    with path.open("w", encoding="utf-8") as file:
        for row in range(count):
            texts = [" ".join(rng.choices(vocabulary, k=60)) + "." for _ in range(2)]
            record = {"task_id": f"t{row}", "system": "s", "candidate": texts[0], "references": [texts[1]]}
            file.write(json.dumps(record) + "\n")


def measure(path: Path, out: Path) -> dict[str, float]:
    started = time.perf_counter()
    command = [
        sys.executable,
        "-m",
        "gameproof",
        "score",
        str(path),
        "-m",
        "rougeL",
        "-o",
        str(out),
        "--quiet",
    ]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"score ended with status {status}")
    return {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_mb": usage.ru_maxrss / 1024,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for count in options.rows:
            path = Path(folder) / "items.jsonl"
            write_rows(path, count)
            found = measure(path, Path(folder) / "scores.jsonl")
            print(
                json.dumps(
                    {
                        "benchmark": "stream",
                        "rows": count,
                        "seconds": round(found["seconds"], 1),
                        "cpu_seconds": round(found["cpu_seconds"], 1),
                        "cpu_us_per_row": round(1e6 * found["cpu_seconds"] / count, 1),
                        "peak_mb": round(found["peak_mb"]),
                    }
                ),
                flush=True,
            )


if __name__ == "__main__":
    main()
