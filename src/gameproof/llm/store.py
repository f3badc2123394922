"""The durable store of model calls: one SQLite file that many processes may share."""

import json
import os
import sqlite3
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Protocol, cast

from gameproof.errors import StoreError
from gameproof.files.home import from_home
from gameproof.json_text import parse_json

__all__ = ["CallStore", "KeepsCalls", "StoredCall", "default_path", "read_exported"]

VERSION = 1
BUSY_S = 30.0
FILE_NAME = "calls.sqlite"
TABLE = """
CREATE TABLE IF NOT EXISTS calls (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    purpose TEXT NOT NULL,
    request TEXT NOT NULL,
    reply TEXT NOT NULL,
    tokens_in INTEGER NOT NULL,
    tokens_out INTEGER NOT NULL,
    created REAL NOT NULL
) WITHOUT ROWID
"""
COLUMNS = "key, model, purpose, request, reply, tokens_in, tokens_out, created"
INSERT = f"INSERT OR IGNORE INTO calls ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - constant text
FIELDS = tuple(COLUMNS.split(", "))
_in_columns = attrgetter(*FIELDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """One finished call: the question and its answer, both as JSON text."""

    key: str
    model: str
    purpose: str
    request: str
    reply: str
    tokens_in: int
    tokens_out: int
    created: float

    def to_record(self) -> dict[str, object]:
        """Return the call as one line of an export.

        Raises:
            StoreError: Question or answer is no JSON.
        """
        record: dict[str, object] = {name: getattr(self, name) for name in FIELDS}
        try:
            return {**record, "request": parse_json(self.request), "reply": parse_json(self.reply)}
        except (ValueError, TypeError) as error:
            raise StoreError(f"the store holds something that is no call: {error}.") from error


class KeepsCalls(Protocol):
    """What finished calls are looked up in and written to."""

    def get(self, key: str) -> str | None:
        """Return the reply to a question, as JSON text."""
        ...

    def put(self, call: StoredCall) -> str:
        """Keep a call; return the reply that is kept now."""
        ...

    def close(self) -> None:
        """Close the file."""
        ...


class CallStore:
    """Keeps finished calls. Each is committed before anyone reads it; what is there is never replaced."""

    def __init__(self, path: str | Path) -> None:
        """Open the file, and make it if it is not there.

        Raises:
            StoreError: It is not a store, comes from a newer version, or cannot be written.
        """
        self.path = Path(path)
        with self._errors():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Autocommit: every insert is a transaction of its own. Threads take turns in SQLite itself.
            self._file = sqlite3.connect(
                self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False
            )
        try:
            self._prepare()
        except BaseException:
            self._file.close()
            raise

    def get(self, key: str) -> str | None:
        """Return the reply to a question, as JSON text."""
        try:
            row = self._file.execute("SELECT reply FROM calls WHERE key = ?", (key,)).fetchone()
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise self._unusable(error) from error
        return None if row is None else str(row[0])

    def put(self, call: StoredCall) -> str:
        """Commit a call; return the reply that the store has now: another process may have been first."""
        try:
            written = self._file.execute(INSERT, _in_columns(call)).rowcount
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise self._unusable(error) from error
        return call.reply if written else self.get(call.key) or call.reply

    def calls(self) -> Iterator[StoredCall]:
        """Go through all calls, the oldest first."""
        with self._errors():
            rows = self._file.execute(f"SELECT {COLUMNS} FROM calls ORDER BY created, key")  # noqa: S608 - constant text
            for row in rows:
                yield StoredCall(**dict(zip(FIELDS, row, strict=True)))

    def add_all(self, calls: Iterable[StoredCall]) -> int:
        """Take over calls that are not there yet, all or none; return how many were new."""
        with self._errors():
            before = self._file.total_changes
            self._file.execute("BEGIN IMMEDIATE")
            try:
                self._file.executemany(INSERT, map(_in_columns, calls))
            except BaseException:
                self._file.execute("ROLLBACK")
                raise
            self._file.execute("COMMIT")
            return self._file.total_changes - before

    def statistics(self) -> list[dict[str, object]]:
        """Count calls and tokens by model and purpose."""
        names = ("model", "purpose", "calls", "tokens_in", "tokens_out", "oldest", "newest")
        with self._errors():
            rows = self._file.execute(
                "SELECT model, purpose, COUNT(*), SUM(tokens_in), SUM(tokens_out), MIN(created), MAX(created) "
                "FROM calls GROUP BY model, purpose ORDER BY model, purpose"
            ).fetchall()
        return [dict(zip(names, row, strict=True)) for row in rows]

    def prune(self, *, older_than_days: float | None = None, model: str | None = None) -> int:
        """Delete calls that fit all that is said, and give the space back; return how many.

        Args:
            older_than_days: Only calls made before.
            model: Only calls of this model.
        """
        before = time.time() - older_than_days * 86_400 if older_than_days is not None else None
        with self._errors():
            deleted = self._file.execute(
                "DELETE FROM calls WHERE (? IS NULL OR created < ?) AND (? IS NULL OR model = ?)",
                (before, before, model, model),
            ).rowcount
            self._file.execute("VACUUM")
            self._file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return deleted

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _prepare(self) -> None:
        with self._errors():
            self._refuse_foreign()
            self._file.execute("PRAGMA journal_mode=WAL")
            # A killed process loses nothing; only a power cut may cost the last replies, never the file.
            self._file.execute("PRAGMA synchronous=NORMAL")
            (version,) = self._file.execute("PRAGMA user_version").fetchone()
            if version > VERSION:
                raise StoreError(
                    f"{self.path} was written by a newer gameproof (format {version}, this one knows {VERSION}).",
                    hint="Name another file with --cache, or update gameproof.",
                )
            self._file.execute(TABLE)
            if version != VERSION:
                self._file.execute(f"PRAGMA user_version={VERSION}")

    def _refuse_foreign(self) -> None:
        """Leave a database of something else as it is: nothing may be written to it."""
        (n_tables,) = self._file.execute("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'").fetchone()
        columns = {str(row[1]) for row in self._file.execute("PRAGMA table_info(calls)")}
        if n_tables and not columns.issuperset({"key", "request", "reply"}):
            raise StoreError(
                f"{self.path} is a database of something else: it has no table of model calls.",
                hint="--cache FILE or GAMEPROOF_CACHE names another file; it is made where there is none.",
            )

    @contextmanager
    def _errors(self) -> Generator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
            raise self._unusable(error) from error

    def _unusable(self, error: Exception) -> StoreError:
        return StoreError(
            f"the store of model calls {self.path} cannot be used: {error}.",
            hint="--cache FILE or GAMEPROOF_CACHE names another file; --cache off works without one.",
        )


def default_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return where calls are kept: ``GAMEPROOF_CACHE``, or a file in the user's cache folder."""
    known = os.environ if environment is None else environment
    if named := known.get("GAMEPROOF_CACHE"):
        return from_home(named)
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "Caches"
    else:
        folder = Path(known.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return folder / "gameproof" / FILE_NAME


def read_exported(lines: Iterable[str], where: str) -> Iterator[StoredCall]:
    """Read the lines of an export.

    Raises:
        StoreError: A line is not a call.
    """
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = cast("dict[str, object]", parse_json(line))
            yield StoredCall(
                key=str(record["key"]),
                model=str(record["model"]),
                purpose=str(record["purpose"]),
                request=json.dumps(record["request"]),
                reply=json.dumps(record["reply"]),
                tokens_in=int(str(record["tokens_in"])),
                tokens_out=int(str(record["tokens_out"])),
                created=float(str(record["created"])),
            )
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{where}:{number} is not an exported call: {type(error).__name__}: {error}.",
                hint="`gameproof cache export FILE` writes such a file.",
            ) from error
