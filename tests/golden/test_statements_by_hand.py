"""FActScore, persona precision and recall, and the judge on 240 pairs, counted by hand: no other program can serve.

FActScore's and the papers' own programs are bound to their models. So a clerk stands for the model, whose lists and
verdicts are fixed by rules of these lines, and what a metric should make of them is counted here in plain Python from
the texts alone: no line of gameproof takes part.
"""

import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.fake_model import FakeModel, fences
from tests.support.golden import planted_pairs, summeval_pairs
from tests.support.scoring import score_items

from gameproof.metrics.catalogue import metric
from gameproof.records import Item, Persona

NEEDS = ("what happened", "to whom it happened", "what it cost", "who says so")
READER = Persona(role="nurse", query="Is the bridge open?")


def parts_of(text: str) -> list[str]:
    """Cut a text at its stops: the statements that the clerk finds in it."""
    found = [" ".join(part.split()) for part in text.split(".")]
    return list(dict.fromkeys(f"{part}." for part in found if re.search(r"\w", part)))


def is_yes(statement: str, beside: str = "") -> bool:
    return zlib.crc32(f"{statement}|{beside}".encode()) % 3 > 0


def grade_of(candidate: str) -> int:
    return 1 + zlib.crc32(candidate.encode()) % 10


def beside(statement: str, shown: dict[str, str]) -> str:
    """Return what a verdict depends on besides the statement: of a need, what the candidate tells."""
    told = [line.split(": ", 1)[1] for line in shown.get("found", "").splitlines()]
    return "|".join(told) if statement in NEEDS else ""


def answer(request) -> str:
    shown = fences(request)
    if request.purpose == "decompose":
        return json.dumps({"statements": parts_of(shown["reference"])})
    if request.purpose == "requirements":
        return json.dumps({"requirements": [{"text": need, "importance": 2} for need in NEEDS]})
    if "statements" in shown:
        lines = dict(line.split(": ", 1) for line in shown["statements"].splitlines())
        verdicts = [
            {"id": name, "verdict": "yes" if is_yes(text, beside(text, shown)) else "no"}
            for name, text in lines.items()
        ]
        return json.dumps({"verdicts": verdicts})
    return json.dumps({"reason": "as it is", "score": grade_of(shown["candidate"])})


def with_readers(items: list[Item]) -> list[Item]:
    return [replace(item, persona=READER) for item in items]


def share(verdicts: list[bool]) -> float:
    return sum(verdicts) / len(verdicts)


EXPECTED = {
    "factscore": lambda item: share([is_yes(part) for part in parts_of(item.candidate)]),
    "persona_precision": lambda item: share([is_yes(part) for part in parts_of(item.candidate)]),
    "persona_recall": lambda item: share(
        [is_yes(need, "|".join(parts_of(item.candidate))) for need in NEEDS]
    ),
    "judge,refs=first": lambda item: float(grade_of(item.candidate)),
}


def assert_equal(name: str, items: list[Item]) -> None:
    scores = score_items(metric(name, llm=FakeModel(answer)), items)
    assert not scores.reasons
    assert scores.values.tolist() == pytest.approx([EXPECTED[name](item) for item in items], abs=1e-12)


@pytest.mark.parametrize("name", EXPECTED)
def test_240_planted_pairs_are_counted_as_by_hand(name: str):
    assert_equal(name, with_readers(planted_pairs()))


@pytest.mark.real_data
@pytest.mark.parametrize("name", EXPECTED)
def test_240_rated_summaries_are_counted_as_by_hand(shared_folder: Path, name: str):
    assert_equal(name, with_readers(summeval_pairs(shared_folder)))
