"""Turn records into plain rows that read back as the same records."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, cast

from gameproof.errors import InputError
from gameproof.records import Item, Persona, Variant

__all__ = ["finite", "item_row", "plain_row", "plain_value", "variant_row"]


def item_row(item: Item) -> dict[str, object]:
    """Return an item as a row: what is absent is left out."""
    row: dict[str, object] = {"id": item.id, "task_id": item.task_id, "group": item.group}
    optional = {"system": item.system, "domain": item.domain, "query": item.query, "title": item.title}
    optional["source"] = item.source
    row.update({field: value for field, value in optional.items() if value is not None})
    row["candidate"] = item.candidate
    row["references"] = list(item.references)
    if item.reference_kinds:
        row["reference_kinds"] = list(item.reference_kinds)
    if item.ratings:
        row["ratings"] = dict(item.ratings)
    if item.raters:
        row["raters"] = {rater: dict(marks) for rater, marks in item.raters.items()}
    if item.persona is not None:
        row["persona"] = _persona_row(item.persona)
    if item.requirements:
        row["requirements"] = [asdict(requirement) for requirement in item.requirements]
    return row


def variant_row(variant: Variant) -> dict[str, object]:
    """Return a variant as a row of ``variants.jsonl``."""
    return {
        "item": variant.item_id,
        "variant": variant.name,
        "level": variant.level,
        "text": variant.text,
        "reason": variant.reason,
    }


def plain_row(row: object) -> dict[str, object]:
    """Return a record, any other dataclass or a mapping as a row."""
    if isinstance(row, Item):
        return item_row(row)
    if isinstance(row, Variant):
        return variant_row(row)
    if isinstance(row, Mapping):
        return cast("dict[str, object]", row if isinstance(row, dict) else dict(cast("Any", row)))
    if is_dataclass(row) and not isinstance(row, type):
        return asdict(row)
    raise InputError(f"a row to write is a value of type {type(row).__name__}; allowed: a dict or a record.")


def plain_value(value: object) -> object:
    """Return a value that JSON does not know as one that it does (the `default` of the json module)."""
    if hasattr(value, "tolist"):  # numpy: scalars and arrays
        return cast("Any", value).tolist()
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return dict(cast("Mapping[object, object]", value))
    if isinstance(value, set | frozenset):
        return sorted(cast("set[Any]", value))
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    raise TypeError(f"a value of type {type(value).__name__} cannot be written as JSON")


def finite(value: object) -> object:
    """Return a value with null in the place of every number that is not finite."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: finite(part) for key, part in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in cast("Sequence[object]", value)]
    if value is None or isinstance(value, str | int):
        return value
    return finite(plain_value(value))


def _persona_row(persona: Persona) -> dict[str, object]:
    parts: dict[str, object] = {
        "role": persona.role,
        "domain": persona.domain,
        "needs": persona.needs,
        "use_case": persona.use_case,
        "query": persona.query,
        "knows": list(persona.knows) or None,
    }
    return {key: part for key, part in parts.items() if part is not None}
