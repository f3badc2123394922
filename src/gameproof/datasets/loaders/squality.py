"""SQuALITY: question-focused summaries of stories, and their human evaluation."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

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
)
from gameproof.datasets.loaders.records import records_of
from gameproof.files.formats import BadRow

__all__ = ["SQUALITY"]

HUMAN = "human"
# What is marked -> how the file calls it ("selection" is coverage).
MARKS: Mapping[str, str] = {
    "correctness": "correctness-rating",
    "coverage": "selection-rating",
    "overall": "overall-rating",
}
RANK = "overall-rank"
STORY_FILES = ("test.jsonl", "v1-3/txt/test.jsonl", "data/v1-3/txt/test.jsonl", "../v1-3/txt/test.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    story: str
    question: str
    responses: tuple[str, ...]


def _evaluation(records: Iterable[Numbered], place: Place) -> Iterator[NumberedRow]:
    """Read all-responses.jsonl; stories, questions and responses come from test.jsonl of v1-3/txt."""
    questions = _questions(place)
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            for row in _story(record, questions):
                yield line, row
        except BadRecord as bad:
            yield line, bad.row


def _story(record: Record, questions: Mapping[tuple[str, int], _Question]) -> Iterator[Row]:
    passage = text(record, "passage-id")
    asked = part(record, "questions", dict, "an object of questions")
    for place in asked:
        systems = part(asked, place, dict, "an object of systems")
        known = questions.get((passage, int(place)))
        rated = [text(part(systems, HUMAN, dict, "a response"), "response")] if HUMAN in systems else []
        responses = known.responses if known is not None else tuple(rated)
        for system in systems:
            entry = part(systems, system, dict, "a response with its reviews")
            candidate = text(entry, "response")
            raters = [_rater(review) for review in listed(entry, "reviews")]
            yield {
                "task_id": f"{passage}-q{place}",
                "group": passage,
                "source": known.story if known is not None else None,
                "question": known.question if known is not None else None,
                "candidate": candidate,
                "candidate_id": system,
                "references": [response for response in responses if response != candidate],
                "ratings": {key: mean(rater[key] for rater in raters) for key in MARKS},
                "raters": raters,
            }


def _rater(review: Record) -> Row:
    marks = {key: number(review, name) for key, name in MARKS.items()}
    rank = {"overall_rank": number(review, RANK)} if RANK in review else {}
    return {"rater": f"worker_{text(review, 'worker_id')}", **marks, **rank}


def _questions(place: Place) -> dict[tuple[str, int], _Question]:
    folders = (place.path.parent, place.root if place.root.is_dir() else place.path.parent)
    path = next(
        (folder / name for folder in folders for name in STORY_FILES if (folder / name).is_file()), None
    )
    found: dict[tuple[str, int], _Question] = {}
    for _, record in records_of(path) if path is not None else ():
        if isinstance(record, BadRow):
            continue
        passage = text(part(record, "metadata", dict, "metadata"), "passage_id")
        for asked in listed(record, "questions"):
            found[passage, int(number(asked, "question_number"))] = _Question(
                story=text(record, "document"),
                question=text(asked, "question_text"),
                responses=tuple(text(response, "response_text") for response in listed(asked, "responses")),
            )
    return found


def _stories(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    """Read a story of v1-3/txt: five questions, four responses each."""
    passage = text(part(record, "metadata", dict, "metadata"), "passage_id")
    for asked in listed(record, "questions"):
        yield {
            "task_id": f"{passage}-q{int(number(asked, 'question_number'))}",
            "group": passage,
            "source": text(record, "document"),
            "question": text(asked, "question_text"),
            "references": [text(response, "response_text") for response in listed(asked, "responses")],
        }


SQUALITY = PublicDataset(
    name="squality",
    title="SQuALITY and its human evaluation",
    contains="stories with 5 questions and 4 human responses each; 20 stories with 2 systems and a person rated by 3",
    domain="summaries",
    licence="CC BY 4.0 (summaries); Project Gutenberg (stories)",
    size="300 rated responses, about 3 MB",
    where="github.com/nyu-mll/SQuALITY, data/human-eval/all-responses.jsonl and data/v1-3/txt/test.jsonl",
    cite="Wang et al. (2022)",
    downloads=at_commit(
        "nyu-mll/SQuALITY",
        "dc08d4f574639d773bc64ef3ab3527043108fb4e",
        "data/human-eval/all-responses.jsonl",
        "data/v1-3/txt/test.jsonl",
    ),
    shapes=(
        Shape(
            looks="JSON lines with passage-id and questions, by system a response with its reviews (all-responses.jsonl); "
            "test.jsonl of v1-3/txt beside it has stories, questions and references",
            keys=frozenset({"passage-id", "questions"}),
            convert=_evaluation,
            files=(
                "data/human-eval/all-responses.jsonl",
                "human-eval/all-responses.jsonl",
                "all-responses.jsonl",
            ),
        ),
        Shape(
            looks="JSON lines with metadata, document and questions with responses (v1-3/txt/test.jsonl)",
            keys=frozenset({"metadata", "document", "questions"}),
            convert=each(_stories),
            kind="corpus",
            files=("data/v1-3/txt/test.jsonl", "v1-3/txt/test.jsonl", "test.jsonl"),
        ),
    ),
)
