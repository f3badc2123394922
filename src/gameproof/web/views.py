"""The pages of a reader: each is what `Desk.page` says, and each form is redirected to the next one."""

import asyncio
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from gameproof.study.desk import UnknownParticipantError
from gameproof.study.flow import AnswerError, Comparison, FieldProblem, Page, Preparing
from gameproof.study.tokens import MAX_TOKEN
from gameproof.web.forms import ReaderForm, parse_form, read_form
from gameproof.web.security import (
    address_of,
    drop_cookie,
    form_token,
    is_same,
    read_cookie,
    set_cookie,
)
from gameproof.web.site import READER, Reader, Site, site_of
from gameproof.web.texts import say

__all__ = ["answer", "begin", "document", "home", "join", "leave", "make_link", "pause", "progress", "switch"]

READER_DAYS = 30
LINK = "link"  # cookie that shows a new link for a while, so that reloading makes no other one
LINK_SECONDS = 600
NOT_FOUND, FORBIDDEN, TOO_MANY, UNAUTHORISED = 404, 403, 429, 401


async def home(request: Request) -> Response:
    """Show the page a reader is on."""
    site = site_of(request)
    reader = await site.reader(request)
    if reader is None:
        return await _welcome(request, site)
    wait_s = site.limiter.wait_s("reader", reader.participant)
    if wait_s:
        return site.error(TOO_MANY, wait_s=wait_s)
    page = await _page(site, reader)
    return await _welcome(request, site) if page is None else _show(request, site, reader, page)


async def answer(request: Request) -> Response:
    """Record a form; show it again where it does not fit."""
    site = site_of(request)
    fields = await read_form(request, site.max_body)
    form = parse_form(ReaderForm, fields)
    reader = await site.reader(request)
    if reader is None:
        return site.redirect("/")
    wait_s = site.limiter.wait_s("reader", reader.participant)
    if wait_s:
        return site.error(TOO_MANY, wait_s=wait_s)
    if not is_same(form.token, form_token(reader.session)):
        return site.error(FORBIDDEN)
    try:
        await asyncio.to_thread(site.desk.answer, reader.participant, form.step, fields)
    except AnswerError as error:
        page = await _page(site, reader)
        if page is not None and page.step == form.step:
            return _show(request, site, reader, page, fields=fields, problems=error.problems)
    except UnknownParticipantError:
        pass  # deleted in this moment: the next page says it
    return site.redirect("/")


async def progress(request: Request) -> Response:
    """Tell the script how far a query is: its step changes when there is something to see."""
    site = site_of(request)
    reader = await site.reader(request)
    if reader is None:
        return JSONResponse({"step": ""}, status_code=UNAUTHORISED)
    wait_s = site.limiter.wait_s("reader", reader.participant)
    if wait_s:
        return JSONResponse({"step": None}, status_code=TOO_MANY)
    page = await _page(site, reader)
    if page is None or page.preparing is None:
        return JSONResponse({"step": "" if page is None else page.step})
    language = site.renderer.language(page.language)
    return JSONResponse({
        "step": page.step,
        "lines": _progress_lines(language, page.preparing),
        "done": _done(page.preparing),
    })  # fmt: skip


async def document(request: Request) -> Response:
    """Show a cited abstract of one of the reader's own queries."""
    site = site_of(request)
    reader = await site.reader(request)
    if reader is None:
        return site.redirect("/")
    query, number = int(request.path_params["query"]), int(request.path_params["number"])
    found = await asyncio.to_thread(site.desk.document, reader.participant, query, number)
    if found is None:
        return site.error(NOT_FOUND)
    page = await _page(site, reader)
    language = None if page is None else page.language
    return site.renderer.page(
        "document.html", language=language, reader=reader.participant, document=found, number=number
    )


async def join(request: Request) -> Response:
    """Open a link of an invitation: begin a session and go to the reader's page."""
    site = site_of(request)
    token = request.path_params["token"]
    participant = await _redeem(request, site, token)
    if participant is None:
        return _unknown_link(request, site)
    reader = await site.reader(request)
    if reader is not None and reader.participant == participant:
        return site.redirect("/")
    if reader is not None:  # a link from somebody else must not take a browser over silently
        return site.renderer.page("switch.html", language=None, token=token)
    return await _enter(site, participant)


async def switch(request: Request) -> Response:
    """Go on as the reader of another link, after having been asked."""
    site = site_of(request)
    await read_form(request, site.max_body)
    participant = await _redeem(request, site, request.path_params["token"])
    if participant is None:
        return _unknown_link(request, site)
    await asyncio.to_thread(site.store.close_session, read_cookie(request, site.settings, READER))
    return await _enter(site, participant)


async def begin(request: Request) -> Response:
    """Take part in an open study."""
    site = site_of(request)
    await read_form(request, site.max_body)
    if await site.reader(request) is not None:
        return site.redirect("/")
    if not await _is_open(site):
        return site.redirect("/")
    wait_s = site.limiter.wait_s("enrol", address_of(request))
    if wait_s:
        return site.error(TOO_MANY, wait_s=wait_s)
    most = site.desk.study.invitations.max_participants
    participant = await asyncio.to_thread(site.store.enrol_up_to, most)
    return site.redirect("/") if participant is None else await _enter(site, participant.id)


async def pause(request: Request) -> Response:
    """Say how to go on later, and show a new link that was just made."""
    site = site_of(request)
    reader = await site.reader(request)
    page = None if reader is None else await _page(site, reader)
    if reader is None or page is None:
        return site.redirect("/")
    token = read_cookie(request, site.settings, LINK)
    return site.renderer.page(
        "pause.html",
        language=page.language,
        reader=reader.participant,
        token=form_token(reader.session),
        link=site.settings.link(token) if token else None,
    )


