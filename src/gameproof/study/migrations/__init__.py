"""The versions of the store's tables, and how a file is brought to the newest one.

A version is a file of `versions/`; released ones never change. An older file is migrated when it is opened, in one
transaction; a file of a newer program is refused.
"""

from typing import TYPE_CHECKING, Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from gameproof.errors import StoreError

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["HEAD", "migrate"]

HEAD = "0002"


def migrate(connection: "Connection", target: str = HEAD) -> None:
    """Bring the tables of a database to a version, inside the caller's transaction.

    Raises:
        StoreError: The database was written by a newer version of gameproof.
    """
    config = Config()
    config.set_main_option("script_location", "gameproof.study:migrations")
    script = ScriptDirectory.from_config(config)
    known = {revision.revision for revision in script.walk_revisions()}
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in known:
        raise StoreError(
            f"the study's database has version {found}, and this gameproof knows versions up to {HEAD}.",
            hint="Install the newer gameproof that wrote it.",
        )

    def steps(revision: Any, _context: Any) -> Any:  # Any: alembic's own, as in its command `upgrade`
        return script._upgrade_revs(target, revision)  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]

    with EnvironmentContext(config, script, fn=steps, destination_rev=target) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
