"""SummEval in its three common forms."""

from collections.abc import Iterator, Sequence
from typing import Any

from gameproof.datasets.loaders.base import (
    BadRecord,
    Download,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    each,
    listed,
    mean,
    number,
    part,
    text,
    texts,
)

__all__ = ["SUMMEVAL"]

DIMENSIONS = ("coherence", "consistency", "fluency", "relevance")


def _annotated(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    """Read a line of model_annotations.aligned.jsonl, or of its paired form, which has the article."""
    experts = _raters(record, "expert_annotations", "expert")
    name = text(record, "id")
    yield {
        "task_id": name,
        "group": name,
        "source": text(record, "text") if "text" in record else None,
        "candidate": text(record, "decoded"),
        "candidate_id": text(record, "model_id"),
        "references": texts(record, "references"),
        "ratings": {key: mean(rater[key] for rater in experts) for key in DIMENSIONS},
        "raters": experts,
        "crowd_raters": _raters(record, "turker_annotations", "turker"),
    }


def _raters(record: Record, key: str, name: str) -> list[dict[str, Any]]:  # Any: a name and marks
    found = listed(record, key)
    if not found:
        raise BadRecord(f"{key!r} is empty", f"a list of marks under {key!r}")
    return [
        {"rater": f"{name}_{place}", **{dimension: number(marks, dimension) for dimension in DIMENSIONS}}
        for place, marks in enumerate(found, start=1)
    ]


def _one_summary(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    """Read an object of summeval.json as G-Eval and UniEval have it: one reference, mean scores."""
    scores = part(record, "scores", dict, "an object of scores")
    name = text(record, "doc_id")
    yield {
        "task_id": name,
        "group": name,
        "source": text(record, "source"),
        "candidate": text(record, "system_output"),
        "candidate_id": text(record, "system_id"),
        "references": [text(record, "reference")],
        "ratings": {dimension: number(scores, dimension) for dimension in DIMENSIONS if dimension in scores},
    }


def _one_article(record: Record, count: int, _place: Place) -> Iterator[Row]:
    """Read an article of mteb/summeval: 16 summaries, and a list of 16 means for each dimension."""
    summaries = texts(record, "machine_summaries")
    name = str(record.get("id") or f"article-{count:03d}")
    means = {
        dimension: _as_long(record, dimension, summaries) for dimension in DIMENSIONS if dimension in record
    }
    for place, summary in enumerate(summaries):
        yield {
            "task_id": name,
            "group": name,
            "source": text(record, "text"),
            "candidate": summary,
            "candidate_id": f"system_{place:02d}",
            "references": texts(record, "human_summaries"),
            "ratings": {dimension: float(values[place]) for dimension, values in means.items()},
        }


def _as_long(record: Record, dimension: str, summaries: Sequence[str]) -> list[Any]:  # Any: numbers of a file
    values = listed(record, dimension)
    if len(values) != len(summaries) or not all(isinstance(value, int | float) for value in values):
        raise BadRecord(
            f"{len(values)} marks of {dimension}", f"a number for each of {len(summaries)} summaries"
        )
    return values


SUMMEVAL = PublicDataset(
    name="summeval",
    title="SummEval",
    contains="100 news articles, 16 systems, 11 references; 3 experts and 5 crowd workers on 4 dimensions",
    domain="summaries",
    licence="MIT (annotations); the articles are CNN/DailyMail text",
    size="1,600 summaries, about 10 MB",
    where="github.com/Yale-LILY/SummEval links model_annotations.aligned.jsonl; its pair_data.py adds the articles",
    cite="Fabbri et al. (2021)",
    paper="SummEval",
    downloads=(
        Download(
            url="https://storage.googleapis.com/sfr-summarization-repo-research/model_annotations.aligned.jsonl",
            name="model_annotations.aligned.jsonl",
        ),
    ),
    shapes=(
        Shape(
            looks="JSON lines with id, decoded, expert_annotations, turker_annotations, references and model_id "
            "(text, the article, only in the paired form)",
            keys=frozenset({"decoded", "expert_annotations", "model_id", "references"}),
            convert=each(_annotated),
            files=("model_annotations.aligned.paired.jsonl", "model_annotations.aligned*.jsonl"),
        ),
        Shape(
            looks="a JSON list with doc_id, system_id, source, reference, system_output and scores (G-Eval, UniEval)",
            keys=frozenset({"doc_id", "system_output", "reference", "scores"}),
            convert=each(_one_summary),
            files=("summeval.json",),
        ),
        Shape(
            looks="a row for each article with text, machine_summaries, human_summaries and a list of marks for each "
            "dimension (mteb/summeval)",
            keys=frozenset({"machine_summaries", "human_summaries", "text"}),
            convert=each(_one_article),
            files=("test*.parquet", "data/test*.parquet", "test.jsonl"),
        ),
    ),
)
