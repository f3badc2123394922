"""Read paper 2's released layout: `users.json` and one `results/annotator-*.json` a person.

    users.json              {token: {"name": ...}}, or a list of {"token", "name"}
    results/annotator-N.json
        token               the person's id
        pre_task_answers    role, domain, info_needs ...
        annotations         one a query: query_index, query, summaries {A..D: text}, metadata {A..D: {model,
                            has_pre_question}}, paper_ids, round1_ab, round1_cd (A..D, or N for neither), final

What the layout has no place for stands beside it under names that its readers pass over: `comparisons` (every match with
sides, times and why it was cancelled), `documents`, and in `metadata` the condition and the reason of a failure. They are
taken where they are, so what `gameproof.study.layout_writing` wrote is read back without loss; a file without them is
read as released. There the sides of a final are not known.
"""

import math
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Any, cast

from gameproof.errors import DataError, InputError, RowProblem
from gameproof.files.values import describe
from gameproof.json_text import parse_json
from gameproof.study.events import Document
from gameproof.study.record import (
    NEITHER,
    ComparisonRecord,
    ConditionRecord,
    PageTime,
    ReaderRecord,
    SessionRecord,
    StudyRecord,
    SummaryRecord,
)
from gameproof.study.tournament import NEITHER as CANCELLED

__all__ = ["FINAL", "MATCHES", "RESULTS", "N", "is_layout", "read_layout"]

N = "N"
RESULTS = "results"
# Our name of a profile question -> what the released data and forms like it call it.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "role": ("role", "expertise"),
    "domain": ("domain", "research_area", "field"),
    "needs": ("needs", "info_needs", "information_needs"),
    "use_case": ("use_case", "usecase"),
    "knows": ("knows",),
}
FINAL = "final"
MATCHES = (("round1_ab", ("A", "B")), ("round1_cd", ("C", "D")))
MAX_FILE = 50_000_000  # bytes of one file in an archive
WRONG_KIND = (
    TypeError,
    ValueError,
    KeyError,
    AttributeError,
    OverflowError,
)  # what a value of another kind leads to
DAMAGED = (
    OSError,
    EOFError,
    RuntimeError,
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
)  # or encrypted, or packed otherwise


def is_layout(path: Path) -> bool:
    """Say whether a folder or an archive has this layout."""
    if path.is_dir():
        return bool(_root_of(path))
    return path.suffix.lower() == ".zip" and path.is_file()


def read_layout(path: Path) -> StudyRecord:
    """Read a folder or a .zip file of this layout.

    Raises:
        InputError: There is no folder `results` with JSON files.
        DataError: Annotations lack what they need; all of them are told.
    """
    records = list(_results(path))
    if not records:
        raise InputError(f"{path} has no results/*.json: expected the layout that paper 2 released.")
    readers: list[ReaderRecord] = []
    sessions: list[SessionRecord] = []
    conditions: dict[str, ConditionRecord] = {}
    problems: list[RowProblem] = []
    times: list[PageTime] = []
    n_queries: int | None = None  # that each reader could answer
    n_unknown = 0
    for name, record in records:
        token = str(record.get("token") or PurePosixPath(name).stem)
        try:
            answers = _own_answers(record.get("pre_task_answers"))
            readers.append(ReaderRecord(id=token, answers=answers, language=record.get("language")))
            times += [
                PageTime(reader=token, page=str(page), seconds=_seconds(seconds, "page_times"))
                for page, seconds in record.get("page_times") or ()
            ]
            n_queries = n_queries or int(record.get("n_queries") or 0) or None
        except WRONG_KIND as error:
            problems.append(_of_the_wrong_kind(name, error))
        rows = record.get("annotations")
        for place, row in enumerate(cast("list[object]", rows) if isinstance(rows, list) else [], start=1):
            where = f"{name}, annotation {place}"
            try:
                problem = _problem(row)
                if problem is not None:
                    problems.append(RowProblem(where=where, field=None, found=problem, allowed=NEEDED))
                    continue
                known = cast("Mapping[str, Any]", row)
                if not _says_what_made_them(known):
                    n_unknown += 1
                    continue
                session = _session(token, place, known, conditions)
            except WRONG_KIND as error:
                problems.append(_of_the_wrong_kind(where, error))
                continue
            sessions += [session] if session is not None else []
    if problems:
        raise DataError(problems)
    return StudyRecord(
        name=path.stem,
        conditions=tuple(sorted(conditions.values(), key=lambda each: each.id)),
        readers=tuple(readers),
        sessions=tuple(sessions),
        n_queries=n_queries,
        page_times=tuple(times),
        notes=tuple(_notes(sessions, n_unknown)),
    )


