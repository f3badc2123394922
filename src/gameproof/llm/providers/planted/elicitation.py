"""The planted oracle as ElicitationGPT asks it: the points of a text, of many texts, and who agrees with them."""

import re
from collections import Counter
from collections.abc import Callable, Mapping

from gameproof.datasets.planted.plan import Polarity
from gameproof.datasets.planted.reading import Reading, read_statement
from gameproof.llm.providers.planted.asking import Question
from gameproof.llm.providers.planted.understanding import Support, read_text
from gameproof.prompts.points import Point, read_point
from gameproof.text import sentences

__all__ = ["agree", "common_points", "is_about_points", "points_of_text"]

OPPOSITE = "It is not so that this holds: "

_LIMIT = re.compile(r"\bat\s+most\s+(?P<limit>\d+)\b")
_NUMBERED = re.compile(r"^(?P<id>P\d+): (?P<text>.*)$", re.MULTILINE)


def is_about_points(question: Question) -> bool:
    """Say whether a prompt shows a ground truth, or points."""
    return bool({"ground_truth", "points"} & question.texts.keys())


def points_of_text(text: str) -> list[dict[str, str]]:
    """Return each planted sentence of a text with its opposite."""
    stated = [one for one in sentences(text) if read_text(one)]
    return [{"positive": one, "negative": f"{OPPOSITE}{one}"} for one in dict.fromkeys(stated)]


def common_points(question: Question) -> list[dict[str, str]]:
    """Return the points that most lines make, the most frequent first: lines that mean the same are one point."""
    found = _LIMIT.search(question.words)
    meanings: dict[object, Point] = {}
    counts: Counter[object] = Counter()
    for point in _numbered(question).values():
        meaning = _meaning(point)
        meanings.setdefault(meaning, point)
        counts[meaning] += 1
    limit = int(found["limit"]) if found is not None else None
    kept = [meanings[meaning] for meaning, _ in counts.most_common(limit)]
    return [{"positive": point.positive, "negative": point.negative} for point in kept]


def agree(question: Question, support: Callable[[str, str], Support]) -> list[dict[str, str]]:
    """Say of each point whether the text agrees: it disagrees where it denies it or states something else."""
    text = question.text("text")
    return [
        {"id": name, "verdict": _verdict(support(text, point.positive))}
        for name, point in _numbered(question).items()
    ]


def _verdict(support: Support) -> str:
    if support == Support.STATED:
        return "agree"
    return "disagree" if support < 0 else "na"


def _numbered(question: Question) -> Mapping[str, Point]:
    lines = _NUMBERED.finditer(question.texts.get("points", ""))
    return {found["id"]: read_point(found["text"]) for found in lines}


def _meaning(point: Point) -> object:
    """Return what two wordings of one point have in common; a point that is not planted means itself."""
    reading: Reading | None = read_statement(point.positive)
    if reading is None:
        return point.positive
    return (reading.group, reading.key, reading.value, reading.second, reading.polarity == Polarity.DENIED)
