"""Cells of nli: which model is asked, by the name their text has for it."""

from pathlib import Path

from gameproof.errors import SpecError
from gameproof.files.home import from_home
from gameproof.fmi.spec import Spec
from gameproof.llm.asking import Asker
from gameproof.llm.connect import Connection
from gameproof.llm.local.classifier import SequenceClassifier
from gameproof.llm.providers.transformers_local import TransformersLocal
from gameproof.llm.text_scores import NumberFormat
from gameproof.metrics.llm_calls import FindAsker
from gameproof.metrics.predictors.nli import Nli, NliScores
from gameproof.metrics.text_memo import TextMemo

__all__ = ["build_nli", "find_writer"]

PREFIX = "transformers:"
HINT = "Write llm=transformers:FOLDER, or give the folder with --llm transformers:FOLDER."


def find_writer(spec: Spec, ask: FindAsker, *, writes: bool) -> Asker | None:
    """Return the run's own model where a cell needs it: to write, or as the model of entailment that is not named.

    Args:
        spec: Of the cell.
        ask: Finds who asks a model.
        writes: Whether statements or a style come from a language model.

    Raises:
        SpecError: There is none, or the one model would have to do both.
    """
    is_named = _is_folder(spec.get("llm"))
    if is_named and not writes:
        return None
    if writes and not is_named:
        raise SpecError(
            f"{spec.cell} asks two models here: name the one of entailment by llm=transformers:FOLDER,"
            " and the one that writes by --llm."
        )
    try:
        return ask(str(spec.cell), None)
    except SpecError as error:
        what = "a language model that writes" if is_named else "a model of entailment"
        raise SpecError(f"{spec.cell} asks {what}, and none is given.", hint=HINT) from error


def build_nli(spec: Spec, memo: TextMemo, asker: Asker | None) -> Nli:
    """Make the predictor of a cell; cells with one model and number format share its scores.

    Raises:
        SpecError: The run's model is no classifier, or not the one of the signature.
        PlanError: The folder holds no model.
        MissingExtraError: The packages for local models are not installed.
    """
    dtype: NumberFormat = "bf16" if spec.get("dtype") == "bf16" else "fp32"
    named, folder = spec.get("llm"), _folder(spec, asker)
    scores = memo.references.get(
        ("nli", str(folder), dtype), lambda: NliScores(SequenceClassifier(folder, dtype=dtype))
    )
    label = scores.classifier.label
    if named is not None and not _is_folder(named) and named != label:
        raise SpecError(f"llm: the cell names the model {named}, and the one given is {label}.", hint=HINT)
    return Nli(scores=scores, batch=int(spec.get("batch") or 8))


def _folder(spec: Spec, asker: Asker | None) -> Path:
    named = spec.get("llm")
    if named is not None and _is_folder(named):
        return from_home(named.removeprefix(PREFIX))
    model: object = None if asker is None else asker.model
    if isinstance(model, Connection):
        model = model.provider.model
    if not isinstance(model, TransformersLocal):
        raise SpecError(f"{spec.cell} asks a sequence-classification model in a local folder.", hint=HINT)
    return model.path


def _is_folder(named: str | None) -> bool:
    return named is not None and (named.startswith(PREFIX) or from_home(named).is_dir())
