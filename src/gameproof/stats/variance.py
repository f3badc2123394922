"""Where the error of a contrastive score comes from, and what a budget of calls is best spent on.

A score of item i from decompositions a, samples b of each answer, and negatives j:

    S_i = mean over a, b of M_iab - mean over j, a, b of N_ijab
    M_iab  = mu_i + d_ia + e_iab                  the critic on the own references
    N_ijab = nu_i + g_ij + d'_ija + e'_ijab       f* of the critic on negative j

with independent effects: g of the negative that was drawn, d of the decomposition, e of the sample (drawn anew for
every decomposition, whose statements are other questions). With D decompositions, m samples and n negatives

    Var(S_i given i) = sd^2/D + se^2/(D m) + (sg^2 + sd'^2/D + se'^2/(D m)) / n

The components are estimated by the nested analysis of variance, whose mean squares these sums are (Searle, Casella and
McCulloch 1992, chapter 5); an estimate below 0 says that there is none to speak of.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from gameproof.errors import InputError
from gameproof.records import FloatArray

__all__ = [
    "Components",
    "Cost",
    "Design",
    "Repeats",
    "best_within",
    "cheapest_for_item",
    "cheapest_for_mean",
    "estimate",
    "standard_errors",
]

MIN_ITEMS = 4

MAX_DECOMPOSITIONS = 8
MAX_SAMPLES = 16
MAX_NEGATIVES = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Two halves of the scores of some items, with everything repeated.

    An axis of length 1 says that a component does not exist: rules always decompose alike, and what is computed
    always comes out the same.
    """

    matched: FloatArray  # (items, decompositions, samples)
    negatives: FloatArray  # (items, negatives, decompositions, samples); no negatives: a direct score


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How often what is asked."""

    decompositions: int
    samples: int
    negatives: int  # 0: a direct score


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Variances, in squared units of the score."""

    item: float  # of the true scores of items
    negatives: float  # sg^2
    decomposition: float  # sd^2, on the own references
    decomposition_of_negatives: float
    oracle: float  # se^2, on the own references
    oracle_of_negatives: float
    n_items: int

    def by_source(self, design: Design) -> dict[str, float]:
        """Return what each source adds to the variance of an item's score; an estimate below 0 adds nothing."""
        n = max(design.negatives, 1)
        has_negatives = float(design.negatives > 0)
        of_both = {
            "decomposition": (self.decomposition, self.decomposition_of_negatives, design.decompositions),
            "oracle": (self.oracle, self.oracle_of_negatives, design.decompositions * design.samples),
        }
        return {
            "negatives": has_negatives * max(self.negatives, 0.0) / n,
            **{
                source: max(own, 0.0) / repeats + has_negatives * max(foreign, 0.0) / (repeats * n)
                for source, (own, foreign, repeats) in of_both.items()
            },
        }

    def error(self, design: Design) -> float:
        """Return the variance of an item's score about its true one."""
        return math.fsum(self.by_source(design).values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Calls that an item takes: ``m (c0 + D (1 + n) c1) + D c2``."""

    each_sample: float = 0.0  # c0: questions that hold everything at once
    each_reference: float = 1.0  # c1: questions about the references of one task, in one decomposition
    each_decomposition: float = 0.0  # c2: of the item's share in decomposing its references

    def calls(self, design: Design) -> float:
        """Return how many calls one item takes."""
        references = design.decompositions * (1 + design.negatives) * self.each_reference
        return (
            design.samples * (self.each_sample + references) + design.decompositions * self.each_decomposition
        )


def estimate(repeats: Repeats) -> Components:
    """Estimate the components; items with a missing value are left out.

    Raises:
        InputError: Fewer than four items are complete.
    """
    matched, negatives = repeats.matched, repeats.negatives
    complete = ~np.isnan(matched).any(axis=(1, 2)) & ~np.isnan(negatives).any(axis=(1, 2, 3))
    matched, negatives = matched[complete], negatives[complete]
    if len(matched) < MIN_ITEMS:
        raise InputError(
            f"only {len(matched)} items have all their repeats; {MIN_ITEMS} are needed to tell variances.",
            hint="Use more tasks.",
        )
    n_negatives, n_decompositions, n_samples = negatives.shape[1:]
    own = _nested(matched)
    foreign = (
        _nested(negatives.reshape(-1, n_decompositions, n_samples)) if n_negatives else _Nested(0.0, 0.0)
    )
    scores = matched.mean(axis=(1, 2))
    of_negatives = 0.0
    if n_negatives:
        means = negatives.mean(axis=(2, 3))
        scores = scores - means.mean(axis=1)
        within = foreign.decomposition / n_decompositions + foreign.sample / (n_decompositions * n_samples)
        of_negatives = _variance(means, axis=1) - within
    design = Design(decompositions=n_decompositions, samples=n_samples, negatives=n_negatives)
    found = Components(
        item=0.0,
        negatives=of_negatives,
        decomposition=own.decomposition,
        decomposition_of_negatives=foreign.decomposition,
        oracle=own.sample,
        oracle_of_negatives=foreign.sample,
        n_items=len(matched),
    )
    return replace(found, item=float(scores.var(ddof=1)) - _raw_error(found, design))


def standard_errors(repeats: Repeats, components: Sequence[str]) -> dict[str, float]:
    """Return the jackknife standard error of some components, over items; NaN with too few items for it."""
    complete = ~np.isnan(repeats.matched).any(axis=(1, 2)) & ~np.isnan(repeats.negatives).any(axis=(1, 2, 3))
    matched, negatives = repeats.matched[complete], repeats.negatives[complete]
    n = len(matched)
    if n <= MIN_ITEMS:
        return dict.fromkeys(components, math.nan)
    without = [
        estimate(Repeats(matched=np.delete(matched, i, axis=0), negatives=np.delete(negatives, i, axis=0)))
        for i in range(n)
    ]
    found: dict[str, float] = {}
    for name in components:
        values = np.array([getattr(each, name) for each in without], dtype=np.float64)
        found[name] = math.sqrt((n - 1) / n * float(np.sum((values - values.mean()) ** 2)))
    return found


def cheapest_for_item(components: Components, cost: Cost, *, error: float, free: Design) -> Design | None:
    """Return the design with the fewest calls whose error of an item's score is no larger; None if none is.

    Args:
        components: Estimated.
        cost: Of a design.
        error: The variance that may be left.
        free: The most of everything that may be asked: 1 where repeating changes nothing.
    """
    found = [design for design in _designs(free) if components.error(design) <= error * (1 + 1e-9)]
    return min(found, key=lambda design: (cost.calls(design), components.error(design)), default=None)


def best_within(components: Components, cost: Cost, *, calls: float, free: Design) -> Design | None:
    """Return the design with the smallest error of an item's score among those that take no more calls."""
    found = [design for design in _designs(free) if cost.calls(design) <= calls * (1 + 1e-9)]
    return min(found, key=lambda design: (components.error(design), cost.calls(design)), default=None)


def cheapest_for_mean(
    components: Components, cost: Cost, *, now: Design, n_items: int, free: Design
) -> tuple[Design, int]:
    """Return the design and number of items that halve the standard error of a mean score with the fewest calls.

    The variance of a mean over N items is (item + error of the design) / N; to halve its root takes a quarter.
    """
    item = max(components.item, 0.0)
    wanted = (item + components.error(now)) / n_items / 4
    if wanted == 0:
        return now, n_items
    candidates = [
        (design, max(1, math.ceil((item + components.error(design)) / wanted * (1 - 1e-9))))
        for design in _designs(free)
    ]
    return min(candidates, key=lambda found: (found[1] * cost.calls(found[0]), found[1]))


@dataclass(frozen=True, slots=True)
class _Nested:
    """Components of values (units, decompositions, samples), samples within decompositions."""

    decomposition: float
    sample: float


def _nested(values: FloatArray) -> _Nested:
    n_decompositions, n_samples = values.shape[1:]
    sample = _variance(values, axis=2)
    if n_decompositions == 1:
        return _Nested(0.0, sample)
    return _Nested(_variance(values.mean(axis=2), axis=1) - sample / n_samples, sample)


def _variance(values: FloatArray, *, axis: int) -> float:
    """Return the mean of the variances along an axis."""
    if values.shape[axis] == 1:
        return 0.0
    deviations = values - values.mean(axis=axis, keepdims=True)
    n_other = values.size // values.shape[axis]
    return float(np.sum(deviations**2)) / (n_other * (values.shape[axis] - 1))


def _raw_error(components: Components, design: Design) -> float:
    """Return the error variance with estimates below 0 as they are, so that the item's own has no bias."""
    d, m, n = design.decompositions, design.samples, design.negatives
    own = components.decomposition / d + components.oracle / (d * m)
    foreign = components.decomposition_of_negatives / d + components.oracle_of_negatives / (d * m)
    return own + ((components.negatives + foreign) / n if n else 0.0)


def _designs(free: Design) -> Iterator[Design]:
    negatives: Sequence[int] = range(1, min(free.negatives, MAX_NEGATIVES) + 1) if free.negatives else (0,)
    for decompositions, samples, n in product(
        range(1, min(free.decompositions, MAX_DECOMPOSITIONS) + 1),
        range(1, min(free.samples, MAX_SAMPLES) + 1),
        negatives,
    ):
        yield Design(decompositions=decompositions, samples=samples, negatives=n)
