"""ArXiv and PubMed: scientific articles with their abstracts."""

import re
from collections.abc import Iterator

from gameproof.datasets.loaders.base import (
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    each,
    joined,
    text,
    texts,
)

__all__ = ["ARXIV", "PUBMED"]

MARKS = re.compile(r"</?[sS]>|<pad>|<n>")
NOT_SYSTEMS = frozenset({"article", "human", "section_names"})


def _official(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    """Read a line of train.txt, val.txt or test.txt; the sentences of an abstract stand between marks."""
    yield {
        "task_id": text(record, "article_id"),
        "source": joined(record, "article_text", "\n"),
        "references": [" ".join(_plain(sentence) for sentence in texts(record, "abstract_text"))],
    }


def _plain_pair(record: Record, count: int, place: Place) -> Iterator[Row]:
    """Read a row of ccdv/arxiv-summarization or ccdv/pubmed-summarization."""
    yield {
        "task_id": str(record.get("id") or f"{place.path.stem}-{count:03d}"),
        "source": text(record, "article"),
        "references": [text(record, "abstract")],
    }


def _mirror(record: Record, count: int, _place: Place) -> Iterator[Row]:
    """Read an entry of the copy in llm-peer-prediction."""
    yield {
        "task_id": f"pubmed-{count:03d}",
        "source": text(record, "input"),
        "references": [text(record, "reference")],
    }


def _longeval(record: Record, count: int, _place: Place) -> Iterator[Row]:
    """Read an article of LongEval: one human and some machine summaries, without ratings."""
    name = f"pubmed-le-{count:03d}"
    for system in record:
        if system not in NOT_SYSTEMS and isinstance(record[system], str):
            yield {
                "task_id": name,
                "group": name,
                "source": text(record, "article"),
                "candidate": _plain(text(record, system)),
                "candidate_id": system,
                "references": [_plain(text(record, "human"))],
                "ratings": {},
            }


def _plain(words: str) -> str:
    return " ".join(MARKS.sub(" ", words).split())


SHAPES = (
    Shape(
        looks="JSON lines with article_id, article_text and abstract_text (sentences between <S> and </S>), "
        "section_names and sections",
        keys=frozenset({"article_id", "article_text", "abstract_text"}),
        convert=each(_official),
        kind="corpus",
        files=("test.txt", "*-dataset/test.txt"),
    ),
    Shape(
        looks="rows with article and abstract (ccdv/arxiv-summarization, ccdv/pubmed-summarization)",
        keys=frozenset({"article", "abstract"}),
        convert=each(_plain_pair),
        kind="corpus",
        files=("*/test*.parquet", "test*.parquet", "test.jsonl"),
    ),
)

ARXIV = PublicDataset(
    name="arxiv",
    title="arXiv articles",
    contains="scientific articles and their abstracts",
    domain="summaries",
    licence="Apache-2.0 (the repository); the articles have licences of their own",
    size="6,440 articles in the test split, 215,913 in all",
    where="the links of github.com/armancohan/long-summarization, or ccdv/arxiv-summarization",
    cite="Cohan et al. (2018)",
    shapes=SHAPES,
)

PUBMED = PublicDataset(
    name="pubmed",
    title="PubMed articles",
    contains="biomedical articles and their abstracts; LongEval adds summaries of systems to 50 of them",
    domain="summaries",
    licence="Apache-2.0 (the repository, LongEval); the articles have licences of their own",
    size="6,658 articles in the test split, 133,215 in all",
    where="the links of github.com/armancohan/long-summarization, or ccdv/pubmed-summarization; LongEval: "
    "github.com/martiansideofthemoon/longeval-summarization, data/pubmed_summaries/",
    cite="Cohan et al. (2018)",
    shapes=(
        *SHAPES,
        Shape(
            looks="JSON lines with article, human and the summaries of systems (LongEval)",
            keys=frozenset({"article", "human"}),
            convert=each(_longeval),
            files=("data/pubmed_summaries/beam_3.jsonl", "beam_3.jsonl"),
        ),
        Shape(
            looks="a JSON list with input and reference (llm-peer-prediction, pubmed_200.json)",
            keys=frozenset({"input", "reference"}),
            convert=each(_mirror),
            kind="corpus",
            files=("pubmed_200.json", "data/pubmed_200.json"),
        ),
    ),
)
