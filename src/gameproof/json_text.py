"""Read JSON that strangers wrote."""

import json

__all__ = ["parse_json"]


def parse_json(text: str | bytes, *, strict: bool = True) -> object:
    """Read one JSON value.

    Args:
        text: UTF-8, if it is bytes.
        strict: Whether raw control characters in its strings are refused.

    Raises:
        ValueError: It is no JSON, no UTF-8, or nested more deeply than Python reads.

    Example:
        >>> parse_json('{"score": 3}')
        {'score': 3}
    """
    try:
        return json.loads(text, strict=strict)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
