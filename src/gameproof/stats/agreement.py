"""Krippendorff's alpha, with intervals over resampled clusters of units.

alpha = 1 - D_o / D_e (Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"). With m_u values in unit
u, n values in units that hold at least two, and delta the distance of two values:

    D_o = 1/n * sum over u of 1/(m_u - 1) * sum over pairs i != j in u of delta(x_i, x_j)
    D_e = 1/(n (n - 1)) * sum over pairs of all values of delta

Every distance here is either "unequal" (nominal), a squared difference of marks (interval: the values
themselves; ordinal: their mid-ranks), or a squared relative difference (ratio). Observed and expected
disagreement are then sums over units, so a resample of clusters is a weighted sum and nothing is counted again.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from gameproof.errors import InputError
from gameproof.records import BoolArray, FloatArray, IntArray
from gameproof.stats.bootstrap import percentile_bounds
from gameproof.stats.resampling import Resampling, make_resampling
from gameproof.stats.results import Interval, State

__all__ = [
    "FEW_CLUSTERS",
    "LEVELS_OF_MEASUREMENT",
    "Alpha",
    "Measurement",
    "alpha_draws",
    "krippendorff_alpha",
]

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
LEVELS_OF_MEASUREMENT: tuple[Measurement, ...] = get_args(Measurement)

N_RESAMPLES = 10_000
# Percentile intervals over fewer clusters are too short (see G. Cameron and D. Miller 2015, section VI).
FEW_CLUSTERS = 40
# An interval needs so large a share of resamples in which alpha is defined.
MIN_DEFINED_SHARE = 0.5
ROUNDING = 1e-12
BLOCK_ENTRIES = 1_000_000  # values that are worked on at once


@dataclass(frozen=True, slots=True, kw_only=True)
class Alpha:
    """Agreement of raters beyond chance, or the reason why it is undefined."""

    alpha: float | None
    interval: Interval | None
    percent_agreement: (
        float | None
    )  # share of equal pairs of values inside units, every unit weighing its values
    n_units: int  # with at least two values
    n_values: int  # in these units
    n_clusters: int  # of the kind that has fewer
    state: State | None = None
    detail: str | None = None  # why alpha or its interval is undefined, or what to mind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Units:
    """Values as codes of their sorted categories, in units that hold at least two."""

    codes: IntArray  # (U, R); -1 where a rater gave no value
    categories: FloatArray  # (K,): what a code stands for; codes themselves where values are names
    resampling: Resampling

    @property
    def n_clusters(self) -> int:
        return min(self.resampling.sizes)

    @property
    def given(self) -> BoolArray:
        return self.codes >= 0


def krippendorff_alpha(
    values: FloatArray | Sequence[Sequence[object]],
    *,
    level: Measurement = "nominal",
    clusters: Sequence[Hashable] | None = None,
    crossed: Sequence[Hashable] | None = None,
    swapped: Mapping[Hashable, Hashable] | None = None,
    n_resamples: int = N_RESAMPLES,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Alpha:
    """Measure the agreement of raters beyond chance.

    Args:
        values: (U, R): one row a unit, one column a rater; NaN or None where a rater gave no value. Names
            (strings) are legal for ``nominal``.
        level: How far two values are apart: ``nominal``, ``ordinal``, ``interval`` or ``ratio``.
        clusters: (U,) what is resampled for the interval, such as the annotator or the document of each unit;
            every unit is its own cluster by default.
        crossed: (U,) clusters of another kind that cross the first: both are resampled.
        swapped: Pairs of labels that only say which side a text stood on, such as ``{"a": "b", "b": "a"}``:
            alpha is taken over the units and their copies with sides swapped, so that it does not depend on
            which side was called what.
        n_resamples: Of the bootstrap over clusters.
        confidence_level: Of its percentile interval.
        seed: Of the resamples.

    Raises:
        InputError: Values are no table, are names at a level that needs numbers, or are below 0 for ``ratio``.

    Example:
        >>> a, b = "AABBABNABA", "ABBBAANBBA"
        >>> found = krippendorff_alpha(list(zip(a, b)))
        >>> round(found.alpha, 10)
        0.5128205128
    """
    rows = [list(row) for row in values]
    labels = [list(range(len(rows))) if clusters is None else list(clusters)]
    labels += [] if crossed is None else [list(crossed)]
    if swapped is not None:
        rows += [[swapped.get(value, value) for value in row] for row in rows]
        labels = [[*kind, *kind] for kind in labels]
    units = _read(rows, level, labels)
    sides = 1 if swapped is None else 2
    n_units, n_values = len(units.codes) // sides, int(units.given.sum()) // sides
    if n_units == 0:
        return Alpha(
            alpha=None, interval=None, percent_agreement=None, n_units=0, n_values=0, n_clusters=0,
            state=State.UNDEFINED, detail="no unit has two values",
        )  # fmt: skip
    agreement = _percent_agreement(units)
    if len(np.unique(units.codes[units.given])) == 1:
        return Alpha(
            alpha=None, interval=None, percent_agreement=agreement, n_units=n_units, n_values=n_values,
            n_clusters=units.n_clusters, state=State.UNDEFINED,
            detail="no variation: all values are the same, so agreement by chance is certain",
        )  # fmt: skip
    observed = _alphas(units, level, np.ones((1, units.resampling.n_cells)))[0]
    interval, detail = _interval(units, level, n_resamples, confidence_level, seed)
    return Alpha(
        alpha=float(observed),
        interval=interval,
        percent_agreement=agreement,
        n_units=n_units,
        n_values=n_values,
        n_clusters=units.n_clusters,
        detail=detail,
    )


def alpha_draws(
    values: FloatArray | Sequence[Sequence[object]],
    *,
    level: Measurement = "nominal",
    clusters: Sequence[Hashable] | None = None,
    n_resamples: int = N_RESAMPLES,
    seed: int = 0,
) -> FloatArray:
    """Return alpha in each resample of clusters: (B,), NaN where a resample has no variation.

    The same clusters and seed give the same resamples, so the draws of two metrics may be subtracted.
    """
    rows = [list(row) for row in values]
    labels = list(range(len(rows))) if clusters is None else list(clusters)
    return _draws(_read(rows, level, [labels]), level, n_resamples, seed)


def _interval(
    units: _Units, level: Measurement, n_resamples: int, confidence_level: float, seed: int
) -> tuple[Interval | None, str | None]:
    if units.n_clusters < 2:
        return None, "no interval: it needs at least 2 clusters"
    draws = _draws(units, level, n_resamples, seed)
    defined = draws[~np.isnan(draws)]
    if defined.size < max(2, MIN_DEFINED_SHARE * draws.size):
        return None, "no interval: most resamples have no variation"
    bounds = percentile_bounds(defined[None, :], confidence_level)
    detail = (
        f"only {units.n_clusters} clusters: the interval is too short"
        if units.n_clusters < FEW_CLUSTERS
        else None
    )
    return Interval(low=float(bounds[0, 0]), high=float(bounds[1, 0])), detail


def _draws(units: _Units, level: Measurement, n_resamples: int, seed: int) -> FloatArray:
    blocks = units.resampling.blocks(n_resamples, seed)
    return np.concatenate([_alphas(units, level, weights) for weights in blocks])


def _alphas(units: _Units, level: Measurement, weights: FloatArray) -> FloatArray:
    """Return alpha under each row of cluster weights: (B, G) -> (B,)."""
    counts = _by_cluster(_counts(units), units)  # (G, K): values of each category
    per_category = weights @ counts
    total = per_category.sum(axis=1)
    observed, expected = DISAGREEMENT[level](units, weights, per_category)
    with np.errstate(invalid="ignore", divide="ignore"):  # a resample without variation stays NaN
        alphas = 1.0 - (total - 1.0) * observed / expected
    return np.where(expected > ROUNDING * total**2 * _scale(units, level), alphas, np.nan)


def _nominal(units: _Units, weights: FloatArray, per_category: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Count unequal pairs: sums of delta over observed pairs, and over all pairs of values."""
    counts = _counts(units)
    sizes = counts.sum(axis=1)
    unequal = (sizes**2 - (counts**2).sum(axis=1)) / (sizes - 1.0)
    expected = per_category.sum(axis=1) ** 2 - (per_category**2).sum(axis=1)
    return weights @ _by_cluster(unequal[:, None], units)[:, 0], expected


