"""BLEU of one candidate against one reference.

K. Papineni et al., "BLEU: a Method for Automatic Evaluation of Machine Translation", ACL 2002, with the
effective order that single texts need. Tokenisers, smoothing and the final formula are sacrebleu's, on its
scale from 0 to 100. Only the counting is our own: sacrebleu counts a reference again for every candidate.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from gameproof.metrics.lexical import Order, ReferenceMetric
from gameproof.metrics.ngram_index import NgramIndex, index_ngrams, number_tokens, numbering, sequences_of
from gameproof.metrics.text_memo import TextMemo

__all__ = ["SMOOTHINGS", "TOKENISERS", "build_bleu"]

MAX_ORDER = 4
# sacrebleu's tokenisers that need neither a download nor another package.
TOKENISERS = ("13a", "char", "intl", "none", "zh")
SMOOTHINGS = ("add-k", "exp", "floor", "none")

MAX_PIECE_LENGTH = 40  # longer pieces between spaces are rare and would fill the memo of pieces
MAX_PIECES = 2**16
MAX_CACHED_CHARACTERS = 2**20


def build_bleu(order: Order) -> ReferenceMetric:
    """Build BLEU with the options of an order."""
    options = order.options
    bleu = _Bleu(
        tok=options["tok"],
        ignore_case=options["case"] == "lower",
        smooth=options["smooth"],
        memo=order.memo,
    )
    return ReferenceMetric(
        name=order.name,
        full_name=order.signature,
        refs=options["refs"],
        score_candidates=bleu.score_candidates,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reference:
    index: NgramIndex
    numbers: Mapping[str, int]  # of tokens
    length: int

    @property
    def nbytes(self) -> int:
        return self.index.nbytes + 150 * len(self.numbers) + 300


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bleu:
    tok: str
    ignore_case: bool
    smooth: str
    memo: TextMemo

    def score_candidates(self, reference: str, candidates: tuple[str, ...]) -> list[float]:
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - takes 0.1 s, so it loads on first use

        key = ("bleu", self.tok, self.ignore_case, reference)
        known = self.memo.references.get(key, lambda: self._read(reference))
        tokens = sequences_of([number_tokens(self._tokenise(text), known.numbers) for text in candidates])
        shared = known.index.matches(tokens).tolist()
        return [
            BLEU.compute_bleu(  # pyright: ignore[reportUnknownMemberType] - one argument of it is untyped
                correct=correct,
                total=[max(length - before, 0) for before in range(MAX_ORDER)],
                sys_len=length,
                ref_len=known.length,
                smooth_method=self.smooth,
                effective_order=True,
                max_ngram_order=MAX_ORDER,
            ).score
            for correct, length in zip(shared, tokens.lengths.tolist(), strict=True)
        ]

    def _tokenise(self, text: str) -> list[str]:
        return _tokeniser(self.tok)((text.lower() if self.ignore_case else text).rstrip())

    def _read(self, reference: str) -> _Reference:
        tokens = self._tokenise(reference)
        numbers = numbering(tokens)
        symbols = np.array(number_tokens(tokens, numbers), dtype=np.int64)
        return _Reference(
            index=index_ngrams(symbols, max_length=MAX_ORDER), numbers=numbers, length=len(tokens)
        )


@cache
def _tokeniser(tok: str) -> Callable[[str], list[str]]:
    tokenise = _Sacrebleu(tok)
    return _ByPiece(tokenise) if tok == "13a" else tokenise


class _Sacrebleu:
    """One of sacrebleu's tokenisers, kept from filling the memory.

    sacrebleu remembers the last 65,536 texts of each tokeniser, however long; we remember on our own.
    """

    def __init__(self, tok: str) -> None:
        from sacrebleu.metrics.bleu import BLEU  # noqa: PLC0415 - takes 0.1 s, so it loads on first use
        from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp  # noqa: PLC0415 - the same

        self._tokenise: Callable[[str], str] = BLEU(tokenize=tok, effective_order=True).tokenizer
        remembering = (type(self._tokenise).__call__, TokenizerRegexp.__call__)
        self._forgetting = [getattr(call, "cache_clear", None) for call in remembering]
        self._n_characters = 0

    def __call__(self, text: str) -> list[str]:
        self._n_characters += len(text)
        if self._n_characters > MAX_CACHED_CHARACTERS:
            self._n_characters = len(text)
            for forget in self._forgetting:
                if forget is not None:
                    forget()
        return self._tokenise(text).split()


class _ByPiece:
    """Tokenise each piece between spaces once: 13a treats them alike wherever they stand.

    Its rules look at one neighbour only, and a space around a piece counts as a neighbour. Three rules
    reach across spaces or change their own output; texts with those go through as a whole.
    """

    def __init__(self, tokenise: Callable[[str], list[str]]) -> None:
        self._tokenise = tokenise
        self._known: dict[str, list[str]] = {}

    def __call__(self, text: str) -> list[str]:
        if "&" in text or "-\n" in text or "<skipped>" in text:
            return self._tokenise(text)
        tokens: list[str] = []
        for piece in text.split():
            known = self._known.get(piece)
            if known is None:
                known = self._learn(piece)
            tokens += known
        return tokens

    def _learn(self, piece: str) -> list[str]:
        # No rule of 13a touches letters and digits, and most pieces have nothing else.
        tokens = [piece] if piece.isalnum() else self._tokenise(piece)
        if len(piece) <= MAX_PIECE_LENGTH:
            if len(self._known) >= MAX_PIECES:
                self._known.clear()
            self._known[piece] = tokens
        return tokens
