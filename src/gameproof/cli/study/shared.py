"""Arguments and options that the commands of a study share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gameproof.cli import options

if TYPE_CHECKING:
    from gameproof.study.desk import Desk

__all__ = ["DATABASE_VARIABLE", "Address", "Data", "Database", "StudyFile", "database_of", "open_study"]

DATABASE_VARIABLE = "GAMEPROOF_STUDY_DB"

StudyFile = Annotated[
    str,
    typer.Argument(
        metavar="STUDY", help="The study's TOML file; `study new` writes one.", show_default=False
    ),
]
Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A study's database (a file, or postgresql://...), an export's folder, or a .zip of one; data in the layout "
        "that paper 2 released are read too.",
        show_default=False,
    ),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="FILE",
        envvar=DATABASE_VARIABLE,
        help="Where answers are kept: an SQLite file, or postgresql://USER@HOST/NAME.",
        show_default="the study's file with the ending .db",
        rich_help_panel=options.RUN_PANEL,
    ),
]
Address = Annotated[
    str,
    typer.Option(
        "--address",
        metavar="URL",
        help="What readers type to come to the page: https://study.example.org behind your proxy.",
        rich_help_panel=options.RUN_PANEL,
    ),
]


def database_of(study: str, database: str | None) -> str:
    """Return where a study's answers are kept.

    Example:
        >>> database_of("lab/study.toml", None)
        'lab/study.db'
    """
    return database or str(Path(study).with_suffix(".db"))


def open_study(study: str, database: str | None) -> "Desk":
    """Read a study and open its database.

    Raises:
        InputError: One of them cannot be used.
    """
    from gameproof.study.desk import open_desk  # noqa: PLC0415 - `--help` does not need it
    from gameproof.study.store import open_store  # noqa: PLC0415
    from gameproof.study.study_file import read_study  # noqa: PLC0415

    found = read_study(study)
    return open_desk(found, open_store(database_of(study, database)))
