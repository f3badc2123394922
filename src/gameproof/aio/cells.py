"""Build the mutual-information cell that a verb about cells is given."""

from gameproof.errors import PlanError
from gameproof.llm.pool import ModelPool
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.fmi import FmiMetric

__all__ = ["build_cell"]


def build_cell(
    verb: str,
    metric: str,
    models: ModelPool,
    *,
    seed: int,
    lacks: str,
    example: str = "TV+fvar+statement+overlap",
) -> FmiMetric:
    """Return the cell of this name.

    Args:
        verb: Who needs it.
        metric: The text of a metric.
        models: Finds the model that it asks.
        seed: Of its draws.
        lacks: What a metric that is no cell does not have, or do.
        example: A cell that would do.

    Raises:
        PlanError: The metric is no cell.
    """
    (built,) = build_metrics([metric], seed=seed, llm=models)
    if isinstance(built, FmiMetric):
        return built
    raise PlanError(
        f"{verb}: {metric} is no mutual-information cell, and {lacks}.",
        hint=f"`gameproof list cells` shows them; for example {example}.",
    )
