"""A PostgreSQL server of the tests' own, in a folder that goes away with it."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

PATIENCE_S = 60.0  # a limit against hanging, no expectation


def find_program(name: str) -> str | None:
    """Return one of PostgreSQL's programs: Debian keeps them out of the PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    return str(found[-1]) if found else shutil.which(name)


def why_not() -> str | None:
    """Say why there is no server to be had here; None where there is."""
    if find_program("initdb") is None or find_program("postgres") is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    if os.getuid() == 0 and not _user():
        return "PostgreSQL does not run as root, and there is no user postgres"
    return None


class Cluster:
    """A running server; `crash` and `start` end and begin it again over the same data."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self._server: subprocess.Popen[bytes] | None = None

    def address(self, name: str = "postgres") -> str:
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        program = find_program("postgres")
        assert program is not None
        options = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self.folder),
            "max_connections": "200",
            "shared_buffers": "16MB",
        }
        settings = [word for name, value in options.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                [program, "-D", str(self.folder / "data"), *settings],
                stdout=subprocess.DEVNULL,
                stderr=log,
                **_as_user(),
            )
        end = time.monotonic() + PATIENCE_S
        while not self._answers():
            if self._server.poll() is not None or time.monotonic() > end:
                raise RuntimeError((self.folder / "log").read_text(errors="replace")[-2000:])
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self._server is not None:
            self._server.send_signal(how)
            self._server.wait(PATIENCE_S)
            self._server = None

    def new_database(self, name: str) -> str:
        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"')
        return self.address(name)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.address(), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Make a server and end it."""
    folder = Path(tempfile.mkdtemp(prefix="gameproof-pg-"))
    user = _user()
    if os.getuid() == 0 and user:
        os.chown(folder, user.pw_uid, user.pw_gid)
    initdb = find_program("initdb")
    assert initdb is not None
    command = [
        initdb,
        "-D",
        str(folder / "data"),
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-sync",
        "--locale=C",
    ]
    subprocess.run(command, check=True, capture_output=True, cwd=folder, **_as_user())
    cluster = Cluster(folder)
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _user() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return None


def _as_user() -> dict[str, int]:
    user = _user()
    return {"user": user.pw_uid, "group": user.pw_gid} if os.getuid() == 0 and user else {}


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
