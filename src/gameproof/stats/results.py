"""What inference returns: intervals, verdicts, and the named states that replace NaN."""

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Interval", "Note", "State", "Verdict"]


class Verdict(StrEnum):
    """What a check decided."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    WRONG_WAY = "wrong_way"
    INCONCLUSIVE = "inconclusive"
    INSENSITIVE = "insensitive"


class Note(StrEnum):
    """What a verdict adds in one word."""

    SMALL_GAIN = "small_gain"
    MATERIAL = "material"
    WEAK = "weak"
    NEGLIGIBLE = "negligible"
    BLIND = "blind"


class State(StrEnum):
    """Why a number has no ordinary reading."""

    NO_CHANGE = "no_change"
    DETERMINISTIC = "deterministic"
    UNDEFINED = "undefined"
    NOT_APPLICABLE = "not_applicable"
    NOT_MEASURED = "not_measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A confidence interval; an end may be infinite where the data bound one side only."""

    low: float
    high: float
