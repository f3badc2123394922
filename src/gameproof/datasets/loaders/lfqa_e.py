"""LFQA-E: two long answers to a question, with a reference answer."""

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
    text,
)
from gameproof.files.formats import BadRow

__all__ = ["LFQA_E"]

BETWEEN = "_vs_"
SAME = "same"
TOPICS = ("topic", "category", "subject", "subreddit")  # where a file says what a question is about


def _pairs(records: Iterable[Numbered], _place: Place) -> Iterator[NumberedRow]:
    """Read the pairs; questions without an id are numbered as they come."""
    numbers: dict[tuple[str, str], int] = {}
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            yield line, _pair(record, numbers)
        except BadRecord as bad:
            yield line, bad.row


def _pair(record: Record, numbers: dict[tuple[str, str], int]) -> Row:
    label = next((key for key in record if BETWEEN in key), None)
    if label is None:
        raise BadRecord("no key such as student_answer_a_vs_model_answer_a", "the label of the pair")
    first, second = label.split(BETWEEN, 1)
    winner = text(record, label)
    if winner not in {first, second, SAME}:
        raise BadRecord(f"{label!r} is {winner!r}", f"{first}, {second} or {SAME}")
    question = text(record, "question")
    language = "zh" if "id" not in record else "en"
    context = text(record, "context") if "context" in record else None
    name = str(record.get("id", numbers.setdefault((question, context or ""), len(numbers))))
    topic = next((str(record[key]) for key in TOPICS if isinstance(record.get(key), str)), language)
    return {
        "task_id": f"{language}-{name}",
        "group": topic,
        "question": question,
        "source": context,
        "candidate_a": text(record, first),
        "candidate_b": text(record, second),
        "candidate_a_id": first,
        "candidate_b_id": second,
        "references": [text(record, "Concise_Reference")],
        "preference": "tie" if winner == SAME else "a" if winner == first else "b",
        "annotator": "gold",
        "raw_preference": winner,
    }


LFQA_E = PublicDataset(
    name="lfqa_e",
    title="LFQA-E",
    contains="long answers by people and models to questions in English and Chinese, in pairs, with a reference answer",
    domain="answers",
    licence="MIT, as its README says",
    size="7,649 pairs (6,156 English, 1,493 Chinese); the test stubs of its repository have 22",
    where="github.com/ChenLing03/LFQA-E, data/",
    cite="LFQA-E (2025)",
    paper="LFQA-E",
    groups="own",
    group_rule="the topic where the file names one, else the language",
    downloads=at_commit(
        "ChenLing03/LFQA-E",
        "f22577c35c858f2a8a0c134e4d5f55956f1e58ba",
        "data/en_test.json -> en_test.json",
        "data/zh_test.json -> zh_test.json",
    ),
    shapes=(
        Shape(
            looks="a JSON list with question, Concise_Reference, two answers, and a label such as "
            "student_answer_a_vs_model_answer_a",
            keys=frozenset({"question", "Concise_Reference"}),
            convert=_pairs,
            kind="comparisons",
            files=("data/LFQA-E-*.json", "LFQA-E-*.json", "data/*_test.json", "*_test.json"),
        ),
    ),
)
