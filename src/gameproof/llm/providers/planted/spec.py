"""The names of the planted models: ``planted:oracle``, ``planted:judge``, ``planted:rewriter``, with options."""

from collections.abc import Callable, Mapping
from typing import Any, get_args

from gameproof.errors import SpecError
from gameproof.llm.client import LanguageModel
from gameproof.llm.providers.planted.judge import PlantedJudge, Tastes
from gameproof.llm.providers.planted.oracle import Errors, ErrsBy, PlantedOracle
from gameproof.llm.providers.planted.rewriter import PlantedRewriter

__all__ = ["PLANTED", "open_planted"]

PREFIX = "planted:"

Values = Mapping[str, Any]  # numbers, and words where the table below says so: checked where they are read


def open_planted(text: str) -> LanguageModel:
    """Open a planted model by its name.

    Args:
        text: ``planted:oracle``, ``planted:judge`` or ``planted:rewriter``, then ``,key=number`` for what is
            to differ from the default: rates of error, strengths of taste, ``seed``; and ``errs_by=WORD``.

    Raises:
        SpecError: The name or an option is unknown, or a value is no number in its range.

    Example:
        >>> open_planted("planted:oracle,topic=0,seed=3").name
        'planted:oracle,seed=3,topic=0'
    """
    kind, *parts = text.removeprefix(PREFIX).split(",")
    if not text.startswith(PREFIX) or kind not in PLANTED:
        allowed = ", ".join(f"{PREFIX}{name}" for name in PLANTED)
        raise SpecError(f"planted model {text!r} is unknown: expected one of {allowed}.")
    options: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or key not in OPTIONS[kind]:
            raise SpecError(
                f"option {part!r} of {PREFIX}{kind} is unknown: expected"
                f" {', '.join(f'{name}={_allowed(name)}' for name in OPTIONS[kind])}."
            )
        options[key] = value
    values = {
        key: _word(kind, key, value) if key in WORDS else _number(kind, key, value)
        for key, value in options.items()
    }
    name = ",".join([f"{PREFIX}{kind}", *(f"{key}={options[key]}" for key in sorted(options))])
    return PLANTED[kind](values, name)


def _allowed(key: str) -> str:
    return "|".join(WORDS[key]) if key in WORDS else "NUMBER"


def _word(kind: str, key: str, value: str) -> str:
    if value not in WORDS[key]:
        raise SpecError(f"option {key} of {PREFIX}{kind}: found {value!r}; allowed: {', '.join(WORDS[key])}.")
    return value


def _number(kind: str, key: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    limit = 1.0 if kind != "judge" and key != "seed" else float("inf")
    if not 0 <= number <= limit or number == float("inf") or (key == "seed" and number != int(number)):
        allowed = (
            "a whole number from 0" if key == "seed" else "a number from 0" + (" to 1" if limit == 1 else "")
        )
        raise SpecError(f"option {key} of {PREFIX}{kind}: found {value!r}; allowed: {allowed}.")
    return number


def _seed(values: Values) -> int:
    return int(values.get("seed", 0))


def _without_seed(values: Values) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != "seed"}


def _oracle(values: Values, name: str) -> LanguageModel:
    return PlantedOracle(errors=Errors(**_without_seed(values)), seed=_seed(values), name=name)


def _judge(values: Values, name: str) -> LanguageModel:
    return PlantedJudge(tastes=Tastes(**_without_seed(values)), seed=_seed(values), name=name)


def _rewriter(values: Values, name: str) -> LanguageModel:
    return PlantedRewriter(wrong=values.get("wrong", 0.0), seed=_seed(values), name=name)


OPTIONS: Mapping[str, tuple[str, ...]] = {
    "oracle": ("topic", "negation", "held_out", "order", "missed", "added", "errs_by", "seed"),
    "judge": ("content", "length", "hedges", "superlatives", "noise", "seed"),
    "rewriter": ("wrong", "seed"),
}
WORDS: Mapping[str, tuple[str, ...]] = {"errs_by": get_args(ErrsBy)}
PLANTED: Mapping[str, Callable[[Values, str], LanguageModel]] = {
    "oracle": _oracle,
    "judge": _judge,
    "rewriter": _rewriter,
}
