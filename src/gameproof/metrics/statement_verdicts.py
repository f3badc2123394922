"""Statements that a language model finds in a text, and its verdict of yes or no on each of a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from gameproof.llm.asking import Asker, Question, Repaired, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import (
    MISSING,
    UNREADABLE,
    StatementVerdicts,
    closed_object,
    read_json,
    read_statement_verdicts,
)
from gameproof.metrics.representations import report
from gameproof.prompts.loading import Prompt, Slot
from gameproof.prompts.messages import Message

__all__ = [
    "LIST_SCHEMA",
    "Inquiry",
    "Listing",
    "Verdicts",
    "ask_lists",
    "ask_verdicts",
    "list_request",
    "read_statements",
    "verdict_request",
]

YES, NO = "yes", "no"
LIST_SCHEMA = closed_object({"statements": {"type": "array", "items": {"type": "string"}}})
VERDICT_SCHEMA = closed_object(
    {
        "verdicts": {
            "type": "array",
            "items": closed_object(
                {"id": {"type": "string"}, "verdict": {"type": "string", "enum": [YES, NO]}}
            ),
        }
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What is to be listed: a prompt with its places filled."""

    prompt: Prompt
    slots: Mapping[str, Slot]
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Inquiry:
    """A list of statements to be judged, and what they are judged by."""

    prompt: Prompt
    slots: Mapping[str, Slot]
    statements: tuple[str, ...]
    purpose: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """How many statements have a verdict, and how many of those are yes."""

    n_yes: int = 0
    n_judged: int = 0
    n_asked: int = 0
    reason: str | None = None  # why some or all have none


def list_request(asker: Asker, listing: Listing) -> Request:
    """Return the request for a list."""
    return Request(
        model=asker.name,
        messages=listing.prompt.render(**listing.slots),
        schema=LIST_SCHEMA,
        schema_name="statements",
        purpose=listing.purpose,
    )


async def ask_lists(asker: Asker, listings: Sequence[Listing]) -> list[tuple[str, ...] | Unread]:
    """Ask for lists of statements, each without repeats and without entries that have no word."""
    questions: list[Question[tuple[str, ...]]] = []
    for listing in listings:
        request = list_request(asker, listing)
        questions.append(Question(request=request, read=partial(read_statements, prompt=request.messages)))
    return await asker.ask(questions)


def verdict_request(asker: Asker, inquiry: Inquiry, names: Sequence[str]) -> Request:
    """Return the request for verdicts on those statements of an inquiry that have the given numbers."""
    texts = dict(zip(_names(inquiry), inquiry.statements, strict=True))
    return Request(
        model=asker.name,
        messages=inquiry.prompt.render(**inquiry.slots, statements={name: texts[name] for name in names}),
        schema=VERDICT_SCHEMA,
        schema_name="verdicts",
        purpose=inquiry.purpose,
    )


async def ask_verdicts(asker: Asker, inquiries: Sequence[Inquiry]) -> list[Verdicts]:
    """Ask for verdicts, one question an inquiry, and once more for the statements that got none.

    A call that fails is no verdict: it is never taken for a no.
    """
    answers = await asker.ask([_question(asker, inquiry, _names(inquiry)) for inquiry in inquiries])
    again = [
        (place, answer.missing)
        for place, answer in enumerate(answers)
        if not isinstance(answer, Unread) and answer.missing
    ]
    more = await asker.ask([_question(asker, inquiries[place], names) for place, names in again])
    found = [{} if isinstance(answer, Unread) else dict(answer.values) for answer in answers]
    for (place, _), answer in zip(again, more, strict=True):
        found[place] |= {} if isinstance(answer, Unread) else answer.values
    return [
        Verdicts(
            n_yes=sum(value == YES for value in values.values()),
            n_judged=len(values),
            n_asked=len(inquiry.statements),
            reason=_reason(answer, len(values), len(inquiry.statements)),
        )
        for inquiry, answer, values in zip(inquiries, answers, found, strict=True)
    ]


def _reason(answer: StatementVerdicts | Unread, n_judged: int, n_asked: int) -> str | None:
    if isinstance(answer, Unread):
        return answer.reason
    return None if n_judged == n_asked else MISSING


def _names(inquiry: Inquiry) -> list[str]:
    return [f"S{place}" for place in range(1, len(inquiry.statements) + 1)]


def _question(asker: Asker, inquiry: Inquiry, names: Sequence[str]) -> Question[StatementVerdicts]:
    request = verdict_request(asker, inquiry, names)
    return Question(
        request=request, read=partial(_read_verdicts, names=tuple(names), prompt=request.messages)
    )


def read_statements(
    reply: Reply, *, prompt: Sequence[Message]
) -> tuple[str, ...] | Unread | Repaired[tuple[str, ...]]:
    """Read a list of statements, each once and without those that have no word."""
    from gameproof.metrics.reply_forms import Statements  # noqa: PLC0415 - slow to load, and most runs ask no model

    read = read_json(reply, Statements, prompt=prompt)
    if read.value is None:
        return Unread(reason=read.reason or UNREADABLE)
    cleaned = (" ".join(statement.split()) for statement in read.value.statements)
    found = tuple(dict.fromkeys(text for text in cleaned if not isinstance(report(text), str)))
    return Repaired(found) if read.repaired else found


def _read_verdicts(
    reply: Reply, *, names: tuple[str, ...], prompt: Sequence[Message]
) -> StatementVerdicts | Unread | Repaired[StatementVerdicts]:
    verdicts = read_statement_verdicts(reply, names, (YES, NO), prompt=prompt)
    if verdicts.reason is not None:
        return Unread(reason=verdicts.reason)
    return Repaired(verdicts) if verdicts.repaired else verdicts
