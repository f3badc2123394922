"""Turn what a pilot says about power into rows of plain values."""

from collections.abc import Sequence

from gameproof.audits.power import PowerEntry
from gameproof.reports.tables import Table

__all__ = ["power_table"]


def power_table(entries: Sequence[PowerEntry]) -> Table:
    """Return one row for each metric, check and level of the test."""
    return Table(
        title="power",
        columns=(
            "metric",
            "check",
            "test",
            "alpha",
            "detectable",
            "tasks_needed",
            "items_needed",
            "pilot_tasks",
            "items_per_task",
            "pair_correlation",
            "icc",
            "design_effect",
        ),
        rows=tuple(
            (
                entry.metric,
                entry.check,
                entry.test,
                entry.row.alpha,
                entry.row.detectable,
                entry.row.tasks_needed,
                entry.row.items_needed,
                entry.row.n_tasks,
                entry.row.items_per_task,
                entry.row.pair_correlation,
                entry.row.icc,
                entry.row.design_effect,
            )
            for entry in entries
        ),
    )
