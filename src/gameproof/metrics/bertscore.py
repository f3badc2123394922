"""BERTScore: each token of a text held against the most similar token of the other, by an encoder's vectors.

T. Zhang et al., "BERTScore: Evaluating Text Generation with BERT", ICLR 2020, section 3:

    R = sum_y w(y) max_x cos(x, y) / sum_y w(y)      P the same with candidate and reference changed      F = 2PR/(P+R)

with w = 1, or with ``idf=true`` w = log((N + 1) / (n + 1)) for a token that n of the N references of the data have.
The marks that begin and end a text weigh nothing, but tokens may be matched with them, as in bert-score 0.3.13. No
baseline is subtracted: baselines belong to one model and one layer. What lies beyond the model's limit of tokens is
not seen; how much that was is said with the scores.
"""

import asyncio
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gameproof.errors import PlanError
from gameproof.metrics.base import EMPTY_CANDIDATE, NO_REFERENCE, scores_from
from gameproof.metrics.corpus_pin import check_corpus, digest_corpus, with_corpus, without_corpus
from gameproof.metrics.cut_texts import cut_remark
from gameproof.metrics.encoder import Encoded, Encoder
from gameproof.metrics.lexical import Order, is_blank
from gameproof.metrics.local_files import find_folder, load_package
from gameproof.metrics.text_memo import Store, TextMemo
from gameproof.records import Item, Scores

__all__ = ["BertScore", "Cuts", "build_bertscore"]

Weights = Mapping[int, float]


