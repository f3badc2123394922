"""``gameproof study delete``: delete one reader's data on request."""

from typing import Annotated

import typer

from gameproof.cli.printing import say
from gameproof.errors import InputError

__all__ = ["delete"]


def delete(
    database: Annotated[
        str,
        typer.Argument(
            metavar="DB", help="The study's database: a file, or postgresql://...", show_default=False
        ),
    ],
    reader: Annotated[
        str,
        typer.Argument(
            metavar="READER", help="The reader's id, as pages and exports show it.", show_default=False
        ),
    ],
    *,
    yes: Annotated[bool, typer.Option("--yes", "-y", metavar="", help="Do not ask.")] = False,
) -> None:
    """Delete a reader with all answers, summaries, links and sessions. It cannot be undone.

    A count of deletions stays, without the id. Exports and backups that were made before are yours to delete.
    """
    from gameproof.study.store import open_store  # noqa: PLC0415 - `--help` does not need it

    store = open_store(database, create=False)
    try:
        found = store.participant(reader)
        if found is None:
            raise InputError(
                f"there is no reader {reader!r} in {database}.",
                hint="`gameproof study invite STUDY --list` shows who there is.",
            )
        if not yes and not typer.confirm(f"Delete {reader} with {found.n_events:,} events?", err=True):
            say("Nothing was deleted.")
            return
        store.delete(reader)
    finally:
        store.close()
    say(f"{reader} is deleted. Exports made before still hold the data: delete or renew them.")
