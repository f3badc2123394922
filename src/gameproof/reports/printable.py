"""Make strangers' text safe to show: no terminal commands, no characters that reorder a line."""

import re

__all__ = ["printable"]

# Control characters but tab and line end; marks that embed, override or isolate a writing direction.
HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|[\ud800-\udfff]"
)


def printable(text: str) -> str:
    r"""Replace characters that would command a terminal or reorder a line by their visible names.

    Example:
        >>> printable("safe\x1b[2J")
        'safe<U+001B>[2J'
    """
    return HARMFUL.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)
