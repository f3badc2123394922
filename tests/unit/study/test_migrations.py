"""A database of an older version opens as if it were new (case 71)."""

import shutil
import sqlite3
from pathlib import Path

import pytest

from gameproof.study.desk import Desk
from gameproof.study.migrations import HEAD
from gameproof.study.opening import stored_study
from gameproof.study.store import open_store

OLD = Path(__file__).resolve().parents[2] / "data" / "study" / "version_1.db"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return Path(shutil.copy(OLD, tmp_path / "old.db"))


def test_case_71_an_old_file_is_migrated_and_its_reader_goes_on(old: Path) -> None:
    assert _version(old) == "0001"
    store = open_store(old)
    assert _version(old) == HEAD
    assert [(each.id, each.number) for each in store.participants()] == [("reader-b", 0), ("reader-a", 1)]
    desk = Desk(study=stored_study(store), store=store)
    page = desk.page("reader-b")
    assert (page.kind, page.step) == ("compare", "chosen:1:2")
    assert desk.answer("reader-b", page.step, {"choice": "right"})
    final = desk.page("reader-b").comparison
    assert final is not None
    # The schedule of the file: the final has the winner of match 2 (position 3) left, that of match 1 (1) right.
    assert (final.left, final.right) == ("It rained [1]. (3)", "It rained [1]. (1)")
    assert store.number_of(store.enrol().id) == 2
    store.close()


def test_nothing_of_an_old_file_is_lost(old: Path) -> None:
    before = _rows(old)
    open_store(old).close()
    open_store(old).close()  # a second opening changes nothing
    assert _rows(old) == before
    assert len(before) == 10


def _rows(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(
            "SELECT participant, key, kind, query, data, at FROM events ORDER BY number"
        ).fetchall()
    finally:
        connection.close()


def _version(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("SELECT version_num FROM alembic_version").fetchone()[0]
    finally:
        connection.close()
