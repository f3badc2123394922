"""Find texts that are nearly the same, among many, by the words they share."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.records import BoolArray, IntArray

__all__ = ["NEAR", "NearDuplicates", "find_near_duplicates"]

NEAR = 0.8  # Jaccard similarity of two word sets from which they count as the same
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class NearDuplicates:
    """Texts by kind (texts with the same words are one kind), and which kinds are near one another."""

    kinds: IntArray  # of each text
    near: Sequence[IntArray]  # of each kind: itself and the kinds near it

    def among(self, text: int, others: IntArray) -> BoolArray:
        """Return which of some other texts are near duplicates of a text."""
        near = self.near[int(self.kinds[text])]
        return np.isin(self.kinds[others], near)


def find_near_duplicates(word_sets: Sequence[frozenset[str]]) -> NearDuplicates:
    """Find all pairs of word sets with a Jaccard similarity of at least `NEAR`.

    Two such sets share at least 80% of the larger one's words. So if words are sorted by rarity, they share one
    of the rarest 20% of each, and only sets that do are compared.
    """
    kind_of = {words: kind for kind, words in enumerate(dict.fromkeys(word_sets))}
    n_sets_with = Counter(word for words in kind_of for word in words)
    near = [[kind] for kind in kind_of.values()]
    sets_with_rare_word: dict[str, list[tuple[int, frozenset[str]]]] = {}
    for words, kind in kind_of.items():
        n_rare = len(words) - math.ceil(NEAR * len(words) - ROUNDING) + 1
        rarest = sorted(words, key=lambda word: (n_sets_with[word], word))[:n_rare]
        compared = {other: others for word in rarest for other, others in sets_with_rare_word.get(word, ())}
        for other, other_words in compared.items():
            if _jaccard(words, other_words) >= NEAR - ROUNDING:
                near[kind].append(other)
                near[other].append(kind)
        for word in rarest:
            sets_with_rare_word.setdefault(word, []).append((kind, words))
    return NearDuplicates(
        kinds=np.array([kind_of[words] for words in word_sets], dtype=np.int64),
        near=[np.array(kinds, dtype=np.int64) for kinds in near],
    )


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    shared = len(first & second)
    return shared / (len(first) + len(second) - shared)
