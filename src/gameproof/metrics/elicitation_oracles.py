"""What ElicitationGPT asks a language model: the points of a text, those of a cluster, and who agrees with them.

The summarisation oracle reads each ground-truth text by itself, and then the points of all texts together. The
question-answering oracle reads one text beside the points of its cluster. A candidate and a ground truth never
stand in one prompt.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pydantic import BaseModel

from gameproof.llm.asking import Asker, Question, Repaired, Unread
from gameproof.llm.client import Reply, Request
from gameproof.llm.replies import UNREADABLE, closed_object, read_json, read_statement_verdicts
from gameproof.prompts.loading import load
from gameproof.prompts.messages import Message
from gameproof.prompts.points import Point

__all__ = ["Answers", "answers_question", "points_question", "prompt_labels", "rubric_question"]

ROLE = "elicitation"
VALUES: Mapping[str, float] = {"agree": 1.0, "disagree": 0.0, "na": math.nan}
POINTS_SCHEMA = closed_object(
    {
        "points": {
            "type": "array",
            "items": closed_object({"positive": {"type": "string"}, "negative": {"type": "string"}}),
        }
    }
)
ANSWERS_SCHEMA = closed_object(
    {
        "verdicts": {
            "type": "array",
            "items": closed_object(
                {"id": {"type": "string"}, "verdict": {"type": "string", "enum": list(VALUES)}}
            ),
        }
    }
)


class _Pair(BaseModel):
    positive: str
    negative: str


class _Points(BaseModel):
    """The reply that is asked for."""

    points: list[_Pair]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What one text says of points, by their places: 1, 0, or NaN where it says nothing."""

    values: Mapping[int, float]  # places without a verdict are left out


def prompt_labels() -> dict[str, str]:
    """Return the wordings that a signature pins, by what they are for."""
    return {name: load(ROLE, name).label for name in ("points", "rubric", "answers")}


def points_question(text: str, asker: Asker) -> Question[tuple[Point, ...]]:
    """Ask for the points of one ground-truth text."""
    messages = load(ROLE, "points").render(ground_truth=text)
    return _question_of_points(messages, asker, purpose="elicitation points")


def rubric_question(points: Sequence[Point], *, limit: int, asker: Asker) -> Question[tuple[Point, ...]]:
    """Ask for the few points that many have in common."""
    numbered = {f"P{place}": str(point) for place, point in enumerate(points, start=1)}
    messages = load(ROLE, "rubric").render(points=numbered, limit=limit)
    return _question_of_points(messages, asker, purpose="elicitation rubric", limit=limit)


def answers_question(text: str, points: Mapping[int, Point], asker: Asker) -> Question[Answers]:
    """Ask what a text says of points, which are named by their places."""
    named = {f"P{place + 1}": str(point) for place, point in points.items()}
    messages = load(ROLE, "answers").render(text=text, points=named)
    request = Request(
        model=asker.name,
        messages=messages,
        schema=ANSWERS_SCHEMA,
        schema_name="answers",
        purpose="elicitation answers",
    )
    return Question(request=request, read=partial(_read_answers, ids=tuple(named), prompt=messages))


def _question_of_points(
    messages: tuple[Message, ...], asker: Asker, *, purpose: str, limit: int | None = None
) -> Question[tuple[Point, ...]]:
    request = Request(
        model=asker.name, messages=messages, schema=POINTS_SCHEMA, schema_name="points", purpose=purpose
    )
    return Question(request=request, read=partial(_read_points, limit=limit, prompt=messages))


def _read_points(
    reply: Reply, *, limit: int | None, prompt: Sequence[Message]
) -> tuple[Point, ...] | Unread | Repaired[tuple[Point, ...]]:
    read = read_json(reply, _Points, prompt=prompt)
    if read.value is None:
        return Unread(reason=read.reason or UNREADABLE)
    pairs = [(" ".join(pair.positive.split()), " ".join(pair.negative.split())) for pair in read.value.points]
    found = {positive: negative for positive, negative in pairs if positive and negative}
    points = tuple(Point(positive=positive, negative=negative) for positive, negative in found.items())[
        :limit
    ]
    return Repaired(points) if read.repaired else points


def _read_answers(
    reply: Reply, *, ids: tuple[str, ...], prompt: Sequence[Message]
) -> Answers | Unread | Repaired[Answers]:
    read = read_statement_verdicts(reply, ids, tuple(VALUES), prompt=prompt)
    if read.reason is not None:
        return Unread(reason=read.reason)
    answers = Answers(values={int(name[1:]) - 1: VALUES[verdict] for name, verdict in read.values.items()})
    return Repaired(answers) if read.repaired else answers
