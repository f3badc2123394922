"""The wordings that a cell asks models with: which prompts, and how signatures pin them."""

from gameproof.fmi.spec import Spec
from gameproof.llm.asking import Asker
from gameproof.metrics.fmi_preparation import ATOMIC, is_decomposed_by_model
from gameproof.metrics.normalise import Normaliser, style_prompt
from gameproof.metrics.statements_llm import decomposition_digest

__all__ = ["make_normaliser", "short_wording", "wordings", "writes"]


def writes(spec: Spec) -> bool:
    """Say whether a language model writes something for a cell: statements, relevance, a style."""
    styles = spec.get("norm") not in {None, "none"}
    return styles or is_decomposed_by_model(spec) or spec.get("weights") == "persona"


def make_normaliser(spec: Spec, asker: Asker | None) -> Normaliser | None:
    """Return what brings texts into the style that a cell names; None where it names none."""
    style = short_wording("norm", spec.get("norm") or "none")
    if style == "none" or asker is None:
        return None
    return Normaliser(asker=asker, style=style, refs=spec.get("refs") or "mean")


def short_wording(key: str, value: str) -> str:
    """Leave the digest out of an asset, and out of a style its version too.

    Example:
        >>> short_wording("norm", "review.v1@8c1fd02e"), short_wording("decompose", "atomic.v1@5f0c21aa")
        ('review', 'atomic.v1')
    """
    return value.split(".v", maxsplit=1)[0] if key == "norm" else value.split("@", maxsplit=1)[0]


def wordings(spec: Spec) -> dict[str, str]:
    """Return the prompts a cell asks with, as signatures pin them."""
    found: dict[str, str] = {}
    if is_decomposed_by_model(spec):
        found["decompose"] = f"{ATOMIC}@{decomposition_digest()}"
    style = short_wording("norm", spec.get("norm") or "none")
    if style != "none":
        found["norm"] = style_prompt(style).label
    if spec.cell.predictor == "autoreg":
        from gameproof.metrics.fmi_autoreg import autoreg_frame  # noqa: PLC0415 - most runs have none

        found["prompt"] = autoreg_frame(spec).label
    if spec.cell.predictor == "oracle":
        from gameproof.metrics.predictors.oracle import oracle_prompt  # noqa: PLC0415 - most runs have none

        found["prompt"] = oracle_prompt(spec.cell.representation, spec.get("critic") or "bins").label
    return found
