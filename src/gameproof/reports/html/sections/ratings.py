"""Agreement with ratings: one row for each metric and dimension, a cell for each level."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.result import CorrelationRow
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.words import LEVEL_TITLES

__all__ = ["RatingRow", "Ratings", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One metric and one dimension."""

    metric: str
    dimension: str
    is_mean: bool
    cells: Sequence[tuple[str, CorrelationRow | None]]  # level, correlation


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """Means over dimensions first, then every dimension."""

    means: Sequence[RatingRow]
    others: Sequence[RatingRow]


def view(run: ReportedRun, prefix: str) -> Ratings | None:
    """Return the rows; None where the data has no ratings."""
    del prefix
    rows: list[RatingRow] = []
    for metric in run.result.metrics:
        dimensions = dict.fromkeys(row.dimension for row in metric.correlation)
        for dimension in sorted(dimensions, key=lambda name: name != "mean"):
            found = {row.level: row for row in metric.correlation if row.dimension == dimension}
            rows.append(
                RatingRow(
                    metric=metric.metric,
                    dimension=dimension,
                    is_mean=dimension == "mean",
                    cells=[(title, found.get(level)) for level, title in LEVEL_TITLES.items()],
                )
            )
    if not rows:
        return None
    return Ratings(
        means=[row for row in rows if row.is_mean], others=[row for row in rows if not row.is_mean]
    )
