"""Read what a program or a server answers about one text."""

from collections.abc import Mapping
from typing import cast

from gameproof.errors import InputError
from gameproof.json_text import parse_json
from gameproof.metrics.base import number_or_reason

__all__ = ["read_answer", "score_in"]

ALLOWED = 'a number, null, or an object like {"score": 0.5}'
MAX_SHOWN = 120


def read_answer(line: bytes, item_id: str, who: str) -> float | str:
    """Read a line that a program wrote about an item: a number, or the reason why there is none.

    Raises:
        InputError: The line is no such answer, or is about another item.

    Example:
        >>> read_answer(b'{"score": null, "reason": "no verb"}', "a", "./score.sh")
        'no verb'
    """
    try:
        answer = parse_json(line)
    except ValueError as error:
        raise _bad(line, who) from error
    if isinstance(answer, dict):
        told = cast("dict[str, object]", answer).get("id", item_id)
        if told != item_id:
            raise InputError(
                f"the command {who}: it wrote about {told!r} where {item_id!r} was next.",
                hint="Answers stand in the order of the lines that were read.",
            )
    score = score_in(cast("object", answer))
    if score is None:
        raise _bad(line, who)
    return score


def score_in(answer: object) -> float | str | None:
    """Return the score in an answer, or the reason in it; None if it is no answer at all.

    Example:
        >>> score_in({"score": 1}), score_in(0.25), score_in("good")
        (1.0, 0.25, None)
    """
    if isinstance(answer, Mapping):
        record = cast("Mapping[str, object]", answer)
        if "score" not in record:
            return None
        if record["score"] is None:
            return str(record.get("reason") or "the answer has no score")
        return score_in(record["score"])
    if answer is None or isinstance(answer, bool | int | float):
        return number_or_reason(answer)
    return None


def _bad(line: bytes, who: str) -> InputError:
    shown = line[:MAX_SHOWN].decode("utf-8", "replace").strip()
    return InputError(f"the command {who}: found the line {shown!r}; allowed: {ALLOWED}.")
