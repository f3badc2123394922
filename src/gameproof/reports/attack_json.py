"""Write attacks as ``attack.json``, and read them back."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from gameproof.attacks.result import SCHEMA, AttackResult, Attacks
from gameproof.errors import RunFolderError
from gameproof.reports.result_json import plain_json
from gameproof.stats.results import Interval

__all__ = ["attacks_text", "parse_attacks", "render_attacks"]

RERUN = "Make it again with `gameproof attack`: what is stored is not searched for again."


def render_attacks(found: Attacks) -> dict[str, object]:
    """Return attacks as JSON values: no NaN, and null where data does not bound an interval."""
    return cast("dict[str, object]", plain_json(found.record()))  # a mapping stays one


def attacks_text(found: Attacks) -> str:
    """Return attacks as the text of ``attack.json``."""
    return f"{json.dumps(render_attacks(found), indent=1, ensure_ascii=False, allow_nan=False)}\n"


def parse_attacks(record: Mapping[str, object]) -> Attacks:
    """Read what `render_attacks` wrote; fields this version does not know are ignored.

    Raises:
        RunFolderError: It is not such a record, or one of a newer format.
    """
    schema = record.get("schema")
    if schema != SCHEMA:
        raise RunFolderError(f"the schema of the attack is {schema!r}; this version reads {SCHEMA!r}.")
    return Attacks(
        data=_read(str, record.get("data"), "data"),
        seed=_read(int, record.get("seed"), "seed"),
        results=_read(tuple[AttackResult, ...], record.get("metrics"), "metrics"),
        notes=_read(tuple[str, ...], record.get("notes", ()), "notes"),
    )


def _read(kind: Any, value: object, where: str) -> Any:  # noqa: PLR0911 - one line a kind of type; Any: types are read from the dataclasses themselves
    """Return a value of JSON as a type that the dataclasses of an attack are made of."""
    if isinstance(kind, UnionType):
        inner = [one for one in get_args(kind) if one is not NoneType]
        return None if value is None else _read(inner[0], value, where)
    if is_dataclass(kind):
        return _record(cast("type", kind), value, where)
    origin = get_origin(kind)
    if origin is tuple:
        return _sequence(get_args(kind), value, where)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        entries = _mapping(value, where)
        return {key: _read(get_args(kind)[1], entry, f"{where}.{key}") for key, entry in entries.items()}
    if isinstance(kind, type) and issubclass(kind, Enum):
        try:
            return kind(value)
        except ValueError:
            raise _bad(where, value) from None
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise _bad(where, value)
    return value


def _record(kind: type, value: object, where: str) -> object:
    entries = _mapping(value, where)
    if kind is Interval:
        low, high = entries.get("low"), entries.get("high")
        entries = {"low": -math.inf if low is None else low, "high": math.inf if high is None else high}
    types = get_type_hints(kind)
    found: dict[str, object] = {}
    for item in fields(kind):
        if item.name in entries:
            found[item.name] = _read(types[item.name], entries[item.name], f"{where}.{item.name}")
        elif item.default is MISSING and item.default_factory is MISSING:
            raise RunFolderError(f"{where}.{item.name}: found nothing; it is required.", hint=RERUN)
    make = cast("Callable[..., object]", kind)  # the fields are checked one by one above
    return make(**found)


def _sequence(kinds: Sequence[Any], value: object, where: str) -> tuple[object, ...]:
    if not isinstance(value, list | tuple):
        raise _bad(where, value)
    entries = cast("Sequence[object]", value)
    each = [kinds[0]] * len(entries) if kinds[-1] is Ellipsis else kinds
    if len(each) != len(entries):
        raise _bad(where, entries)
    return tuple(
        _read(kind, entry, f"{where}[{place}]")
        for place, (kind, entry) in enumerate(zip(each, entries, strict=True))
    )


def _mapping(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise _bad(where, value)
    return {str(key): entry for key, entry in cast("Mapping[object, object]", value).items()}


def _bad(where: str, value: object) -> RunFolderError:
    return RunFolderError(f"{where}: found {value!r:.80}, which is not what an attack writes.", hint=RERUN)
