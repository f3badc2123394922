"""CIDEr-D: how alike candidate and references are in rare sequences of one to four words.

R. Vedantam, C. L. Zitnick and D. Parikh, "CIDEr: Consensus-based Image Description Evaluation", CVPR 2015,
equations 1 to 3 and section 7 (the form D). With g(x) the counts of n-grams of a text, each times
log(tasks / tasks whose references have it), and l(x) its number of words,

    CIDEr-D_n = 10 exp(-(l(c) - l(s))^2 / (2 sigma^2)) min(g(c), g(s)) . g(s) / (|g(c)| |g(s)|),   sigma = 6

is averaged over n = 1 ... 4 and over references. The weights come from the references of the whole data, so a
score belongs to its data: the signature has the digest of the references, and one task alone is refused, since
all its weights would be log(1/1) = 0. The published code counts one task for each candidate; here tasks with
several candidates count once.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from gameproof.errors import PlanError
from gameproof.metrics.base import EMPTY_CANDIDATE, NO_REFERENCE, scores_from
from gameproof.metrics.corpus_pin import check_corpus, digest_corpus, with_corpus, without_corpus
from gameproof.metrics.lexical import Order, is_blank
from gameproof.metrics.rouge_texts import WHOLE, Reader
from gameproof.records import Item, Scores

__all__ = ["CIDER_REFS", "Cider", "build_cider"]

CIDER_REFS = ("mean", "first")
LENGTHS = range(1, 5)
SIGMA = 6.0
SCALE = 10.0
UNIT = "unicode"
BYTES_PER_NGRAM = 250

Ngram = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rarity:
    """How many tasks have each n-gram in their references."""

    n_tasks: int
    tasks_with: Mapping[Ngram, int]
    digest: str  # of the references

    def weight(self, ngram: Ngram) -> float:
        """Return log(tasks / tasks with an n-gram); one that no reference has counts as if one had it."""
        return math.log(self.n_tasks) - math.log(self.tasks_with.get(ngram, 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """A text's weighted counts, for each length of n-gram."""

    counts: Sequence[Mapping[Ngram, float]]
    norms: Sequence[float]
    n_words: int

    @property
    def nbytes(self) -> int:
        """Return the memory of the counts, roughly."""
        return BYTES_PER_NGRAM * sum(len(counts) for counts in self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cider:
    """CIDEr-D; it must see the references of all tasks before it can score."""

    name: str
    full_name: str
    refs: str
    reader: Reader
    pinned: str | None  # the digest of the references that a signature names
    rarity: Rarity | None = field(default=None, repr=False)  # large
    needs: frozenset[str] = frozenset({"references", "pool"})
    higher_is_better: bool = True

    def signature(self) -> str:
        """Return the name with every option and, once prepared, the digest of the references."""
        if self.rarity is None:
            return self.full_name
        return with_corpus(self.full_name, self.rarity.digest)

    async def prepare(self, pool: Sequence[Item]) -> "Cider":
        """Weigh n-grams by the references of a pool.

        Raises:
            PlanError: The pool has fewer than two tasks with references, or other ones than a signature names.
        """
        rarity = self._weigh(pool)
        if rarity.n_tasks < 2:
            raise PlanError(
                f"{self.name} weighs words by how many tasks have them, and this data has {rarity.n_tasks} with"
                " references.",
                hint="It needs two or more tasks; a hundred or more give steady weights.",
            )
        check_corpus(self.pinned, rarity.digest)
        return replace(self, rarity=rarity)

    async def score(self, items: Sequence[Item]) -> Scores:
        """Score items with the weights of the pool.

        Raises:
            PlanError: The metric has not been prepared.
        """
        if self.rarity is None:
            raise PlanError(
                f"{self.name} weighs words by the references of all tasks and must see them first.",
                hint="Call `metric = await metric.prepare(originals)`; gameproof.score and gameproof.audit do.",
            )
        rarity = self.rarity
        return scores_from(self.signature(), items, [self._score_item(item, rarity) for item in items])

    def _score_item(self, item: Item, rarity: Rarity) -> float | str:
        if is_blank(item.candidate):
            return EMPTY_CANDIDATE
        references = self._references(item)
        if not references:
            return NO_REFERENCE
        candidate = _vectors(self.reader.candidate_words(item.candidate).row, rarity)
        known = [self._reference(text, rarity) for text in references]
        if not candidate.n_words or not any(reference.n_words for reference in known):
            return "no words"
        return SCALE * math.fsum(_similarity(candidate, reference) for reference in known) / len(known)

    def _reference(self, text: str, rarity: Rarity) -> Vectors:
        return self.reader.memo.references.get(
            ("cider", rarity.digest, text), lambda: _vectors(self.reader.reference_words(text).row, rarity)
        )

    def _references(self, item: Item) -> list[str]:
        usable = [text for text in item.references if not is_blank(text)]
        return usable[:1] if self.refs == "first" else usable

    def _weigh(self, pool: Sequence[Item]) -> Rarity:
        tasks: dict[str, dict[str, None]] = {}  # the references of each, in their order
        for item in pool:
            for text in self._references(item):
                tasks.setdefault(item.task_id, {})[text] = None
        tasks_with: Counter[Ngram] = Counter()
        for texts in tasks.values():
            found: set[Ngram] = set()
            for text in texts:
                found.update(_ngrams(self.reader.reference_words(text).row))
            tasks_with.update(found)
        digest = digest_corpus(tasks.values())
        return Rarity(n_tasks=len(tasks), tasks_with=tasks_with, digest=digest)


def build_cider(order: Order) -> Cider:
    """Build CIDEr-D with the options of an order."""
    return Cider(
        name=without_corpus(order.name),
        full_name=order.signature,
        refs=order.options["refs"],
        reader=Reader(tok=UNIT, split=order.splits.get(UNIT, WHOLE), stem=False, memo=order.memo),
        pinned=order.options.get("corpus"),
    )


def _ngrams(row: Sequence[str]) -> Counter[Ngram]:
    counts: Counter[Ngram] = Counter()
    for length in LENGTHS:
        counts.update(zip(*(row[start:] for start in range(length)), strict=False))
    return counts


def _vectors(row: Sequence[str], rarity: Rarity) -> Vectors:
    counts: list[dict[Ngram, float]] = [{} for _ in LENGTHS]
    for ngram, count in _ngrams(row).items():
        counts[len(ngram) - 1][ngram] = count * rarity.weight(ngram)
    norms = [math.sqrt(math.fsum(value * value for value in found.values())) for found in counts]
    return Vectors(counts=counts, norms=norms, n_words=len(row))


def _similarity(candidate: Vectors, reference: Vectors) -> float:
    """Return the mean over lengths of the clipped cosine, times the penalty for another length."""
    total = 0.0
    for ours, theirs, norm, other in zip(
        candidate.counts, reference.counts, candidate.norms, reference.norms, strict=True
    ):
        if norm and other:
            shared = (
                min(value, theirs[ngram]) * theirs[ngram] for ngram, value in ours.items() if ngram in theirs
            )
            total += math.fsum(shared) / (norm * other)
    difference = candidate.n_words - reference.n_words
    return total / len(LENGTHS) * math.exp(-(difference**2) / (2 * SIGMA**2))
