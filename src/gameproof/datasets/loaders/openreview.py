"""Peer reviews: tables of reviews by paper, notes of the OpenReview API, PeerRead."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from gameproof.datasets.loaders.base import (
    BadRecord,
    LeftOut,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    listed,
    part,
    text,
)
from gameproof.files.formats import BadRow

__all__ = ["ICLR2026", "OPENREVIEW"]

# The parts of a review that are prose, in the order of the form; what is a number rates the paper.
NOT_PROSE = frozenset(
    {"title", "rating", "confidence", "recommendation", "soundness", "presentation", "contribution"}
)
REVIEW_INVITATION = re.compile(r"review", re.IGNORECASE)
NOT_A_REVIEW = re.compile(r"meta|rebuttal|decision|comment|withdraw", re.IGNORECASE)
MIN_PROSE = 40  # characters: shorter values of a form are choices from a list


def _table(records: Iterable[Numbered], _place: Place) -> Iterator[NumberedRow]:
    """Read a table of reviews, a row each; the files of all reviewers are read together."""
    yield from _as_peers(_of_table(records))


def _of_table(records: Iterable[Numbered]) -> Iterator[NumberedRow]:
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            paper = text(record, "paper_id")
            row: Row = {
                "task_id": paper,
                "group": paper,
                "source": None,
                "candidate": text(record, "review"),
                "candidate_id": text(record, "model"),
                "ratings": {},
            }
        except BadRecord as bad:
            yield line, bad.row
            continue
        yield line, row | ({"review_points": record["review_summary"]} if "review_summary" in record else {})


def _notes(records: Iterable[Numbered], _place: Place) -> Iterator[NumberedRow]:
    """Read notes as the OpenReview API returns them; what is no review is left out."""
    yield from _as_peers(_of_notes(records))


def _of_notes(records: Iterable[Numbered]) -> Iterator[NumberedRow]:
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        notes = cast("list[Any]", record["notes"]) if isinstance(record.get("notes"), list) else [record]
        for note in notes:
            try:
                row = _review_of_note(note)
            except BadRecord as bad:
                yield line, bad.row
                continue
            yield line, row or LeftOut("notes that are no reviews, or have no prose")


def _review_of_note(note: Record) -> Row | None:
    invitations = note.get("invitations") or [note.get("invitation") or ""]
    names = [str(name).rsplit("/", 1)[-1] for name in cast("list[object]", invitations)]
    if not any(REVIEW_INVITATION.search(name) and not NOT_A_REVIEW.search(name) for name in names):
        return None
    content = part(note, "content", dict, "the parts of the review")
    prose: list[str] = []
    for heading, value in cast("Mapping[str, object]", content).items():
        said = cast("Mapping[str, object]", value).get("value") if isinstance(value, Mapping) else value
        if heading not in NOT_PROSE and isinstance(said, str) and len(said.strip()) >= MIN_PROSE:
            prose.append(f"{heading.replace('_', ' ').strip().title()}:\n\n{said.strip()}")
    if not prose:
        return None
    paper = text(note, "forum")
    writer = str((cast("list[object]", note.get("signatures") or []) or [note.get("id")])[0]).rsplit("/", 1)[
        -1
    ]
    return {
        "task_id": paper,
        "group": paper,
        "source": None,
        "candidate": "\n\n".join(prose),
        "candidate_id": writer,
        "ratings": {},
    }


def _peerread(records: Iterable[Numbered], _place: Place) -> Iterator[NumberedRow]:
    """Read PeerRead's files: one paper each, its reviews among replies and decisions."""
    yield from _as_peers(_of_peerread(records))


