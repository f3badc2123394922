"""A study as rows: comparisons in the form that `gameproof agree` reads, and tables for other programs."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gameproof.study.personas import persona_of
from gameproof.study.record import NEITHER, ComparisonRecord, SessionRecord, StudyRecord

__all__ = ["COLUMNS", "TABLES", "agreement_rows", "dictionary_markdown", "source_of"]

Row = dict[str, Any]  # Any: what CSV and JSON hold


def source_of(session: SessionRecord) -> str:
    """Return the documents of a session as one text, numbered as its citations number them."""
    texts = [
        f"[{number}] {document.title}. {document.text}"
        for number, document in enumerate(session.documents, start=1)
        if document.text
    ]
    return "\n\n".join(texts)


def agreement_rows(record: StudyRecord) -> list[Row]:
    """Return one row for each comparison that was made, as `gameproof agree` reads them."""
    rows: list[Row] = []
    answers = record.answers_of()
    for session, match in _made(record):
        persona = persona_of(answers.get(session.reader, {}), query=session.text)
        rows.append(
            {
                "task_id": session.task_id,
                "candidate_a": session.summary(match.left or "").text,
                "candidate_b": session.summary(match.right or "").text,
                "preference": _preference(match),
                "annotator": session.reader,
                "query": session.text,
                "source": source_of(session) or None,
                "title": "\n".join(document.title for document in session.documents) or None,
                "persona": {
                    "role": persona.role,
                    "domain": persona.domain,
                    "needs": persona.needs,
                    "use_case": persona.use_case,
                    "query": persona.query,
                    "knows": list(persona.knows),
                },
                "condition_a": session.summary(match.left or "").condition,
                "condition_b": session.summary(match.right or "").condition,
                "round": match.round,
                "seconds": match.seconds,
            }
        )
    return rows


def _made(record: StudyRecord) -> Iterator[tuple[SessionRecord, ComparisonRecord]]:
    return (
        (session, match)
        for session in record.sessions
        for match in session.comparisons
        if match.is_made and match.left is not None and match.right is not None
    )


def _preference(match: ComparisonRecord) -> str:
    if match.choice == NEITHER:
        return "tie"
    return "a" if match.choice == match.left else "b"


def _readers(record: StudyRecord) -> Iterator[Row]:
    for reader in record.readers:
        answers = {name: _flat(answer) for name, answer in reader.answers.items()}
        yield {"reader": reader.id, "language": reader.language} | {
            f"answer_{name}": answer for name, answer in answers.items()
        }


def _sessions(record: StudyRecord) -> Iterator[Row]:
    for session in record.sessions:
        yield {
            "reader": session.reader,
            "query": session.query,
            "text": session.text,
            "source": session.source,
            "n_documents": len(session.documents),
            "n_without_abstract": session.n_without_abstract,
            "n_summaries": sum(summary.text is not None for summary in session.summaries),
            "n_comparisons": sum(match.is_made for match in session.comparisons),
            "lost": session.lost,
            "at": None if session.at is None else session.at.isoformat(),
            "wait_seconds": session.wait_seconds,
        }


def _summaries(record: StudyRecord) -> Iterator[Row]:
    conditions = {condition.id: condition for condition in record.conditions}
    for session in record.sessions:
        for summary in session.summaries:
            condition, details = conditions[summary.condition], summary.details or {}
            yield {
                "reader": session.reader,
                "query": session.query,
                "label": summary.label,
                "condition": condition.id,
                "model": condition.model,
                "persona": condition.persona,
                "text": summary.text,
                "reason": summary.reason,
                "prompt": details.get("prompt"),
                "seconds": details.get("seconds"),
                "tokens_in": details.get("tokens_in"),
                "tokens_out": details.get("tokens_out"),
            }


def _comparisons(record: StudyRecord) -> Iterator[Row]:
    for session in record.sessions:
        condition_of = {summary.label: summary.condition for summary in session.summaries}
        for match in session.comparisons:
            yield {
                "reader": session.reader,
                "query": session.query,
                "number": match.number,
                "round": match.round,
                "left": match.left,
                "right": match.right,
                "condition_left": condition_of.get(match.left or ""),
                "condition_right": condition_of.get(match.right or ""),
                "choice": match.choice,
                "condition_chosen": condition_of.get(match.choice or ""),
                "cancelled": match.cancelled,
                "sides_known": match.sides_known,
                "seconds": match.seconds,
            }


def _documents(record: StudyRecord) -> Iterator[Row]:
    for session in record.sessions:
        for number, document in enumerate(session.documents, start=1):
            yield {"reader": session.reader, "query": session.query, "number": number} | document.record()


def _pages(record: StudyRecord) -> Iterator[Row]:
    for time in record.page_times:
        yield {"reader": time.reader, "page": time.page, "seconds": time.seconds}


# Name of a table -> its rows; all are made of one record.
TABLES: Mapping[str, Callable[[StudyRecord], Iterator[Row]]] = {
    "readers": _readers,
    "sessions": _sessions,
    "summaries": _summaries,
    "comparisons": _comparisons,
    "documents": _documents,
    "pages": _pages,
}

READER = "id of the reader: random, says nothing about who it is"
QUERY = "number of the query of this reader, from 1"
# Table -> column -> what it holds. A test holds it against the tables.
COLUMNS: Mapping[str, Mapping[str, str]] = {
    "readers": {
        "reader": READER,
        "language": "the language that the reader chose",
        "answer_*": "the answer to each profile question, by its name; entries of a list are joined by ' | '",
    },
    "sessions": {
        "reader": READER,
        "query": QUERY,
        "text": "the query as typed",
        "source": "where its documents come from",
        "n_documents": "documents that were found: every summary is made from the same",
        "n_without_abstract": "records that matched and had no abstract: skipped",
        "n_summaries": "summaries that could be made",
        "n_comparisons": "comparisons that the reader made, those for neither included",
        "lost": "why there was nothing to compare; empty where there was",
        "at": "when the query was given, UTC",
        "wait_seconds": "from the query to the last summary",
    },
    "summaries": {
        "reader": READER,
        "query": QUERY,
        "label": "position, A B C ...; drawn at random for every query; A meets B and C meets D in a tournament of four",
        "condition": "id of the condition in the study file",
        "model": "the model, as the study file names it; extractive:... is no language model",
        "persona": "whether the model was told about the reader",
        "text": "the summary; [n] cites document n of the session; empty where it could not be made",
        "reason": "why it could not be made",
        "prompt": "name, version and digest of the prompt's file",
        "seconds": "how long it took to write",
        "tokens_in": "of the prompt, as the endpoint counts",
        "tokens_out": "of the answer",
    },
    "comparisons": {
        "reader": READER,
        "query": QUERY,
        "number": "order within the query, from 1",
        "round": "round1 ... final of a tournament; pairs in other designs",
        "left": "label of the summary on the left; empty where it was never decided who comes",
        "right": "label of the summary on the right",
        "condition_left": "its condition",
        "condition_right": "its condition",
        "choice": "label of the chosen summary, or neither; empty where nobody chose",
        "condition_chosen": "its condition",
        "cancelled": "why it was not held: neither in an earlier match, or a summary could not be made",
        "sides_known": "false for finals of released data, which do not say who stood on the left",
        "seconds": "from the first showing to the click, pauses included",
    },
    "documents": {
        "reader": READER,
        "query": QUERY,
        "number": "what citations call it",
        "id": "in its source",
        "title": "title",
        "text": "abstract",
        "url": "address, if it has one",
        "year": "year of publication",
    },
    "pages": {
        "reader": READER,
        "page": "consent, profile, query or compare",
        "seconds": "from the first showing of the page to the answer, pauses included",
    },
}

INTRODUCTION = """\
# What is in these files

Written by `gameproof study export`.

- `users.json`, `results/annotator-*.json`: the layout that the paper *Information Satisfaction* (arXiv:2608.14457) released,
  with more fields beside its own; `gameproof study analyse` reads it. `round1_ab`, `round1_cd` and `final` hold a label or
  `N` (neither); a final that was cancelled is null.
- `comparisons.jsonl`: one row a comparison that was made, as `gameproof agree` reads them: `candidate_a` stood on the left,
  `preference` is a, b or tie (neither).
- `tables/*.csv`: the tables below. A cell that begins with = + - @ has an apostrophe before it, so that no spreadsheet runs
  it as a formula; the JSON files hold the text as it was typed.

Empty cells are missing values.
"""


def dictionary_markdown() -> str:
    """Write the data dictionary."""
    parts = [INTRODUCTION]
    for table, columns in COLUMNS.items():
        rows = [f"| `{name}` | {said} |" for name, said in columns.items()]
        parts.append(
            "\n".join([f"## tables/{table}.csv", "", "| column | holds |", "| --- | --- |", *rows, ""])
        )
    return "\n".join(parts)


def _flat(answer: object) -> object:
    return " | ".join(map(str, answer)) if isinstance(answer, list) else answer  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
