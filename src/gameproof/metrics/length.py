"""The length of a candidate: the straw man of every audit."""

from collections.abc import Callable, Mapping
from functools import partial

from gameproof import text as texts
from gameproof.metrics.lexical import Order, TextMetric
from gameproof.metrics.rouge_texts import WHOLE, Reader

__all__ = ["UNITS", "build_length"]


def build_length(order: Order) -> TextMetric:
    """Build the length in the unit that an order names."""
    reader = Reader(tok="unicode", split=order.splits.get("unicode", WHOLE), stem=False, memo=order.memo)
    measure = partial(UNITS[order.options["unit"]], reader)
    return TextMetric(name=order.name, full_name=order.signature, score_text=measure)


def _words(reader: Reader, candidate: str) -> float:
    return len(reader.candidate_words(candidate).row)


def _characters(reader: Reader, candidate: str) -> float:
    del reader
    return len(candidate)


def _sentences(reader: Reader, candidate: str) -> float:
    del reader
    return len(texts.sentences(candidate))


UNITS: Mapping[str, Callable[[Reader, str], float]] = {
    "words": _words,
    "characters": _characters,
    "sentences": _sentences,
}
