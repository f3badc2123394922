"""SUPERT: a candidate held against the leading sentences of its source, in an encoder's vectors of tokens.

Y. Gao, W. Zhao and S. Eger, "SUPERT: Towards New Frontiers in Unsupervised Evaluation Metrics for Multi-Document
Summarization", ACL 2020, section 4: a pseudo-reference is made of the first sentences of a source (15 by default),
and F1 is taken over the most similar tokens of both sides. Marks, punctuation and function words count on neither
side. The list of function words is ours and English; the authors' encoder was trained for sentence similarity.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gameproof import text as texts
from gameproof.metrics.base import missing_before_scoring, scores_from
from gameproof.metrics.bertscore import Cuts
from gameproof.metrics.encoder import Encoded, Encoder
from gameproof.metrics.lexical import Order
from gameproof.metrics.local_files import find_folder, load_package
from gameproof.metrics.text_memo import Store, TextMemo
from gameproof.records import Item, Scores

__all__ = ["FUNCTION_WORDS", "Supert", "build_supert"]

FUNCTION_WORDS = frozenset(
    [
        "a",
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
        "both",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "down",
        "during",
        "each",
        "few",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
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
        "must",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "off",
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
        "she",
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
NOTHING_LEFT = "no content words"
SIDE_MARKS = "#\u0120\u2581"  # what tokenizers write before pieces: ##, and the marks of a space


@dataclass(frozen=True, slots=True, kw_only=True)
class Supert:
    """SUPERT with one encoder."""

    name: str
    full_name: str
    encoder: Encoder
    top: int
    memo: TextMemo
    cuts: Cuts = field(default_factory=Cuts, compare=False, repr=False)
    needs: frozenset[str] = frozenset({"source"})
    higher_is_better: bool = True

    @property
    def notes(self) -> tuple[str, ...]:
        """How many sentences so far were cut."""
        return tuple(self.cuts.notes(self.encoder))

    def signature(self) -> str:
        """Return the name with every option and the digest of the weights."""
        return self.full_name

    async def prepare(self, pool: Sequence[Item]) -> "Supert":
        """Return the metric itself: nothing depends on the whole data."""
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score candidates against the beginnings of their sources."""
        return await asyncio.to_thread(self._score, items)

    def _score(self, items: Sequence[Item]) -> Scores:
        blocked = [missing_before_scoring(item, self.needs) for item in items]
        ours = [
            [] if reason else texts.sentences(item.candidate)
            for item, reason in zip(items, blocked, strict=True)
        ]
        theirs = [
            [] if reason else texts.sentences(item.source or "")[: self.top]
            for item, reason in zip(items, blocked, strict=True)
        ]
        left, right = self._encode(ours, self.memo.candidates), self._encode(theirs, self.memo.references)
        values = [
            reason
            or self._f1([left[sentence] for sentence in mine], [right[sentence] for sentence in others])
            for reason, mine, others in zip(blocked, ours, theirs, strict=True)
        ]
        scores = scores_from(self.full_name, items, values)
        cut = {
            item.id: f"text of a sentence beyond {self.encoder.limit:,} tokens was not seen"
            for item, mine, others in zip(items, ours, theirs, strict=True)
            if any(left[each].n_cut for each in mine) or any(right[each].n_cut for each in others)
        }
        return replace(scores, remarks={key: said for key, said in cut.items() if key not in scores.reasons})

    def _encode(self, sentences: Sequence[Sequence[str]], store: Store) -> dict[str, Encoded]:
        found = self.encoder.encode([sentence for row in sentences for sentence in row], store)
        self.cuts.add(found)
        return found

    def _f1(self, candidate: Sequence[Encoded], source: Sequence[Encoded]) -> float | str:
        ours, theirs = self._content(candidate), self._content(source)
        if ours is None or theirs is None:
            return NOTHING_LEFT
        similar = ours @ theirs.T
        precision = float(similar.max(dim=1).values.mean())
        recall = float(similar.max(dim=0).values.mean())
        total = precision + recall
        return 2 * precision * recall / total if total else 0.0

    def _content(self, sentences: Sequence[Encoded]) -> Any:  # a tensor of an optional package, or None
        torch = load_package("torch", self.name)
        parts: list[Any] = []
        for sentence in sentences:
            kept = [
                place for place, piece in enumerate(self.encoder.pieces(sentence.ids)) if _is_content(piece)
            ]
            parts.append(sentence.vectors[kept])
        joined = torch.cat(parts) if parts else ()
        return joined if len(joined) else None


def build_supert(order: Order) -> Supert:
    """Build SUPERT with the encoder that an order names."""
    folder = find_folder("supert", order.options.get("model"), kind="an encoder of sentences")
    for package in ("torch", "transformers"):
        load_package(package, "supert")
    return Supert(
        name=order.name,
        full_name=order.signature,
        encoder=Encoder(folder=folder, layer=None, metric="supert"),
        top=int(order.options["top"]),
        memo=order.memo,
    )


def _is_content(piece: str | None) -> bool:
    """Say whether a token counts: None stands for the marks of a model."""
    if piece is None:
        return False
    bare = piece.strip(SIDE_MARKS).casefold()
    return any(map(str.isalnum, bare)) and bare not in FUNCTION_WORDS
