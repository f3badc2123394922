"""A gameproof metric as a module of Hugging Face evaluate: add, add_batch, compute, and `evaluate.load`."""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Unpack, cast

from gameproof.audits.ready import ReadyMetric, Terms
from gameproof.errors import SpecError
from gameproof.integrations.hosting import Wanted, as_ready
from gameproof.metrics.adapters.hosted import import_host

__all__ = ["SCRIPT", "evaluate_module", "module_class"]

PACKAGE = "evaluate"
SCRIPT = str(Path(__file__).parent / "for_evaluate" / "gameproof_metric.py")  # for evaluate.load
SUMMARY = "score, the mean of the texts that have one; scores; missing, reasons counted; signature"
DESCRIPTION = "A metric of gameproof: a lexical one, a judge, a mutual-information cell, or a function."
HOW = f"""
Args:
    predictions: Texts to score.
    references: For each a text, or several. With a pool they say which task the text belongs to.
Returns:
    {SUMMARY}.
"""


def evaluate_module(metric: Wanted, **terms: Unpack[Terms]) -> Any:  # Any: an evaluate.Metric
    """Make a module of Hugging Face evaluate.

    ``compute(predictions=..., references=...)``, or after `add` and `add_batch` without arguments, returns ``score``
    (the mean of the texts that have one; None where none has), ``scores`` (None where there is none), ``missing``
    (reason -> count) and ``signature``. With a pool each text's task is found in it by the references, and all
    references of the task serve. ``evaluate.load(SCRIPT, "rougeL")`` makes the same.

    Args:
        metric: A name, a metric, a function of an `Item`, or a `ReadyMetric`.
        terms: `Terms`: pool, llm, cache, limits, rename, reference, group_by, seed.

    Raises:
        InputError: evaluate is not installed, or as in `ReadyMetric`.
        SpecError: The metric needs what a module is not given: a source, a query, a persona.
    """
    return module_class()(metric=as_ready(metric, terms))


@cache
def module_class() -> Any:  # Any: a class of the host
    """Return the class of the module, for a script that `evaluate.load` reads."""
    host = import_host("evaluate", PACKAGE)
    features, value, sequence = _feature_types()
    text = value("string")
    columns = [features({"predictions": text, "references": kind}) for kind in (sequence(text), text)]

    class GameproofMetric(host.Metric):
        def __init__(
            self, config_name: str | None = None, *, metric: Wanted | None = None, **options: Any
        ) -> None:
            wanted = metric or config_name
            if wanted is None:
                raise SpecError("no metric is named.", hint='For example evaluate.load(SCRIPT, "rougeL").')
            own = {name: options.pop(name) for name in Terms.__annotations__ if name in options}
            self.ready = as_ready(wanted, cast("Terms", own))
            _check_needs(self.ready)
            # A metric's text may hold what is no name of a folder, which evaluate makes of a configuration's.
            super().__init__(config_name=None, **options)  # pyright: ignore[reportUnknownMemberType] - the host

        def _info(self) -> Any:
            return host.MetricInfo(
                description=DESCRIPTION, citation="", inputs_description=HOW, features=columns
            )

        def _compute(
            self, predictions: Sequence[str], references: Sequence[str | Sequence[str]]
        ) -> dict[str, Any]:
            return _scored(self.ready, predictions, references)

    return GameproofMetric


def _scored(
    ready: ReadyMetric, predictions: Sequence[str], references: Sequence[str | Sequence[str]]
) -> dict[str, Any]:
    items = [
        ready.item(text, references=[own] if isinstance(own, str) else list(own))
        for text, own in zip(predictions, references, strict=True)
    ]
    outcomes = ready.score(items)
    values = [outcome.value for outcome in outcomes if outcome.value is not None]
    return {
        "score": sum(values) / len(values) if values else None,
        "scores": [outcome.value for outcome in outcomes],
        "missing": dict(Counter(outcome.reason for outcome in outcomes if outcome.reason is not None)),
        "signature": ready.signature,
    }


def _check_needs(ready: ReadyMetric) -> None:
    if ready.has_pool:
        return  # its tasks may have what the metric needs
    lacking = sorted(ready.metric.needs & {"source", "query", "persona", "requirements"})
    if lacking:
        raise SpecError(
            f"{ready.name} needs {' and '.join(lacking)}, and a module of evaluate is given texts and references.",
            hint="Give pool= data that has it; a text's task is found there by its references.",
        )


def _feature_types() -> Any:  # Any: classes of the package datasets
    datasets = import_host("datasets", PACKAGE)
    several = getattr(datasets, "List", None) or datasets.Sequence  # datasets 4 tells the two apart
    return datasets.Features, datasets.Value, several
