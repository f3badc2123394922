"""Serve a study: database, background work and page in one process, until it is told to stop."""

import contextlib
import logging
import socket
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

from gameproof.errors import InputError, MissingExtraError
from gameproof.llm.limits import Limits
from gameproof.study.conduct import Conductor
from gameproof.study.desk import Desk, open_desk
from gameproof.study.model import Study
from gameproof.study.store import open_store
from gameproof.web.settings import Settings

__all__ = ["HOST", "PORT", "Ready", "bind", "serve_study"]

HOST = "127.0.0.1"
PORT = 8000
BACKLOG = 512
GRACE_S = 5  # for requests that run when the server is stopped
IN_USE = "Choose another one with --port; --port 0 takes any that is free."


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """A study that is being served."""

    desk: Desk
    settings: Settings
    notes: tuple[str, ...]  # what the person who runs the study must know


def bind(host: str, port: int) -> socket.socket:
    """Take a port; 0 takes any that is free.

    Raises:
        InputError: It is taken, or there is no such address here.
    """
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=BACKLOG
        )
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"port {port} of {host} cannot be taken: {reason}.", hint=IN_USE) from error


async def serve_study(
    study: Study,
    database: str | Path,
    listening: socket.socket,
    settings: Settings,
    *,
    on_ready: Callable[[Ready], None],
    limits: Limits | None = None,
    trusted_proxies: str = "127.0.0.1",
) -> None:
    """Serve a study until Ctrl-C or a signal to end; what was recorded is on disk by then.

    Args:
        study: As read from its file.
        database: A file of SQLite, or ``postgresql://...``.
        listening: From `bind`.
        settings: Public address, administrator's secret, limits of requests.
        on_ready: Told when everything is open, before the first answer: the place to print links.
        limits: Of model calls.
        trusted_proxies: Addresses whose ``X-Forwarded-For`` is believed, by commas; ``*`` believes all.

    Raises:
        InputError: The corpus or the database cannot be used, or a model is not known.
        PlanError: The database has answers to another design.
    """
    try:
        import uvicorn  # noqa: PLC0415 - of the extra `study`

        from gameproof.web.app import create_app  # noqa: PLC0415 - loads starlette
    except ImportError as error:
        raise MissingExtraError("the study's page", extra="study") from error
    with _opened(database, study) as desk:
        async with Conductor(study, desk, limits=limits) as conductor:
            server = uvicorn.Server(
                uvicorn.Config(
                    create_app(desk, conductor, settings),
                    lifespan="off",
                    log_level=logging.WARNING,
                    access_log=False,  # addresses of invitations are secrets
                    server_header=False,
                    proxy_headers=True,
                    forwarded_allow_ips=trusted_proxies,
                    timeout_graceful_shutdown=GRACE_S,
                    ws="none",
                )
            )
            on_ready(Ready(desk=desk, settings=settings, notes=conductor.notes))
            await server.serve(sockets=[listening])


@contextlib.contextmanager
def _opened(database: str | Path, study: Study) -> Generator[Desk]:
    store = open_store(database)
    try:
        yield open_desk(study, store)
    finally:
        store.close()
