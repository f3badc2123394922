"""Rank texts for a query by BM25."""

import math
from collections import Counter
from collections.abc import Sequence

from gameproof.metrics.porter import stem
from gameproof.text import words

__all__ = ["BM25", "terms"]

K1, B = 1.5, 0.75
# English words that say nothing about a subject; texts in other languages are ranked with all of their words.
FUNCTION_WORDS = frozenset(
    [
        "about",
        "after",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "between",
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "during",
        "each",
        "few",
        "for",
        "from",
        "had",
        "has",
        "have",
        "having",
        "how",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "just",
        "may",
        "me",
        "might",
        "more",
        "most",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "same",
        "shall",
        "should",
        "so",
        "some",
        "such",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)


class BM25:
    """S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework", 2009, eq. 3.15.

    With f the count of a term in a text, l the length of the text and N texts of which n have the term:
    sum over terms of the query of log(1 + (N - n + 1/2) / (n + 1/2)) f (k1 + 1) / (f + k1 (1 - b + b l / mean l)).
    The 1 in the logarithm (as in Lucene) keeps terms of most texts from counting against a text.

    Example:
        >>> BM25([["rain", "night"], ["sun"], ["rain", "rain"]]).best(["rain"], 5)
        [2, 0]
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        """Count terms."""
        self._counts = [Counter(text) for text in texts]
        self._lengths = [len(text) for text in texts]
        self._mean = sum(self._lengths) / len(texts) if texts else 0.0
        self._having = Counter(term for counts in self._counts for term in counts)

    def __len__(self) -> int:
        """Return how many texts there are."""
        return len(self._counts)

    def idf(self, term: str) -> float:
        """Return the weight of a term."""
        n = self._having[term]
        return math.log(1 + (len(self._counts) - n + 0.5) / (n + 0.5))

    def scores(self, query: Sequence[str]) -> list[float]:
        """Score every text; a term that the query repeats counts so often."""
        found = [0.0] * len(self._counts)
        for term in query:
            weight = self.idf(term)
            for place, counts in enumerate(self._counts):
                f = counts[term]
                if f:
                    norm = 1 - B + B * self._lengths[place] / self._mean
                    found[place] += weight * f * (K1 + 1) / (f + K1 * norm)
        return found

    def best(self, query: Sequence[str], n: int) -> list[int]:
        """Return the places of the best texts that have a term of the query, best first."""
        scores = self.scores(query)
        ranked = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
        return [place for place in ranked[:n] if scores[place] > 0]


def terms(text: str) -> list[str]:
    """Return the stems of a text's words, without function words and single letters.

    Example:
        >>> terms("Sensors at a river's banks")
        ['sensor', 'river', 'bank']
    """
    return [
        stem(word)
        for word in words(text)
        if word not in FUNCTION_WORDS and (len(word) > 1 or not word.isascii())
    ]
