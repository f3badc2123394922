"""The JSON schema of what `gameproof.reports.typed_json` writes of a dataclass."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from inspect import getdoc
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

__all__ = ["schema_of"]

PLAIN = {str: "string", int: "integer", bool: "boolean"}
Schema = dict[str, Any]


def schema_of(
    name: str,
    title: str,
    kind: type,
    *,
    added: Mapping[str, Schema],
    more: Mapping[type, Mapping[str, Schema]],
) -> Schema:
    """Return the schema of a format.

    Args:
        name: Of the format and its version: ``attack.1``.
        title: What it is.
        kind: The dataclass.
        added: Fields of the record beside those of the dataclass, which stand first.
        more: Dataclass -> fields of its records that it computes.
    """
    defs: dict[str, Schema] = {}
    whole = _record(kind, defs, more)
    properties = {**added, **whole["properties"]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"gameproof.{name}",
        "title": title,
        "description": "A number that does not exist, and an end of an interval that data does not bound, is null.",
        "type": "object",
        "required": [*added, *whole["required"]],
        "properties": properties,
        "$defs": dict(sorted(defs.items())),
    }


def _record(kind: type, defs: dict[str, Schema], more: Mapping[type, Mapping[str, Schema]]) -> Schema:
    types = get_type_hints(kind)
    own = {item.name: _of(types[item.name], defs, more) for item in fields(kind)}
    computed = more.get(kind, {})
    doc = (getdoc(kind) or "").partition("\n")[0]
    needed = [
        item.name for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING
    ]
    return {"type": "object", "description": doc, "required": needed, "properties": {**own, **computed}}


def _of(kind: Any, defs: dict[str, Schema], more: Mapping[type, Mapping[str, Schema]]) -> Schema:
    if isinstance(kind, UnionType):
        inner = [one for one in get_args(kind) if one is not NoneType]
        return {"anyOf": [*(_of(one, defs, more) for one in inner), {"type": "null"}]}
    if is_dataclass(kind):
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()
        if name not in defs:
            defs[name] = {}
            defs[name] = _record(kind, defs, more)
        return {"$ref": f"#/$defs/{name}"}
    return _container(kind, defs, more)


def _container(  # noqa: PLR0911 - one line a kind of type
    kind: Any, defs: dict[str, Schema], more: Mapping[type, Mapping[str, Schema]]
) -> Schema:
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return {"enum": list(inner)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of(inner[1], defs, more)}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        if inner[-1] is Ellipsis or len(inner) == 1:
            return {"type": "array", "items": _of(inner[0], defs, more)}
        parts = [_of(one, defs, more) for one in inner]
        return {"type": "array", "prefixItems": parts, "minItems": len(parts), "maxItems": len(parts)}
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [one.value for one in kind]}
    if kind is float:
        return {"type": ["number", "null"]}
    return {"type": PLAIN[kind]} if kind in PLAIN else {}
