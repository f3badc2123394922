"""Write a study in the layout that paper 2 released; `gameproof.study.layout` says what it is, and reads it back."""

from collections.abc import Mapping
from typing import Any

from gameproof.study.layout import FINAL, MATCHES, RESULTS, N
from gameproof.study.record import (
    NEITHER,
    ComparisonRecord,
    ConditionRecord,
    SessionRecord,
    StudyRecord,
    SummaryRecord,
)

__all__ = ["layout_files"]

USERS, EXTENSION = "users.json", "gameproof.study/1"


def layout_files(record: StudyRecord) -> dict[str, object]:
    """Return the files of the layout: path -> what JSON it holds."""
    files: dict[str, object] = {USERS: {reader.id: {"name": reader.id} for reader in record.readers}}
    conditions = {condition.id: condition for condition in record.conditions}
    sessions: dict[str, list[SessionRecord]] = {}
    for session in record.sessions:
        sessions.setdefault(session.reader, []).append(session)
    page_times: dict[str, list[list[str | float]]] = {}
    for time in record.page_times:
        page_times.setdefault(time.reader, []).append([time.page, time.seconds])
    for place, reader in enumerate(record.readers, start=1):
        files[f"{RESULTS}/annotator-{place:03d}.json"] = {
            "schema": EXTENSION,
            "token": reader.id,
            "language": reader.language,
            "n_queries": record.n_queries,
            "page_times": page_times.get(reader.id, []),
            "pre_task_answers": _released_answers(reader.answers),
            "annotations": [_annotation(session, conditions) for session in sessions.get(reader.id, ())],
        }
    return files


def _annotation(session: SessionRecord, conditions: Mapping[str, ConditionRecord]) -> dict[str, object]:
    choices = {(match.left, match.right): match for match in session.comparisons if match.round == "round1"}
    final = [match for match in session.comparisons if match.round == FINAL]
    return {
        "query_index": session.query - 1,
        "query": session.text,
        "summaries": {each.label: each.text for each in session.summaries if each.text is not None},
        "metadata": {each.label: _metadata(each, conditions[each.condition]) for each in session.summaries},
        "paper_ids": [document.id for document in session.documents],
        **{name: _released_choice(choices.get(pair)) for name, pair in MATCHES},
        FINAL: _released_choice(final[0]) if final else None,
        "feedback": None,
        "documents": [document.record() for document in session.documents],
        "source": session.source,
        "n_without_abstract": session.n_without_abstract,
        "lost": session.lost,
        "at": None if session.at is None else session.at.isoformat(),
        "wait_seconds": session.wait_seconds,
        "comparisons": [
            {
                "number": match.number,
                "round": match.round,
                "left": match.left,
                "right": match.right,
                "choice": match.choice,
                "cancelled": match.cancelled,
                "seconds": match.seconds,
                "sides_known": match.sides_known,
            }
            for match in session.comparisons
        ],
    }


def _metadata(summary: SummaryRecord, condition: ConditionRecord) -> dict[str, object]:
    return {
        "model": condition.model,
        "has_pre_question": condition.persona,
        "condition": condition.id,
        "failed": summary.reason,
        "details": None if summary.details is None else dict(summary.details),
    }


def _released_choice(match: ComparisonRecord | None) -> str | None:
    if match is None or match.choice is None:
        return None
    return N if match.choice == NEITHER else match.choice


def _released_answers(answers: Mapping[str, Any]) -> dict[str, Any]:
    return {("info_needs" if name == "needs" else name): answer for name, answer in answers.items()}
