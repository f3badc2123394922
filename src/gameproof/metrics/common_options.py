"""Options that several metrics of the catalogue share."""

from gameproof.metrics.entries import MetricOption
from gameproof.metrics.lexical import REFERENCE_CHOICES

__all__ = ["LLM", "REFS"]

REFS = MetricOption(
    values=REFERENCE_CHOICES,
    default="first",
    summary="several references: the first one only, the best score, or the mean",
)
LLM = MetricOption(values=("",), kind="text", default="", summary="the language model that is asked")
