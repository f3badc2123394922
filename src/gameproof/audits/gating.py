"""Find the metric that alone decides an audit's exit code."""

from collections.abc import Sequence
from contextlib import suppress

from gameproof.errors import PlanError, SpecError
from gameproof.metrics.against import split_choice
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.llm_calls import Models
from gameproof.metrics.references_asked import Asked

__all__ = ["ALL_METRICS", "check_gate", "find_gate"]

ALL_METRICS = "all"


def check_gate(gate: str | None, metrics: Sequence[Metric], asked: Asked, *, llm: Models = None) -> None:
    """Refuse a gate that cannot be one of the metrics, before any data is read.

    Args:
        gate: As the user wrote it; None or ``all``: every metric decides.
        metrics: Those of the audit, before they are spread over several references.
        asked: The references.
        llm: The models of the audit.

    Raises:
        PlanError: It is none of them.
    """
    names = [metric.name for metric in metrics]
    spread = [f"{name},reference={choice}" for name in names for choice in asked.several]
    found = find_gate(gate, [*names, *spread], llm=llm)
    if found is None or not asked.several or split_choice(found)[1] is not None:
        return
    if any(metric.name == found and "references" in metric.needs for metric in metrics):
        raise PlanError(
            f"--gate {gate!r}: with several references, the gate names one of them.",
            hint=f"For example --gate {gate},reference={asked.several[0]}.",
        )


def find_gate(gate: str | None, names: Sequence[str], *, llm: Models = None) -> str | None:
    """Return the name under which the gate stands among the metrics; None where all of them decide.

    Raises:
        PlanError: It is none of them.

    Example:
        >>> find_gate("rougeL,stem=false", ["length", "rougeL"])
        'rougeL'
    """
    if gate is None or gate == ALL_METRICS:
        return None
    if gate in names:
        return gate
    with suppress(SpecError):  # written otherwise, such as with an option that is the default
        name = build_metrics([gate], llm=llm)[0].name
        if name in names:
            return name
    raise PlanError(
        f"--gate {gate!r} is not one of the audited metrics: {', '.join(names)}.",
        hint="Write the metric as after -m; --gate alone lets all metrics decide.",
    )
