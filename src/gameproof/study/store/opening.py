"""Open a study's database: SQLite by default, PostgreSQL by address."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameproof.errors import InputError, MissingExtraError, StoreError
from gameproof.files.home import from_home
from gameproof.study.store.store import WRITES, Store, plain

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

__all__ = ["is_database", "open_store"]

BUSY_S = 30  # how long a writer waits for another one


def is_database(where: str | Path) -> bool:
    """Say whether this names a database of a study: an address, or a file that SQLite wrote."""
    if "://" in str(where):
        return True
    path = Path(where)
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


def open_store(where: str | Path, *, create: bool = True) -> Store:
    """Open a study's database, and bring it to the newest version.

    Args:
        where: The file of an SQLite database, or the address of one: ``postgresql://user@host/name``.
        create: Whether to make an SQLite file that is not there.

    Raises:
        InputError: There is no such file, or no such kind of database.
        MissingExtraError: The extra ``study`` is not installed.
        StoreError: The database cannot be used.
    """
    try:
        from sqlalchemy import create_engine, exc  # noqa: PLC0415 - of the extra `study`
    except ImportError as error:
        raise MissingExtraError("the store of a study", extra="study") from error
    address = _address(where, create=create)
    try:
        options: dict[str, Any] = (
            {"connect_args": {"timeout": BUSY_S}} if address.startswith("sqlite") else {}
        )
        engine = create_engine(address, pool_pre_ping=not options, pool_size=10, max_overflow=30, **options)
        _set_up(engine)
        store = Store(engine)
        store.migrate()
    except exc.NoSuchModuleError as error:
        raise InputError(
            f"the database {where!s:.80} is of a kind that is not known: expected a file, or postgresql://..."
        ) from error
    except (exc.SQLAlchemyError, OSError) as error:
        raise StoreError(f"the study's database cannot be opened: {plain(error)}.") from error
    return store


def _address(where: str | Path, *, create: bool) -> str:
    text = str(where)
    if "://" not in text:
        path = from_home(where)
        if not path.exists() and not create:
            raise InputError(f"there is no database {path}.", hint="`gameproof study serve` makes it.")
        if path.exists() and path.stat().st_size and not is_database(path):
            raise InputError(f"{path} is no database of a study: it is no SQLite file.")
        return f"sqlite:///{path}"
    scheme, _, rest = text.partition("://")
    return f"postgresql+psycopg://{rest}" if scheme in {"postgres", "postgresql"} else text


def _set_up(engine: "Engine") -> None:
    """Make SQLite as careful as PostgreSQL: write-ahead log, full sync, foreign keys, real transactions."""
    if engine.dialect.name != "sqlite":
        return
    from sqlalchemy import event  # noqa: PLC0415 - of the extra `study`

    def connect(connection: Any, _record: object) -> None:  # Any: the driver's connection
        connection.isolation_level = None  # transactions begin below, not where the driver guesses
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    def begin(connection: "Connection") -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine, "connect", connect)
    event.listen(engine, "begin", begin)
