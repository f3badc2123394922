"""Read and write the variants of items, as ``variants.jsonl``."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gameproof.errors import DataError, RowProblem
from gameproof.files.formats import BadRow
from gameproof.files.sources import Source, source_of
from gameproof.files.values import describe, encodes
from gameproof.files.writing import write_rows
from gameproof.records import Variant

__all__ = ["read_variants", "write_variants"]

ALLOWED = {
    "item": "the id of an item, as text",
    "variant": "the name of a perturbation, as text",
    "level": "a whole number, or null",
    "text": "text, or null with a reason",
    "reason": "text, or null with a text",
    "verdict": "keep or drop, as in a file of reviewed rewrites",
    "why": "text, or null",
}
DROPPED = "dropped in review"
ONE_OF_BOTH = "a text, or a reason why there is none"


class _VariantRow(BaseModel):
    """One row of ``variants.jsonl``."""

    model_config = ConfigDict(strict=True, extra="ignore")

    item: Annotated[str, Field(min_length=1)]
    variant: Annotated[str, Field(min_length=1)]
    level: int | None = None
    text: str | None = None
    reason: str | None = None
    verdict: Literal["keep", "drop"] | None = None  # of a review: only what is to be kept is a text
    why: str | None = None

    def to_record(self) -> Variant:
        """Return the variant."""
        if self.verdict == "drop":
            reason = self.reason or (f"{DROPPED}: {self.why}" if self.why else DROPPED)
            return Variant(item_id=self.item, name=self.variant, level=self.level, reason=reason)
        return Variant(
            item_id=self.item, name=self.variant, level=self.level, text=self.text, reason=self.reason
        )


def read_variants(path: Path | str) -> tuple[Variant, ...]:
    """Read and validate variants; exact duplicates are merged.

    Raises:
        DataError: some rows are bad; it carries all of them.
    """
    source = source_of(path)
    problems: list[RowProblem] = []
    variants: dict[tuple[str, str, int | None], tuple[int, Variant]] = {}
    for number, row in source.rows():
        where = source.where(number)
        if isinstance(row, BadRow):
            problems.append(RowProblem(where=where, field=None, found=row.found, allowed=row.allowed))
            continue
        try:
            variant = _VariantRow.model_validate(_table_row(row) if source.flat else row).to_record()
        except ValidationError as error:
            problems += _problems(where, error)
            continue
        key = (variant.item_id, variant.name, variant.level)
        first_number, first = variants.setdefault(key, (number, variant))
        problem = _contradiction(variant, first, source, first_number)
        if problem is not None:
            field, found, allowed = problem
            problems.append(RowProblem(where=where, field=field, found=found, allowed=allowed))
    source.close()
    if problems:
        raise DataError(problems)
    return tuple(variant for _, variant in variants.values())


def write_variants(path: Path | str, variants: Iterable[Variant]) -> int:
    """Write variants and return how many there were."""
    return write_rows(path, variants)


def _table_row(row: Mapping[str, Any]) -> dict[str, object]:
    """Return a row of a table with levels as numbers; an empty cell is null, but a text may be empty."""
    clean: dict[str, object] = {column: None if cell == "" else cell for column, cell in row.items()}
    level = clean.get("level")
    if isinstance(level, str) and level.lstrip("-").isdecimal():
        clean["level"] = int(level)
    if row.get("text") == "" and clean.get("reason") is None:
        clean["text"] = ""
    return clean


def _problems(where: str, error: ValidationError) -> list[RowProblem]:
    return [
        RowProblem(
            where=where,
            field=str(detail["loc"][0]),
            found="nothing" if detail["type"] == "missing" else describe(detail["input"]),
            allowed=ALLOWED[str(detail["loc"][0])],
        )
        for detail in error.errors(include_url=False, include_context=False)
    ]


def _contradiction(
    variant: Variant, first: Variant, source: Source, first_number: int
) -> tuple[str, str, str] | None:
    if (variant.text is None) == (variant.reason is None):
        found = "neither a text nor a reason" if variant.text is None else "a text and a reason"
        return ("text", found, ONE_OF_BOTH)
    if not encodes(variant.text or ""):
        return ("text", "half a character (a lone surrogate)", "text that UTF-8 can hold")
    if variant != first:
        found = f"the same item, variant and level as {source.where(first_number)} with another text"
        return ("item", found, "one row for each item, variant and level")
    return None
