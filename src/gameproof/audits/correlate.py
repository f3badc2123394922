"""How far a metric agrees with the ratings that came with the data."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.result import CorrelationRow
from gameproof.engine.table import MetricScores
from gameproof.records import FloatArray, IntArray, Item
from gameproof.stats.correlation import Clusters, human_ceiling
from gameproof.stats.correlation import correlate as correlate_arrays
from gameproof.stats.ranks import tie_share

__all__ = ["Ratings", "collect_ratings", "correlate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratings:
    """The ratings of a data set as arrays, and what one rater reaches against the others."""

    clusters: Clusters
    dimensions: dict[str, FloatArray]  # (n,): mean rating, NaN where an item has none
    ceilings: dict[tuple[str, str], float | None]  # (dimension, level) -> mean correlation of a rater


def collect_ratings(items: Sequence[Item]) -> Ratings:
    """Turn ratings and raters' marks into arrays; once for all metrics of a run."""
    names = sorted({dimension for item in items for dimension in item.ratings})
    raters = sorted({rater for item in items for rater in item.raters})
    clusters = Clusters(
        tasks=_numbers([item.task_id for item in items]),
        systems=_numbers([item.system for item in items]),
    )
    marks = {
        name: np.array([[item.raters.get(rater, {}).get(name, np.nan) for rater in raters] for item in items])
        for name in names
    }
    ceilings = human_ceiling(marks, clusters) if len(raters) > 1 else {}
    return Ratings(
        clusters=clusters,
        dimensions={name: np.array([item.ratings.get(name, np.nan) for item in items]) for name in names},
        ceilings={(dimension, level): value for (dimension, level), value in ceilings.items()},
    )


def correlate(ratings: Ratings, scores: MetricScores, *, seed: int) -> tuple[CorrelationRow, ...]:
    """Correlate the originals' scores with each dimension, pooled, within tasks and over systems.

    Scores of a lower-is-better metric are turned round first, so that a positive number always means
    agreement.
    """
    if not ratings.dimensions:
        return ()
    values = scores.original.values if scores.higher_is_better else -scores.original.values
    tied = tie_share(values[~np.isnan(values)])
    return tuple(
        CorrelationRow(
            dimension=row.dimension,
            level=row.level,
            rho=row.rho,
            low=row.interval.low if row.interval else None,
            high=row.interval.high if row.interval else None,
            n=row.n,
            state=row.state,
            state_detail=row.detail,
            ceiling=ratings.ceilings.get((row.dimension, row.level)),
            n_tied=tied,
        )
        for row in correlate_arrays(values, ratings.dimensions, ratings.clusters, seed=seed)
    )


def _numbers(names: Sequence[str | None]) -> IntArray:
    """Number names in the order they first occur; -1 where there is none."""
    known: dict[str, int] = {}
    numbers = [-1 if name is None else known.setdefault(name, len(known)) for name in names]
    return np.array(numbers, dtype=np.int64)
