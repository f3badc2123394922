"""From units to scores: how statements, references and negatives average into one number per candidate.

A reference is a list of units: its statements, or itself. For all cells of the design space one rule holds:
T, f* and the direct score are taken per unit, then averaged over the units of a reference, then over the
references of a task. With a unit drawn from a reference drawn uniformly, the variational score is then a lower
bound of the information about the whole reference. It stays one when units are drawn by weights that depend on
the references alone: T(x, y) = sum over k of w_k T(x, psi_k), w_k >= 0, sum of w_k = 1, so that |T| <= 1/2 holds
for total variation too. Other aggregations differ in *what* is averaged over units:

    geometric     log r, before anything is made of it
    mean_critic   T, before f* is taken
    mean          T, f*(T) or the direct score
    sum           the same, added up: not a bound, five copies of a statement count five times (no weights)
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.fmi.divergences import Divergence
from gameproof.fmi.estimators import EXPONENT_LIMIT, Form, Quantity, direct, optimal_critic
from gameproof.records import FloatArray, IntArray

__all__ = [
    "Layout",
    "Runs",
    "UnitCritic",
    "UnitScores",
    "Weights",
    "average_units",
    "critic_of_units",
    "score_direct",
    "score_variational",
    "shares_of_units",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Consecutive runs of columns, none of them empty."""

    starts: IntArray
    lengths: IntArray

    @staticmethod
    def of_lengths(lengths: Sequence[int] | IntArray) -> "Runs":
        """Lay runs of the given lengths one after the other."""
        array = np.asarray(lengths, dtype=np.int64)
        return Runs(starts=np.cumsum(array) - array, lengths=array)

    def gather(self, chosen: IntArray) -> tuple[IntArray, "Runs"]:
        """Return the columns of the chosen runs, and these runs laid one after the other."""
        runs = Runs.of_lengths(self.lengths[chosen])
        shifts = np.repeat(self.starts[chosen] - runs.starts, runs.lengths)
        return shifts + np.arange(len(shifts)), runs

    def sums(self, values: FloatArray) -> FloatArray:
        """Add up the columns of each run; a missing one (NaN) counts as the mean of the others."""
        if np.isnan(values).any():
            return self.means(values) * self.lengths
        return np.add.reduceat(values, self.starts, axis=1)

    def means(self, values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
        """Average the columns of each run that are there, by weights if given; NaN where a run has none.

        Weights need not sum to 1 within a run; a run without any weight has no mean.
        """
        if weights is not None:
            return self._weighted(values, weights)
        missing = np.isnan(values)
        if not missing.any():
            return np.add.reduceat(values, self.starts, axis=1) / self.lengths
        counts = np.add.reduceat(~missing, self.starts, axis=1, dtype=np.float64)
        counts[counts == 0] = np.nan
        return np.add.reduceat(np.where(missing, 0.0, values), self.starts, axis=1) / counts

    def _weighted(self, values: FloatArray, weights: FloatArray) -> FloatArray:
        """Return sum over k of w_k v_k / sum over k of w_k, over the columns of each run that are there."""
        missing = np.isnan(values)
        present = np.where(missing, 0.0, weights)
        totals = np.add.reduceat(present, self.starts, axis=1)
        totals[totals == 0] = np.nan
        return np.add.reduceat(present * np.where(missing, 0.0, values), self.starts, axis=1) / totals


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How much units and references count: from 0 upwards, on any scale, known before any candidate is seen."""

    units: FloatArray  # (columns,): of each unit within its reference
    references: FloatArray  # of each reference within its task


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Which units make up which reference, and which references belong to which task.

    Tasks come in the order matched, negative 1 .. negative m; each has references, each of those has units.
    """

    references: Runs  # of units
    tasks: Runs  # of references
    weights: Weights | None = None  # None: all alike


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitScores:
    """Scores of n candidates against the same references, with their two halves."""

    scores: FloatArray  # (n,)
    matched: FloatArray  # (n,)
    negatives: FloatArray  # (n, m): f*(T) averaged over each negative task; m = 0 for direct scores
    n_clipped: int = 0


def score_direct(
    divergence: Divergence,
    log_ratio: FloatArray,
    layout: Layout,
    *,
    agg: str = "mean",
    form: Form = "monotone",
    limit: float = EXPONENT_LIMIT,
) -> UnitScores:
    """Score candidates from the density ratio of each unit of their own references.

    Args:
        divergence: A row of `DIVERGENCES`.
        log_ratio: log r of each candidate (rows) and unit (columns).
        layout: Of the columns; the matched task alone.
        agg: mean, sum or geometric.
        form: As in `direct`.
        limit: Largest |log r| that enters an exp.
    """
    if agg == "geometric":
        log_ratio, layout = _collapse(log_ratio, layout)
    units = direct(divergence, log_ratio, form=form, limit=limit)
    matched = _by_task(units.values, layout, add_units=agg == "sum")[:, 0]
    return UnitScores(
        scores=matched,
        matched=matched,
        negatives=np.empty((len(matched), 0)),
        n_clipped=units.n_clipped,
    )


def score_variational(
    divergence: Divergence,
    predicted: FloatArray,
    layout: Layout,
    *,
    quantity: Quantity,
    agg: str = "mean",
    limit: float = EXPONENT_LIMIT,
) -> UnitScores:
    """Score candidates by contrast: T(x, y) - mean over j of f*(T(x, y-_j)) (paper 1, Eqs. 2, 6 and 7).

    Args:
        divergence: A row of `DIVERGENCES`.
        predicted: T or log r of each candidate (rows) and unit (columns).
        layout: Of the columns: the matched task and at least one negative.
        quantity: Which of the two; a log ratio becomes the divergence's own critic T*(r).
        agg: mean, sum, mean_critic or geometric (which needs log ratios).
        limit: Largest |log r| that enters an exp.

    Example:
        Two statements in the matched reference, one in each of two negatives; TV, whose f* is T itself.

        >>> from gameproof.fmi.divergences import TV
        >>> layout = Layout(references=Runs.of_lengths([2, 1, 1]), tasks=Runs.of_lengths([1, 1, 1]))
        >>> critic = np.array([[0.5, -0.5, -0.5, 0.5], [0.5, 0.5, -0.5, -0.5]])
        >>> score_variational(TV, critic, layout, quantity="critic").scores.tolist()
        [0.0, 1.0]
    """
    found = critic_of_units(divergence, predicted, layout, quantity=quantity, agg=agg, limit=limit)
    critic, layout = found.critic, found.layout
    add_units = agg == "sum"
    matched = _by_task(critic, layout, add_units=add_units)[:, 0]
    # A conjugate is infinite outside its domain; a missing critic is outside of nothing.
    conjugate = np.where(np.isnan(critic), np.nan, divergence.conjugate(critic))
    negatives = _by_task(conjugate, layout, add_units=add_units)[:, 1:]
    return UnitScores(
        scores=matched - negatives.mean(axis=1),
        matched=matched,
        negatives=negatives,
        n_clipped=found.n_clipped,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCritic:
    """The critic of each unit, where units may have been brought together to one for each reference."""

    critic: FloatArray
    layout: Layout
    n_clipped: int


def critic_of_units(
    divergence: Divergence,
    predicted: FloatArray,
    layout: Layout,
    *,
    quantity: Quantity,
    agg: str = "mean",
    limit: float = EXPONENT_LIMIT,
) -> UnitCritic:
    """Return the critic T that `score_variational` contrasts; the arguments are its own."""
    critic, n_clipped = predicted, 0
    if quantity == "log_ratio":
        log_ratio, layout = _collapse(predicted, layout) if agg == "geometric" else (predicted, layout)
        optimal = optimal_critic(divergence, log_ratio, limit=limit)
        critic, n_clipped = optimal.values, optimal.n_clipped
    critic = np.clip(critic, *divergence.critic_limits)
    if agg == "mean_critic":
        critic, layout = _collapse(critic, layout)
    return UnitCritic(critic=critic, layout=layout, n_clipped=n_clipped)


def average_units(units: FloatArray, layout: Layout) -> FloatArray:
    """Average a value of each unit as critics are averaged: one column for each task."""
    return _by_task(units, layout, add_units=False)


def shares_of_units(layout: Layout) -> FloatArray:
    """Return what each unit counts in the mean of its task: those of a task sum to 1."""
    weights = layout.weights
    n_units, n_references = int(layout.references.lengths.sum()), int(layout.tasks.lengths.sum())
    units = np.ones(n_units) if weights is None else weights.units
    references = np.ones(n_references) if weights is None else weights.references
    of_units = np.add.reduceat(units, layout.references.starts)
    references = np.where(of_units > 0, references, 0.0)
    of_references = np.add.reduceat(references, layout.tasks.starts)
    within_task = references / np.repeat(of_references, layout.tasks.lengths)
    within_reference = units / np.repeat(np.where(of_units > 0, of_units, 1.0), layout.references.lengths)
    return within_reference * np.repeat(within_task, layout.references.lengths)


def _by_task(units: FloatArray, layout: Layout, *, add_units: bool) -> FloatArray:
    """Average (or add) over the units of each reference, then average over the references of each task."""
    weights = layout.weights
    if add_units:
        references = layout.references.sums(units)
    else:
        references = layout.references.means(units, None if weights is None else weights.units)
    return layout.tasks.means(references, None if weights is None else weights.references)


def _collapse(units: FloatArray, layout: Layout) -> tuple[FloatArray, Layout]:
    """Average over the units of each reference, which is one unit from here on."""
    weights = layout.weights
    references = layout.references.means(units, None if weights is None else weights.units)
    n_references = int(references.shape[1])
    one_each = Runs.of_lengths([1] * n_references)
    if weights is not None:
        weights = Weights(units=np.ones(n_references), references=weights.references)
    return references, Layout(references=one_each, tasks=layout.tasks, weights=weights)
