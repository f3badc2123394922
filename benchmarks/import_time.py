"""Wall time of ``import gameproof`` as a ratio to ``import numpy``, each in a fresh interpreter.

python -m benchmarks.import_time
"""

import json
import statistics
import subprocess
import sys
import time

REPEATS = 15


def seconds(statement: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - started


def main() -> None:
    # Alternate, so that a slow moment of the machine falls on both.
    pairs = [(seconds("import gameproof"), seconds("import numpy")) for _ in range(REPEATS)]
    ours, numpy = (statistics.median(column) for column in zip(*pairs, strict=True))
    print(
        json.dumps(
            {
                "benchmark": "import_time",
                "gameproof_ms": round(1000 * ours),
                "numpy_ms": round(1000 * numpy),
                "ratio": round(ours / numpy, 2),
            }
        )
    )


if __name__ == "__main__":
    main()
