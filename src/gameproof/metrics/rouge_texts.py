"""What ROUGE sees of a text: its words, by sentence, as numbers; each is worked out once per run."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TypeVar

import numpy as np

from gameproof import text as texts
from gameproof.metrics.common_subsequence import CommonRows, find_common_rows
from gameproof.metrics.ngram_index import index_ngrams, number_tokens, numbering, sequences_of
from gameproof.metrics.porter import stem
from gameproof.metrics.text_memo import Store, TextMemo
from gameproof.records import IntArray

__all__ = ["NEWLINE", "TOKENISERS", "WHOLE", "Reader", "Words"]

WHOLE = "none"  # the text is taken as one sentence
NEWLINE = "newline"
BYTES_PER_WORD = 80  # a short text in CPython, and its place in a tuple
MAX_NGRAM = 2
# rouge-score stems only words of more than three letters, before and after its rewrite in other languages.
MIN_STEMMED_LENGTH = 4

Token = TypeVar("Token", str, int)

_LEGACY_WORD = re.compile(r"[a-z0-9]+")


def _legacy_words(text: str) -> list[str]:
    return _LEGACY_WORD.findall(text.lower())


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _whole(text: str) -> list[str]:
    return [text]


TOKENISERS: Mapping[str, Callable[[str], list[str]]] = {"unicode": texts.words, "legacy": _legacy_words}
SPLITTERS: Mapping[str, Callable[[str], Sequence[str]]] = {
    texts.SPLITTER: texts.sentences,
    NEWLINE: _lines,
    WHOLE: _whole,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The words of a text, in one row and by sentence; sentences without words are left out."""

    row: Sequence[str]
    sentences: Sequence[Sequence[str]]

    @property
    def nbytes(self) -> int:
        """Return the memory that the words take, roughly."""
        return BYTES_PER_WORD * (len(self.row) + 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Words as numbers of a reference's vocabulary."""

    row: Sequence[int]
    sentences: Sequence[Sequence[int]]

    @property
    def nbytes(self) -> int:
        """Return the memory that the lists take: small numbers are shared, so 8 bytes a place, twice."""
        return 16 * len(self.row) + 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The candidates of one reference in its numbers."""

    texts: Sequence[Numbers]

    @property
    def nbytes(self) -> int:
        """Return the memory that the numbers take."""
        return sum(text.nbytes for text in self.texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference, with the numbering of its words that candidates are read with."""

    vocabulary: Mapping[str, int]
    numbers: Numbers

    @property
    def nbytes(self) -> int:
        """Return the memory that words and numbers take, roughly."""
        return 2 * BYTES_PER_WORD * len(self.vocabulary) + self.numbers.nbytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads texts with one tokeniser and one sentence splitter, through the memo of a run."""

    tok: str
    split: str
    stem: bool
    memo: TextMemo

    def candidate_words(self, candidate: str) -> Words:
        """Return a candidate's words."""
        return self._words(self.memo.candidates, candidate)

    def reference_words(self, reference: str) -> Words:
        """Return the words of a text that many candidates are held against."""
        return self._words(self.memo.references, reference)

    def reference(self, reference: str) -> Reference:
        """Return a reference with its vocabulary."""
        key = ("rouge reference", self.tok, self.split, self.stem, reference)
        return self.memo.references.get(key, lambda: _read_reference(self.reference_words(reference)))

    def candidates(self, reference: str, candidates: tuple[str, ...]) -> Candidates:
        """Return the words of candidates in the numbers of a reference's vocabulary."""
        key = ("rouge candidates", self.tok, self.split, self.stem, reference, candidates)
        return self.memo.candidates.get(key, lambda: self._number(reference, candidates))

    def common_rows(self, reference: str, candidate: Numbers) -> list[CommonRows]:
        """Return what each sentence of a candidate has in common with a reference.

        The variants of a candidate repeat most of its sentences, so each sentence is kept for itself.
        """
        known = self.reference(reference).numbers.sentences
        kind = ("rouge common rows", self.tok, self.split, self.stem)
        return [
            self.memo.candidates.get(
                (kind, reference, tuple(sentence)), partial(find_common_rows, known, sentence)
            )
            for sentence in candidate.sentences
        ]

    def matches(self, reference: str, candidates: tuple[str, ...]) -> IntArray:
        """Return how many single words and word pairs each candidate shares with a reference."""
        key = ("rouge matches", self.tok, self.stem, reference, candidates)
        return self.memo.candidates.get(key, lambda: self._match(reference, candidates))

    def _number(self, reference: str, candidates: tuple[str, ...]) -> Candidates:
        vocabulary = self.reference(reference).vocabulary
        return Candidates(texts=[_number(self.candidate_words(text), vocabulary) for text in candidates])

    def _match(self, reference: str, candidates: tuple[str, ...]) -> IntArray:
        known = self.reference(reference).numbers
        index = self.memo.references.get(
            ("rouge n-grams", self.tok, self.stem, reference),
            lambda: index_ngrams(np.array(known.row, dtype=np.int64), max_length=MAX_NGRAM),
        )
        return index.matches(
            sequences_of([text.row for text in self.candidates(reference, candidates).texts])
        )

    def _words(self, store: Store, text: str) -> Words:
        words = store.get(
            ("words", self.tok, self.split, text), lambda: _split_words(text, tok=self.tok, split=self.split)
        )
        if not self.stem:
            return words
        return store.get(("stems", self.tok, self.split, text), lambda: _stem_words(words))


def _split_words(text: str, *, tok: str, split: str) -> Words:
    """Tokenise sentence by sentence: no word reaches across the end of a sentence."""
    tokenise = TOKENISERS[tok]
    sentences = [words for sentence in SPLITTERS[split](text) if (words := tokenise(sentence))]
    return Words(row=_joined(sentences), sentences=sentences)


def _stem_words(words: Words) -> Words:
    sentences = [
        [stem(word) if len(word) >= MIN_STEMMED_LENGTH else word for word in sentence]
        for sentence in words.sentences
    ]
    return Words(row=_joined(sentences), sentences=sentences)


def _read_reference(words: Words) -> Reference:
    vocabulary = numbering(words.row)
    return Reference(vocabulary=vocabulary, numbers=_number(words, vocabulary))


def _number(words: Words, vocabulary: Mapping[str, int]) -> Numbers:
    sentences = [number_tokens(sentence, vocabulary) for sentence in words.sentences]
    return Numbers(row=_joined(sentences), sentences=sentences)


def _joined(sentences: Sequence[Sequence[Token]]) -> Sequence[Token]:
    return sentences[0] if len(sentences) == 1 else list(chain.from_iterable(sentences))
