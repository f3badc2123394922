"""Points that texts can agree or disagree with, as prompts write them: a sentence with its opposite."""

from dataclasses import dataclass

__all__ = ["Point", "read_point"]

BETWEEN = " [opposite: "


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A sentence and its opposite."""

    positive: str
    negative: str

    def __str__(self) -> str:
        return f"{self.positive}{BETWEEN}{self.negative}]"


def read_point(line: str) -> Point:
    """Read a point as it stands in a prompt.

    Example:
        >>> read_point("The proofs are complete. [opposite: A proof has a gap.]").negative
        'A proof has a gap.'
    """
    positive, _, negative = line.partition(BETWEEN)
    return Point(positive=positive, negative=negative.removesuffix("]"))
