"""The row of the catalogue for ElicitationGPT."""

from collections.abc import Mapping

from gameproof.metrics.base import Metric
from gameproof.metrics.entries import MetricEntry, MetricOption
from gameproof.metrics.lexical import Order

__all__ = ["ELICITATION"]


def _build(order: Order) -> Metric:
    from gameproof.metrics.elicitation import build_elicitation  # noqa: PLC0415 - most runs ask no model

    return build_elicitation(order)


def _wording(_options: Mapping[str, str]) -> Mapping[str, str]:
    from gameproof.metrics.elicitation import elicitation_wording  # noqa: PLC0415 - most runs ask no model

    return elicitation_wording()


ELICITATION = MetricEntry(
    name="elicitation",
    summary="ElicitationGPT: what the candidate says of the points of its group, paid by a proper scoring rule",
    build=_build,
    needs=frozenset({"references", "pool", "llm"}),
    options={
        "agg": MetricOption(
            values=("av", "mv"),
            default="av",
            summary="the mean over points, or the point on which the candidate commits itself most",
        ),
        "points": MetricOption(values=(), kind="count", default="12", summary="at most, for each group"),
        "prior": MetricOption(
            values=("known", "all"),
            default="known",
            summary="share of references that agree: of those that take a side, or of all",
        ),
        "refs": MetricOption(
            values=("mean", "first"),
            default="mean",
            summary="average over all references of a task, or take its first",
        ),
        "llm": MetricOption(values=("",), kind="text", default="", summary="the model that is asked"),
        "pool": MetricOption(
            values=("",), kind="text", default="", summary="digest of the references, as signatures have it"
        ),
    },
    wordings=_wording,
    cost="llm",
    citation='Y. Wu, J. Hartline, "ElicitationGPT: Text Elicitation Mechanisms via Language Models", 2024',
)
