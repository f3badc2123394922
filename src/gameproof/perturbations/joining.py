"""Put more text behind a text so that it looks as if it had been written there."""

from gameproof.text import Layout
from gameproof.text.splitter import STOPS

__all__ = ["CLOSING", "append", "joint"]

# What may stand between a full stop and the end of the sentence.
CLOSING = "\"'”’»)]}*_` "  # noqa: RUF001 - quotes as people type them


def append(text: str, addition: str, layout: Layout) -> str:
    """Return the text with an addition at its end, before white space that may stand there."""
    body = text.rstrip()
    return body + joint(body, layout) + addition + text[len(body) :]


def joint(text: str, layout: Layout) -> str:
    """Return what to put between a text and more text: one character for any text.

    A text of one line that ends in a full stop goes on in that line; a list, a text of several paragraphs or
    an unfinished sentence gets a new line, so that no sentence grows.
    """
    is_one_line = (
        len(layout.lines) == 1 and not layout.lines[0].is_header and not layout.lines[0].marker.strip()
    )
    return " " if is_one_line and text.rstrip(CLOSING)[-1:] in STOPS else "\n"
