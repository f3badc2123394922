"""How many calls a sweep makes, counted where finished calls are kept."""

import asyncio
import sqlite3

import pytest

from gameproof import aio
from gameproof.datasets.catalogue import load_dataset
from gameproof.llm.providers.planted import PlantedOracle
from gameproof.metrics.catalogue import build_metrics

DATA = "planted,tasks=9"
EXPENSIVE = ("KL+fvar+statement+oracle", "KL+fvar+report+oracle")


def calls_in(store):
    with sqlite3.connect(store) as connection:
        return connection.execute("SELECT count(*) FROM calls").fetchone()[0]


def count(tmp_path, verb, *args, **options):
    store = tmp_path / "calls.sqlite"
    store.unlink(missing_ok=True)
    asyncio.run(verb(DATA, *args, llm=PlantedOracle(), cache=store, **options))
    return calls_in(store)


def test_all_oracle_cells_take_no_more_calls_than_the_two_most_expensive(tmp_path):
    swept = count(tmp_path, aio.sweep, "oracle")
    alone = [count(tmp_path, aio.score, cell) for cell in EXPENSIVE]
    assert swept <= sum(alone)
    assert count(tmp_path, aio.score, list(EXPENSIVE)) == swept


def test_a_pair_is_asked_about_once_for_each_kind_of_question(tmp_path):
    items = load_dataset(DATA).items
    references = {reference for item in items for reference in item.references}

    async def met():
        # candidates x references met: own ones and those of four other tasks
        (metric,) = build_metrics(["KL+fvar+report+oracle"], llm=PlantedOracle())
        prepared = (await metric.prepare(items)).prepared
        pairs = {
            (item.candidate, prepared.pool.units[unit])
            for item in items
            for unit in prepared.plan(item).units.tolist()
        }
        return len(pairs)

    n_pairs = asyncio.run(met())
    # One decomposition for each reference; bins of reports and of statements, the latter a reference at a time.
    assert count(tmp_path, aio.sweep, "oracle") == len(references) + 2 * n_pairs
    # yes or no of both representations as well
    assert count(tmp_path, aio.sweep, "oracle", critics=["binary"]) == len(references) + 4 * n_pairs


@pytest.mark.parametrize("critics", [(), ("binary",)])
def test_a_dry_run_counts_the_calls_that_are_made(tmp_path, critics):
    planned = asyncio.run(aio.plan_sweep(DATA, "oracle", critics=critics, llm=PlantedOracle()))
    assert planned.calls == count(tmp_path, aio.sweep, "oracle", critics=critics)


def test_a_dry_run_counts_apart_what_the_store_has(tmp_path):
    data, store = "planted,tasks=2", tmp_path / "calls.sqlite"
    asyncio.run(aio.score(data, "KL+fvar+report+oracle", llm=PlantedOracle(), cache=store))

    def plan(cache):
        return asyncio.run(aio.plan_sweep(data, "oracle", llm=PlantedOracle(), cache=cache))

    fresh, known = plan("off"), plan(store)
    assert known.stored == calls_in(store) > 0
    assert known.calls + known.stored == fresh.calls
    assert (fresh.stored, plan(tmp_path / "none.sqlite").stored) == (0, 0)
    assert not (tmp_path / "none.sqlite").exists()
