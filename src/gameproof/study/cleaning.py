"""Drop what is no text from what readers type, searches find and models write: it is shown, stored and exported."""

from unicodedata import category

__all__ = ["clean"]


def clean(text: str) -> str:
    r"""Drop control characters other than line breaks and tabs, halves of characters, and space around the text.

    Example:
        >>> clean("It rained.\x00\r\nAll \ud800day. ")
        'It rained.\nAll day.'
    """
    return "".join(
        sign for sign in text.replace("\r\n", "\n") if sign in "\n\t" or category(sign) not in {"Cc", "Cs"}
    ).strip()
