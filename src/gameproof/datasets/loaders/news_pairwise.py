"""News summaries of freelance writers and of a model, in pairs."""

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
    text,
)
from gameproof.datasets.loaders.records import records_of
from gameproof.files.formats import BadRow

__all__ = ["NEWS_PAIRWISE"]

MODEL = "text-davinci-002"
WRITERS_FILE = "writer_summaries.json"
EQUAL = "Equally Good"


def _pairs(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read the choices; the references are what the other writers wrote about the article.

    People are named in the order in which they appear, as writer_1, evaluator_1 and so on.
    """
    summaries = _summaries(place.path.parent / WRITERS_FILE)
    names: dict[str, dict[str, str]] = {"writer": {}, "evaluator": {}}
    kept: list[tuple[int, Row]] = []
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            row = _choice(record, names)
        except BadRecord as bad:
            yield line, bad.row
            continue
        written = summaries.setdefault(row["group"], [])
        if row["candidate_a"] not in written:
            written.append(row["candidate_a"])
        kept.append((line, row))
    for line, row in kept:
        others = [summary for summary in summaries[row["group"]] if summary != row["candidate_a"]]
        yield line, {**row, "references": others}


def _choice(record: Record, names: dict[str, dict[str, str]]) -> Row:
    article = text(record, "article_id")
    who: dict[str, str] = {}
    for role, known in names.items():
        person = text(record, f"{role}_id")
        who[role] = known.setdefault(person, f"{role}_{len(known) + 1}")
    return {
        "task_id": f"{article}:{who['writer']}",
        "group": article,
        "source": text(record, "article_text") if "article_text" in record else None,
        "candidate_a": text(record, "writer_summary"),
        "candidate_b": text(record, f"{MODEL}_summary"),
        "candidate_a_id": who["writer"],
        "candidate_b_id": MODEL,
        "preference": _better(record, "overall_writer_better"),
        "preference_informative": _better(record, "informative_writer_better"),
        "annotator": who["evaluator"],
    }


def _better(record: Record, key: str) -> str:
    value = record.get(key)
    if value is True:
        return "a"
    if value is False:
        return "b"
    if value == EQUAL:
        return "tie"
    raise BadRecord(f"{key!r} is {value!r}", f"true, false or {EQUAL!r}")


def _summaries(path: Path) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    if path.is_file():
        for _, record in records_of(path):
            if not isinstance(record, BadRow):
                found.setdefault(text(record, "article_id"), []).append(text(record, "summary"))
    return found


NEWS_PAIRWISE = PublicDataset(
    name="news_pairwise",
    title="Benchmarking LLMs for News Summarization, pairs",
    contains="76 news articles, summaries of freelance writers against text-davinci-002, 6 evaluators, ties",
    domain="summaries",
    licence="none stated in the repository",
    size="599 choices, about 2 MB",
    where="github.com/Tiiiger/benchmark_llm_summarization, pairwise_evaluation_results.json and writer_summaries.json",
    cite="Zhang et al. (2024)",
    downloads=at_commit(
        "Tiiiger/benchmark_llm_summarization",
        "4e87890ed070c7db3dd5c1125adb5bde0ccd2eb1",
        "pairwise_evaluation_results.json",
        WRITERS_FILE,
    ),
    shapes=(
        Shape(
            looks="a JSON list with article_id, writer_id, evaluator_id, writer_summary, text-davinci-002_summary and "
            "overall_writer_better (true, false or Equally Good)",
            keys=frozenset({"article_id", "writer_summary", "overall_writer_better"}),
            convert=_pairs,
            kind="comparisons",
            files=("pairwise_evaluation_results.json*",),
        ),
    ),
)
