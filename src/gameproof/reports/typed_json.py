"""Write dataclasses as JSON, and read them back by the types of their fields."""

import math
import operator
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, SupportsFloat, SupportsIndex, cast, get_args, get_origin, get_type_hints

from gameproof.stats.results import Interval

__all__ = ["plain_json", "read_typed"]

WORDS: Mapping[type[object], str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


def plain_json(value: object) -> object:
    """Return a value as JSON can hold it: dataclasses as objects, enums as text, null for NaN and infinity."""
    if isinstance(value, Enum):
        return str(value.value)
    if is_dataclass(value):
        return {item.name: plain_json(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        entries = cast("Mapping[object, object]", value)
        return {str(key): plain_json(entry) for key, entry in entries.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain_json(entry) for entry in cast("Iterable[object]", value)]
    return _scalar(value)


def _scalar(value: object) -> object:
    """Return a value as JSON can hold it; numpy's numbers convert themselves."""
    if value is None or isinstance(value, bool | str):
        return value
    if not isinstance(value, SupportsFloat):
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        return None
    return operator.index(value) if isinstance(value, SupportsIndex) else number


def read_typed(kind: Any, value: object, where: str) -> Any:  # Any: types are read from dataclasses
    """Read what `plain_json` wrote.

    Null stands for NaN where a number must be, and for no bound at an end of an interval. Fields that a dataclass
    does not have are ignored.

    Args:
        kind: A dataclass, an enum, text, a number, a flag, `object` for anything; a tuple or a mapping of them, or one
            of them or None.
        value: As JSON has it.
        where: What the value is called in errors.

    Raises:
        ValueError: The value is of another type; the message names the place, what was found and what is allowed.

    Example:
        >>> read_typed(tuple[int, ...], [1, "2"], "counts")
        Traceback (most recent call last):
        ValueError: counts[1]: found '2'; allowed: a whole number
    """
    origin = get_origin(kind)
    if isinstance(kind, UnionType):
        return _read_optional(kind, value, where)
    if origin is tuple:
        return _read_tuple(get_args(kind), value, where)
    if is_dataclass(kind) or origin is not None:
        if not isinstance(value, Mapping):
            raise _misfit(where, value, "an object")
        entries = {str(key): entry for key, entry in cast("Mapping[object, object]", value).items()}
        if is_dataclass(kind):
            return _read_fields(cast("type", kind), entries, where)
        inner = get_args(kind)[1]
        return {key: read_typed(inner, entry, f"{where}.{key}") for key, entry in entries.items()}
    return _read_scalar(kind, value, where)


def _read_optional(kind: UnionType, value: object, where: str) -> object:
    if value is None:
        return None
    (inner,) = (one for one in get_args(kind) if one is not NoneType)
    try:
        return read_typed(inner, value, where)
    except ValueError as error:
        if inner in WORDS:
            raise ValueError(f"{error} or null") from None
        raise


def _read_tuple(kinds: Sequence[Any], value: object, where: str) -> tuple[object, ...]:
    if not isinstance(value, list | tuple):
        raise _misfit(where, value, "a list")
    entries = cast("Sequence[object]", value)
    each = [kinds[0]] * len(entries) if kinds[-1] is Ellipsis else kinds
    if len(each) != len(entries):
        raise _misfit(where, entries, f"a list of {len(each)}")
    return tuple(
        read_typed(kind, entry, f"{where}[{place}]")
        for place, (kind, entry) in enumerate(zip(each, entries, strict=True))
    )


def _read_fields(kind: type, entries: Mapping[str, object], where: str) -> object:
    if kind is Interval:
        low, high = entries.get("low"), entries.get("high")
        entries = {"low": -math.inf if low is None else low, "high": math.inf if high is None else high}
    found: dict[str, object] = {}
    for name, (inner, is_required) in _fields_of(kind).items():
        if name in entries:
            found[name] = read_typed(inner, entries[name], f"{where}.{name}")
        elif is_required:
            raise ValueError(f"{where}.{name}: found nothing; this field is required")
    make = cast("Callable[..., object]", kind)  # the fields are checked one by one above
    return make(**found)


@cache
def _fields_of(kind: type) -> dict[str, tuple[Any, bool]]:  # Any: a type
    """Return the fields of a dataclass: the type of each, and whether it must be given."""
    types = get_type_hints(kind)
    return {
        item.name: (types[item.name], item.default is MISSING and item.default_factory is MISSING)
        for item in fields(kind)
    }


def _read_scalar(kind: type[object], value: object, where: str) -> object:
    if kind is object:
        return value
    if issubclass(kind, Enum):
        for one in kind:
            if value == one.value:
                return one
        raise _misfit(where, value, ", ".join(str(one.value) for one in kind))
    if kind is float and value is None:
        return math.nan
    if kind is float and type(value) is int and abs(value) <= sys.float_info.max:
        return value
    if type(value) is not kind:
        raise _misfit(where, value, WORDS[kind])
    return value


def _misfit(where: str, found: object, allowed: str) -> ValueError:
    return ValueError(f"{where}: found {found!r:.80}; allowed: {allowed}")
