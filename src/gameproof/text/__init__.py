"""Words, sentences and visible layout of a text, by rules of our own that need no download."""

from gameproof.text.layout import Layout, Line, sentences, split_layout
from gameproof.text.splitter import SPLITTER, is_splittable
from gameproof.text.tokens import words

__all__ = ["SPLITTER", "Layout", "Line", "is_splittable", "sentences", "split_layout", "words"]
