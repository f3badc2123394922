"""SUMMEVAL-OP: opinion summaries of product reviews, in its two files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

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
    listed,
    mean,
    number,
    part,
    text,
    texts,
)
from gameproof.datasets.loaders.records import records_of
from gameproof.files.formats import BadRow

__all__ = ["SUMMEVAL_OP"]

HUMAN = "human-summaries"
CODES: Mapping[str, str] = {
    "fl": "fluency",
    "co": "coherence",
    "re": "relevance",
    "fa": "faithfulness",
    "ac": "aspect_coverage",
    "sc": "sentiment_consistency",
    "sp": "specificity",
}


MAIN = "summeval-op.jsonl"


def _means(record: Record, count: int, _place: Place) -> Iterator[Row]:
    """Read a product of summeval-op.jsonl: mean marks."""
    reviews = part(record, "reviews", dict, "an object of reviews")
    summaries = part(record, "summaries", dict, "an object of summaries")
    human = text(part(summaries, HUMAN, dict, "a summary"), "summary") if HUMAN in summaries else None
    for system in summaries:
        entry = part(summaries, system, dict, "a summary with its marks")
        marks = part(entry, "dimensions", dict, "an object of marks")
        yield {
            **_product(count, "\n\n".join(text(reviews, key) for key in reviews)),
            "candidate": text(entry, "summary"),
            "candidate_id": system,
            "references": [human] if human and system != HUMAN else [],
            "ratings": {key.lower().replace(" ", "_"): number(marks, key) for key in marks},
        }


def _marks(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read summeval-op-detailed.jsonl: three marks for each summary; the file of means beside it names the systems."""
    beside = place.path.parent / MAIN
    names = [list(record.get("summaries", {})) for record in _records(beside)] if beside.is_file() else []
    for count, (line, record) in enumerate(records):
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            for row in _marked(record, count, names[count] if count < len(names) else []):
                yield line, row
        except BadRecord as bad:
            yield line, bad.row


def _marked(record: Record, count: int, names: Sequence[str]) -> Iterator[Row]:
    summaries = texts(record, "summaries")
    systems = (
        names
        if len(names) == len(summaries)
        else [HUMAN, *(f"system_{n:02d}" for n in range(1, len(summaries)))]
    )
    for place, summary in enumerate(summaries):
        marks = {dimension: _of_summary(record, code, place) for code, dimension in CODES.items()}
        n_raters = min(len(values) for values in marks.values())
        yield {
            **_product(count, "\n\n".join(texts(record, "reviews"))),
            "candidate": summary,
            "candidate_id": systems[place],
            "references": summaries[:1] if place else [],
            "ratings": {dimension: mean(values) for dimension, values in marks.items()},
            "raters": [
                {"rater": f"rater_{rater + 1}", **{key: values[rater] for key, values in marks.items()}}
                for rater in range(n_raters)
            ],
        }


def _records(path: Path) -> Iterator[Record]:
    return (record for _, record in records_of(path) if not isinstance(record, BadRow))


def _product(count: int, reviews: str) -> Row:
    name = f"op-{count:03d}"
    return {"task_id": name, "group": name, "source": reviews}


def _of_summary(record: Record, code: str, place: int) -> list[float]:
    values = listed(record, code)
    marks = values[place] if place < len(values) else None
    if (
        not isinstance(marks, list)
        or not marks
        or not all(isinstance(mark, int | float) for mark in cast("list[Any]", marks))
    ):
        raise BadRecord(f"no marks of {code!r} for summary {place + 1}", "a list of numbers for each summary")
    return [float(mark) for mark in cast("list[float]", marks)]


SUMMEVAL_OP = PublicDataset(
    name="summeval_op",
    title="SUMMEVAL-OP",
    contains="32 products with 8 reviews each, 12 systems and a human summary; 3 raters on 7 dimensions",
    domain="summaries",
    licence="MIT",
    size="416 summaries, about 1 MB",
    where="github.com/tjsiledar/SummEval-OP, annotated_dataset/",
    cite="Siledar et al. (2024)",
    downloads=at_commit(
        "tjsiledar/SummEval-OP",
        "d8e13e2b66d426cfaf04b9267101688d53320650",
        "annotated_dataset/summeval-op.jsonl",
        "annotated_dataset/summeval-op-detailed.jsonl",
    ),
    shapes=(
        Shape(
            looks="JSON lines with reviews and summaries as lists and marks under fl, co, re, fa, ac, sc and sp; summeval-op.jsonl "
            "beside it names the systems",
            keys=frozenset({"reviews", "summaries", "fl", "sp"}),
            convert=_marks,
            files=("annotated_dataset/summeval-op-detailed.jsonl", "summeval-op-detailed.jsonl"),
        ),
        Shape(
            looks="JSON lines with reviews (rev1 to rev8) and summaries by system, each with summary and dimensions",
            keys=frozenset({"reviews", "summaries"}),
            convert=each(_means),
            files=("annotated_dataset/summeval-op.jsonl", "summeval-op.jsonl"),
        ),
    ),
)
