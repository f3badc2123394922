"""Choose one number where a host returns several under names."""

from collections.abc import Mapping
from typing import cast

__all__ = ["picked"]


def picked(found: object, key: str | None) -> object:
    """Return the number of a result, or the one under `key` where a result has several.

    Raises:
        ValueError: There are several and none is chosen, or there is none of that name.

    Example:
        >>> picked({"rouge1": 0.5, "rougeL": 0.4}, "rougeL"), picked({"bleu": 0.1}, None), picked(0.3, None)
        (0.4, 0.1, 0.3)
    """
    if not isinstance(found, Mapping):
        if key is not None:
            raise ValueError(f"key: found {key!r}, but the result is {type(found).__name__} without names")
        return found
    record = cast("Mapping[str, object]", found)
    names = ", ".join(map(str, record))
    if key is None:
        if len(record) != 1:
            raise ValueError(f"the result has several numbers: say which with key= (one of {names})")
        return next(iter(record.values()))
    if key not in record:
        raise ValueError(f"key: found {key!r}; allowed: {names}")
    return record[key]
