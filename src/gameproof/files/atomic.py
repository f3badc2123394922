"""Write a file so that it is there as a whole or not at all."""

import errno
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from gameproof.errors import RunFolderError

__all__ = ["FULL_DISK", "AtomicFile", "writing_error", "writing_errors"]

BUFFER = 1 << 20
FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


def writing_error(path: Path, error: OSError) -> RunFolderError:
    """Return what the operating system said while writing as an error for the user."""
    reason, hint = error.strerror or str(error), None
    if error.errno in FULL_DISK:
        hint = "Free some space and run it again; what was finished before is kept."
    elif error.errno in REFUSED:
        hint = "Choose a place that you may write to, with -o."
    elif isinstance(error, FileExistsError | NotADirectoryError):
        reason, hint = "a part of the path is a file", "Choose another path, with -o."
    return RunFolderError(f"cannot write {path}: {reason}.", hint=hint)


@contextmanager
def writing_errors(path: Path) -> Generator[None]:
    """Raise a `RunFolderError` for what goes wrong inside."""
    try:
        yield
    except OSError as error:
        raise writing_error(path, error) from error


class AtomicFile:
    """A file under a temporary name beside its place: moved there by a clean exit, removed by an error.

    A path that is a pipe or a device (``/dev/stdout``) is written to directly.
    """

    def __init__(self, path: Path) -> None:
        """Open the temporary file, making the folder where it is missing."""
        self._path = path
        self._temporary: Path | None = None
        with writing_errors(path):
            if path.is_dir():
                raise RunFolderError(f"cannot write {path}: it is a folder.", hint="Name a file in it.")
            if path.exists() and not path.is_file():
                self.data: BinaryIO = path.open("wb")
                return
            path.parent.mkdir(parents=True, exist_ok=True)
            self._temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
            # "x" makes the file with the permissions that the user's mask asks for, unlike tempfile.
            self.data = self._temporary.open("xb", buffering=BUFFER)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                with writing_errors(self._path):
                    self._finish()
        finally:
            with suppress(OSError):  # what is left to write on a full disk is lost anyway
                self.data.close()
            if self._temporary is not None:
                self._temporary.unlink(missing_ok=True)

    def _finish(self) -> None:
        self.data.flush()
        if self._temporary is None:
            return
        os.fsync(self.data.fileno())
        self.data.close()
        self._temporary.replace(self._path)
        folder = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
