"""Flawed metrics written on their own: plain string handling, nothing of gameproof's text tools, readers or checks."""

import re
from collections import Counter
from itertools import pairwise


def length_lover(item):
    return float(len(item.candidate))  # characters, not words


def hedge_lover(item):
    return float(len(re.findall(r"\b(?:may|might|could|maybe)\b", item.candidate.lower())))


def position_reader(item):
    """Share the first eighty characters with the reference, pair of letters by pair of letters."""
    return _overlap(_pairs(item.candidate[:80]), _pairs(item.references[0]))


def constant(item):
    del item
    return 7


def copier(item):
    """1 for a text that is made of sentences of a reference, word for word; else the share of those."""
    reference = item.references[0].lower()
    parts = [part.strip() for part in item.candidate.lower().split(".") if part.strip()]
    return sum(part in reference for part in parts) / max(len(parts), 1)


def bag_of_words(item):
    return _overlap(_bag(item.candidate), _bag(item.references[0]))


def first_words(item):
    """Count words of the reference among the first 512 of the text."""
    return _overlap(_bag(" ".join(item.candidate.split()[:512])), _bag(item.references[0]))


def _bag(text):
    return Counter(word.strip(".,;:!?()\"'").lower() for word in text.split())


def _pairs(text):
    return Counter(one + other for one, other in pairwise(text.lower()))


def _overlap(one, other):
    return (one & other).total() / max(other.total(), 1)
