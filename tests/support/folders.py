"""Folders in memory, for databases that are not to wait for the disk."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - where Linux keeps files in memory


def memory_folder() -> Path:
    """Make a folder, in memory where there is such a place; whoever asks removes it."""
    return Path(tempfile.mkdtemp(prefix="gameproof-", dir=MEMORY if MEMORY.is_dir() else None))


@contextmanager
def folder_in_memory() -> Iterator[Path]:
    """Give a folder for a while."""
    folder = memory_folder()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
