"""chrF and chrF++: F-scores of character n-grams, the second with word n-grams too.

M. Popović, "chrF: character n-gram F-score for automatic MT evaluation", WMT 2015, and "chrF++: words
helping character n-grams", WMT 2017. The numbers are those of sacrebleu's sentence scores, from 0 to 100.
Counting is our own because sacrebleu counts a reference again for every candidate, and everything again for
the second of the two metrics; tests compare the scores with sacrebleu's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.metrics.lexical import Order, ReferenceMetric
from gameproof.metrics.ngram_index import (
    UNKNOWN,
    NgramIndex,
    Sequences,
    index_ngrams,
    number_tokens,
    numbering,
    sequences_of,
)
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import IntArray

__all__ = ["build_chrf"]

CHARACTER_ORDER = 6
WORD_ORDER = 2  # of chrF++; chrF has no words
BETA = 2  # how many times recall counts as much as precision
PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How many n-grams two texts share, by length, and how many symbols each text has."""

    shared: Sequence[int]
    candidate: int
    reference: int


def build_chrf(order: Order) -> ReferenceMetric:
    """Build chrF or chrF++, whichever an order names."""
    chrf = _Chrf(
        with_words=order.signature.startswith("chrf++"),
        ignore_case=order.options["case"] == "lower",
        memo=order.memo,
    )
    return ReferenceMetric(
        name=order.name,
        full_name=order.signature,
        refs=order.options["refs"],
        score_candidates=chrf.score_candidates,
    )


def f_score(overlaps: Sequence[Overlap]) -> float:
    """Return the F-score of the mean precision and mean recall over all lengths that both texts have.

    The steps are those of sacrebleu ("effective order", no smoothing), so that rounding is the same too.
    """
    precision = recall = 0.0
    n_usable = 0
    for overlap in overlaps:
        usable = min(len(overlap.shared), overlap.candidate, overlap.reference)
        for before in range(usable):
            precision += overlap.shared[before] / (overlap.candidate - before)
            recall += overlap.shared[before] / (overlap.reference - before)
        n_usable += usable
    if not precision + recall:
        return 0.0
    precision /= n_usable
    recall /= n_usable
    factor = BETA**2
    score = (1 + factor) * precision * recall
    return 100 * (score / ((factor * precision) + recall))


def split_words(text: str) -> list[str]:
    """Split at white space, and one punctuation mark off the end of a word, or else off its start."""
    words: list[str] = []
    for word in text.split():
        if word.isalnum():
            words.append(word)
        elif len(word) > 1 and word[-1] in PUNCTUATION:
            words += (word[:-1], word[-1])
        elif len(word) > 1 and word[0] in PUNCTUATION:
            words += (word[0], word[1:])
        else:
            words.append(word)
    return words


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reference:
    """The n-grams of a reference, and the numbers of its characters or words."""

    index: NgramIndex
    alphabet: IntArray  # sorted code points; empty for words
    numbers: Mapping[str, int]  # of words; empty for characters
    length: int

    @property
    def nbytes(self) -> int:
        return self.index.nbytes + self.alphabet.nbytes + 150 * len(self.numbers) + 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Overlaps:
    """The overlaps of a reference with its candidates: chrF++ takes those of characters from chrF."""

    by_candidate: Sequence[Overlap]

    @property
    def nbytes(self) -> int:
        return 300 * (len(self.by_candidate) + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chrf:
    with_words: bool
    ignore_case: bool
    memo: TextMemo

    def score_candidates(self, reference: str, candidates: tuple[str, ...]) -> list[float]:
        if self.ignore_case:
            reference, candidates = reference.lower(), tuple(text.lower() for text in candidates)
        key = ("chrf characters", reference, candidates)
        characters = self.memo.candidates.get(key, lambda: self._characters(reference, candidates))
        if not self.with_words:
            return [f_score([overlap]) for overlap in characters.by_candidate]
        words = self._words(reference, candidates)
        return [f_score(pair) for pair in zip(characters.by_candidate, words.by_candidate, strict=True)]

    def _characters(self, reference: str, candidates: tuple[str, ...]) -> _Overlaps:
        known = self.memo.references.get(("chrf characters", reference), lambda: _read_characters(reference))
        stripped = ["".join(text.split()) for text in candidates]
        # No line feed is left in any candidate, nor in the reference: it closes a candidate.
        symbols = _number_characters(_code_points("\n".join([*stripped, ""])), known.alphabet)
        lengths = np.array([len(text) for text in stripped], dtype=np.int64)
        return _overlaps(known, Sequences(symbols=symbols, lengths=lengths))

    def _words(self, reference: str, candidates: tuple[str, ...]) -> _Overlaps:
        known = self.memo.references.get(("chrf words", reference), lambda: _read_words(reference))
        words = [number_tokens(split_words(text), known.numbers) for text in candidates]
        return _overlaps(known, sequences_of(words))


def _overlaps(reference: _Reference, candidates: Sequences) -> _Overlaps:
    shared = reference.index.matches(candidates).tolist()
    return _Overlaps(
        by_candidate=[
            Overlap(shared=counts, candidate=length, reference=reference.length)
            for counts, length in zip(shared, candidates.lengths.tolist(), strict=True)
        ]
    )


def _code_points(text: str) -> IntArray:
    """Return the characters of a text as numbers; lone surrogates, which JSON can hold, are kept."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.int64)


def _number_characters(code_points: IntArray, alphabet: IntArray) -> IntArray:
    places = np.searchsorted(alphabet, code_points)
    known = alphabet.take(places, mode="clip") == code_points
    return np.where(known, places + (UNKNOWN + 1), UNKNOWN)


def _read_characters(reference: str) -> _Reference:
    code_points = _code_points("".join(reference.split()))
    alphabet = np.unique(code_points)
    return _Reference(
        index=index_ngrams(_number_characters(code_points, alphabet), max_length=CHARACTER_ORDER),
        alphabet=alphabet,
        numbers={},
        length=len(code_points),
    )


def _read_words(reference: str) -> _Reference:
    words = split_words(reference)
    numbers = numbering(words)
    return _Reference(
        index=index_ngrams(np.array(number_tokens(words, numbers), dtype=np.int64), max_length=WORD_ORDER),
        alphabet=np.empty(0, dtype=np.int64),
        numbers=numbers,
        length=len(words),
    )
