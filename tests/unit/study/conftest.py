"""Databases for the tests of the study."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.folders import folder_in_memory
from tests.support.postgres import Cluster, running_cluster, why_not

from gameproof.study.store import Store, open_store

COUNT = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return where a new, empty database is to be: each kind in turn."""
    if request.param == "sqlite":
        return str(tmp_path / "study.db")
    cluster: Cluster = request.getfixturevalue("postgres")
    return cluster.new_database(f"study_{os.getpid()}_{next(COUNT)}")


@pytest.fixture
def opened(address: str) -> Iterator[Callable[[], Store]]:
    """Return a function that opens the database once more; all are closed at the end."""
    stores: list[Store] = []

    def open_once_more() -> Store:
        stores.append(open_store(address))
        return stores[-1]

    yield open_once_more
    for store in stores:
        store.close()


@pytest.fixture
def store(opened: Callable[[], Store]) -> Store:
    return opened()


@pytest.fixture
def sqlite() -> Iterator[Store]:
    """Return a store in memory, for tests of what lies above it."""
    with folder_in_memory() as folder:
        store = open_store(folder / "study.db")
        yield store
        store.close()