def _of_peerread(records: Iterable[Numbered]) -> Iterator[NumberedRow]:
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            paper, abstract = str(record.get("id") or ""), text(record, "abstract")
            entries = listed(record, "reviews")
            reviews = [entry for entry in entries if _is_peerread_review(entry)]
            yield from (
                (line, LeftOut("replies, decisions and empty comments")) for _ in entries[len(reviews) :]
            )
            for place, review in enumerate(reviews, start=1):
                yield (
                    line,
                    {
                        "task_id": paper,
                        "group": paper,
                        "source": abstract,
                        "title": record.get("title"),
                        "candidate": text(review, "comments"),
                        "candidate_id": f"review_{place}",
                        "ratings": {},
                    },
                )
        except BadRecord as bad:
            yield line, bad.row


def _is_peerread_review(review: Record) -> bool:
    """Say whether an entry is a review: those have a recommendation, and are no summaries of reviews."""
    told = review.get("IS_META_REVIEW") or review.get("is_meta_review")
    return "RECOMMENDATION" in review and not told and bool(str(review.get("comments") or "").strip())


def _as_peers(rows: Iterable[NumberedRow]) -> Iterator[NumberedRow]:
    """Give every review the other reviews of its paper as references."""
    kept: list[tuple[int, Row]] = []
    by_paper: dict[str, list[tuple[str, str]]] = {}
    for line, row in rows:
        if isinstance(row, BadRow | LeftOut):
            yield line, row
            continue
        kept.append((line, row))
        by_paper.setdefault(row["task_id"], []).append((row["candidate_id"], row["candidate"]))
    for line, row in kept:
        others = [review for who, review in by_paper[row["task_id"]] if who != row["candidate_id"]]
        yield line, {**row, "references": others}


SHAPES = (
    Shape(
        looks="Parquet or JSON with paper_id, model (human_review1 ...) and review, one file for each reviewer",
        keys=frozenset({"paper_id", "model", "review"}),
        convert=_table,
        files=(
            "task_iclr23/dataset/dataset_human_review*.parquet",
            "dataset_human_review*.parquet",
            "*human_review*",
        ),
        together=True,
    ),
    Shape(
        looks="notes of the OpenReview API: id, forum, content and invitation (or invitations), one in each line, as "
        'a list, or under "notes"',
        keys=frozenset({"forum", "content"}),
        convert=_notes,
        files=("notes*.json*",),
        together=True,
    ),
    Shape(
        looks='one JSON object with a list of notes of the OpenReview API under "notes"',
        keys=frozenset({"notes"}),
        convert=_notes,
        files=("notes*.json*",),
        together=True,
    ),
    Shape(
        looks="PeerRead: a folder reviews/ with a JSON object for each paper: id, title, abstract and reviews",
        keys=frozenset({"abstract", "reviews"}),
        convert=_peerread,
        files=("reviews/*.json", "data/*/*/reviews/*.json", "*/reviews/*.json"),
        together=True,
    ),
)

OPENREVIEW = PublicDataset(
    name="openreview",
    title="Peer reviews (OpenReview, ICLR, PeerRead)",
    contains="reviews of papers; the other reviews of a paper are the references of each; no rating of a review",
    domain="reviews",
    licence="reviews are public texts of OpenReview; see each collection (the ICLR 2023 tables: Apache-2.0)",
    size="ICLR 2023: 1,500 papers with 3 reviews each",
    where="github.com/yx-lu/Benchmarking-LLMs--Judgments-with-No-Gold-Standard, task_iclr23/dataset/; the OpenReview "
    "API (notes of Official_Review); github.com/allenai/PeerRead",
    cite="Xu et al. (2025); Kang et al. (2018)",
    shapes=SHAPES,
)

ICLR2026 = PublicDataset(
    name="iclr2026",
    title="ICLR 2026 reviews",
    contains="reviews of the submissions to ICLR 2026; the other reviews of a paper are the references of each",
    domain="reviews",
    licence="public texts of OpenReview",
    size="as many as are asked for",
    where="the OpenReview API: the notes of the invitations ICLR.cc/2026/Conference/Submission.../-/Official_Review",
    cite="Scoring Rules! (arXiv:2608.01423)",
    paper="ICLR26",
    shapes=SHAPES,
)
