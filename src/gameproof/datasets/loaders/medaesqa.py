"""MedAESQA: answers of systems to medical questions, checked sentence by sentence."""

from collections.abc import Iterator
from typing import Any, cast

from gameproof.datasets.loaders.base import (
    BadRecord,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    each,
    mean,
    part,
    text,
)

__all__ = ["MEDAESQA"]

ACCURATE = {"yes": 1.0, "no": 0.0}
REQUIRED = "required"
SUPPORTING = "supporting"
EXPERT_KEYS = ("expert_curated_answer", "expert_answer", "reference_answer")


def _question(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    name = str(part(record, "question_id", str | int, "the name of the question"))  # type: ignore[arg-type]
    answers = part(record, "machine_generated_answers", dict, "an object of answers by system")
    written = next((record[key] for key in EXPERT_KEYS if isinstance(record.get(key), str)), None)
    for system in answers:
        answer = part(answers, system, dict, "an answer")
        yield {
            "task_id": f"medaesqa-{name}",
            "group": "medaesqa",
            "question": text(record, "question"),
            "source": None,
            "candidate": text(answer, "answer"),
            "candidate_id": system,
            "references": [written] if written else [],
            "ratings": _ratings(answer),
        }


def _ratings(answer: Record) -> dict[str, float]:
    """Return accuracy (0 or 1), the share of sentences that are required, and that of supporting citations."""
    said = answer.get("is_answer_accurate")
    accuracy = None
    if said is not None:
        accuracy = ACCURATE.get(str(said).strip().lower())
        if accuracy is None:
            raise BadRecord(f"'is_answer_accurate' is {said!r}", "yes or no")
    sentences = cast("list[dict[str, Any]]", answer.get("answer_sentences") or [])
    relevance = [s.get("answer_sentence_relevance") for s in sentences]
    citations = [
        c for s in sentences for c in cast("list[dict[str, Any]]", s.get("citation_assessment") or [])
    ]
    relations = [c.get("evidence_relation") for c in citations]
    found = {
        "accuracy": accuracy,
        "required": mean(float(mark == REQUIRED) for mark in relevance if mark is not None),
        "supported": mean(float(relation == SUPPORTING) for relation in relations if relation is not None),
    }
    return {key: value for key, value in found.items() if value is not None}


MEDAESQA = PublicDataset(
    name="medaesqa",
    title="MedAESQA",
    contains="40 medical questions, answers of 30 systems, an expert answer; accuracy, relevance of sentences, citations",
    domain="answers",
    licence="Apache-2.0 (code); the data is said to be CC BY 4.0: see where it is published",
    size="1,200 answers",
    where="the OSF page that github.com/deepaknlp/MedAESQA names: medaesqa_v1.json",
    cite="Gupta et al. (2025)",
    paper="MedAESQA",
    shapes=(
        Shape(
            looks="a JSON list with question_id, question, expert_curated_answer and machine_generated_answers (M1 ...), "
            "each with answer, is_answer_accurate and answer_sentences",
            keys=frozenset({"question_id", "question", "machine_generated_answers"}),
            convert=each(_question),
            files=("medaesqa_v1.json", "data/medaesqa_v1.json"),
        ),
    ),
)
