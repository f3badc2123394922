"""Rows of the catalogue: what a text is worth to the reader it is for."""

from collections.abc import Mapping

from gameproof.llm.asking import Asker
from gameproof.metrics.base import Metric
from gameproof.metrics.common_options import LLM
from gameproof.metrics.entries import MetricEntry, MetricOption
from gameproof.metrics.lexical import Order
from gameproof.metrics.llm_calls import FindAsker

__all__ = ["NEEDS_OPTION", "READER_METRICS"]

_CITATION = 'this project, after "Information Satisfaction", arXiv:2608.14457, 2026'
_NEEDED = frozenset({"persona", "query", "source", "pool", "llm"})

NEEDS_OPTION = MetricOption(
    values=("asked", "given"),
    default="asked",
    summary="what readers need: asked of the model, or given in the data's column requirements",
)
_OPTIONS: Mapping[str, MetricOption] = {
    "needs": NEEDS_OPTION,
    "predictor": MetricOption(
        values=("oracle", "nli", "overlap"), default="oracle", summary="who says what a text supports"
    ),
    "critic": MetricOption(
        values=("binary", "bins", "soft"),
        default="binary",
        default_if={("predictor", "nli"): "soft", ("predictor", "overlap"): "soft"},
        summary="two answers, seven, or a graded one",
    ),
    "samples": MetricOption(
        values=(), kind="count", default="1", summary="answers asked of an oracle, averaged"
    ),
    "novelty": MetricOption(
        values=("true", "false"), default="true", summary="weigh down what the reader knows already"
    ),
}
_NEG = MetricOption(
    values=("all",), kind="count", default="4", summary="other queries whose readers a text is held against"
)
_LAST: Mapping[str, MetricOption] = {
    "llm": LLM,
    "pool": MetricOption(
        values=("",), kind="text", default="", summary="digest of the requirements, as signatures have it"
    ),
}
_SEED = MetricOption(
    values=("",), kind="whole", default="", summary="of the other queries; the run's own if unset"
)


def _build(order: Order) -> Metric:
    from gameproof.metrics.reader_utility import build_reader_metric  # noqa: PLC0415 - most runs have no readers

    return build_reader_metric(order)


def _wordings(options: Mapping[str, str]) -> Mapping[str, str]:
    from gameproof.metrics.reader_utility import reader_wordings  # noqa: PLC0415 - most runs have no readers

    return reader_wordings(options)


def _find_asker(name: str, options: Mapping[str, str], ask: FindAsker) -> Asker | None:
    from gameproof.metrics.reader_utility import find_reader_asker  # noqa: PLC0415 - most runs have no readers

    return find_reader_asker(name, options, ask)


READER_METRICS: tuple[MetricEntry, ...] = (
    MetricEntry(
        name="reader-utility",
        summary="what its reader needs and does not know yet and the text gives, against readers of other queries",
        build=_build,
        needs=_NEEDED,
        options={**_OPTIONS, "neg": _NEG, **_LAST, "seed": _SEED},
        wordings=_wordings,
        find_asker=_find_asker,
        cost="llm",
        citation=_CITATION,
    ),
    MetricEntry(
        name="reader-fit",
        summary="the same against the other readers of the same query: beside reader-utility, never instead",
        build=_build,
        needs=_NEEDED,
        options={**_OPTIONS, **_LAST},
        wordings=_wordings,
        find_asker=_find_asker,
        cost="llm",
        citation=_CITATION,
    ),
)