async def make_link(request: Request) -> Response:
    """Make another link for the reader's own use."""
    site = site_of(request)
    reader, refusal = await _reader_of_form(request, site)
    if reader is None:
        return refusal
    wait_s = site.limiter.wait_s("new_link", reader.participant)
    if wait_s:
        return site.error(TOO_MANY, wait_s=wait_s)
    days = site.desk.study.invitations.valid_days
    invited = await asyncio.to_thread(site.store.invite, valid_days=days, participant=reader.participant)
    response = site.redirect("/pause")
    set_cookie(response, site.settings, LINK, invited.token, seconds=LINK_SECONDS)
    return response


async def leave(request: Request) -> Response:
    """End the session of this browser."""
    site = site_of(request)
    reader, refusal = await _reader_of_form(request, site)
    if reader is None:
        return refusal
    await asyncio.to_thread(site.store.close_session, reader.session)
    response = site.redirect("/")
    drop_cookie(response, site.settings, READER)
    drop_cookie(response, site.settings, LINK)
    return response


async def _reader_of_form(request: Request, site: Site) -> tuple[Reader | None, Response]:
    """Return whose form this is, or else the answer to it."""
    form = parse_form(ReaderForm, await read_form(request, site.max_body))
    reader = await site.reader(request)
    if reader is not None and not is_same(form.token, form_token(reader.session)):
        return None, site.error(FORBIDDEN)
    return reader, site.redirect("/")


async def _page(site: Site, reader: Reader) -> Page | None:
    """Return the reader's page, and see to the work behind it; None where the reader was deleted."""
    try:
        page = await asyncio.to_thread(site.desk.page, reader.participant)
    except UnknownParticipantError:
        return None
    if page.kind == "preparing":
        site.conductor.ensure(reader.participant)
    return page


def _show(
    request: Request,
    site: Site,
    reader: Reader,
    page: Page,
    *,
    fields: Mapping[str, str] | None = None,
    problems: tuple[FieldProblem, ...] = (),
) -> HTMLResponse:
    posted = fields or {}
    asked = request.query_params.get("language") or posted.get("language")
    language = site.renderer.language(asked if page.kind == "consent" else page.language)
    if page.kind == "query" and "text" not in posted and page.text:
        posted = {**posted, "text": page.text}
    return site.renderer.page(
        f"{page.kind}.html",
        language=language,
        reader=reader.participant,
        token=form_token(reader.session),
        page=page,
        fields=posted,
        problems={problem.field: _problem(language, page, problem) for problem in problems},
        labels={question.name: question.label.say(language) for question in site.desk.study.questions},
        suggestions=site.conductor.suggestions,
        lines=_progress_lines(language, page.preparing) if page.preparing else (),
        done=_done(page.preparing) if page.preparing else 0,
        sides=_sides(page.comparison),
    )


def _sides(comparison: Comparison | None) -> tuple[tuple[int, str, str], ...]:
    """Return number, value of the choice and text of both summaries, in the order of the page."""
    if comparison is None:
        return ()
    return ((1, "left", comparison.left), (2, "right", comparison.right))


def _problem(language: str, page: Page, problem: FieldProblem) -> str:
    own = {"consent": "consent.needed", "compare": "compare.needed"}.get(page.kind)
    return say(language, own or f"field.{problem.code}", limit=problem.limit)


def _progress_lines(language: str, preparing: Preparing) -> list[str]:
    if preparing.searching:
        return [say(language, "preparing.searching")]
    lines = [
        say(language, "preparing.found", n=preparing.n_documents),
        say(language, "preparing.writing", done=preparing.n_written, total=preparing.n_summaries),
    ]
    if preparing.n_failed:
        lines.append(say(language, "preparing.failed", n=preparing.n_failed))
    return lines


def _done(preparing: Preparing) -> int:
    """Return how many of the steps (one search, all summaries) are over."""
    return 0 if preparing.searching else 1 + preparing.n_written + preparing.n_failed


async def _welcome(request: Request, site: Site) -> HTMLResponse:
    """Say how to take part, to somebody without a session."""
    invitations = site.desk.study.invitations
    state = "closed" if not invitations.open else "open" if await _is_open(site) else "full"
    return site.renderer.page(
        "welcome.html",
        language=request.query_params.get("language"),
        status=200 if invitations.open else FORBIDDEN,
        state=state,
    )


async def _is_open(site: Site) -> bool:
    invitations = site.desk.study.invitations
    if not invitations.open:
        return False
    return len(await asyncio.to_thread(site.store.participants)) < invitations.max_participants


async def _redeem(request: Request, site: Site, token: str) -> str | None:
    """Return whose link this is; after many wrong ones an address is not answered for a while."""
    address = address_of(request)
    if site.limiter.wait_s("unknown_link", address, take=False) or len(token) > MAX_TOKEN:
        return None
    participant = await asyncio.to_thread(site.store.redeem, token)
    if participant is None:
        site.limiter.wait_s("unknown_link", address)
    return participant


def _unknown_link(request: Request, site: Site) -> HTMLResponse:
    wait_s = site.limiter.wait_s("unknown_link", address_of(request), take=False)
    if wait_s:
        return site.error(TOO_MANY, wait_s=wait_s)
    return site.renderer.page("unknown.html", language=None, status=NOT_FOUND)


async def _enter(site: Site, participant: str) -> Response:
    token = await asyncio.to_thread(site.store.open_session, participant, days=READER_DAYS)
    response = site.redirect("/")
    drop_cookie(response, site.settings, LINK)  # it may be another reader's, who used this browser before
    set_cookie(response, site.settings, READER, token, seconds=READER_DAYS * 86_400)
    return response
