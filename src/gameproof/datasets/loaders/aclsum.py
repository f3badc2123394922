"""ACLSum: papers with expert summaries of challenge, approach and outcome."""

from collections.abc import Iterator

from gameproof.datasets.loaders.base import Place, PublicDataset, Record, Row, Shape, each, part, text, texts

__all__ = ["ACLSUM"]

ASPECTS = ("challenge", "approach", "outcome")
SECTIONS = ("abstract", "introduction", "conclusion")


def _paper(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    sections = part(record, "sentences", dict, "an object of sections")
    summary = part(record, "summary", dict, "an object of aspects")
    aspects = {aspect: text(summary, aspect) for aspect in ASPECTS}
    yield {
        "task_id": text(record, "id"),
        "source": "\n\n".join(" ".join(texts(sections, section)) for section in SECTIONS),
        "references": [" ".join(aspects.values())],
        "aspect_references": aspects,
        "title": text(record, "title"),
    }


ACLSUM = PublicDataset(
    name="aclsum",
    title="ACLSum",
    contains="papers of the ACL Anthology (abstract, introduction, conclusion) with expert summaries of three aspects",
    domain="summaries",
    licence="MIT",
    size="100 papers in the test split, about 1 MB",
    where="the package aclsum of PyPI: aclsum/dataset/test.jsonl",
    cite="Takeshita et al. (2024)",
    shapes=(
        Shape(
            looks="JSON lines with id, title, summary (challenge, approach, outcome) and sentences by section",
            keys=frozenset({"id", "title", "summary", "sentences"}),
            convert=each(_paper),
            kind="corpus",
            files=("aclsum/dataset/test.jsonl", "dataset/test.jsonl", "test.jsonl"),
        ),
    ),
)
