"""Experts' choices between long answers (lfqa_eval), raw and processed."""

import re
from collections.abc import Iterator, Mapping

from gameproof.datasets.loaders.base import (
    BadRecord,
    Place,
    PublicDataset,
    Record,
    Row,
    Shape,
    each,
    part,
    short_digest,
    text,
)

__all__ = ["LFQA_EXPERTS"]

BETTER: Mapping[str, str] = {"Answer A": "a", "Answer B": "b"}
# What the code of a pair says about its answers: H human, M model; the last letter is the first answer's.
WRITERS: Mapping[str, tuple[str, str]] = {
    "HMH": ("human", "model"),
    "HMM": ("model", "human"),
    "HHH": ("human_more_upvotes", "human_fewer_upvotes"),
    "HHh": ("human_fewer_upvotes", "human_more_upvotes"),
}
SIGNS: Mapping[float, str] = {-1: "a", 0: "tie", 1: "b"}


def _raw(record: Record, _count: int, place: Place) -> Iterator[Row]:
    """Read a judgement of raw_annotation_data/Annotated_Dataset; the field is in the name of the file."""
    field = re.match(r"[A-Za-z]*", place.path.stem).group() or "all"  # type: ignore[union-attr]
    question = re.sub(r"<br\s*/?>", "\n", text(record, "question_text")).strip()
    a, b = text(record, "answer1"), text(record, "answer2")
    choice = BETTER.get(text(record, "BetterAnswer"))
    if choice is None:
        raise BadRecord(f"'BetterAnswer' is {record['BetterAnswer']!r}", "Answer A or Answer B")
    label = text(record, "answer1_label")
    writers = WRITERS.get(label[:3], ("answer1", "answer2"))
    yield {
        "task_id": f"{field}-{short_digest(question, a, b)}",
        "q_id": record.get("q_id"),
        "group": field,
        "question": question,
        "source": None,
        "candidate_a": a,
        "candidate_b": b,
        "candidate_a_id": writers[0],
        "candidate_b_id": writers[1],
        "references": [],
        "preference": choice,
        "annotator": f"{field}_{part(record, 'annotator', int, 'a number')}",
        "difficult": record.get("DifficultToChoose"),
        "justification": record.get("comments"),
        "label": label,
    }


def _processed(record: Record, _count: int, _place: Place) -> Iterator[Row]:
    """Read a line of preference_data: -1 the first answer, 1 the second."""
    question, a, b = (text(record, key) for key in ("question", "answer_a", "answer_b"))
    kinds = tuple(str(record.get(f"answer_{side}_type") or side) for side in ("a", "b"))
    row: Row = {
        "task_id": f"lfqa-{short_digest(question, a, b)}",
        "question": question,
        "source": None,
        "candidate_a": a,
        "candidate_b": b,
        "candidate_a_id": kinds[0],
        "candidate_b_id": kinds[1],
        "references": [],
        "preference": _sign(record, "overall_preference"),
    }
    more = ("coherence_preference", "factuality_preference")
    yield row | {key: _sign(record, key) for key in more if record.get(key) is not None}


def _sign(record: Record, key: str) -> str:
    value = part(record, key, int | float, "-1, 0 or 1")  # type: ignore[arg-type]
    if value not in SIGNS:
        raise BadRecord(f"{key!r} is {value!r}", "-1, 0 or 1")
    return SIGNS[value]


LFQA_EXPERTS = PublicDataset(
    name="lfqa_experts",
    title="Experts on long answers (lfqa_eval)",
    contains="140 pairs of long answers in 7 fields, 13 expert files, no ties, no references",
    domain="answers",
    licence="none stated in the repository",
    size="260 choices, about 1 MB",
    where="github.com/carriex/lfqa_eval, raw_annotation_data/Annotated_Dataset/ (preference_data/ needs Git LFS)",
    cite="Xu et al. (2023)",
    groups="own",
    group_rule="the field",
    shapes=(
        Shape(
            looks="a JSON list with question_text, answer1, answer2, answer1_label, BetterAnswer and annotator, "
            "in a file named after the field",
            keys=frozenset({"question_text", "answer1", "answer2", "BetterAnswer"}),
            convert=each(_raw),
            kind="comparisons",
            files=("raw_annotation_data/Annotated_Dataset/*.json", "Annotated_Dataset/*.json", "*.json"),
        ),
        Shape(
            looks="JSON lines with question, answer_a, answer_b and overall_preference (-1, 0 or 1)",
            keys=frozenset({"question", "answer_a", "answer_b", "overall_preference"}),
            convert=each(_processed),
            kind="comparisons",
            files=("preference_data/*.jsonl", "*.jsonl"),
        ),
    ),
)
