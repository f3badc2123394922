"""Move finished calls between stores and files that people can read."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from gameproof.errors import StoreError
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.files.home import from_home
from gameproof.llm.store import CallStore, default_path, read_exported

__all__ = ["export_calls", "merge_calls", "open_existing"]

STORE_ENDINGS = frozenset({".sqlite", ".sqlite3", ".db"})


def open_existing(path: str | Path | None) -> CallStore:
    """Open a store that is there; the user's own by default.

    Raises:
        StoreError: It is not there.
    """
    named = default_path() if path is None else from_home(path)
    if not named.is_file():
        raise StoreError(
            f"there is no store of model calls at {named}.",
            hint="Runs with --llm make it. --cache FILE or GAMEPROOF_CACHE names another one.",
        )
    return CallStore(named)


def export_calls(store: CallStore, out: str | Path, *, model: str | None = None) -> int:
    """Write calls as lines of JSON, the oldest first; return how many.

    Args:
        store: Where they are.
        out: A file of lines of JSON; it appears when it is complete.
        model: Only the calls of this model.
    """
    written = 0
    path = Path(out)
    with AtomicFile(path) as file, writing_errors(path):
        for call in store.calls():
            if model is None or call.model == model:
                file.data.write((json.dumps(call.to_record(), ensure_ascii=True) + "\n").encode("ascii"))
                written += 1
    return written


def merge_calls(store: CallStore, source: str | Path) -> int:
    """Take over the calls of another store or of an export; return how many were new.

    Calls that are there already stay as they are.

    Raises:
        StoreError: The source is neither, or cannot be read.
    """
    path = from_home(source)
    if not path.is_file():
        raise StoreError(f"there is no file {path}.")
    if path.suffix.lower() in STORE_ENDINGS:
        with closing(CallStore(path)) as other:
            return store.add_all(other.calls())
    return store.add_all(read_exported(_lines_of(path), str(path)))


def _lines_of(path: Path) -> Iterator[str]:
    """Yield the lines of an export; what is wrong with it is said of it, not of the store that takes it over."""
    try:
        with path.open(encoding="utf-8") as lines:
            yield from lines
    except UnicodeDecodeError as error:
        raise StoreError(
            f"{path} is no exported file of calls: {error}.", hint="A store's file name ends in .sqlite."
        ) from error
