"""The store of a study: participants, events, links and cookies in SQL.

How the page uses it: one `Store` for the process, made by `open_store`, called from threads (every method blocks;
use ``asyncio.to_thread``). `append` may be called again and again with the same draft: the first one of a key is
kept, whoever else tries at the same moment, on whichever thread, process or machine.
"""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from gameproof.errors import StoreError
from gameproof.study.events import Draft, Event
from gameproof.study.tokens import draw_id, draw_token, hash_token

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Row

__all__ = ["WRITES", "Invited", "Participant", "Store", "plain"]

SESSION_DAYS = 30
LOCK = 7_391_401  # of PostgreSQL's advisory locks: one migration or enrolment at a time
WRITES = "gameproof_writes"  # execution option of connections that write


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody who was invited, or has come."""

    id: str
    number: int  # from 0, in the order of coming
    created_at: datetime
    n_events: int
    last_at: datetime | None  # of the last event
    invitation: str  # active, expired, revoked or none


@dataclass(frozen=True, slots=True, kw_only=True)
class Invited:
    """A new invitation. The token is known here and now only: the store keeps its hash."""

    participant: str
    token: str
    expires_at: datetime


class _GoneError(StoreError):
    """A row points at a participant who was deleted in the same moment."""


class Store:
    """A study's database. Close it at the end."""

    def __init__(self, engine: "Engine") -> None:
        """Keep the engine; `open_store` makes it."""
        import sqlalchemy  # noqa: PLC0415 - of the extra `study`

        self._sql = sqlalchemy
        self._engine = engine
        self._is_sqlite = engine.dialect.name == "sqlite"

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def migrate(self) -> None:
        """Bring the tables to the newest version."""
        from gameproof.study.migrations import migrate  # noqa: PLC0415 - loads alembic

        with self._write() as connection:
            self._lock(connection)
            migrate(connection)

    # the study itself

    def study_source(self) -> str | None:
        """Return the text of the study file that was kept last."""
        with self._read() as connection:
            return connection.execute(
                self._text("SELECT source FROM study ORDER BY id DESC LIMIT 1")
            ).scalar()

    def keep_study(self, source: str, digest: str) -> None:
        """Keep the text of the study file; earlier ones stay."""
        with self._write() as connection:
            last = connection.execute(
                self._text("SELECT digest FROM study ORDER BY id DESC LIMIT 1")
            ).scalar()
            if last != digest:
                statement = "INSERT INTO study (source, digest, created_at) VALUES (:source, :digest, :now)"
                connection.execute(self._text(statement), {"source": source, "digest": digest, "now": _now()})

    # events

    def append(self, participant: str, draft: Draft) -> bool:
        """Record an event once.

        Returns:
            Whether it is new: False where an event with its key was there before, or the participant is gone.
        """
        statement = (
            "INSERT INTO events (participant, key, kind, query, data, at)"
            " SELECT :participant, :key, :kind, :query, :data, :at"
            " WHERE EXISTS (SELECT 1 FROM participants WHERE id = :participant)"
            " ON CONFLICT (participant, key) DO NOTHING"
        )
        values = {
            "participant": participant,
            "key": draft.key,
            "kind": draft.kind,
            "query": draft.query,
            "data": json.dumps(dict(draft.data), ensure_ascii=True, allow_nan=False),
            "at": _now(),
        }
        try:
            with self._write() as connection:
                done = connection.execute(self._typed(statement), values)
                return cast("Any", done).rowcount == 1  # Any: the cursor's result is not typed as one
        except _GoneError:
            return False

    def events(self, participant: str) -> tuple[Event, ...]:
        """Return all that a participant did, in the order of recording."""
        statement = "SELECT * FROM events WHERE participant = :participant ORDER BY number"
        with self._read() as connection:
            rows = connection.execute(self._text(statement), {"participant": participant}).all()
        return tuple(_event(row) for row in rows)

    def all_events(self) -> dict[str, tuple[Event, ...]]:
        """Return the events of every participant who has any, in the order of participants' numbers."""
        statement = (
            "SELECT events.* FROM events JOIN participants ON participants.id = events.participant"
            " ORDER BY participants.number, events.number"
        )
        found: dict[str, list[Event]] = {}
        with self._read() as connection:
            for row in connection.execute(self._text(statement)):
                found.setdefault(row.participant, []).append(_event(row))
        return {participant: tuple(events) for participant, events in found.items()}

    # participants

    def enrol(self) -> Participant:
        """Add a participant."""
        added = self.enrol_up_to(None)
        assert added is not None  # noqa: S101 - without a limit there is room
        return added

    def enrol_up_to(self, most: int | None) -> Participant | None:
        """Add a participant, unless there are so many already: counted and added in one transaction.

        Whoever else comes at the same moment, on whichever thread, process or machine, waits for it.

        Args:
            most: Participants there may be; None for any number.
        """
        participant, now = draw_id(), _now()
        with self._write() as connection:
            self._lock(connection)
            there = connection.execute(self._text("SELECT COUNT(*) FROM participants")).scalar_one()
            if most is not None and there >= most:
                return None
            number = connection.execute(
                self._text("SELECT COALESCE(MAX(number), -1) + 1 FROM participants")
            ).scalar_one()
            statement = "INSERT INTO participants (id, created_at, number) VALUES (:id, :now, :number)"
            connection.execute(self._text(statement), {"id": participant, "now": now, "number": number})
        return Participant(
            id=participant,
            number=number,
            created_at=_moment(now),
            n_events=0,
            last_at=None,
            invitation="none",
        )

    def number_of(self, participant: str) -> int | None:
        """Return a participant's number, from 0; None where there is no such participant (any more)."""
        with self._read() as connection:
            statement = "SELECT number FROM participants WHERE id = :id"
            return connection.execute(self._text(statement), {"id": participant}).scalar()

    def participant(self, participant: str) -> Participant | None:
        """Return one participant; None where there is none (any more)."""
        found = self.participants(only=participant)
        return found[0] if found else None

    def participants(self, *, only: str | None = None) -> tuple[Participant, ...]:
        """Return all participants, in the order of their numbers."""
        statement = (
            "SELECT p.id, p.number, p.created_at,"
            " (SELECT COUNT(*) FROM events e WHERE e.participant = p.id) AS n_events,"
            " (SELECT MAX(e.at) FROM events e WHERE e.participant = p.id) AS last_at,"
            " (SELECT COUNT(*) FROM invitations i WHERE i.participant = p.id) AS n_invited,"
            " (SELECT COUNT(*) FROM invitations i WHERE i.participant = p.id AND i.revoked_at IS NULL) AS n_kept,"
            " (SELECT COUNT(*) FROM invitations i WHERE i.participant = p.id AND i.revoked_at IS NULL"
            "   AND i.expires_at > :now) AS n_active"
            " FROM participants p"
        )
        where = "" if only is None else " WHERE p.id = :only"
        values = {"now": _now()} | ({} if only is None else {"only": only})
        with self._read() as connection:
            rows = connection.execute(self._text(f"{statement}{where} ORDER BY p.number"), values).all()
        return tuple(
            Participant(
                id=row.id,
                number=row.number,
                created_at=_moment(row.created_at),
                n_events=row.n_events,
                last_at=None if row.last_at is None else _moment(row.last_at),
                invitation=_invitation_state(row.n_invited, row.n_kept, row.n_active),
            )
            for row in rows
        )

    def delete(self, participant: str) -> bool:
        """Delete a participant with all events, invitations and sessions; a count without a name stays.

        Returns:
            Whether there was one.
        """
        with self._write() as connection:
            count = "SELECT COUNT(*) FROM events WHERE participant = :id"
            n_events = connection.execute(self._text(count), {"id": participant}).scalar_one()
            # Events go with their participant: an append at the same time either comes before and goes, or finds nobody.
            gone = connection.execute(
                self._text("DELETE FROM participants WHERE id = :id"), {"id": participant}
            )
            if cast("Any", gone).rowcount == 0:  # Any: as in `append`
                return False
            statement = "INSERT INTO deletions (deleted_at, n_events) VALUES (:now, :n)"
            connection.execute(self._text(statement), {"now": _now(), "n": n_events})
        if self._is_sqlite:  # what was written before must not stay in the file beside the database
            with self._engine.connect() as connection:
                connection.connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return True

    def n_deleted(self) -> int:
        """Return how many participants were deleted on request."""
        with self._read() as connection:
            return connection.execute(self._text("SELECT COUNT(*) FROM deletions")).scalar_one()

    # links and cookies

    def invite(self, *, valid_days: int, participant: str | None = None) -> Invited:
        """Make an invitation: for a new participant, or another one for somebody who is there."""
        who = self.enrol().id if participant is None else participant
        token, expires = draw_token(), datetime.now(UTC) + timedelta(days=valid_days)
        statement = "INSERT INTO invitations (hash, participant, created_at, expires_at) VALUES (:hash, :who, :now, :expires)"
        values = {"hash": hash_token(token), "who": who, "now": _now(), "expires": _written(expires)}
        with self._write() as connection:
            connection.execute(self._text(statement), values)
        return Invited(participant=who, token=token, expires_at=expires)

    def redeem(self, token: str) -> str | None:
        """Return whose invitation this is; None where it is unknown, expired or revoked."""
        statement = "SELECT participant FROM invitations WHERE hash = :hash AND revoked_at IS NULL AND expires_at > :now"
        with self._read() as connection:
            return connection.execute(
                self._text(statement), {"hash": hash_token(token), "now": _now()}
            ).scalar()

    def revoke(self, participant: str) -> int:
        """Revoke all invitations of a participant and end the sessions; events stay. Return how many were revoked."""
        with self._write() as connection:
            statement = (
                "UPDATE invitations SET revoked_at = :now WHERE participant = :who AND revoked_at IS NULL"
            )
            done = connection.execute(self._text(statement), {"now": _now(), "who": participant})
            connection.execute(
                self._text("DELETE FROM sessions WHERE participant = :who"), {"who": participant}
            )
            return cast("Any", done).rowcount  # Any: as in `append`

    def open_session(self, participant: str, *, days: float = SESSION_DAYS) -> str:
        """Begin a session and return its secret, for a cookie."""
        token = draw_token()
        values = {
            "hash": hash_token(token),
            "who": participant,
            "now": _now(),
            "expires": _written(datetime.now(UTC) + timedelta(days=days)),
        }
        statement = "INSERT INTO sessions (hash, participant, created_at, expires_at) VALUES (:hash, :who, :now, :expires)"
        with self._write() as connection:
            connection.execute(self._text("DELETE FROM sessions WHERE expires_at <= :now"), {"now": _now()})
            connection.execute(self._text(statement), values)
        return token

    def session(self, token: str) -> str | None:
        """Return whose session this is; None where it is unknown, over, or its participant is gone."""
        statement = "SELECT participant FROM sessions WHERE hash = :hash AND expires_at > :now"
        with self._read() as connection:
            return connection.execute(
                self._text(statement), {"hash": hash_token(token), "now": _now()}
            ).scalar()

    def close_session(self, token: str) -> None:
        """End a session."""
        with self._write() as connection:
            connection.execute(
                self._text("DELETE FROM sessions WHERE hash = :hash"), {"hash": hash_token(token)}
            )

    # connections

    @contextmanager
    def _read(self) -> Generator["Connection"]:
        with self._as_store_errors(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Generator["Connection"]:
        with (
            self._as_store_errors(),
            self._engine.connect().execution_options(**{WRITES: True}) as connection,
            connection.begin(),
        ):
            yield connection

    @contextmanager
    def _as_store_errors(self) -> Generator[None]:
        from sqlalchemy import exc  # noqa: PLC0415 - of the extra `study`

        try:
            yield
        except exc.IntegrityError as error:
            raise _GoneError(f"the study's database refused a row: {plain(error)}.") from error
        except exc.SQLAlchemyError as error:
            raise StoreError(f"the study's database failed: {plain(error)}.") from error

    def _lock(self, connection: "Connection") -> None:
        """Let one process at a time go on; SQLite's writers wait for one another anyway."""
        if not self._is_sqlite:
            connection.execute(self._text(f"SELECT pg_advisory_xact_lock({LOCK})"))

    def _text(self, statement: str) -> Any:  # Any: the class of a statement is of the extra
        return self._sql.text(statement)

    def _typed(self, statement: str) -> Any:  # Any: as above
        """Say what the values of an event are: PostgreSQL does not guess inside a SELECT."""
        sql = self._sql
        names = ("participant", "key", "kind", "data", "at")
        return sql.text(statement).bindparams(
            *(sql.bindparam(name, type_=sql.Text()) for name in names),
            sql.bindparam("query", type_=sql.Integer()),
        )


def _event(row: "Row[Any]") -> Event:  # Any: columns
    return Event(
        number=row.number,
        participant=row.participant,
        kind=row.kind,
        key=row.key,
        query=row.query,
        data=json.loads(row.data),
        at=_moment(row.at),
    )


def _invitation_state(n_invited: int, n_kept: int, n_active: int) -> str:
    if not n_invited:
        return "none"
    if n_active:
        return "active"
    return "expired" if n_kept else "revoked"


def plain(error: BaseException) -> str:
    """Return the driver's own words, without the statement and its values."""
    inner = getattr(error, "orig", None) or error
    return " ".join(str(inner).split())[:200].rstrip(".") or type(inner).__name__


def _now() -> str:
    return _written(datetime.now(UTC))


def _written(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)  # five times faster than strptime, and every page reads all events
