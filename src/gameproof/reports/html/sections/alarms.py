"""Alarms: what is wrong with a column of scores before anybody reads a correlation."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.reports.html.run import ReportedRun

__all__ = ["Alarms", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarms:
    """By metric."""

    metrics: Sequence[tuple[str, Sequence[str]]]
    n_silent: int  # metrics without an alarm


def view(run: ReportedRun, prefix: str) -> Alarms | None:
    """Return the alarms; None where nothing was audited."""
    del prefix
    loud = [(metric.metric, metric.alarms) for metric in run.result.metrics if metric.alarms]
    if not run.result.metrics:
        return None
    return Alarms(metrics=loud, n_silent=len(run.result.metrics) - len(loud))
