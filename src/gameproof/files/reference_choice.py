"""Choose which text of a row serves as its reference."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gameproof.errors import PlanError

__all__ = [
    "ALL_REFERENCES",
    "NAMED_REFERENCES",
    "OWN",
    "Lacking",
    "chosen_texts",
    "is_column",
    "reference_note",
    "refuse_lacking",
]

OWN = "summary"  # the references that the row has
NAMED_REFERENCES = (OWN, "title", "source")
ALL_REFERENCES = "all"


@dataclass(slots=True)
class Lacking:
    """Counts the rows that do not have the text that was chosen."""

    n: int = 0
    first: int = 0  # place of the first one, counted from 1
    last: int = 0
    line: int = 0  # where the first one stands in the data

    def add(self, place: int) -> None:
        """Count one row, however many texts of it are read."""
        self.first = self.first or place
        self.n += place != self.last
        self.last = place

    def tell_line(self, place: int, number: int) -> None:
        """Note where a row stands that has just been read, in case it is the first one."""
        if self.first == place:
            self.line = number


def is_column(choice: str | None) -> bool:
    """Say whether a choice is a column of the data and none of the texts that every kind of data may have."""
    return choice is not None and choice not in NAMED_REFERENCES


def chosen_texts(choice: str, values: dict[str, Any]) -> tuple[str, ...]:
    """Return the texts that serve as references, of the cleaned values of a row; none where it lacks them."""
    if choice in {"title", "source"}:
        text = values.get(choice)
        return (text,) if isinstance(text, str) and text.strip() else ()
    return tuple(values.get("references", ()))


def reference_note(choice: str) -> str:
    """Say what all scores are against."""
    what = {
        OWN: "the references of each row",
        "title": "the title of each row",
        "source": "the source of each row",
    }
    return (
        f"what texts are compared with: {what.get(choice, f'the column {choice!r}')} (--reference {choice})"
    )


def refuse_lacking(choice: str | None, lacking: Lacking, n_rows: int, where: Callable[[int], str]) -> None:
    """Raise one error for all rows that lack the chosen text.

    Args:
        choice: What was asked for.
        lacking: The rows that do not have it.
        n_rows: How many rows there are.
        where: Says where a row is, as an error names it.

    Raises:
        PlanError: There are some.
    """
    if choice is None or not lacking.n:
        return
    what = {OWN: "reference of their own", "title": "title", "source": "source"}.get(
        choice, f"text in the column {choice!r}"
    )
    field_name = {OWN: "references"}.get(choice, choice)
    counted = f"all {n_rows:,} rows" if lacking.n == n_rows else f"{lacking.n:,} of {n_rows:,} rows"
    raise PlanError(
        f"--reference {choice}: {counted} have no {what} (the first is {where(lacking.line)}).",
        hint=f"{_other_choices(choice)}, or leave these rows out."
        + (f" --map {field_name}=COLUMN reads it from another column." if not is_column(choice) else ""),
    )


def _other_choices(choice: str) -> str:
    others: Sequence[str] = [name for name in NAMED_REFERENCES if name != choice]
    return f"Choose another text ({', '.join(others)} or a COLUMN)"
