"""Cells of autoregression: who scores texts for them, in which frame, and what a dry run counts."""

from collections.abc import Hashable, Mapping, Sequence

from gameproof.errors import PlanError, SpecError
from gameproof.fmi.spec import Spec
from gameproof.llm.asking import Asker
from gameproof.llm.client import canonical_json, digest_of
from gameproof.llm.local.framing import plain_frame
from gameproof.llm.text_scores import NumberFormat, Setting
from gameproof.metrics.llm_calls import CHARACTERS_PER_TOKEN, CallSize
from gameproof.metrics.predictors.autoreg import FRAMES, Autoreg, AutoregOptions, PreparedAutoreg
from gameproof.metrics.predictors.base import Block, PreparedPredictor
from gameproof.metrics.predictors.pair_scores import PairScores
from gameproof.metrics.text_memo import TextMemo
from gameproof.prompts.loading import Prompt, load

__all__ = ["FRAMES", "autoreg_frame", "build_autoreg", "is_local", "planned_pairs"]

ROLE = "frame"


def autoreg_frame(spec: Spec) -> Prompt:
    """Return the frame that a cell names.

    Raises:
        SpecError: There is no such frame.
    """
    asked = (spec.get("prompt") or FRAMES[0]).split("@")[0]
    if asked not in FRAMES:
        raise SpecError(
            f"prompt={asked} is no frame of this version; there are {' and '.join(FRAMES)}.",
            hint="Leave prompt out.",
        )
    name, _, version = asked.rpartition(".v")
    return load(ROLE, name, int(version))


def build_autoreg(spec: Spec, memo: TextMemo, asker: Asker | None) -> Autoreg:
    """Make the predictor of a cell; cells with one model and number format share its scores."""
    if asker is None:
        raise PlanError("autoregression needs a model that scores texts.")
    dtype: NumberFormat = "bf16" if spec.get("dtype") == "bf16" else "fp32"
    key = ("autoreg", asker.name, id(asker.model), dtype)
    return Autoreg(
        scores=memo.references.get(key, lambda: PairScores(asker.model, dtype=dtype)),
        options=AutoregOptions(
            frame=autoreg_frame(spec),
            given_source=spec.get("given") == "source",
            per_token=spec.get("ratio") == "token",
            batch=int(spec.get("batch") or 8),
        ),
    )


def is_local(predictor: object) -> bool:
    """Whether a predictor is autoregression by a model on this machine, which makes no calls."""
    return isinstance(predictor, Autoreg) and predictor.scores.is_local


def planned_pairs(
    prepared: PreparedPredictor, blocks: Sequence[Block], *, model: str
) -> Mapping[Hashable, CallSize]:
    """Return the calls of an endpoint that scores one text a call: every reference alone, then every pair.

    A model on this machine makes none.
    """
    if not isinstance(prepared, PreparedAutoreg) or prepared.predictor.scores.is_local:
        return {}
    predictor = prepared.predictor
    alone = [] if predictor.options.given_source else [predictor.setting(None, None, prepared.units)]
    return {
        (model, digest_of("", canonical_json({"context": context, "continuation": text}))): CallSize(
            "logprob", (len(context) + len(text)) // CHARACTERS_PER_TOKEN + 1, 1
        )
        for context, text in _pairs([*alone, *prepared.settings(blocks)])
    }


def _pairs(settings: Sequence[Setting]) -> list[tuple[str, str]]:
    return [(plain_frame(setting.messages), text) for setting in settings for text in setting.texts]
