"""Readers at once on loopback against SQLite and PostgreSQL, the server killed meanwhile: ``python -m benchmarks.study_load``.

Each reader goes through all queries of the demonstration; three of ten clicks are doubled at the same moment. Afterwards
every accepted click is looked up: once, none lost, every bracket consistent. Prints the 95th percentile of page times,
waiting for a killed server left out (a connection that breaks is no page).
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

import numpy as np
from tests.support.postgres import running_cluster, why_not
from tests.support.study_load import check_load, run_load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--queries", type=int, default=8)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--only", choices=["sqlite", "postgresql"])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.only != "postgresql":
            measure("SQLite", str(Path(folder) / "study.db"), options)
    if options.only == "sqlite":
        return
    if why_not() is not None:
        print(f"PostgreSQL: not run, {why_not()}")
        return
    with running_cluster() as cluster:
        measure("PostgreSQL", cluster.new_database("load"), options)


def measure(name: str, database: str, options: argparse.Namespace) -> None:
    began = time.monotonic()
    load = asyncio.run(
        run_load(
            database,
            n_readers=options.readers,
            n_queries=options.queries,
            n_kills=options.kills,
        )
    )
    seconds = time.monotonic() - began
    n_choices = check_load(load, database, n_queries=options.queries)
    median, p95, most = np.percentile(load.seconds, [50, 95, 100])
    print(
        f"{name}: {options.readers} readers x {options.queries} queries in {seconds:.0f} s, killed {load.n_kills} times;"
        f" {len(load.seconds)} answers ({len(load.seconds) / seconds:.0f}/s), {load.n_lost_connections} connections lost;"
        f" {len(load.accepted)} clicks accepted, {n_choices} recorded, each once, all brackets consistent;"
        f" page time median {1000 * median:.0f} ms, p95 {1000 * p95:.0f} ms, most {1000 * most:.0f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
