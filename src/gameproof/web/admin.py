"""The administrator's page: progress, invitations, failures, deletion. It shows no answer of anybody."""

import asyncio
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from gameproof.web.admin_sessions import ADMIN_HOURS, AdminSession
from gameproof.web.forms import DeleteForm, Form, InviteForm, Posted, SecretForm, parse_form, read_form
from gameproof.web.security import address_of, drop_cookie, form_token, is_same, read_cookie, set_cookie
from gameproof.web.site import Site, site_of

__all__ = [
    "confirm_delete",
    "delete",
    "invite",
    "overview",
    "reinvite",
    "revoke",
    "sign_in",
    "sign_out",
]

ADMIN = "admin"  # name of the cookie
MAX_FORM = 16_384  # bytes
NOT_FOUND, FORBIDDEN, TOO_MANY = 404, 403, 429
EVERYBODY = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Administrator:
    site: Site
    token: str
    session: AdminSession


async def overview(request: Request) -> Response:
    """Show where everybody is; without a session, ask for the secret."""
    site = _site(request)
    admin = _administrator(request, site)
    if admin is None:
        return site.renderer.page("admin_sign_in.html", language=None, wrong=False)
    rows = await asyncio.to_thread(site.desk.overview)
    return site.renderer.page(
        "admin.html",
        language=None,
        token=form_token(admin.token),
        rows=rows,
        notes=site.conductor.notes,
        n_deleted=await asyncio.to_thread(site.store.n_deleted),
        fresh=[(each.participant, site.settings.link(each.token)) for each in admin.session.fresh],
    )


async def sign_in(request: Request) -> Response:
    """Begin a session with the secret; wrong ones are counted, by address and altogether."""
    site = _site(request)
    form = parse_form(SecretForm, await read_form(request, MAX_FORM))
    limits = (("admin", address_of(request)), ("admin_everywhere", EVERYBODY))
    wait_s = max(site.limiter.wait_s(what, key, take=False) for what, key in limits)
    if wait_s:
        return site.error(TOO_MANY, wait_s=wait_s)
    if not is_same(form.secret, site.settings.admin_secret or ""):
        for what, key in limits:
            site.limiter.wait_s(what, key)
        return site.renderer.page("admin_sign_in.html", language=None, status=FORBIDDEN, wrong=True)
    response = site.redirect("/admin")
    set_cookie(response, site.settings, ADMIN, site.admins.open(), seconds=ADMIN_HOURS * 3600)
    return response


async def sign_out(request: Request) -> Response:
    """End the session."""
    admin, _ = await _form(request, Posted)
    admin.site.admins.close(admin.token)
    response = admin.site.redirect("/admin")
    drop_cookie(response, admin.site.settings, ADMIN)
    return response


async def invite(request: Request) -> Response:
    """Make invitations for new participants; their links are on the next page, and nowhere later."""
    admin, form = await _form(request, InviteForm)
    store = admin.site.store
    admin.session.fresh = tuple([
        await asyncio.to_thread(store.invite, valid_days=form.days) for _ in range(form.count)
    ])  # fmt: skip
    return admin.site.redirect("/admin")


async def reinvite(request: Request) -> Response:
    """Make another link for somebody who is there."""
    admin, form = await _form(request, DeleteForm)
    store, days = admin.site.store, admin.site.desk.study.invitations.valid_days
    if await asyncio.to_thread(store.participant, form.participant) is None:
        raise HTTPException(NOT_FOUND)
    admin.session.fresh = (
        await asyncio.to_thread(store.invite, valid_days=days, participant=form.participant),
    )
    return admin.site.redirect("/admin")


async def revoke(request: Request) -> Response:
    """Make a participant's links and sessions void; what was answered stays."""
    admin, form = await _form(request, DeleteForm)
    await asyncio.to_thread(admin.site.store.revoke, form.participant)
    admin.session.fresh = ()
    return admin.site.redirect("/admin")


async def confirm_delete(request: Request) -> Response:
    """Ask once more before a deletion."""
    site = _site(request)
    admin = _administrator(request, site)
    if admin is None:
        return site.redirect("/admin")
    found = await asyncio.to_thread(site.store.participant, request.path_params["participant"])
    if found is None:
        raise HTTPException(NOT_FOUND)
    return site.renderer.page(
        "admin_delete.html", language=None, token=form_token(admin.token), participant=found
    )


async def delete(request: Request) -> Response:
    """Delete a participant with everything."""
    admin, form = await _form(request, DeleteForm)
    await asyncio.to_thread(admin.site.store.delete, form.participant)
    admin.session.fresh = ()
    return admin.site.redirect("/admin")


def _site(request: Request) -> Site:
    site = site_of(request)
    if site.settings.admin_secret is None:
        raise HTTPException(NOT_FOUND)
    return site


def _administrator(request: Request, site: Site) -> _Administrator | None:
    token = read_cookie(request, site.settings, ADMIN)
    session = site.admins.find(token) if token else None
    return None if session is None else _Administrator(site=site, token=token, session=session)


async def _form(request: Request, kind: type[Form]) -> tuple[_Administrator, Form]:
    """Return who posts and what; refuse everybody but the administrator's own page."""
    site = _site(request)
    fields = await read_form(request, MAX_FORM)
    admin = _administrator(request, site)
    if admin is None or not is_same(fields.get("token", ""), form_token(admin.token)):
        raise HTTPException(FORBIDDEN)
    return admin, parse_form(kind, fields)
