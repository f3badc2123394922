"""The predictor that lets a causal language model write the reference: how much likelier does the candidate make it?

    log r(x, y) = log p(y | x) - log p(y | nothing)                    (GEM)
    log r(x, y) = log p(y | x, z) - log p(y | nothing, z)              (GEM-S: beyond what the source z tells)

Both terms stand in the same frame, where a literal text takes the place of what is not given, so that the cost of
form cancels (Xu et al. 2025; Lu et al. 2024). Log-probabilities are added up over the tokens of the reference
and the token that ends its turn; ``ratio=token`` divides by their number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from gameproof.fmi.estimators import Quantity
from gameproof.llm.text_scores import Setting, TextScore
from gameproof.metrics.predictors.base import Block, Predictions
from gameproof.metrics.predictors.pair_scores import PairScores
from gameproof.metrics.reference_pool import ReferencePool
from gameproof.prompts.loading import Prompt, Trusted
from gameproof.records import BoolArray

__all__ = ["FRAMES", "Autoreg", "AutoregOptions", "PreparedAutoreg"]

FRAMES = ("gem.v1", "gppm.v1")


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoregOptions:
    """How texts are framed and scores read."""

    frame: Prompt
    given_source: bool = False
    per_token: bool = False
    batch: int = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Autoreg:
    """Autoregression, before it knows the references."""

    scores: PairScores
    options: AutoregOptions
    scores_ahead: bool = True

    def rehearsal(self) -> "Autoreg":
        """Return a predictor that prepares without scoring anything."""
        return replace(self, scores_ahead=False)

    async def prepare(self, pool: ReferencePool) -> "PreparedAutoreg":
        """Score every reference behind the frame that tells nothing: one beginning for all of them.

        Where the source is given there is one such frame for each source, which comes with the candidates.

        Raises:
            EndpointError: The model cannot score given texts.
        """
        judgeable = np.ones(len(pool.units), dtype=np.bool_)
        reason = "the model scores every reference"
        if self.scores_ahead:
            await self.scores.check(per_token=self.options.per_token)
            if not self.options.given_source and pool.units:
                nothing = self.setting(None, None, pool.units)
                (found,) = await self.scores.find([nothing], batch=self.options.batch)
                reasons = [score for score in found if isinstance(score, str)]
                judgeable = np.array([isinstance(score, TextScore) for score in found])
                reason = reasons[0] if reasons else reason
        return PreparedAutoreg(predictor=self, units=pool.units, judgeable=judgeable, not_judgeable=reason)

    def setting(self, candidate: str | None, source: str | None, texts: Sequence[str]) -> Setting:
        """Frame some references; None stands for a text that is not given."""
        # No fences: nothing is asked of the model, and a marker drawn for each text would change the frame.
        given = {
            name: None if text is None else Trusted(text.strip())
            for name, text in (("candidate", candidate), ("source", source))
        }
        messages = self.options.frame.render(**given)
        return Setting(messages=messages, texts=tuple(texts), family=source or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedAutoreg:
    """Autoregression that knows the references of the run."""

    predictor: Autoreg
    units: tuple[str, ...]
    judgeable: BoolArray  # references that fit into the model's context
    not_judgeable: str

    def notes(self) -> tuple[str, ...]:
        """Say what a reader of the scores must know about how the model was used."""
        return self.predictor.scores.notes()

    def announce(self, blocks: Sequence[Block]) -> None:
        """Say what will be asked, so that metrics which share a model share its passes."""
        self.predictor.scores.announce([setting for block in blocks for setting in self._settings(block)])

    async def predict(self, blocks: Sequence[Block], quantity: Quantity) -> list[Predictions]:
        """Score the units of every block behind each candidate, and behind nothing."""
        del quantity  # the model tells ratios; a divergence makes its own critic of them
        settings = [list(self._settings(block)) for block in blocks]
        found = iter(
            await self.predictor.scores.find(
                list(chain.from_iterable(settings)), batch=self.predictor.options.batch
            )
        )
        predictions: list[Predictions] = []
        for block in blocks:
            values = np.full((len(block.candidates), len(block.units)), np.nan)
            reasons: dict[int, str] = {}
            for row in range(len(block.candidates)):
                with_candidate, without = next(found), next(found)
                for column, (joint, marginal) in enumerate(zip(with_candidate, without, strict=True)):
                    ratio = self._log_ratio(joint, marginal)
                    if isinstance(ratio, str):
                        reasons.setdefault(row, ratio)
                    else:
                        values[row, column] = ratio
            predictions.append(Predictions(values=values, reasons=reasons))
        return predictions

    def settings(self, blocks: Sequence[Block]) -> Iterator[Setting]:
        """Yield all frames with their texts, repeated ones too."""
        for block in blocks:
            yield from self._settings(block)

    def _settings(self, block: Block) -> Iterator[Setting]:
        """Yield for each candidate its frame, then the frame that tells nothing."""
        texts = [self.units[int(place)] for place in block.units]
        given = self.predictor.options.given_source
        sources = block.sources if given else [None] * len(block.candidates)
        for candidate, source in zip(block.candidates, sources, strict=True):
            yield self.predictor.setting(candidate, source, texts)
            yield self.predictor.setting(None, source, texts)

    def _log_ratio(self, joint: TextScore | str, marginal: TextScore | str) -> float | str:
        """Subtract; a reason wins."""
        if isinstance(joint, str):
            return joint
        if isinstance(marginal, str):
            return marginal
        ratio = joint.logprob - marginal.logprob
        return ratio / joint.n_tokens if self.predictor.options.per_token else ratio
