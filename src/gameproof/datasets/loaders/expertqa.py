"""ExpertQA: answers to experts' questions, checked and revised by the experts."""

from collections.abc import Iterable, Iterator, Mapping

from gameproof.datasets.loaders.base import (
    BadRecord,
    LeftOut,
    Numbered,
    NumberedRow,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    at_commit,
    listed,
    mean,
    part,
    short_digest,
    text,
)
from gameproof.files.formats import BadRow

__all__ = ["EXPERTQA"]

USEFULNESS: Mapping[str, float] = {"Useful": 3, "Partially useful": 2, "Not useful at all": 1}
CORRECTNESS: Mapping[str, float] = {
    "Definitely correct": 5,
    "Probably correct": 4,
    "Unsure": 3,
    "Likely incorrect": 2,
    "Definitely incorrect": 1,
}
INFORMATIVENESS: Mapping[str, float] = {
    "Very relevant": 3,
    "A bit relevant": 2,
    "Not too important": 1,
    "Uninformative": 0,
}


def _answers(records: Iterable[Numbered], _place: Place) -> Iterator[NumberedRow]:
    """Read answers; a question with the same system in several files is read once."""
    seen: set[tuple[str, str]] = set()
    for line, record in records:
        if isinstance(record, BadRow):
            yield line, record
            continue
        try:
            for row in _of_question(record):
                key = (row["task_id"], row["candidate_id"])
                yield line, row if key not in seen else LeftOut("answers that an earlier file has")
                seen.add(key)
        except BadRecord as bad:
            yield line, bad.row


def _of_question(record: Record) -> Iterator[Row]:
    question = text(record, "question")
    answers = part(record, "answers", dict, "an object of answers by system")
    field = part(record, "metadata", dict, "metadata").get("field") if "metadata" in record else None
    for system in answers:
        answer = part(answers, system, dict, "an answer")
        claims = listed(answer, "claims")
        marks = {
            "usefulness": USEFULNESS.get(str(answer.get("usefulness"))),
            "claim_correctness": _mean_mark(claims, "correctness", CORRECTNESS),
            "claim_informativeness": _mean_mark(claims, "informativeness", INFORMATIVENESS),
        }
        ratings = {key: value for key, value in marks.items() if value is not None}
        who = answer.get("annotator_id") or record.get("annotator_id")
        revised = answer.get("revised_answer_string")
        yield {
            "task_id": f"eq-{short_digest(question)}",
            "group": str(field) if field else "all",
            "question": question,
            "source": None,
            "candidate": text(answer, "answer_string"),
            "candidate_id": system,
            "references": [revised] if isinstance(revised, str) and revised.strip() else [],
            "ratings": ratings,
            "raters": [{"rater": str(who), **ratings}] if who else [],
            "n_claims": len(claims),
        }


def _mean_mark(claims: Iterable[Record], key: str, scale: Mapping[str, float]) -> float | None:
    return mean(scale[said] for claim in claims if (said := str(claim.get(key))) in scale)


EXPERTQA = PublicDataset(
    name="expertqa",
    title="ExpertQA",
    contains="experts' questions, an answer of a system each, marks of usefulness and of claims; the expert's revision",
    domain="answers",
    licence="MIT",
    size="2,177 answers in all, 479 in the splits of data/lfqa",
    where="github.com/chaitanyamalaviya/ExpertQA, data/r2_compiled_anon.jsonl and data/lfqa/",
    cite="Malaviya et al. (2024)",
    groups="own",
    group_rule="the expert's field",
    downloads=at_commit(
        "chaitanyamalaviya/ExpertQA",
        "1aa7ba81bd4c083c12ef1aa2fee338f6cb60fa87",
        *(f"data/lfqa/{kind}_{split}.jsonl" for kind in ("rand", "domain") for split in ("test", "val")),
    ),
    shapes=(
        Shape(
            looks="JSON lines with question, annotator_id, answers by system (answer_string, claims, usefulness, "
            "revised_answer_string) and metadata",
            keys=frozenset({"question", "answers"}),
            convert=_answers,
            files=(
                "data/r2_compiled_anon.jsonl",
                "r2_compiled_anon.jsonl",
                "data/lfqa/*.jsonl",
                "*_[tv]*.jsonl",
            ),
            together=True,
        ),
    ),
)
