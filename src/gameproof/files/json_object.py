"""Read a file that holds one JSON object."""

from pathlib import Path
from typing import cast

from gameproof.errors import RunFolderError
from gameproof.json_text import parse_json

__all__ = ["read_json_object"]


def read_json_object(path: Path, *, hint: str | None = None) -> dict[str, object]:
    """Read the object that a file of a run folder holds.

    Args:
        path: The file.
        hint: What to do where it cannot be read.

    Raises:
        RunFolderError: It is not there, or is no JSON object.
    """
    try:
        record = parse_json(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise RunFolderError(f"{path} cannot be read: {error.strerror or error}.", hint=hint) from error
    except ValueError as error:
        raise RunFolderError(f"{path} cannot be read: {error}.", hint=hint) from error
    if not isinstance(record, dict):
        raise RunFolderError(f"{path} cannot be read: it holds no object.", hint=hint)
    return cast("dict[str, object]", record)  # JSON objects have texts as keys