def _of_the_wrong_kind(where: str, error: Exception) -> RowProblem:
    found = f"a value of the wrong kind ({error})"
    return RowProblem(where=where, field=None, found=found, allowed="the released layout")


def _notes(sessions: Sequence[SessionRecord], n_unknown: int) -> Iterator[str]:
    if n_unknown:
        yield f"left out, since the data do not say which model made their summaries: {n_unknown:,} of the queries"
    if any(not match.sides_known for session in sessions for match in session.comparisons):
        yield "the left and right side of finals are not in these data"


NEEDED = (
    "query, summaries and metadata as objects, round1_ab A, B or N, round1_cd C, D or N, and final:"
    " the winner of a first-round match, or N"
)


def _results(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, data in _files(path):
        try:
            record = parse_json(data)
        except ValueError as error:
            raise InputError(f"{path}: {name} is not JSON: {error}.") from error
        if not isinstance(record, dict):
            raise InputError(f"{path}: {name} is no JSON object.")
        yield name, cast("dict[str, Any]", record)  # JSON objects have text keys


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        root = _root_of(path)
        for file in sorted((root / RESULTS).glob("*.json")) if root is not None else []:
            yield f"{RESULTS}/{file.name}", file.read_bytes()
        return
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in sorted(archive.infolist(), key=lambda each: each.filename):
                parts = PurePosixPath(entry.filename).parts
                if (
                    len(parts) < 2
                    or parts[-2] != RESULTS
                    or not parts[-1].endswith(".json")
                    or "__MACOSX" in parts
                ):
                    continue
                if entry.file_size > MAX_FILE:
                    raise InputError(
                        f"{path}: {entry.filename} has {entry.file_size:,} bytes; at most {MAX_FILE:,} are read."
                    )
                yield f"{RESULTS}/{parts[-1]}", archive.read(entry)
    except DAMAGED as error:
        raise InputError(f"{path} cannot be read as an archive: {error}.") from error


def _root_of(folder: Path) -> Path | None:
    for root in (folder, *sorted(child for child in folder.iterdir() if child.is_dir())):
        if (root / RESULTS).is_dir() and any((root / RESULTS).glob("*.json")):
            return root
    return None


def _problem(row: object) -> str | None:
    if not isinstance(row, dict):
        return "no JSON object"
    known = cast("dict[str, object]", row)  # JSON objects have text keys
    texts: object = known.get("summaries") or {}
    metadata: object = known.get("metadata") or {}
    if not known.get("query"):
        return "no query"
    if not isinstance(texts, dict) or not isinstance(metadata, dict):
        return "summaries or metadata that are no object"
    allowed = {
        **{name: {*pair, N} for name, pair in MATCHES},
        FINAL: {known.get(name) for name, _ in MATCHES} | {N},
    }
    for name, choices in allowed.items():
        if known.get(name) and "comparisons" not in known and known[name] not in choices:
            return f"{name}: {known[name]!r}"
    return None


def _says_what_made_them(row: Mapping[str, Any]) -> bool:
    """Say whether the condition of every summary is known."""
    about = cast("dict[str, object]", row.get("metadata") or {})  # JSON objects have text keys
    texts = cast("dict[str, object]", row.get("summaries") or {})
    return all(isinstance(found := about.get(label), dict) and "model" in found for label in texts)


def _session(
    token: str, place: int, row: Mapping[str, Any], conditions: dict[str, ConditionRecord]
) -> SessionRecord | None:
    told = cast("dict[str, Any]", row.get("summaries") or {})  # JSON objects have text keys
    texts = {label: text for label, text in told.items() if text is not None}
    metadata = cast("dict[str, Mapping[str, Any]]", row.get("metadata") or {})
    if not texts and "comparisons" not in row:
        return None  # a query without summaries, as the released reader passes it over
    labels = sorted({*texts, *metadata})
    for label in labels:
        condition = _condition(metadata[label])
        conditions[condition.id] = condition
    index = row.get("query_index")
    ids = [str(found) for found in row.get("paper_ids") or ()]
    rows: list[dict[str, Any]] = row.get("documents") or [
        {"id": each, "title": each, "text": ""} for each in ids
    ]
    return SessionRecord(
        reader=token,
        query=index + 1 if isinstance(index, int) else place,
        text=str(row["query"]),
        documents=tuple(
            Document(
                id=str(each["id"]),
                title=str(each["title"]),
                text=str(each["text"]),
                url=each.get("url"),
                year=each.get("year"),
            )
            for each in rows
        ),
        summaries=tuple(
            SummaryRecord(
                label=label,
                condition=_condition(metadata[label]).id,
                text=_text(texts[label], label) if label in texts else None,
                reason=None if label in texts else str(metadata[label].get("failed") or "not in the data"),
                details=_details(metadata[label]),
            )
            for label in labels
        ),
        comparisons=_own_comparisons(row, labels) if "comparisons" in row else _released_comparisons(row),
        source=row.get("source"),
        lost=row.get("lost"),
        at=datetime.fromisoformat(row["at"]) if row.get("at") else None,
        wait_seconds=_seconds_if_any(row.get("wait_seconds"), "wait_seconds"),
        n_without_abstract=int(row.get("n_without_abstract") or 0),
    )


def _condition(about: Mapping[str, Any]) -> ConditionRecord:
    model, persona = str(about["model"]), bool(about.get("has_pre_question"))
    name = about.get("condition") or f"{model} ({'personalised' if persona else 'generic'})"
    return ConditionRecord(id=str(name), model=model, persona=persona)


def _details(about: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found: object = about.get("details")
    if found is None:
        return None
    if not isinstance(found, dict):
        raise TypeError(f"details: {describe(found)}")
    details = cast("dict[str, Any]", found)  # JSON objects have text keys
    return details | {"seconds": _seconds_if_any(details.get("seconds"), "details")}


def _own_comparisons(row: Mapping[str, Any], labels: Sequence[str]) -> tuple[ComparisonRecord, ...]:
    return tuple(_own_comparison(match, labels) for match in row["comparisons"])


def _own_comparison(match: Mapping[str, Any], labels: Sequence[str]) -> ComparisonRecord:
    left, right = (_one_of(labels, match.get(side), side) for side in ("left", "right"))
    sides = [side for side in (left, right) if side is not None]
    choice = _one_of([*sides, NEITHER], match.get("choice"), "choice")
    cancelled = match.get("cancelled")
    return ComparisonRecord(
        number=int(match["number"]),
        round=_text(match["round"], "round"),
        left=left,
        right=right,
        choice=choice,
        cancelled=None if cancelled is None else str(cancelled),
        seconds=_seconds_if_any(match.get("seconds"), "seconds"),
        sides_known=match.get("sides_known") is not False,
    )


def _one_of(allowed: Sequence[str], found: object, name: str) -> str | None:
    if found is None or found in allowed:
        return cast("str | None", found)  # one of the texts that are allowed
    raise ValueError(f"{name}: {describe(found)}, allowed: {', '.join(allowed)}")


def _text(found: object, name: str) -> str:
    if not isinstance(found, str):
        raise TypeError(f"{name}: {describe(found)}, allowed: a text")
    return found


def _seconds_if_any(found: object, name: str) -> float | None:
    return None if found is None else _seconds(found, name)


def _seconds(found: object, name: str) -> float:
    if not isinstance(found, int | float) or not 0 <= found < math.inf:
        raise ValueError(f"{name}: {describe(found)}, allowed: seconds")
    return float(found)


def _released_comparisons(row: Mapping[str, Any]) -> tuple[ComparisonRecord, ...]:
    first = [
        ComparisonRecord(
            number=number, round="round1", left=left, right=right, choice=_own_choice(row.get(name))
        )
        for number, (name, (left, right)) in enumerate(MATCHES, start=1)
    ]
    winners: Sequence[str | None] = [match.choice for match in first]
    choice = _own_choice(row.get("final"))
    decided = all(winner not in {None, NEITHER} for winner in winners)
    cancelled = None if decided else CANCELLED if NEITHER in winners else None
    final = ComparisonRecord(
        number=3,
        round="final",
        left=winners[0] if decided else None,
        right=winners[1] if decided else None,
        choice=choice if decided else None,
        cancelled=cancelled,
        sides_known=False,
    )
    return (*first, final)


def _own_choice(written: object) -> str | None:
    return NEITHER if written == N else str(written) if written else None


def _own_answers(answers: object) -> dict[str, Any]:
    if not isinstance(answers, dict):
        return {}
    given = cast("dict[str, Any]", answers)
    names = {alias: name for name, aliases in ALIASES.items() for alias in aliases}
    return {
        names.get(str(key).strip().lower().replace(" ", "_"), str(key)): answer
        for key, answer in given.items()
    }
