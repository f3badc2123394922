"""What every request passes: where it comes from, how often, how large; and the headers of every answer."""

import hashlib
import hmac
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gameproof.study.tokens import MAX_TOKEN, hash_token
from gameproof.web.limits import Limiter
from gameproof.web.settings import Settings

__all__ = [
    "Guard",
    "address_of",
    "cookie_name",
    "drop_cookie",
    "form_token",
    "is_same",
    "read_cookie",
    "set_cookie",
]

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Robots-Tag": "noindex, nofollow",
}
HTTPS_ONLY = "max-age=31536000"
NO_STORE = "no-store"
FOREIGN = {"cross-site", "same-site"}  # of Sec-Fetch-Site, which scripts cannot set
TOO_MANY, FORBIDDEN = 429, 403
Refuse = Callable[[int, float], Response]


def form_token(session: str) -> str:
    """Return what forms of a session carry against requests forged by other sites.

    It is made from the session's secret, which no script and no other site can read: nothing is stored, and a restart
    does not spoil pages that are open.
    """
    return hmac.new(session.encode("utf-8", "replace"), b"form", hashlib.sha256).hexdigest()


def is_same(one: str, other: str) -> bool:
    """Compare secrets in constant time."""
    return hmac.compare_digest(hash_token(one[:MAX_TOKEN]), hash_token(other[:MAX_TOKEN]))


def address_of(request: Request) -> str:
    """Return the client's address; uvicorn takes it from the proxy where that one is trusted."""
    return request.client.host if request.client else "unknown"


def cookie_name(settings: Settings, name: str) -> str:
    """Return a cookie's name: with https at a host's root, one that only this very host can set."""
    return f"__Host-{name}" if settings.is_https and not settings.prefix else name


def read_cookie(request: Request, settings: Settings, name: str) -> str:
    """Return a cookie's value; empty where there is none or it is too long to be ours."""
    value = request.cookies.get(cookie_name(settings, name), "")
    return value if len(value) <= MAX_TOKEN else ""


def set_cookie(response: Response, settings: Settings, name: str, value: str, *, seconds: int) -> None:
    """Set a cookie that no script can read and no other site can post with."""
    response.set_cookie(
        cookie_name(settings, name),
        value,
        max_age=seconds,
        path=settings.prefix or "/",
        secure=settings.is_https,
        httponly=True,
        samesite="lax",  # links of invitations come from mail: strict would lose the cookie on the way
    )


def drop_cookie(response: Response, settings: Settings, name: str) -> None:
    """Take a cookie away."""
    response.delete_cookie(
        cookie_name(settings, name),
        path=settings.prefix or "/",
        secure=settings.is_https,
        httponly=True,
        samesite="lax",
    )


class Guard:
    """Middleware around everything: refuses by address and origin, and sets the headers of every answer."""

    def __init__(self, app: ASGIApp, *, settings: Settings, limiter: Limiter, refuse: Refuse) -> None:
        """Wrap an application; `refuse` makes the page that says why not, from a status and seconds to wait."""
        self._app = app
        self._limiter = limiter
        self._refuse = refuse
        self._host = urlsplit(settings.address).netloc
        self._headers = {
            **HEADERS,
            **({"Strict-Transport-Security": HTTPS_ONLY} if settings.is_https else {}),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", NO_STORE)
            await send(message)

        client = scope.get("client")
        refusal = self._refusal(scope["method"], Headers(scope=scope), client[0] if client else "unknown")
        app = self._app if refusal is None else self._refuse(*refusal)
        await app(scope, receive, send_with_headers)

    def _refusal(self, method: str, headers: Headers, address: str) -> tuple[int, float] | None:
        """Return status and seconds to wait, or None."""
        wait_s = self._limiter.wait_s("address", address)
        if wait_s:
            return TOO_MANY, wait_s
        if method not in {"GET", "HEAD"} and self._is_foreign(headers):
            return FORBIDDEN, 0.0
        return None

    def _is_foreign(self, headers: Headers) -> bool:
        """Say whether another site sent a request; old browsers tell by their origin alone."""
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in FOREIGN
        origin = headers.get("origin")
        return origin is not None and origin.partition("://")[2] not in {self._host, headers.get("host")}
