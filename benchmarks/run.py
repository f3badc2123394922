"""Run every benchmark, one after another: ``make bench``."""

import subprocess
import sys

BENCHMARKS = (
    "import_time",
    "alpha_bootstrap",
    "client",
    "statement_calls",
    "rewards",
    "lexical_audit",
    "stream",
)


def main() -> None:
    for name in BENCHMARKS:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=True)


if __name__ == "__main__":
    main()
