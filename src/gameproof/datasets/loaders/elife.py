"""Lay summaries of eLife and PLOS, and experts' marks of generated ones."""

import re
from collections.abc import Iterable, Iterator

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
    joined,
    listed,
    mean,
    number,
    part,
    text,
)
from gameproof.datasets.loaders.records import records_of
from gameproof.files.formats import BadRow

__all__ = ["ELIFE"]

EVALUATION = re.compile(r"eval_output_(?P<corpus>[A-Za-z]+)-(?P<rater>annotator\d+)")
LAY = "lay summary"


def _official(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    """Read an article of train.json, val.json or test.json: abstract first, then the sections."""
    parts = [joined(record, "abstract"), *(" ".join(section) for section in listed(record, "sections"))]
    yield {
        "task_id": text(record, "id"),
        "source": "\n".join(parts),
        "references": [joined(record, "summary")],
        "title": record.get("title"),
        "keywords": record.get("keywords"),
    }


def _flat(record: Record, count: int, place: Place) -> Iterator[Row]:
    """Read a row with the article as one text, or of the copy that calls it source."""
    yield {
        "task_id": str(record.get("id") or f"{place.path.stem}-{count:03d}"),
        "source": text(record, "article" if "article" in record else "source"),
        "references": [text(record, "summary")],
        "title": record.get("title"),
        "keywords": record.get("keywords"),
    }


def _evaluation(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read the marks of one expert, and of the others whose files lie beside this one."""
    name = EVALUATION.match(place.path.name)
    corpus, rater = (name["corpus"], name["rater"]) if name is not None else ("all", "annotator1")
    if name is not None and rater != _raters(place, corpus)[0]:
        return  # the file of the first expert has brought these rows already
    others = {other: _marks_of(place, corpus, other) for other in _raters(place, corpus) if other != rater}
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            marks = {rater: _marks(record)} | {
                who: found[record["id"]] for who, found in others.items() if record.get("id") in found
            }
            yield line, _rated(record, corpus, marks)
        except BadRecord as bad:
            yield line, bad.row


def _rated(record: Record, corpus: str, marks: dict[str, dict[str, float]]) -> Row:
    dimensions = list(next(iter(marks.values())))
    return {
        "task_id": text(record, "id"),
        "group": corpus,
        "source": joined(record, "abstract"),
        "candidate": text(record, "prediction"),
        "candidate_id": "bart",
        "references": [joined(record, LAY)],
        "ratings": {key: mean(given[key] for given in marks.values() if key in given) for key in dimensions},
        "raters": [{"rater": who, **given} for who, given in sorted(marks.items())],
    }


def _marks(record: Record) -> dict[str, float]:
    scores = part(record, "scores", dict, "an object of scores")
    return {key.lower(): number(scores, key) for key in scores}


def _raters(place: Place, corpus: str) -> list[str]:
    found = [EVALUATION.match(path.name) for path in place.path.parent.glob(f"eval_output_{corpus}-*.jsonl")]
    return sorted(name["rater"] for name in found if name is not None) or ["annotator1"]


def _marks_of(place: Place, corpus: str, rater: str) -> dict[str, dict[str, float]]:
    path = place.path.parent / f"eval_output_{corpus}-{rater}.jsonl"
    return {
        text(record, "id"): _marks(record) for _, record in records_of(path) if not isinstance(record, BadRow)
    }


ELIFE = PublicDataset(
    name="elife",
    title="eLife and PLOS lay summaries",
    contains="biomedical articles with lay summaries by editors and authors; marks of 20 generated ones by 2 experts",
    domain="summaries",
    licence="CC BY 4.0 (eLife texts); none stated for the human evaluation",
    size="eLife 4,828 and PLOS 27,525 articles; 20 marked summaries",
    where="the links of github.com/TGoldsack1/Corpora_for_Lay_Summarisation (human_eval/ is in it), or "
    "tomasg25/scientific_lay_summarisation",
    cite="Goldsack et al. (2022)",
    downloads=at_commit(
        "TGoldsack1/Corpora_for_Lay_Summarisation",
        "8118b4480c6bc9930406b9f39f0c50f023e1a82d",
        *(
            f"human_eval/eval_output_{corpus}-annotator{rater}.jsonl"
            for corpus in ("eLife", "PLOS")
            for rater in (1, 2)
        ),
    ),
    shapes=(
        Shape(
            looks="JSON lines with id, abstract, lay summary, prediction and scores, in files named "
            "eval_output_eLife-annotator1.jsonl and so on",
            keys=frozenset({"id", "abstract", LAY, "prediction", "scores"}),
            convert=_evaluation,
            files=("human_eval/eval_output_*.jsonl", "eval_output_*.jsonl"),
        ),
        Shape(
            looks="a JSON list with id, year, title, sections, headings, abstract, summary and keywords",
            keys=frozenset({"sections", "abstract", "summary", "headings"}),
            convert=each(_official),
            kind="corpus",
            files=("test.json", "eLife/test.json", "val.json"),
        ),
        Shape(
            looks="rows with article, summary, section_headings, keywords, year and title",
            keys=frozenset({"article", "summary", "section_headings"}),
            convert=each(_flat),
            kind="corpus",
            files=("test*.parquet", "test.jsonl"),
        ),
        Shape(
            looks="JSON lines with id, source, summary, headings and keywords",
            keys=frozenset({"id", "source", "summary", "headings", "keywords"}),
            convert=each(_flat),
            kind="corpus",
            files=("sample.json", "data/sample.json"),
        ),
    ),
)
