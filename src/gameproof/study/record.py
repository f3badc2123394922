"""A study that took place, as plain values: what exports write and the analysis reads, whatever it came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gameproof.records import Persona
from gameproof.study.events import Document, Event, Reading, read_documents
from gameproof.study.flow import bracket_of
from gameproof.study.model import Study
from gameproof.study.personas import persona_of
from gameproof.study.tournament import MatchState

__all__ = [
    "NEITHER",
    "ComparisonRecord",
    "ConditionRecord",
    "PageTime",
    "ReaderRecord",
    "SessionRecord",
    "StudyRecord",
    "SummaryRecord",
    "label_of",
    "record_study",
]

NEITHER = "neither"
TIMED = {
    "consent": "consent",
    "profile": "profile",
    "query": "query",
    "chosen": "compare",
}  # step -> kind of page


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionRecord:
    """A way to make summaries."""

    id: str
    model: str
    persona: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderRecord:
    """One person."""

    id: str
    answers: Mapping[str, Any]  # Any: text or list of texts, by the name of the question
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRecord:
    """One summary, or why there is none."""

    label: str  # A, B, C ...: its position
    condition: str
    text: str | None
    reason: str | None = None  # exactly where there is no text
    details: Mapping[str, Any] | None = None  # Any: JSON; prompt, parameters, seconds, tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRecord:
    """One match: made, cancelled, or still open."""

    number: int
    round: str
    left: str | None  # label; None where it was never decided who comes
    right: str | None
    choice: str | None = None  # label of the chosen summary, or NEITHER
    cancelled: str | None = None  # why it was not held
    seconds: float | None = None  # from its first showing to the click
    sides_known: bool = True  # whether `left` was on the left; released data do not say so of finals

    @property
    def is_made(self) -> bool:
        """Whether somebody chose, be it neither."""
        return self.choice is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """One query of one reader."""

    reader: str
    query: int  # from 1
    text: str
    documents: tuple[Document, ...]  # or ids alone, where the data hold no texts
    summaries: tuple[SummaryRecord, ...]  # by position
    comparisons: tuple[ComparisonRecord, ...]
    source: str | None = None
    lost: str | None = None  # why there was nothing to compare
    at: datetime | None = None
    wait_seconds: float | None = None  # from the query to the last summary
    n_without_abstract: int = 0

    def summary(self, label: str) -> SummaryRecord:
        """Return a summary by its label; KeyError where there is none."""
        for summary in self.summaries:
            if summary.label == label:
                return summary
        raise KeyError(label)

    @property
    def task_id(self) -> str:
        """The session as data sets name it."""
        return f"{self.reader}/{self.query}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTime:
    """How long one page took one reader, pauses included."""

    reader: str
    page: str  # consent, profile, query or compare
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecord:
    """All of a study."""

    name: str
    conditions: tuple[ConditionRecord, ...]
    readers: tuple[ReaderRecord, ...]
    sessions: tuple[SessionRecord, ...]
    n_queries: int | None = None  # that each reader could answer
    page_times: tuple[PageTime, ...] = ()
    notes: tuple[str, ...] = ()

    def persona(self, session: SessionRecord) -> Persona:
        """Return who a session's summaries are for."""
        answers = self.answers_of().get(session.reader, {})
        return persona_of(answers, query=session.text)

    def answers_of(self) -> dict[str, Mapping[str, Any]]:  # Any: as in a reader's record
        """Return what each reader has answered; of readers of one name, the first."""
        return {reader.id: reader.answers for reader in reversed(self.readers)}


def label_of(place: int) -> str:
    """Name a position.

    Example:
        >>> label_of(0), label_of(3)
        ('A', 'D')
    """
    return chr(ord("A") + place)


def record_study(
    study: Study, events_of: Mapping[str, Sequence[Event]], *, n_deleted: int = 0
) -> StudyRecord:
    """Read a study's events.

    Args:
        study: Its file.
        events_of: Participant -> events.
        n_deleted: Participants whose data were deleted on request.
    """
    readings = {participant: Reading.of(events) for participant, events in events_of.items()}
    said = "one participant was" if n_deleted == 1 else f"{n_deleted:,} participants were"
    notes = [f"{said} deleted on request"] if n_deleted else []
    return StudyRecord(
        name=study.title.say(),
        conditions=tuple(
            ConditionRecord(id=each.id, model=each.model, persona=each.persona) for each in study.conditions
        ),
        readers=tuple(
            _reader(participant, reading)
            for participant, reading in readings.items()
            if reading.find("consent") is not None
        ),
        sessions=tuple(
            _session(participant, reading, query)
            for participant, reading in readings.items()
            for query in range(1, reading.n_queries + 1)
        ),
        n_queries=study.n_queries,
        page_times=tuple(
            time for participant, reading in readings.items() for time in _page_times(participant, reading)
        ),
        notes=tuple(notes),
    )


