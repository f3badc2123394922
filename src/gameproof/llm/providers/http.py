"""One HTTP session per event loop: post JSON, get JSON, or an error that says what it means."""

import asyncio
import json
from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from gameproof.errors import CallError, EndpointError, GameproofError
from gameproof.json_text import parse_json
from gameproof.llm.failures import Endpoint, Overlong, PassingError, Refusal, read_failure

__all__ = ["CONNECT_S", "HttpSession", "Timing"]

CONNECT_S = 10.0  # a port that nobody opens is told within seconds
KEEP_ALIVE_S = 30.0
MAX_SHOWN = 120


class Timing:
    """How long one attempt may take."""

    def __init__(self, attempt_s: float) -> None:
        """Keep it as aiohttp wants it."""
        self.attempt_s = attempt_s
        self.limits = aiohttp.ClientTimeout(total=attempt_s, sock_connect=min(CONNECT_S, attempt_s))


class HttpSession:
    """Holds the connections to one endpoint. Made on first use, and again in another event loop."""

    def __init__(self, endpoint: Endpoint, headers: Mapping[str, str], *, attempt_s: float) -> None:
        """Nothing is opened yet."""
        self._endpoint = endpoint
        self._headers = dict(headers)
        self._timing = Timing(attempt_s)
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._proxy = _proxy_for(endpoint.url)

    async def post(
        self, url: str, body: Mapping[str, object], optional: frozenset[str]
    ) -> dict[str, object] | Refusal | Overlong:
        """Post one question.

        Raises:
            PassingError: It may work later.
            CallError: The endpoint will not answer this question.
            EndpointError: The endpoint will not answer any question.
        """
        status, headers, data = await self._send("POST", url, json.dumps(body).encode("ascii"))
        if status != 200:
            sent = optional.intersection(body)
            return _raise_or_return(
                read_failure(status, headers, data, endpoint=self._endpoint, optional=sent)
            )
        record = _read_record(data)
        if record.get("error") and "choices" not in record and "content" not in record:
            return self._hidden_error(record, data, optional.intersection(body))
        return record

    async def get(self, url: str) -> dict[str, object]:
        """Get a record; errors as in `post`."""
        status, headers, data = await self._send("GET", url, None)
        if status == 200:
            return _read_record(data)
        found = _raise_or_return(
            read_failure(status, headers, data, endpoint=self._endpoint, optional=frozenset())
        )
        raise EndpointError(
            f"the endpoint {self._endpoint.place()} does not answer a plain question: {found}"
        )

    async def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    def _hidden_error(
        self, record: Mapping[str, object], data: bytes, sent: frozenset[str]
    ) -> dict[str, object] | Refusal | Overlong:
        """Take the status out of an error that was sent with status 200, as routers do."""
        inner = record["error"]
        code = inner.get("code") if isinstance(inner, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - JSON
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        return _raise_or_return(read_failure(status, {}, data, endpoint=self._endpoint, optional=sent))

    async def _send(self, method: str, url: str, data: bytes | None) -> tuple[int, Mapping[str, str], bytes]:
        session = self._open()
        try:
            async with session.request(method, url, data=data, proxy=self._proxy) as response:
                return response.status, response.headers, await response.read()
        except TimeoutError as error:
            if isinstance(error, aiohttp.ServerTimeoutError) and "onnection" in str(error):
                raise self._unreachable(f"no connection within {CONNECT_S:g} s") from error
            raise PassingError(f"no answer within {self._timing.attempt_s:g} s", timed_out=True) from error
        except aiohttp.InvalidURL as error:
            raise EndpointError(
                f"{self._endpoint.place()} is not a web address.",
                hint="It looks like http://localhost:8000/v1.",
            ) from error
        except aiohttp.ClientConnectorCertificateError as error:
            raise EndpointError(
                f"the certificate of {self._endpoint.place()} is not trusted: {_short(error)}."
            ) from error
        except aiohttp.ClientConnectorError as error:
            raise self._unreachable(_short(error.os_error)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise PassingError(f"the connection broke: {_short(error) or type(error).__name__}") from error

    def _unreachable(self, why: str) -> PassingError:
        return PassingError(
            f"the endpoint {self._endpoint.place()} cannot be reached: {why}.", unreachable=True
        )

    def _open(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S, ttl_dns_cache=300),
                timeout=self._timing.limits,
                headers={"Content-Type": "application/json", "Accept": "application/json", **self._headers},
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        return self._session


def _raise_or_return(found: GameproofError | Refusal | Overlong) -> Refusal | Overlong:
    if isinstance(found, PassingError | CallError | EndpointError | GameproofError):
        raise found
    return found


def _read_record(data: bytes) -> dict[str, object]:
    try:
        record = parse_json(data)
    except ValueError as error:
        shown = data[:MAX_SHOWN].decode("utf-8", "replace")
        raise PassingError(f"the endpoint's answer is not JSON: {shown!r}") from error
    if not isinstance(record, dict):
        raise PassingError(f"the endpoint's answer is not a JSON object: {str(record)[:MAX_SHOWN]!r}")
    return record  # pyright: ignore[reportUnknownVariableType] - JSON objects have text keys


def _proxy_for(url: str) -> str | None:
    """Read the proxy once: asking for it in each call costs more than the call."""
    parts = urlsplit(url)
    if not parts.hostname or proxy_bypass(parts.hostname):
        return None
    return getproxies().get(parts.scheme)


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
