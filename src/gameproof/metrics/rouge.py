"""ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum.

C.-Y. Lin, "ROUGE: A Package for Automatic Evaluation of Summaries", 2004. With ``tok=legacy`` the numbers
are those of rouge-score 0.1.2, which knows the letters a to z and digits only; ``tok=unicode`` has words of
every script, and no number where the formula would divide nothing by nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import LCSseq

from gameproof.metrics.common_subsequence import count_united_hits
from gameproof.metrics.lexical import Order, ReferenceMetric
from gameproof.metrics.rouge_texts import WHOLE, Numbers, Reader

__all__ = ["SCORES", "build_rouge"]

LEGACY = "legacy"
SCORES = ("f1", "precision", "recall")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """How much two texts share, in words or word pairs, and how many each has."""

    shared: int
    candidate: int
    reference: int


def build_rouge(order: Order) -> ReferenceMetric:
    """Build the ROUGE metric that an order names."""
    variant = order.signature.partition(",")[0]
    options = order.options
    tok = options["tok"]
    # One reading serves all: where the run splits sentences anyway, the others take their words from there.
    split = options.get("split") or order.splits.get(tok, WHOLE)
    reader = Reader(tok=tok, split=split, stem=options["stem"] == "true", memo=order.memo)
    rouge = _Rouge(variant=variant, reader=reader, score=options["score"])
    return ReferenceMetric(
        name=order.name,
        full_name=order.signature,
        refs=options["refs"],
        score_candidates=rouge.score_candidates,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rouge:
    variant: str  # a key of OVERLAPS
    reader: Reader
    score: str  # one of SCORES

    def score_candidates(self, reference: str, candidates: tuple[str, ...]) -> list[float | str]:
        return [
            self._result(overlap) for overlap in OVERLAPS[self.variant](self.reader, reference, candidates)
        ]

    def _result(self, overlap: Overlap) -> float | str:
        if self.reader.tok != LEGACY and _is_undefined(overlap, self.score):
            return "fewer than two words" if self.variant == "rouge2" else "no words"
        return _score(overlap, self.score)


def _ngram_overlaps(
    reader: Reader, reference: str, candidates: tuple[str, ...], length: int
) -> list[Overlap]:
    n_before = length - 1
    shared = reader.matches(reference, candidates)[:, n_before].tolist()
    n_reference = max(len(reader.reference(reference).numbers.row) - n_before, 0)
    return [
        Overlap(shared=count, candidate=max(len(text.row) - n_before, 0), reference=n_reference)
        for count, text in zip(shared, reader.candidates(reference, candidates).texts, strict=True)
    ]


def _rouge_1(reader: Reader, reference: str, candidates: tuple[str, ...]) -> list[Overlap]:
    return _ngram_overlaps(reader, reference, candidates, 1)


def _rouge_2(reader: Reader, reference: str, candidates: tuple[str, ...]) -> list[Overlap]:
    return _ngram_overlaps(reader, reference, candidates, 2)


def _rouge_l(reader: Reader, reference: str, candidates: tuple[str, ...]) -> list[Overlap]:
    known = reader.reference(reference).numbers
    return [_longest(known, text) for text in reader.candidates(reference, candidates).texts]


def _rouge_lsum(reader: Reader, reference: str, candidates: tuple[str, ...]) -> list[Overlap]:
    known = reader.reference(reference).numbers
    overlaps: list[Overlap] = []
    for text in reader.candidates(reference, candidates).texts:
        if len(text.sentences) <= 1 and len(known.sentences) <= 1:
            overlaps.append(_longest(known, text))  # nothing to unite
            continue
        common = reader.common_rows(reference, text)
        shared = count_united_hits(known.sentences, text.sentences, common)
        overlaps.append(Overlap(shared=shared, candidate=len(text.row), reference=len(known.row)))
    return overlaps


def _longest(reference: Numbers, candidate: Numbers) -> Overlap:
    shared = LCSseq.similarity(reference.row, candidate.row)
    return Overlap(shared=shared, candidate=len(candidate.row), reference=len(reference.row))


OVERLAPS: Mapping[str, Callable[[Reader, str, tuple[str, ...]], list[Overlap]]] = {
    "rouge1": _rouge_1,
    "rouge2": _rouge_2,
    "rougeL": _rouge_l,
    "rougeLsum": _rouge_lsum,
}


def _is_undefined(overlap: Overlap, score: str) -> bool:
    """Say whether a score is nothing divided by nothing; F1 is 2 shared / (candidate + reference)."""
    size = {
        "f1": overlap.candidate + overlap.reference,
        "precision": overlap.candidate,
        "recall": overlap.reference,
    }
    return size[score] == 0


def _score(overlap: Overlap, score: str) -> float:
    """Compute a score in the steps that rouge-score takes, so that rounding is the same too."""
    precision = overlap.shared / max(overlap.candidate, 1)
    recall = overlap.shared / max(overlap.reference, 1)
    if score == "precision":
        return precision
    if score == "recall":
        return recall
    return 2 * precision * recall / (precision + recall) if overlap.shared else 0.0
