"""Search OpenAlex for works with abstracts.

Since February 2026 OpenAlex asks for a key (free of charge); the pool for addresses given as ``mailto`` is gone.
It sends an abstract as an index, word -> positions, from which the text is put together again.
"""

import asyncio
from collections.abc import Mapping
from typing import Any, cast

import aiohttp

from gameproof.errors import CallError
from gameproof.json_text import parse_json
from gameproof.llm.failures import read_retry_after
from gameproof.study.retrieve.base import Found, read_records

__all__ = ["OpenAlex", "rebuild_abstract"]

FIELDS = "id,doi,display_name,publication_year,abstract_inverted_index"
EXTRA = 2  # times as many records are asked for: some have no abstract after all
MOST = 200  # records of a page, OpenAlex's own limit
ATTEMPTS = 4
BACKOFF_S = 0.5
LONGEST_WAIT_S = 20.0  # a reader waits: a longer pause is told as a failure
MAX_WORDS = 5000  # of an abstract
MAX_BYTES = 20_000_000
RETRIED = frozenset({408, 429, 500, 502, 503, 504})


def rebuild_abstract(index: Mapping[str, Any] | None) -> str:  # Any: JSON
    """Put an abstract together from its index of word positions.

    Words stand in the order of their positions; positions that no word has leave no trace.

    Example:
        >>> rebuild_abstract({"rained": [1], "It": [0, 2], "stopped.": [3]})
        'It rained It stopped.'
    """
    placed = [
        (place, word)
        for word, places in (index or {}).items()
        if isinstance(places, list)
        for place in cast("list[object]", places)
        if isinstance(place, int)
    ]
    return " ".join(word for _, word in sorted(placed)[:MAX_WORDS]).strip()


class OpenAlex:
    """Asks OpenAlex, at most so many times a second."""

    source = "OpenAlex"

    def __init__(self, *, key: str, url: str, per_second: float, timeout_s: float) -> None:
        """Open nothing yet."""
        self._key = key
        self._url = f"{url.rstrip('/')}/works"
        self._gap_s = 1.0 / per_second
        self._timeout = aiohttp.ClientTimeout(total=timeout_s)
        self._session: aiohttp.ClientSession | None = None
        self._turn = asyncio.Lock()
        self._next_at = 0.0

    async def search(self, query: str, n: int) -> Found:
        """Return the best works that have an abstract; those without are counted.

        Raises:
            CallError: OpenAlex refuses, does not answer, or asks to wait longer than a reader would.
        """
        parameters = {
            "search": query.replace(",", " "),
            "filter": "has_abstract:true",
            "per-page": str(min(EXTRA * n, MOST)),
            "select": FIELDS,
        }
        record = await self._get(parameters)
        works = record.get("results")
        if not isinstance(works, list):
            raise CallError("OpenAlex sent no list of results")
        rows = [
            _row(cast("Mapping[str, Any]", work))
            for work in cast("list[object]", works)
            if isinstance(work, dict)
        ]
        wanted: list[Mapping[str, Any]] = []
        n_with = 0
        for row in rows:  # count only what was passed over on the way to n documents
            if n_with == n:
                break
            wanted.append(row)
            n_with += bool(row["text"])
        found = read_records(wanted)
        return Found(
            documents=found.documents, source=self.source, n_without_abstract=found.n_without_abstract
        )

    async def close(self) -> None:
        """Close connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _get(self, parameters: Mapping[str, str]) -> Mapping[str, Any]:
        """Ask until there is an answer, a refusal, or no attempt left."""
        why = ""
        for attempt in range(ATTEMPTS):
            await self._wait_for_turn()
            status, headers, body = await self._send(parameters)
            if status == 200:
                return _read(body)
            why = (
                f"OpenAlex did not answer: {headers.get('error', '')}"
                if status == 0
                else f"OpenAlex answered HTTP {status}"
            )
            if status in {401, 403}:
                raise CallError(f"{why}: the key was not accepted")
            if status not in RETRIED and status != 0:
                raise CallError(why)
            asked_s = read_retry_after(headers)
            wait_s = BACKOFF_S * 2**attempt if asked_s is None else asked_s
            if wait_s > LONGEST_WAIT_S:
                raise CallError(f"{why} and asks to wait for {wait_s:.0f} s")
            if attempt + 1 < ATTEMPTS:
                await asyncio.sleep(wait_s)
        raise CallError(why)

    async def _send(self, parameters: Mapping[str, str]) -> tuple[int, dict[str, str], bytes]:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                timeout=self._timeout, headers={"User-Agent": "gameproof"}, trust_env=True
            )
        query = {**parameters, "api_key": self._key}
        try:
            async with self._session.get(self._url, params=query) as answer:
                body = bytearray()
                async for chunk in answer.content.iter_any():
                    body += chunk
                    if len(body) > MAX_BYTES:
                        raise CallError(f"OpenAlex sent more than {MAX_BYTES:,} bytes")
                return (
                    answer.status,
                    {name.lower(): value for name, value in answer.headers.items()},
                    bytes(body),
                )
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            return (
                0,
                {"error": "no answer in time" if isinstance(error, TimeoutError) else type(error).__name__},
                b"",
            )

    async def _wait_for_turn(self) -> None:
        async with self._turn:
            loop = asyncio.get_running_loop()
            wait_s = self._next_at - loop.time()
            if wait_s > 0:
                await asyncio.sleep(wait_s)
            self._next_at = loop.time() + self._gap_s


def _read(body: bytes) -> Mapping[str, Any]:
    try:
        record = parse_json(body)
    except ValueError as error:
        raise CallError("OpenAlex sent no JSON") from error
    if not isinstance(record, dict):
        raise CallError("OpenAlex sent no JSON object")
    return cast("dict[str, Any]", record)  # JSON objects have text keys


def _row(work: Mapping[str, Any]) -> Mapping[str, Any]:
    index = work.get("abstract_inverted_index")
    address = work.get("doi") or work.get("id")
    return {
        "id": str(work.get("id") or ""),
        "title": work.get("display_name"),
        "text": rebuild_abstract(cast("Mapping[str, Any]", index) if isinstance(index, dict) else None),
        "url": address if isinstance(address, str) and address.startswith("https://") else None,
        "year": work.get("publication_year"),
    }
