"""Base rates of the statements of a run, from the candidates that meet them as negatives.

In a regular design with m negatives the statements of a task are met by the candidates of m other tasks, and those
candidates tell their base rates: no question is asked that the scores do not ask anyway. With ``neg=all`` all other
tasks' candidates do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.fmi.aggregation import UnitScores, average_units
from gameproof.fmi.base_rates import correct, cross_fitted_slopes
from gameproof.metrics.fmi_preparation import Plan
from gameproof.records import FloatArray, IntArray
from gameproof.stats.sums import sum_by

__all__ = ["Control", "Met", "fit_control"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """What the candidates of one task say of the units of one plan, and what they score without correction."""

    plan: Plan
    critic: FloatArray  # (candidates, units)
    scores: FloatArray  # (candidates,)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tally:
    """Sums of critics over the candidates that met units as negatives, and how many there were."""

    sums: FloatArray
    counts: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """The correction of every task's scores."""

    total: _Tally  # over all tasks, for all units of the pool
    own: Mapping[int, tuple[IntArray, _Tally]]  # task -> units its own candidates met, and what they said
    slopes: FloatArray  # beta of each task

    def apply(self, plan: Plan, found: UnitScores) -> UnitScores:
        """Correct the scores of a plan's candidates; unchanged where a statement's base rate is not known."""
        rates = self.rates(plan)
        if np.isnan(rates).any():
            return found
        slope = float(self.slopes[plan.task])
        matched = correct(found.matched, rates[0], slope)
        negatives = correct(found.negatives, rates[1:], slope)
        return UnitScores(
            scores=matched - negatives.mean(axis=1),
            matched=matched,
            negatives=negatives,
            n_clipped=found.n_clipped,
        )

    def rates(self, plan: Plan) -> FloatArray:
        """Return the mean base rate of the matched task's statements, then of each negative's; NaN if unknown."""
        sums, counts = self.total.sums.copy(), self.total.counts.copy()
        units, said = self.own.get(plan.task, (np.empty(0, np.int64), None))
        if said is not None:
            sums[units] -= said.sums
            counts[units] -= said.counts
        sums, counts = sums[plan.units], counts[plan.units]
        shares = 1 / 2 + np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        rates = average_units(shares[None, :], plan.layout)[0]
        owners = np.repeat(np.arange(len(rates)), plan.layout.tasks.lengths)
        owners = np.repeat(owners, plan.layout.references.lengths)
        rates[owners[np.isnan(shares)]] = np.nan  # never from a part of a task's statements
        return rates

    def notes(self, tasks: Sequence[int]) -> str:
        """Say what a reader of the scores must know."""
        slopes = self.slopes[list(tasks)]
        return (
            f"base rates are taken off with slopes from {slopes.min():.2f} to {slopes.max():.2f}, each fitted on"
            " the other tasks"
        )


def fit_control(met: Sequence[Met], *, n_units: int, n_tasks: int) -> Control:
    """Learn base rates and slopes from the originals of a run.

    Args:
        met: What the candidates of the originals say, one entry a plan.
        n_units: Units of the pool.
        n_tasks: Tasks of the pool.
    """
    total = _Tally(sums=np.zeros(n_units), counts=np.zeros(n_units))
    own: dict[int, tuple[IntArray, _Tally]] = {}
    for each in met:
        units, tally = _as_negatives(each)
        np.add.at(total.sums, units, tally.sums)
        np.add.at(total.counts, units, tally.counts)
        if each.plan.task in own:
            before, said = own[each.plan.task]
            units = np.concatenate([before, units])
            tally = _Tally(
                sums=np.concatenate([said.sums, tally.sums]),
                counts=np.concatenate([said.counts, tally.counts]),
            )
        own[each.plan.task] = (units, tally)
    merged = {task: _merge(units, tally) for task, (units, tally) in own.items()}
    control = Control(total=total, own=merged, slopes=np.zeros(n_tasks))
    return Control(total=total, own=merged, slopes=_slopes(control, met, n_tasks))


def _as_negatives(met: Met) -> tuple[IntArray, _Tally]:
    """Return the units of a plan's negatives, with what its candidates say of them."""
    n_own = int(met.plan.layout.references.lengths[: int(met.plan.layout.tasks.lengths[0])].sum())
    critic = met.critic[:, n_own:]
    there = ~np.isnan(critic)
    return met.plan.units[n_own:], _Tally(
        sums=np.where(there, critic, 0.0).sum(axis=0), counts=there.sum(axis=0).astype(np.float64)
    )


def _merge(units: IntArray, tally: _Tally) -> tuple[IntArray, _Tally]:
    """Bring the entries of one unit together: a reference may be that of two tasks."""
    distinct, places = np.unique(units, return_inverse=True)
    return distinct, _Tally(
        sums=sum_by(places, tally.sums, len(distinct)),
        counts=sum_by(places, tally.counts, len(distinct)),
    )


def _slopes(control: Control, met: Sequence[Met], n_tasks: int) -> FloatArray:
    """Fit the slope of each task on the means of the others."""
    sums, differences, counts = np.zeros(n_tasks), np.zeros(n_tasks), np.zeros(n_tasks)
    for each in met:
        rates = control.rates(each.plan)
        scores = each.scores[~np.isnan(each.scores)]
        if np.isnan(rates).any() or not len(scores):
            continue
        task = each.plan.task
        sums[task] += scores.sum()
        differences[task] += len(scores) * (rates[0] - rates[1:].mean())
        counts[task] += len(scores)
    counts[counts == 0] = np.nan
    return cross_fitted_slopes(sums / counts, differences / counts)
