"""Peer grading: a template, since the sets of the papers are private."""

from collections.abc import Iterable, Iterator

from gameproof.datasets.loaders.base import (
    BadRecord,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Row,
    Shape,
    number,
    text,
)
from gameproof.files.formats import BadRow

__all__ = ["PEER_GRADING_WH", "PEER_GRADING_XLSK"]

STAFF, STUDENT = "staff", "student"
LOOKS = (
    "a table (CSV, JSON lines or Parquet) with a row for each review and the columns class, submission, reviewer, "
    "role (staff or student), review and, for reviews that were graded, grade; text, the submission, where there is one"
)


def _reviews(records: Iterable[Numbered], _place: Place) -> Iterator[NumberedRow]:
    """Read the reviews of students; those of staff are the references of their submission."""
    rows: list[tuple[int, Row]] = []
    staff: dict[tuple[str, str], list[str]] = {}
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            group, submission = str(record.get("class") or "all"), text(record, "submission")
            role, review = text(record, "role").strip().lower(), text(record, "review")
            if role not in {STAFF, STUDENT}:
                raise BadRecord(f"'role' is {role!r}", f"{STAFF} or {STUDENT}")  # noqa: TRY301 - told with the line
            graded = record.get("grade") not in {None, ""}
            ratings = {"grade": number(record, "grade")} if graded else {}
            reviewer = text(record, "reviewer") if role == STUDENT else STAFF
        except BadRecord as bad:
            yield line, bad.row
            continue
        if role == STAFF:
            staff.setdefault((group, submission), []).append(review)
            continue
        row: Row = {"task_id": f"{group}/{submission}", "group": group, "source": record.get("text") or None}
        rows.append((line, {**row, "candidate": review, "candidate_id": reviewer, "ratings": ratings}))
    for line, row in rows:
        key = (row["group"], row["task_id"].removeprefix(f"{row['group']}/"))
        yield line, {**row, "references": staff.get(key, [])}


TEMPLATE = Shape(
    looks=LOOKS,
    keys=frozenset({"submission", "role", "review"}),
    convert=_reviews,
    files=("*.csv", "*.jsonl", "*.parquet"),
)

PEER_GRADING_WH = PublicDataset(
    name="peer_grading_wh",
    title="Peer Grading-WH",
    contains="students' reviews of course submissions with staff reviews and grades; a template for data of your own",
    domain="reviews",
    licence="private",
    size="unknown",
    where="not published: ask the authors of Wu and Hartline (2024); data of your own fits the template",
    cite="Wu and Hartline (2024)",
    paper="PG-WH",
    groups="own",
    group_rule="the class",
    skip=frozenset({"surface_report"}),
    shapes=(TEMPLATE,),
)

PEER_GRADING_XLSK = PublicDataset(
    name="peer_grading_xlsk",
    title="Peer Grading-XLSK",
    contains="students' reviews of course submissions with staff reviews and grades; a template for data of your own",
    domain="reviews",
    licence="private",
    size="unknown",
    where="not published: ask the authors of Xu et al. (2025); data of your own fits the template",
    cite="Xu et al. (2025)",
    paper="PG-XLSK",
    shapes=(TEMPLATE,),
)
