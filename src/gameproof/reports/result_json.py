"""Write an audit's result as ``result.json``, and read it back."""

import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import SupportsFloat, SupportsIndex, TypeVar, cast, get_args

from gameproof.audits.result import (
    RESULT_SCHEMA,
    AuditResult,
    Card,
    CardMark,
    CheckRow,
    CorrelationRow,
    Cost,
    ExchangeRate,
    LevelRow,
    MetricResult,
    SentenceRatio,
)
from gameproof.errors import RunFolderError
from gameproof.stats.results import Interval, Note, State, Verdict

__all__ = ["parse_result", "plain_json", "render_json"]

Value = TypeVar("Value")
Reader = Callable[[object, str], object]

RERUN = "Make it again with `gameproof audit`, or with `gameproof check` where the scores are still there."


def render_json(result: AuditResult) -> dict[str, object]:
    """Return the result as JSON values: enums as text, no NaN, no infinity.

    An end of an interval that the data does not bound becomes null.
    """
    return {
        "schema": result.schema,
        "run": plain_json(result.run),
        "metrics": [plain_json(metric) for metric in result.metrics],
    }


def parse_result(record: Mapping[str, object]) -> AuditResult:
    """Read what `render_json` wrote; fields this version does not know are ignored.

    Raises:
        RunFolderError: It is not such a record, or one of a newer format.
    """
    schema = record.get("schema")
    if not isinstance(schema, str) or schema != RESULT_SCHEMA:
        raise RunFolderError(f"the result's schema is {schema!r}; this version reads {RESULT_SCHEMA!r}.")
    run = _mapping(record.get("run"), "run")
    return AuditResult(
        run=dict(run), metrics=_tuple_of(_metric)(record.get("metrics"), "metrics"), schema=schema
    )


def plain_json(value: object) -> object:
    """Return a value as JSON can hold it: dataclasses as objects, enums as text, no NaN, no infinity."""
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


def _metric(value: object, where: str) -> MetricResult:
    return _build(
        MetricResult,
        value,
        where,
        card=_reader(
            Card, dict.fromkeys(("statistical", "sensitive", "resistant", "satisfied", "trusted"), _mark)
        ),
        correlation=_tuple_of(_correlation),
        checks=_tuple_of(_check),
        alarms=_tuple_of(_text),
        cost=_reader(Cost, {}),
        summary=_numbers,
    )


def _correlation(value: object, where: str) -> CorrelationRow:
    return _build(CorrelationRow, value, where, state=_optional(State))


def _check(value: object, where: str) -> CheckRow:
    return _build(
        CheckRow,
        value,
        where,
        verdict=_optional(Verdict),
        note=_optional(Note),
        state=_optional(State),
        missing=_counts,
        exchange=_exchange,
        beyond_length=_exchange,
        artefacts=_tuple_of(_text),
        levels=_tuple_of(_reader(LevelRow, {})),
        sentence_ratio=_sentence_ratio,
    )


def _sentence_ratio(value: object, where: str) -> SentenceRatio | None:
    return None if value is None else _build(SentenceRatio, value, where, verdict=_enum(Verdict))


def _exchange(value: object, where: str) -> ExchangeRate | None:
    if value is None:
        return None
    record = _mapping(value, where)
    return _build(
        ExchangeRate,
        # A number that JSON cannot hold was written as null.
        {**record, "value": math.nan if record.get("value") is None else record["value"]},
        where,
        interval=_interval,
        verdict=_enum(Verdict),
    )


def _interval(value: object, where: str) -> Interval:
    record = _mapping(value, where)
    low, high = record.get("low"), record.get("high")
    ends = {"low": -math.inf if low is None else low, "high": math.inf if high is None else high}
    return _build(Interval, ends, where)


def _build(kind: type[Value], value: object, where: str, **readers: Reader) -> Value:
    """Make a dataclass of a mapping: fields with a reader go through it, the others are checked by type."""
    record = _mapping(value, where)
    found: dict[str, object] = {}
    for item in fields(kind):  # pyright: ignore[reportArgumentType] - every kind is a dataclass
        path = f"{where}.{item.name}"
        if item.name not in record:
            if item.default is MISSING and item.default_factory is MISSING:
                raise _bad(path, "nothing", "this field is required")
            continue
        reader = readers.get(item.name)
        entry = record[item.name]
        found[item.name] = reader(entry, path) if reader else _typed(entry, item.type, path)
    return kind(**found)


def _reader(kind: type[Value], readers: Mapping[str, Reader]) -> Callable[[object, str], Value]:
    return lambda value, where: _build(kind, value, where, **readers)


def _typed(value: object, kind: object, where: str) -> object:
    allowed = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    if float in allowed and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if any(type(value) is one for one in allowed):
        return value
    names = [
        "null" if one is NoneType else "a number" if one is float else getattr(one, "__name__", str(one))
        for one in allowed
    ]
    raise _bad(where, value, " or ".join(names))


def _tuple_of(reader: Callable[[object, str], Value]) -> Callable[[object, str], tuple[Value, ...]]:
    def read(value: object, where: str) -> tuple[Value, ...]:
        if not isinstance(value, list | tuple):
            raise _bad(where, value, "a list")
        entries = cast("Sequence[object]", value)  # the reader checks each of them
        return tuple(reader(entry, f"{where}[{number}]") for number, entry in enumerate(entries))

    return read


def _enum(kind: type[Enum]) -> Reader:
    def read(value: object, where: str) -> object:
        try:
            return kind(value)
        except ValueError:
            raise _bad(where, value, ", ".join(str(entry.value) for entry in kind)) from None

    return read


def _optional(kind: type[Enum]) -> Reader:
    reader = _enum(kind)
    return lambda value, where: None if value is None else reader(value, where)


_mark = _enum(CardMark)


def _text(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise _bad(where, value, "text")
    return value


def _numbers(value: object, where: str) -> dict[str, float | None]:
    record = _mapping(value, where)
    return {key: None if entry is None else _number(entry, f"{where}.{key}") for key, entry in record.items()}


def _counts(value: object, where: str) -> dict[str, int]:
    record = _mapping(value, where)
    return {key: int(_number(entry, f"{where}.{key}")) for key, entry in record.items()}


def _number(value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _bad(where, value, "a number")
    return value


def _mapping(value: object, where: str) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise _bad(where, value, "an object")
    return {str(key): entry for key, entry in cast("Mapping[object, object]", value).items()}


def _bad(where: str, found: object, allowed: str) -> RunFolderError:
    return RunFolderError(f"{where}: found {found!r:.80}; allowed: {allowed}", hint=RERUN)
