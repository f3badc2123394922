"""Keep the files of a run in one folder that says which of its stages are done."""

import errno
import fcntl
import json
import logging
import os
import platform
import re
import socket
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Self, cast

from gameproof._version import __version__
from gameproof.errors import RunFolderError
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.files.digest import digest_file
from gameproof.files.manifest import MANIFEST, Manifest, Stage, read_manifest

__all__ = ["RunFolder"]

LOCK = ".lock"
LEFTOVER = re.compile(r"\..+\.[0-9a-f]{8}\.part")  # what a process that was killed leaves of a file
EMPTY = re.compile(rf"\.lock|\.DS_Store|{LEFTOVER.pattern}")  # a folder with these alone counts as empty
PACKAGES = ("numpy", "scipy", "sacrebleu", "pydantic")  # their versions can move a number
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS})
OTHER_FOLDER = "Choose another folder with -o."

logger = logging.getLogger(__name__)


class RunFolder:
    """A folder with the files of one run and a manifest, held by one process at a time.

    A stage is current while the digest of what it was made from is the same and its files are as they were
    written; then it need not run again.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as place, RunFolder.open(f"{place}/run") as run:
        ...     _ = run.file("variants.jsonl").write_text("{}")
        ...     run.finish_stage("perturb", inputs="5f0c", files=["variants.jsonl"])
        ...     print(run.stage_is_current("perturb", "5f0c"), run.stage_is_current("perturb", "77aa"))
        True False
    """

    def __init__(self, path: Path, manifest: Manifest, lock: IO[bytes] | None) -> None:
        """Take what `open` has found and locked."""
        self.path = path
        self._manifest = manifest
        self._lock = lock
        self._made = False  # by this process: it goes with the run

    @classmethod
    def open(cls, path: Path | str, *, create: bool = True, read_only: bool = False) -> "RunFolder":
        """Open a run folder and lock it.

        Args:
            path: The folder.
            create: Make the folder, or begin a run in an empty one; otherwise it must hold a run.
            read_only: Only look: no lock, no writing, also while another process is at work in it.

        Raises:
            RunFolderError: it is in use, damaged, no run folder, or cannot be written.
        """
        path = Path(path)
        if path.exists() and not path.is_dir():
            raise RunFolderError(f"{path} is a file; a run is kept in a folder.", hint=OTHER_FOLDER)
        if (path / MANIFEST).exists():
            return cls(path, read_manifest(path), None if read_only else _take_lock(path))
        if read_only or not create:
            missing = "has no run" if path.is_dir() else "does not exist"
            hint = "Give the folder that was the -o of an earlier run."
            raise RunFolderError(f"{path} {missing} (no {MANIFEST}).", hint=hint)
        there = path.is_dir()
        with writing_errors(path):
            path.mkdir(parents=True, exist_ok=True)
            strangers = sorted(child.name for child in path.iterdir() if not EMPTY.fullmatch(child.name))
        if strangers:
            some = ", ".join(strangers[:3]) + (" ..." if len(strangers) > 3 else "")
            raise RunFolderError(f"{path} holds files that no run has made ({some}).", hint=OTHER_FOLDER)
        folder = cls(path, Manifest(), _take_lock(path))
        folder._made = not there
        try:
            folder.record_plan({})
        except RunFolderError:
            folder.close()
            raise
        return folder

    @property
    def plan(self) -> Mapping[str, object]:
        """Return the plan of the run, as it was recorded."""
        return self._manifest.plan

    @property
    def versions(self) -> Mapping[str, str]:
        """Return the versions of the programs that made the run."""
        return self._manifest.versions

    @property
    def stages(self) -> Mapping[str, Stage]:
        """Return the stages that have been finished."""
        return dict(self._manifest.stages)

    def file(self, name: str) -> Path:
        """Return the path of one of the run's files."""
        pure = PurePosixPath(name)
        if pure.is_absolute() or not pure.parts or ".." in pure.parts:
            raise RunFolderError(f"{name!r} is no name of a file in a run folder.")
        return self.path / name

    def record_plan(self, plan: Mapping[str, object]) -> None:
        """Write down the plan, with the versions of what runs it."""
        versions = {"gameproof": __version__, "python": platform.python_version()}
        for package in PACKAGES:
            versions[package] = metadata.version(package)
        self._write(self._manifest.with_plan(plan, versions))

    def stage_is_current(self, name: str, inputs: str) -> bool:
        """Return whether a stage was made from these inputs and its files are as they were written."""
        stage = self._manifest.stages.get(name)
        if stage is None or stage.inputs != inputs:
            return False
        return not self.changed_files([name])

    def changed_files(self, names: Sequence[str]) -> list[str]:
        """Return the files of finished stages that are gone, or not as they were written."""
        written = {entry: None for name in names for entry in self._manifest.stages[name].files.items()}
        return [file for file, digest in written if not _has_digest(self.file(file), digest)]

    def finish_stage(self, name: str, inputs: str, files: Sequence[str]) -> None:
        """Write down that a stage is done: what it was made from, and the digests of its files."""
        digests: dict[str, str] = {}
        for file in files:
            try:
                digests[file] = digest_file(self.file(file))
            except OSError as error:
                raise RunFolderError(f"stage {name!r} has not written {self.file(file)}.") from error
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        self._write(self._manifest.with_stage(name, Stage(inputs=inputs, files=digests, finished=finished)))

    def forget_stages(self, beginning: str) -> None:
        """Forget stages by the beginning of their names: what they were made from is no longer there."""
        self._write(self._manifest.without_stages(beginning))

    def clear(self, files: Sequence[str]) -> None:
        """Remove the files of all stages, and others by name; the run begins anew."""
        for name in {*files, *(name for stage in self._manifest.stages.values() for name in stage.files)}:
            with writing_errors(self.file(name)):
                self.file(name).unlink(missing_ok=True)
        self._write(Manifest())

    def remove(self, files: Sequence[str]) -> None:
        """Remove a run that was only begun, with these files of it, and the folder where it was made for the run."""
        self.clear([*files, MANIFEST])
        with writing_errors(self.path):
            (self.path / MANIFEST).unlink(missing_ok=True)
            (self.path / LOCK).unlink(missing_ok=True)
        self.close()
        if self._made:
            with suppress(OSError):  # something else lies in it by now
                self.path.rmdir()

    def close(self) -> None:
        """Let other processes have the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, manifest: Manifest) -> None:
        if self._lock is None:
            raise RunFolderError(f"{self.path} was opened for reading only, or has been closed.")
        text = json.dumps(manifest.to_json(), indent=2, ensure_ascii=False, default=str)
        path = self.path / MANIFEST
        with AtomicFile(path) as file, writing_errors(path):
            file.data.write(f"{text}\n".encode(errors="backslashreplace"))
        self._manifest = manifest


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _take_lock(path: Path) -> IO[bytes]:
    with writing_errors(path):
        lock = cast("IO[bytes]", (path / LOCK).open("a+b"))
    try:
        fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.seek(0)
        holder = lock.read(200).decode(errors="replace").strip() or "another process"
        lock.close()
        hint = f"Wait until it ends, or stop it. {OTHER_FOLDER}"
        raise RunFolderError(f"{path} is in use by {holder}.", hint=hint) from error
    except OSError as error:
        if error.errno not in NO_LOCKS:
            lock.close()
            raise RunFolderError(f"cannot lock {path}: {error.strerror}.", hint=OTHER_FOLDER) from error
        logger.warning("%s lies on a file system without locks: use it from one process at a time", path)
    if not _is_at(lock, path / LOCK):  # who had the folder has removed it, and the lock with it
        lock.close()
        return _take_lock(path)
    with writing_errors(path):
        lock.truncate(0)
        lock.write(f"process {os.getpid()} on {socket.gethostname()}".encode())
        lock.flush()
        for child in path.iterdir():
            if LEFTOVER.fullmatch(child.name):
                child.unlink(missing_ok=True)  # nobody else is writing: the lock is ours
    return lock


def _has_digest(path: Path, digest: str) -> bool:
    try:
        return digest_file(path) == digest
    except OSError:
        return False  # a file that cannot be read has to be made again
