"""SciTLDR: papers with one-sentence summaries, and which content people found in them."""

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from gameproof.datasets.loaders.base import (
    BadRecord,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    at_commit,
    each,
    number,
    text,
    texts,
)
from gameproof.datasets.loaders.records import records_of
from gameproof.files.formats import BadRow

__all__ = ["SCITLDR"]

NUGGETS = (
    "area_field_topic",
    "problem_motivation",
    "mode_of_contrib",
    "details_descrip",
    "results_findings",
    "value_signif",
)
TEST_FILES = (
    "test.jsonl",
    "SciTLDR-A/test.jsonl",
    "SciTLDR-Data/SciTLDR-A/test.jsonl",
    "../SciTLDR-Data/SciTLDR-A/test.jsonl",
)
SAME_TEXT = 0.95  # from this similarity on, a reference is the candidate itself


def _paper(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    yield {
        "task_id": text(record, "paper_id"),
        "source": " ".join(sentence.strip() for sentence in texts(record, "source")),
        "references": [target.strip() for target in texts(record, "target")],
        "title": text(record, "title"),
    }


def _nuggets(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read human_eval_informativeness.csv; abstracts and references come from test.jsonl beside it."""
    papers = _papers(place)
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            paper, candidate = text(record, "paper_id"), text(record, "tldr")
            marks = {key: number(record, key) for key in NUGGETS}
            known = papers.get(paper, {})
            yield (
                line,
                {
                    "task_id": paper,
                    "group": paper,
                    "source": known.get("source"),
                    "candidate": candidate,
                    "candidate_id": text(record, "auth_pr"),
                    "references": [r for r in known.get("references", ()) if not _same(r, candidate)],
                    "ratings": {**marks, "n_nuggets": sum(marks.values())},
                    "title": text(record, "title"),
                },
            )
        except BadRecord as bad:
            yield line, bad.row


def _papers(place: Place) -> dict[str, Row]:
    folders = (place.path.parent, place.root if place.root.is_dir() else place.path.parent)
    path = next(
        (folder / name for folder in folders for name in TEST_FILES if (folder / name).is_file()), None
    )
    return {} if path is None else {row["task_id"]: row for row in _rows_of(path)}


def _rows_of(path: Path) -> Iterator[Row]:
    place = Place(path=path, root=path)
    for count, (_, record) in enumerate(records_of(path)):
        if not isinstance(record, BadRow):
            yield from _paper(record, count, place)


def _same(reference: str, candidate: str) -> bool:
    one, other = (" ".join(words.lower().split()) for words in (reference, candidate))
    return one == other or difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= SAME_TEXT


SCITLDR = PublicDataset(
    name="scitldr",
    title="SciTLDR",
    contains="618 papers of the test split with 2 to 4 one-sentence summaries; content marks of 518 summaries",
    domain="summaries",
    licence="Apache-2.0",
    size="618 papers and 518 marked summaries, about 3 MB",
    where="github.com/allenai/scitldr, SciTLDR-Data/SciTLDR-A/test.jsonl and analysis/human_eval_informativeness.csv",
    cite="Cachola et al. (2020)",
    marked_again=True,
    downloads=at_commit(
        "allenai/scitldr",
        "5ccad9c00a60ad75c9e04abf7f27d0f53f983b20",
        "SciTLDR-Data/SciTLDR-A/test.jsonl",
        "analysis/human_eval_informativeness.csv",
    ),
    shapes=(
        Shape(
            looks="a CSV file with paper_id, title, auth_pr, tldr and six 0/1 columns; test.jsonl beside it has the "
            "abstracts and references",
            keys=frozenset({"paper_id", "auth_pr", "tldr", "area_field_topic"}),
            convert=_nuggets,
            files=("analysis/human_eval_informativeness.csv", "human_eval_informativeness.csv"),
        ),
        Shape(
            looks="JSON lines with paper_id, title, source (sentences) and target (summaries)",
            keys=frozenset({"paper_id", "source", "target", "title"}),
            convert=each(_paper),
            kind="corpus",
            files=("SciTLDR-Data/SciTLDR-A/test.jsonl", "test.jsonl"),
        ),
    ),
)
