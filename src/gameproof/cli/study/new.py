"""``gameproof study new``: write a study file to start from."""

from pathlib import Path
from typing import Annotated

import typer

from gameproof.cli.printing import say
from gameproof.errors import InputError

__all__ = ["new"]


def new(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Where to write it; it must not be there yet.")
    ] = "study.toml",
) -> None:
    """Write a commented study file: every key explained, ready to serve.

    It serves at once with summaries that are picked sentences; put your models in to make it yours.
    """
    from gameproof.study.study_file import new_study_text  # noqa: PLC0415 - `--help` does not need it

    path = Path(file)
    try:
        with path.open("x", encoding="utf-8") as written:
            written.write(new_study_text())
    except FileExistsError as error:
        raise InputError(f"{path} is there already.", hint="Name another file, or remove it.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
    say(f"Wrote {path}. Read it, then: gameproof study check {path}")
