"""Readers at once, a server that is killed, and a database that must hold every click once."""

import asyncio

import pytest
from tests.support.postgres import running_cluster, why_not
from tests.support.study_load import check_load, run_load


@pytest.fixture(scope="module")
def postgres():
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with running_cluster() as cluster:
        yield cluster


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_accepted_click_is_recorded_once_whatever_is_killed(kind, tmp_path, request):
    database = (
        str(tmp_path / "study.db")
        if kind == "sqlite"
        else request.getfixturevalue("postgres").new_database("load")
    )
    work = run_load(database, n_readers=6, n_queries=2, n_kills=3)
    load = asyncio.run(work)
    assert load.n_kills == 3
    assert check_load(load, database, n_queries=2) >= 6 * 2 * 2
