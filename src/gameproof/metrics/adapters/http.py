"""Make a metric of a server that scores texts: JSON over HTTP."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Unpack
from urllib.parse import urlsplit

from gameproof.errors import CallError, EndpointError, SpecError
from gameproof.llm.client import public_url
from gameproof.llm.failures import Endpoint, Overlong, PassingError, Refusal
from gameproof.llm.providers.http import HttpSession
from gameproof.metrics.adapters.answers import score_in
from gameproof.metrics.adapters.hosted import Terms, hosted, score_each
from gameproof.metrics.adapters.parts import item_record
from gameproof.metrics.base import Metric
from gameproof.records import Item

__all__ = ["from_http"]

ATTEMPTS = 4
BACKOFF_S = 0.5
LONGEST_WAIT_S = 30.0
TIMEOUT_S = 60.0


def from_http(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    at_once: int = 8,
    timeout_s: float = TIMEOUT_S,
    backoff_s: float = BACKOFF_S,
    **terms: Unpack[Terms],
) -> Metric:
    """Make a metric of a server: one POST for each text.

    The body has id, task_id, candidate, references, and source, query, persona where there are any; never
    ratings. The answer is an object with ``score`` and, where that is null, a ``reason``. What may pass (429,
    5xx, a broken connection) is asked again up to four times; a text that still fails is missing; 4xx and a
    server that cannot be reached stop the run.

    Args:
        url: Where to post. A password in it, or its query, is never shown.
        headers: Sent with every request, for example ``Authorization``.
        at_once: Requests at the same time.
        timeout_s: Of one attempt.
        backoff_s: The first wait between attempts; it doubles.
        terms: `Terms`: name, version, needs, higher_is_better.

    Raises:
        SpecError: It is no web address.

    Example:
        >>> from_http("http://127.0.0.1:8000/score", higher_is_better=True).name
        'http:http://127.0.0.1:8000/score'
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise SpecError(
            f"found no web address ({error}); allowed: an address such as http://localhost:8000/score"
        ) from error
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise SpecError(f"found {public_url(url)!r}; allowed: an address such as http://localhost:8000/score")
    if at_once < 1:
        raise SpecError(f"at_once: found {at_once}; allowed: 1 or more")
    endpoint = Endpoint(url=url, url_from="the metric's text", model="", key="", key_from="token")

    async def score_items(items: Sequence[Item]) -> Sequence[float | str]:
        session = HttpSession(endpoint, headers or {}, attempt_s=timeout_s)
        reached: list[bool] = []  # not empty as soon as the server has answered anything

        async def score_one(item: Item) -> object:
            return await _ask(session, url, item, backoff_s, reached)

        try:
            return await score_each(items, score_one, at_once=at_once)
        finally:
            await session.close()

    named: Terms = {"name": f"http:{public_url(url)}", **terms}
    return hosted(named, score_items, origin=url, needs=frozenset())


async def _ask(session: HttpSession, url: str, item: Item, backoff_s: float, reached: list[bool]) -> float:
    """Ask about one text, again where that can help.

    Raises:
        CallError: There is no score, for the reason it carries.
        EndpointError: No further question can be answered.
    """
    failure: PassingError | None = None
    for attempt in range(ATTEMPTS):
        if failure is not None:
            wait_s = failure.retry_after_s
            await asyncio.sleep(
                min(backoff_s * 2 ** (attempt - 1) if wait_s is None else wait_s, LONGEST_WAIT_S)
            )
        try:
            answer = await session.post(url, item_record(item), frozenset())
        except PassingError as error:
            if error.unreachable and not reached:
                raise EndpointError(error.reason, hint="Is the server running?") from error
            failure = error
            continue
        except EndpointError as error:
            said = error.message.replace(" refused the model ''", " refused a text")
            raise EndpointError(said, hint="It was not asked again: the answer would be the same.") from error
        reached.append(True)
        return _read(answer, url)
    raise CallError(f"{failure.reason if failure else 'no answer'} ({ATTEMPTS} attempts)")


def _read(answer: Mapping[str, object] | Refusal | Overlong, url: str) -> float:
    if isinstance(answer, Overlong):
        raise CallError(f"the server says that the text is too long: {answer.text}")
    score = None if isinstance(answer, Refusal) else score_in(answer)
    if score is None:
        raise EndpointError(
            f"{public_url(url)} answered without a score: {str(answer)[:200]}",
            hint='Answer with {"score": 0.5}, or {"score": null, "reason": "..."}.',
        )
    if isinstance(score, str):
        raise CallError(score)
    return score