def _interval_level(
    units: _Units, weights: FloatArray, per_category: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Sum squared differences; values are centred, which changes no difference and keeps digits."""
    marks = units.categories - units.categories.mean()
    of_units = _pair_squares(units.codes, marks[None, :])
    observed = weights @ _by_cluster(of_units.T, units)[:, 0]
    return observed, _all_pair_squares(per_category, marks[None, :])


def _ordinal(units: _Units, weights: FloatArray, per_category: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sum squared differences of mid-ranks, which every resample ranks anew."""
    ranks = np.cumsum(per_category, axis=1) - per_category / 2
    ranks -= ranks.mean(axis=1, keepdims=True)
    patterns, pattern_of = np.unique(units.codes, axis=0, return_inverse=True)
    alike = np.zeros((units.resampling.n_cells, len(patterns)))
    np.add.at(alike, (units.resampling.cells, pattern_of.ravel()), 1.0)
    often = weights @ alike  # (B, P): units with the same values are counted, not repeated
    step = max(BLOCK_ENTRIES // patterns.size, 1)
    observed = [
        (often[start : start + step] * _pair_squares(patterns, ranks[start : start + step])).sum(axis=1)
        for start in range(0, len(weights), step)
    ]
    return np.concatenate(observed), _all_pair_squares(per_category, ranks)


def _ratio(units: _Units, weights: FloatArray, per_category: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sum ((a - b) / (a + b))^2; two zeros do not differ."""
    marks = units.categories
    sums = marks[:, None] + marks[None, :]
    distance = np.divide(marks[:, None] - marks[None, :], sums, out=np.zeros_like(sums), where=sums > 0) ** 2
    counts = _counts(units)
    of_units = np.einsum("uk,uk->u", counts @ distance, counts) / (counts.sum(axis=1) - 1.0)
    observed = weights @ _by_cluster(of_units[:, None], units)[:, 0]
    return observed, np.einsum("bk,bk->b", per_category @ distance, per_category)


# level -> sums of distances: over the pairs inside units, each divided by m_u - 1, and over all pairs of values
DISAGREEMENT: Mapping[
    Measurement, Callable[[_Units, FloatArray, FloatArray], tuple[FloatArray, FloatArray]]
] = {"nominal": _nominal, "ordinal": _ordinal, "interval": _interval_level, "ratio": _ratio}


def _pair_squares(codes: IntArray, marks: FloatArray) -> FloatArray:
    """Return 1/(m - 1) times the sum of squared differences over ordered pairs of each unit: (B, U)."""
    given = codes >= 0
    values = np.where(given, marks[:, codes], 0.0)  # (B, U, R)
    sizes = given.sum(axis=1)
    squares = 2.0 * (sizes * (values**2).sum(axis=2) - values.sum(axis=2) ** 2) / (sizes - 1.0)
    return np.maximum(squares, 0.0)


def _all_pair_squares(per_category: FloatArray, marks: FloatArray) -> FloatArray:
    """Return the sum of squared differences over ordered pairs of all values: (B,)."""
    total = per_category.sum(axis=1)
    sums, squares = (per_category * marks).sum(axis=1), (per_category * marks**2).sum(axis=1)
    return np.maximum(2.0 * (total * squares - sums**2), 0.0)


def _scale(units: _Units, level: Measurement) -> float:
    """Return the size of a squared difference: what rounding errors are measured against."""
    if level != "interval":
        return 1.0
    return max(float(np.ptp(units.categories)) ** 2, np.finfo(np.float64).tiny)


def _counts(units: _Units) -> FloatArray:
    """Return how often each unit has each category: (U, K)."""
    n_units, n_categories = len(units.codes), len(units.categories)
    rows = np.broadcast_to(np.arange(n_units)[:, None], units.codes.shape)[units.given]
    places = rows * n_categories + units.codes[units.given]
    counted = np.bincount(places, minlength=n_units * n_categories)
    return counted.reshape(n_units, n_categories).astype(np.float64)


def _by_cluster(per_unit: FloatArray, units: _Units) -> FloatArray:
    """Add up the rows of each cluster: (U, K) -> (G, K)."""
    sums = np.zeros((units.resampling.n_cells, per_unit.shape[1]))
    np.add.at(sums, units.resampling.cells, per_unit)
    return sums


def _percent_agreement(units: _Units) -> float:
    counts = _counts(units)
    sizes = counts.sum(axis=1)
    equal = ((counts * (counts - 1.0)).sum(axis=1) / (sizes - 1.0)).sum()
    return float(equal / sizes.sum())


def _read(
    rows: Sequence[Sequence[object]], level: Measurement, kinds: Sequence[Sequence[Hashable]]
) -> _Units:
    """Give every distinct value a code, and leave out units in which nothing can disagree."""
    if len({len(row) for row in rows}) > 1:
        raise InputError(
            f"`values` must be a table; its rows have {_listed({len(row) for row in rows})} entries.",
            hint="Write None or NaN where a rater gave no value.",
        )
    for clusters in kinds:
        if len(clusters) != len(rows):
            raise InputError(
                f"`clusters` has {len(clusters)} entries for {len(rows)} units; it needs one each."
            )
    distinct = {value for row in rows for value in row if not _is_missing(value)}
    names = sorted(distinct, key=lambda value: (isinstance(value, str), value))
    categories = _numbers(names, level)
    code_of = {name: code for code, name in enumerate(names)}
    kept = [
        (unit, [-1 if _is_missing(value) else code_of[value] for value in row])
        for unit, row in enumerate(rows)
        if sum(not _is_missing(value) for value in row) >= 2
    ]
    codes = np.array([values for _, values in kept], dtype=np.int64)
    return _Units(
        codes=codes.reshape(len(kept), len(rows[0]) if rows else 0),
        categories=categories,
        resampling=make_resampling(*([clusters[unit] for unit, _ in kept] for clusters in kinds)),
    )


def _numbers(names: Sequence[object], level: Measurement) -> FloatArray:
    """Return the marks that codes stand for; where values are names, the codes themselves."""
    if level == "nominal":
        return np.arange(len(names), dtype=np.float64)
    strangers = [name for name in names if isinstance(name, str)]
    if strangers:
        raise InputError(
            f"`values` holds {strangers[0]!r}, and alpha at level {level!r} needs numbers.",
            hint="Use level='nominal', or replace the names by numbers in their order.",
        )
    marks = np.array(names, dtype=np.float64)
    if not np.isfinite(marks).all():
        raise InputError("`values` must be finite; NaN stands for a missing value.")
    if level == "ratio" and marks.size and marks[0] < 0:
        raise InputError(
            f"`values` must be 0 or more at level 'ratio'; the smallest is {marks[0]:g}.",
            hint="Use level='interval' for marks that may be negative.",
        )
    return marks


def _listed(sizes: set[int]) -> str:
    return " and ".join(map(str, sorted(sizes)))


def _is_missing(value: object) -> bool:
    return value is None or (isinstance(value, float | np.floating) and value != value)  # noqa: PLR0124 - NaN alone
