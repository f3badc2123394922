"""The application: its addresses, and what is said when something goes wrong."""

import asyncio

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from gameproof.errors import StoreError
from gameproof.study.conduct import Conductor
from gameproof.study.desk import Desk
from gameproof.web import admin, views
from gameproof.web.limits import Limiter, body_limit
from gameproof.web.pages import Renderer, read_static
from gameproof.web.security import Guard
from gameproof.web.settings import Settings
from gameproof.web.site import Site, site_of

__all__ = ["create_app"]

A_YEAR = "public, max-age=31536000, immutable"
NOT_FOUND, FAILED, UNAVAILABLE = 404, 500, 503
RETRY_S = 10.0


def create_app(desk: Desk, conductor: Conductor, settings: Settings | None = None) -> ASGIApp:
    """Make the page of a study, as an ASGI application.

    Args:
        desk: Of the study, from `gameproof.study.desk.open_desk`.
        conductor: Of the same desk, entered (``async with``) in the event loop that serves the application.
        settings: Public address, administrator's secret, limits.
    """
    chosen = settings or Settings()
    limiter = Limiter(chosen.limits)
    site = Site(
        desk=desk,
        conductor=conductor,
        settings=chosen,
        limiter=limiter,
        renderer=Renderer.of(desk.study, chosen),
        max_body=body_limit(desk.study),
    )
    app = Starlette(
        routes=[Route(path, view, methods=[method]) for method, path, view in ROUTES],
        exception_handlers={HTTPException: _refused, StoreError: _no_store, Exception: _failed},
    )
    app.state.site = site
    # Around everything: the page that says that something failed has the headers as well.
    return Guard(
        app,
        settings=chosen,
        limiter=limiter,
        refuse=lambda status, wait_s: site.error(status, wait_s=wait_s),
    )


async def _static(request: Request) -> Response:
    found = read_static().get(request.path_params["name"])
    if found is None:
        raise HTTPException(NOT_FOUND)
    return Response(found.body, media_type=found.kind, headers={"Cache-Control": A_YEAR})


async def _healthy(request: Request) -> Response:
    """Say whether the database answers, for the tools that watch a server."""
    await asyncio.to_thread(site_of(request).store.n_deleted)
    return PlainTextResponse("ok\n")


async def _refused(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else FAILED
    response = site_of(request).error(status)
    if isinstance(error, HTTPException) and error.headers:
        response.headers.update(error.headers)  # which methods are allowed
    return response


async def _no_store(request: Request, _error: Exception) -> Response:
    return site_of(request).error(UNAVAILABLE, wait_s=RETRY_S)


async def _failed(request: Request, _error: Exception) -> Response:
    """Say so without saying why: the reason is in the server's log."""
    return site_of(request).error(FAILED)


# Every address of the page. Those of readers hold numbers of queries and documents, and never a condition.
ROUTES = (
    ("GET", "/", views.home),
    ("POST", "/", views.answer),
    ("POST", "/begin", views.begin),
    ("GET", "/join/{token}", views.join),
    ("POST", "/join/{token}", views.switch),
    ("GET", "/progress", views.progress),
    ("GET", "/documents/{query:int}/{number:int}", views.document),
    ("GET", "/pause", views.pause),
    ("POST", "/pause", views.make_link),
    ("POST", "/leave", views.leave),
    ("GET", "/static/{name}", _static),
    ("GET", "/healthy", _healthy),
    ("GET", "/admin", admin.overview),
    ("POST", "/admin", admin.sign_in),
    ("POST", "/admin/sign-out", admin.sign_out),
    ("POST", "/admin/invite", admin.invite),
    ("POST", "/admin/link", admin.reinvite),
    ("POST", "/admin/revoke", admin.revoke),
    ("GET", "/admin/delete/{participant}", admin.confirm_delete),
    ("POST", "/admin/delete", admin.delete),
)
