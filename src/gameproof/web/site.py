"""What views share: the study's desk, the work in the background, and how to answer a browser."""

import asyncio
import math
from dataclasses import dataclass, field
from typing import Any, cast

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gameproof.study.conduct import Conductor
from gameproof.study.desk import Desk
from gameproof.study.store import Store
from gameproof.web.admin_sessions import AdminSessions
from gameproof.web.limits import Limiter
from gameproof.web.pages import Renderer
from gameproof.web.security import cookie_name, read_cookie
from gameproof.web.settings import Settings

__all__ = ["READER", "Reader", "Site", "site_of"]

READER = "reader"  # name of the cookie
SEE_OTHER = 303


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who asks: a participant, by the secret of a session."""

    participant: str
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One study's page."""

    desk: Desk
    conductor: Conductor
    settings: Settings
    limiter: Limiter
    renderer: Renderer
    max_body: int  # bytes
    admins: AdminSessions = field(default_factory=AdminSessions)

    @property
    def store(self) -> Store:
        """The study's store; its methods block."""
        return self.desk.store

    async def reader(self, request: Request) -> Reader | None:
        """Return who asks; None without a session."""
        token = read_cookie(request, self.settings, READER)
        if not token:
            return None
        participant = await asyncio.to_thread(self.store.session, token)
        return None if participant is None else Reader(participant=participant, session=token)

    def has_cookie(self, request: Request) -> bool:
        """Say whether the browser was here before."""
        return cookie_name(self.settings, READER) in request.cookies

    def redirect(self, path: str) -> Response:
        """Send the browser to a page by GET."""
        return RedirectResponse(self.settings.url(path), status_code=SEE_OTHER)

    def error(self, status: int, *, language: str | None = None, wait_s: float = 0.0) -> HTMLResponse:
        """Say what went wrong, and how to go on."""
        headers = {"Retry-After": str(math.ceil(wait_s))} if wait_s else None
        return self.renderer.page(
            "error.html",
            language=language,
            status=status,
            headers=headers,
            code=status,
            seconds=math.ceil(wait_s),
        )


def site_of(request: Request) -> Site:
    """Return the site that serves a request."""
    state: Any = request.app.state  # Any: starlette's state has no types
    return cast("Site", state.site)
