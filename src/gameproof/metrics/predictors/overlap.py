"""The model-free predictor: rarity-weighted lexical support.

    support(x, psi) = sum of w(word) over the words of psi that occur in x / sum of w(word) over all words of psi
    w(word)         = min(-log p(word), log 20),  p(word) = share of the pool's tasks whose references have it

A word that every task uses tells nothing about a task and weighs nothing; a word of one task in twenty or fewer
weighs most. The cap keeps a word that was seen in one task from weighing more in a larger pool, so that scores
do not drift with its size. Support of 1/2 is read as no evidence: a density ratio of 1.

It matches words, not meaning: a negated copy has full support, a paraphrase in other words has none.
"""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof import text as texts
from gameproof.fmi.aggregation import Runs
from gameproof.fmi.estimators import Quantity
from gameproof.metrics.predictors.base import Block, Predictions
from gameproof.metrics.reference_pool import ReferencePool
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import BoolArray, FloatArray, IntArray

__all__ = ["MAX_LOG_RATIO", "RARITY_CAP", "Overlap", "PreparedOverlap"]

RARITY_CAP = math.log(20)
MAX_LOG_RATIO = math.log(8)  # ratios run from 1/8 to 8, as on the seven-point support scale

ROWS_AT_ONCE = 64  # candidates looked up together: bounds memory for a task with very many


@dataclass(frozen=True, slots=True)
class Overlap:
    """Lexical support, before it knows the references."""

    memo: TextMemo

    async def prepare(self, pool: ReferencePool) -> "PreparedOverlap":
        """Weigh the words of the pool's units."""
        vocabulary: dict[str, int] = {}
        unit_words = [
            [vocabulary.setdefault(word, len(vocabulary)) for word in dict.fromkeys(texts.words(unit))]
            for unit in pool.units
        ]
        rarity = _rarity(pool, unit_words, len(vocabulary))
        words = np.array([word for unit in unit_words for word in unit], dtype=np.int64)
        units = Runs.of_lengths([len(unit) for unit in unit_words])
        totals = units.sums(rarity[words][None, :])[0]
        judgeable = totals > 0
        weights = rarity[words] / np.repeat(np.where(judgeable, totals, 1.0), units.lengths)
        return PreparedOverlap(
            vocabulary=vocabulary,
            words=words,
            weights=weights,
            units=units,
            judgeable=judgeable,
            memo=self.memo,
            key=hashlib.blake2b(" ".join(vocabulary).encode("utf-8", "surrogatepass")).hexdigest(),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedOverlap:
    """Lexical support against the units of one pool."""

    vocabulary: dict[str, int]
    words: IntArray  # the distinct words of every unit, one unit after the other
    weights: FloatArray  # of `words`; they sum to 1 within a unit
    units: Runs  # of `words`
    judgeable: BoolArray  # units with a word that not every task uses
    memo: TextMemo  # keeps the known words of recent candidates, for all cells of a run
    key: str  # of this vocabulary in the memo
    not_judgeable: str = "no word of its references tells its task from the others"

    async def predict(self, blocks: Sequence[Block], quantity: Quantity) -> list[Predictions]:
        """Turn support into a critic (support - 1/2) or a ratio (8 to the power of 2 support - 1)."""
        predictions: list[Predictions] = []
        for block in blocks:
            centred = self._support(block) - 1 / 2
            values = centred if quantity == "critic" else 2 * MAX_LOG_RATIO * centred
            predictions.append(Predictions(values=values))
        return predictions

    def _support(self, block: Block) -> FloatArray:
        places, units = self.units.gather(block.units)
        words, weights = self.words[places], self.weights[places]
        parts: list[FloatArray] = []
        for first in range(0, len(block.candidates), ROWS_AT_ONCE):
            candidates = block.candidates[first : first + ROWS_AT_ONCE]
            has_word = np.zeros((len(candidates), len(self.vocabulary)), dtype=np.bool_)
            for row, candidate in enumerate(candidates):
                has_word[row, self._known_words(candidate)] = True
            parts.append(units.sums(has_word[:, words] * weights))
        return np.minimum(np.concatenate(parts), 1.0)  # weights may sum to 1 + 2e-16

    def _known_words(self, candidate: str) -> IntArray:
        key = ("overlap words", self.key, candidate)
        return self.memo.candidates.get(key, lambda: self._look_up(candidate))

    def _look_up(self, candidate: str) -> IntArray:
        numbers = {self.vocabulary.get(word, -1) for word in texts.words(candidate)}
        numbers.discard(-1)
        return np.fromiter(numbers, dtype=np.int64, count=len(numbers))


def _rarity(pool: ReferencePool, unit_words: Sequence[Sequence[int]], n_words: int) -> FloatArray:
    """Return min(-log p, log 20) for every word, p the share of tasks whose references have it."""
    n_tasks_with = np.zeros(n_words)
    tasks = [task for task in pool.tasks if task.references]
    for task in tasks:
        words = {word for place in pool.places(task) for word in unit_words[place]}
        n_tasks_with[list(words)] += 1
    return np.minimum(np.log(len(tasks) / np.maximum(n_tasks_with, 1)), RARITY_CAP)
