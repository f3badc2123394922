"""A worker's own store of calls on top of the store of the run, and how the workers' stores become part of it again."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gameproof.llm.store import CallStore, StoredCall

__all__ = ["LayeredStore", "StoreLayers", "merge_stores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLayers:
    """Two files: one process writes to its own, and reads in both."""

    own: Path
    base: Path | None


class LayeredStore:
    """Keeps finished calls in a file of one process; what the store of the run has is not asked again."""

    def __init__(self, layers: StoreLayers) -> None:
        """Open both files.

        Raises:
            StoreError: One of them cannot be used.
        """
        self._own = CallStore(layers.own)
        self._base = None if layers.base is None else CallStore(layers.base)

    def get(self, key: str) -> str | None:
        """Return the reply to a question, as JSON text."""
        found = None if self._base is None else self._base.get(key)
        return self._own.get(key) if found is None else found

    def put(self, call: StoredCall) -> str:
        """Commit a call to the own file; return the reply that it has now."""
        return self._own.put(call)

    def close(self) -> None:
        """Close both files."""
        self._own.close()
        if self._base is not None:
            self._base.close()


def merge_stores(into: Path, paths: Iterable[Path]) -> int:
    """Take over the calls of other stores, those of killed processes too, and remove their files.

    Returns:
        How many calls were new.
    """
    found = [path for path in paths if path.exists()]
    if not found:
        return 0
    merged = 0
    store = CallStore(into)
    try:
        for path in found:
            other = CallStore(path)
            try:
                merged += store.add_all(other.calls())
            finally:
                other.close()
            for ending in ("", "-wal", "-shm"):
                path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)
    finally:
        store.close()
    return merged