def _reader(participant: str, reading: Reading) -> ReaderRecord:
    profile, consent = reading.find("profile"), reading.find("consent")
    return ReaderRecord(
        id=participant,
        answers={} if profile is None else profile.data["answers"],
        language=None if consent is None else consent.data.get("language"),
    )


def _session(participant: str, reading: Reading, query: int) -> SessionRecord:
    given, retrieval = reading.by_key[f"query:{query}"], reading.find(f"retrieval:{query}")
    found = retrieval is not None and retrieval.kind == "retrieved"
    bracket = bracket_of(reading, query)
    outcomes = [reading.find(f"summary:{query}:{place}") for place in range(len(given.data["positions"]))]
    last = max((event.at for event in outcomes if event is not None), default=None)
    documents = read_documents(retrieval.data) if retrieval is not None and found else ()
    return SessionRecord(
        reader=participant,
        query=query,
        text=str(given.data["text"]),
        documents=documents,
        summaries=tuple(
            _summary(place, name, event)
            for place, (name, event) in enumerate(zip(given.data["positions"], outcomes, strict=True))
            if event is not None
        ),
        comparisons=()
        if bracket is None or not documents
        else tuple(_comparison(reading, query, state) for state in bracket.matches),
        source=retrieval.data.get("source") if retrieval is not None else None,
        lost=_why_lost(reading, query, documents),
        at=given.at,
        wait_seconds=None if last is None or None in outcomes else (last - given.at).total_seconds(),
        n_without_abstract=int(retrieval.data.get("n_without_abstract", 0)) if retrieval is not None else 0,
    )


def _why_lost(reading: Reading, query: int, documents: Sequence[Document]) -> str | None:
    retrieval = reading.find(f"retrieval:{query}")
    if retrieval is None:
        return None
    if retrieval.kind == "retrieval_failed":
        return f"the search failed: {retrieval.data['reason']}"
    if not documents:
        return "no document was found"
    bracket = bracket_of(reading, query)
    all_cancelled = bracket is not None and all(state.cancelled is not None for state in bracket.matches)
    return "too few summaries could be made" if all_cancelled else None


def _summary(place: int, condition: str, event: Event) -> SummaryRecord:
    failed = event.kind == "generation_failed"
    details = {key: value for key, value in event.data.items() if key not in {"text", "reason", "condition"}}
    return SummaryRecord(
        label=label_of(place),
        condition=condition,
        text=None if failed else str(event.data["text"]),
        reason=str(event.data["reason"]) if failed else None,
        details=details,
    )


def _comparison(reading: Reading, query: int, state: MatchState) -> ComparisonRecord:
    step = f"chosen:{query}:{state.match.number}"
    winner = state.winner
    choice = NEITHER if winner is None else label_of(winner)
    return ComparisonRecord(
        number=state.match.number,
        round=state.match.round,
        left=None if state.left is None else label_of(state.left),
        right=None if state.right is None else label_of(state.right),
        choice=None if state.choice is None else choice,
        cancelled=state.cancelled,
        seconds=_seconds(reading, step) if state.choice is not None else None,
    )


def _page_times(participant: str, reading: Reading) -> list[PageTime]:
    found: list[PageTime] = []
    for key in reading.by_key:
        page = TIMED.get(key.partition(":")[0])
        seconds = None if page is None else _seconds(reading, key)
        if page is not None and seconds is not None:
            found.append(PageTime(reader=participant, page=page, seconds=seconds))
    return found


def _seconds(reading: Reading, step: str) -> float | None:
    """Return how long a step took: the key of its answer is the step."""
    shown, answered = reading.find(f"shown:{step}"), reading.find(step)
    if shown is None or answered is None:
        return None
    return max(0.0, (answered.at - shown.at).total_seconds())
