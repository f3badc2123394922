"""Hold a check's change against another one: a deleted sentence, or as much of the text's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from gameproof.audits.measure import Inference, Measured, Variants, measure_exchange
from gameproof.audits.samples import Frame, Paired, combine, pair
from gameproof.records import Scores
from gameproof.stats.paired import Combination, infer_combination
from gameproof.stats.ratio import LossRatio, infer_loss_ratio

__all__ = ["Contrasts"]

Found = TypeVar("Found")

ONE_SENTENCE = ("one_sentence_deletion", None)  # what the exchange rate counts in
OWN_SENTENCES = "own_sentences_again"  # what length alone does
DISTRACTORS = "distractor_sentences"  # which add as many words of something else


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrasts:
    """The columns that other changes are held against."""

    frame: Frame
    variants: Variants
    inference: Inference
    exchange_rate: float  # deleted sentences that a gain may be worth
    stable_sentences: float  # deleted sentences that count as no change
    alpha: float

    def add(self, found: Sequence[Measured]) -> list[Measured]:
        """Return the checks with what they come to against the columns that are there."""
        return [self._contrasted(measured) for measured in found]

    def _contrasted(self, measured: Measured) -> Measured:
        if measured.paired is None:
            return measured
        if measured.kind == "manipulation":
            return replace(
                measured,
                exchange=self._against(
                    self._one_sentence(), partial(self._exchange, measured), measured.paired
                ),
            )
        if measured.kind == "stable":
            return replace(
                measured, loss_ratio=self._against(self._one_sentence(), self._loss_ratio, measured.paired)
            )
        if measured.perturbation.name == DISTRACTORS:
            return replace(
                measured, beyond_length=self._against(self._control(), self._difference, measured.paired)
            )
        return measured

    def _one_sentence(self) -> Scores | None:
        return self.variants.get(ONE_SENTENCE)

    def _control(self) -> Scores | None:
        levels = [level for name, level in self.variants if name == OWN_SENTENCES and level is not None]
        return self.variants[OWN_SENTENCES, max(levels)] if levels else None

    def _against(
        self, column: Scores | None, infer: Callable[[Paired, Paired], Found], paired: Paired
    ) -> Found | None:
        if column is None:
            return None
        return infer(paired, pair(self.frame, column, np.zeros(len(self.frame.items), dtype=np.bool_)))

    def _exchange(self, measured: Measured, _paired: Paired, loss: Paired) -> Combination | None:
        return measure_exchange(measured, loss, rate=self.exchange_rate, inference=self.inference)

    def _loss_ratio(self, paired: Paired, loss: Paired) -> LossRatio | None:
        """Say how many deleted sentences a change is worth."""
        change, unit = combine(paired, loss)
        if not change.original.size:
            return None
        return infer_loss_ratio(
            change,
            unit,
            margin=self.stable_sentences,
            alpha=self.alpha,
            n_resamples=self.inference.n_resamples,
            confidence_level=self.inference.confidence_level,
            seed=self.inference.seed,
        )

    def _difference(self, paired: Paired, control: Paired) -> Combination | None:
        """Take away what as many words of the text's own do."""
        first, second = combine(paired, control)
        if not first.original.size:
            return None
        return infer_combination(
            [(1.0, first), (-1.0, second)],
            n_resamples=self.inference.n_resamples,
            confidence_level=self.inference.confidence_level,
            seed=self.inference.seed,
        )