class Cuts:
    """How much of the texts of a run the model did not see."""

    def __init__(self) -> None:
        """Have seen nothing."""
        self._seen: dict[int, tuple[int, int]] = {}  # a text's hash -> its tokens, and those cut

    def add(self, texts: Mapping[str, Encoded]) -> None:
        """Count texts, each once."""
        for text, encoded in texts.items():
            self._seen[hash(text)] = (len(encoded.ids) + encoded.n_cut, encoded.n_cut)

    def notes(self, encoder: Encoder) -> Iterator[str]:
        """Say how many texts were cut, and how much of all text is beyond the limit."""
        cut = [lost for _, lost in self._seen.values() if lost]
        if cut:
            share = sum(cut) / sum(length for length, _ in self._seen.values())
            yield (
                f"{len(cut):,} of {len(self._seen):,} texts were cut at the model's limit of {encoder.limit:,} tokens:"
                f" {share:.1%} of all text was not seen"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class BertScore:
    """BERTScore with one encoder."""

    name: str
    full_name: str
    encoder: Encoder
    refs: str
    part: str  # f1, precision or recall
    weighs_rarity: bool
    memo: TextMemo
    pinned: str | None = None  # the digest of the references that a signature names
    corpus: str | None = None  # that of the references the weights come from
    weights: tuple[Weights, float] | None = field(default=None, repr=False)  # by token, and of unknown ones
    cuts: Cuts = field(default_factory=Cuts, compare=False, repr=False)
    higher_is_better: bool = True

    @property
    def needs(self) -> frozenset[str]:
        """References, and with ``idf=true`` those of the other tasks."""
        return frozenset({"references", "pool"} if self.weighs_rarity else {"references"})

    @property
    def notes(self) -> tuple[str, ...]:
        """How much of the texts so far was not seen."""
        return tuple(self.cuts.notes(self.encoder))

    def signature(self) -> str:
        """Return the name with every option, the digest of the weights and, with idf, of the references."""
        return self.full_name if self.corpus is None else with_corpus(self.full_name, self.corpus)

    async def prepare(self, pool: Sequence[Item]) -> "BertScore":
        """Weigh tokens by the references of a pool, where that is asked for.

        Raises:
            PlanError: The pool has fewer than two references, or other ones than a signature names.
        """
        if not self.weighs_rarity:
            return self
        tasks: dict[str, dict[str, None]] = {}
        for item in pool:
            for text in self._references(item):
                tasks.setdefault(item.task_id, {})[text] = None
        texts = list(dict.fromkeys(text for found in tasks.values() for text in found))
        if len(texts) < 2:
            raise PlanError(
                f"{self.name}: idf weighs tokens by how many references have them, and this data has {len(texts)}.",
                hint="It needs two or more references; leave idf=true out to weigh all tokens alike.",
            )
        corpus = digest_corpus(tasks.values())
        check_corpus(self.pinned, corpus)
        rows = await asyncio.to_thread(self.encoder.tokenize, texts)
        return replace(self, corpus=corpus, weights=_rarity(rows, self.encoder.limit))

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items; a remark says where a text was cut.

        Raises:
            PlanError: Tokens are to be weighed by rarity, and the metric has not been prepared.
        """
        if self.weighs_rarity and self.weights is None:
            raise PlanError(
                f"{self.name} weighs tokens by the references of all tasks and must see them first.",
                hint="Call `metric = await metric.prepare(originals)`; gameproof.score and gameproof.audit do.",
            )
        return await asyncio.to_thread(self._score, items)

    def _score(self, items: Sequence[Item]) -> Scores:
        usable = [[] if is_blank(item.candidate) else self._references(item) for item in items]
        candidates = self._encode(
            [item.candidate for item, found in zip(items, usable, strict=True) if found], self.memo.candidates
        )
        references = self._encode([text for found in usable for text in found], self.memo.references)
        values: list[float | str] = []
        remarks: dict[str, str] = {}
        for item, texts in zip(items, usable, strict=True):
            if not texts:
                values.append(EMPTY_CANDIDATE if is_blank(item.candidate) else NO_REFERENCE)
                continue
            encoded = candidates[item.candidate]
            values.append(self._combine([self._pair(encoded, references[text]) for text in texts]))
            if encoded.n_cut or any(references[text].n_cut for text in texts):
                remarks[item.id] = cut_remark(self.encoder.limit)
        return replace(scores_from(self.signature(), items, values), remarks=remarks)

    def _encode(self, texts: Sequence[str], store: Store) -> dict[str, Encoded]:
        found = self.encoder.encode(texts, store)
        self.cuts.add(found)
        return found

    def _references(self, item: Item) -> list[str]:
        usable = [text for text in item.references if not is_blank(text)]
        return usable[:1] if self.refs == "first" else usable

    def _pair(self, candidate: Encoded, reference: Encoded) -> float | str:
        torch: Any = load_package("torch", self.name)
        weights = [torch.tensor(self._weigh(text.ids)) for text in (candidate, reference)]
        if not all(float(found.sum()) > 0 for found in weights):
            return "no tokens that weigh anything"
        similar = candidate.vectors @ reference.vectors.T
        precision = float(similar.max(dim=1).values @ weights[0] / weights[0].sum())
        recall = float(similar.max(dim=0).values @ weights[1] / weights[1].sum())
        if self.part != "f1":
            return precision if self.part == "precision" else recall
        total = precision + recall
        return 2 * precision * recall / total if total else 0.0

    def _weigh(self, ids: Sequence[int]) -> list[float]:
        edges = self.encoder.edges
        if self.weights is None:
            return [0.0 if token in edges else 1.0 for token in ids]
        known, unknown = self.weights
        return [0.0 if token in edges else known.get(token, unknown) for token in ids]

    def _combine(self, results: Sequence[float | str]) -> float | str:
        numbers = [result for result in results if not isinstance(result, str)]
        if not numbers:
            return results[0]
        return max(numbers) if self.refs == "max" else math.fsum(numbers) / len(numbers)


def build_bertscore(order: Order) -> BertScore:
    """Build BERTScore with the encoder that an order names.

    Raises:
        SpecError: No folder of an encoder is named.
        MissingExtraError: torch or transformers is not installed.
    """
    options = order.options
    folder = find_folder("bertscore", options.get("model"), kind="an encoder such as BERT or RoBERTa")
    for package in ("torch", "transformers"):
        load_package(package, "bertscore")
    layer = options.get("layer")
    return BertScore(
        name=without_corpus(order.name),
        full_name=order.signature,
        encoder=Encoder(folder=folder, layer=int(layer) if layer else None, metric="bertscore"),
        refs=options["refs"],
        part=options["score"],
        weighs_rarity=options["idf"] == "true",
        memo=order.memo,
        pinned=options.get("corpus"),
    )


def _rarity(rows: Sequence[Sequence[int]], limit: int) -> tuple[Weights, float]:
    """Return the weight of each token of references, and of one that none has."""
    counts = Counter(token for row in rows for token in set(row[:limit]))
    total = len(rows) + 1
    return {token: math.log(total / (count + 1)) for token, count in counts.items()}, math.log(total)
