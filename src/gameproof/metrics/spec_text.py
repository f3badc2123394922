"""The text form of a metric: ``name,key=value,...``, keys sorted, nothing that a shell would change."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, unquote

from gameproof.errors import SpecError

__all__ = ["SpecText", "join_spec", "split_spec"]

SAFE = "/:@._-"  # kept as they are, besides letters and digits; everything else is percent-encoded


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecText:
    """A metric's text taken apart."""

    head: str  # what stands before the first comma
    options: Mapping[str, str]


def split_spec(text: str) -> SpecText:
    """Take the text of a metric apart.

    Raises:
        SpecError: An option has no value, or is given twice.

    Example:
        >>> split_spec("rougeL,tok=legacy").options
        {'tok': 'legacy'}
    """
    head, *pairs = (part.strip() for part in text.strip().split(","))
    options: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key or not value:
            raise SpecError(f"found {pair!r} after a comma; allowed: key=value")
        if key in options:
            raise SpecError(f"{key}: found twice, {options[key]!r} and {unquote(value)!r}; allowed: once")
        options[key] = unquote(value)
    return SpecText(head=head, options=options)


def join_spec(head: str, options: Mapping[str, str]) -> str:
    """Write a metric's text: the reverse of `split_spec`, with sorted keys.

    Example:
        >>> join_spec("rougeL", {"tok": "legacy", "refs": "max"})
        'rougeL,refs=max,tok=legacy'
    """
    return ",".join([head, *(f"{key}={_quote(options[key])}" for key in sorted(options))])


def _quote(value: str) -> str:
    return quote(value, safe=SAFE).replace("~", "%7E")  # a shell may read ~ as somebody's home
