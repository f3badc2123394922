"""What happened in a study, as values: everything else is a function of these.

| kind | key | data |
| --- | --- | --- |
| `consented` | `consent` | language, consent (digest of the study file, whose text was agreed to) |
| `profile_given` | `profile` | answers: name -> text or list of texts |
| `query_given` | `query:Q` | text, positions, schedule (see `gameproof.study.assign`) |
| `retrieved` | `retrieval:Q` | source, documents, n_without_abstract, note |
| `retrieval_failed` | `retrieval:Q` | reason |
| `generated` | `summary:Q:POSITION` | condition, text, model, prompt, messages, parameters, seconds, tokens ... |
| `generation_failed` | `summary:Q:POSITION` | condition, reason |
| `shown` | `shown:STEP` | step: a page was shown for the first time |
| `chosen` | `chosen:Q:N` | comparison (N), choice: left, right or neither; positions left and right |
| `finished` | `finished:N` | no further query, said for the Nth time |
| `resumed` | `resumed:N` | one more query after all |

A key occurs once for each participant, so what is recorded twice is recorded once: the store keeps the first.
Q counts queries from 1; N counts from 1, in `chosen` the comparisons of a query; positions count from 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, get_args

__all__ = ["KINDS", "Choice", "Document", "Draft", "Event", "EventKind", "Reading", "read_documents"]

EventKind = Literal[
    "consented",
    "profile_given",
    "query_given",
    "retrieved",
    "retrieval_failed",
    "generated",
    "generation_failed",
    "shown",
    "chosen",
    "finished",
    "resumed",
]
KINDS: tuple[EventKind, ...] = get_args(EventKind)
Choice = Literal["left", "right", "neither"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An event that is not recorded yet."""

    kind: EventKind
    key: str
    query: int | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])  # Any: JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A recorded event."""

    number: int  # order of recording in the whole study
    participant: str
    kind: EventKind
    key: str
    query: int | None
    data: Mapping[str, Any]  # Any: JSON
    at: datetime  # UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document that was found for a query. Citations number documents from 1."""

    id: str
    title: str
    text: str  # the abstract
    url: str | None = None
    year: int | None = None

    def record(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return {"id": self.id, "title": self.title, "text": self.text, "url": self.url, "year": self.year}


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The events of one participant, looked up by key."""

    by_key: Mapping[str, Event]

    @classmethod
    def of(cls, events: Sequence[Event]) -> "Reading":
        """Keep the first event of each key."""
        by_key: dict[str, Event] = {}
        for event in events:
            by_key.setdefault(event.key, event)
        return cls(by_key=by_key)

    def find(self, key: str) -> Event | None:
        """Return the event with a key."""
        return self.by_key.get(key)

    @property
    def n_queries(self) -> int:
        """How many queries were given so far."""
        n = 0
        while f"query:{n + 1}" in self.by_key:
            n += 1
        return n


def read_documents(data: Mapping[str, Any]) -> tuple[Document, ...]:
    """Return the documents of a `retrieved` event."""
    return tuple(
        Document(
            id=str(row["id"]),
            title=str(row["title"]),
            text=str(row["text"]),
            url=row.get("url"),
            year=row.get("year"),
        )
        for row in data["documents"]
    )
