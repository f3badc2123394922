"""Measure one change in units of another: how many deleted sentences is a change worth?"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.records import FloatArray
from gameproof.stats.bootstrap import StudentisedMeans, studentise
from gameproof.stats.paired import ROUNDING, PairedSample, Sides, changes_together, pseudo_values
from gameproof.stats.results import Interval

__all__ = ["LossRatio", "infer_loss_ratio"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossRatio:
    """A change in units of a known loss. None stands where a number does not exist."""

    value: float | None  # above 0 for a gain, -1 for a drop as large as the loss
    interval: Interval | None = None
    at_loss: Sides | None = None  # is it below, is it above -margin?
    at_gain: Sides | None = None  # is it below, is it above the margin?
    detail: str | None = None


def infer_loss_ratio(
    change: PairedSample,
    loss: PairedSample,
    *,
    margin: float,
    alpha: float,
    n_resamples: int = 9_999,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> LossRatio:
    """Infer change / -loss, the mean changes of equally weighted tasks, and test it against +- margin.

    The tests do not divide: "below the margin" is change + margin x loss < 0, the loss being negative, by
    pseudo-values and a studentised bootstrap like any paired change. The ratio itself is told only where the
    loss is shown to be one at level alpha: near 0 it could be anything.

    Args:
        change: What is measured.
        loss: The unit, over the same items.
        margin: How many units count as none.
        alpha: At which the loss has to be shown.
        n_resamples: Of the bootstrap.
        confidence_level: Of the two-sided interval.
        seed: Of the bootstrap.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> tasks, score = np.arange(60), rng.normal(size=60)
        >>> loss = PairedSample(tasks=tasks, original=score, variant=score - 1 + 0.1 * rng.normal(size=60))
        >>> half = PairedSample(tasks=tasks, original=score, variant=score - 0.5 + 0.1 * rng.normal(size=60))
        >>> round(infer_loss_ratio(half, loss, margin=0.5, alpha=0.05).value, 1)
        -0.5
    """
    if min(np.unique(sample.tasks).size for sample in (change, loss)) < 2:
        return LossRatio(value=None, detail="fewer than 2 tasks")
    (moved, moved_without), (lost, lost_without) = changes_together([change, loss])
    with np.errstate(divide="ignore", invalid="ignore"):
        thetas: Sequence[tuple[float, FloatArray]] = (
            (lost, lost_without),
            (moved - margin * lost, moved_without - margin * lost_without),
            (moved + margin * lost, moved_without + margin * lost_without),
            (float(np.float64(moved) / -lost), moved_without / -lost_without),
        )
        psi = [pseudo_values(*theta) for theta in thetas]
        largest = float(np.abs(psi[0]).max())
        for place in (1, 2):  # what cancels but for rounding has no sign
            psi[place] = np.where(np.abs(psi[place]) <= ROUNDING * largest, 0.0, psi[place])
        means = studentise(
            np.stack(psi, axis=1),
            n_resamples=n_resamples,
            confidence_level=confidence_level,
            seed=seed,
        )
    # A loss that is the same in every task has no p-value, and needs none.
    is_shown = lost < 0 if np.isnan(means.below[0]) else float(means.below[0]) <= alpha
    if not is_shown:
        return LossRatio(value=None, detail="losing one sentence is not shown to cost anything")
    return LossRatio(
        value=thetas[3][0],
        interval=None
        if np.isnan(means.errors[3])
        else Interval(low=float(means.low[3]), high=float(means.high[3])),
        at_loss=_sides(means, 1),
        at_gain=_sides(means, 2),
    )


def _sides(means: StudentisedMeans, column: int) -> Sides | None:
    below, above = float(means.below[column]), float(means.above[column])
    return None if np.isnan(below) else Sides(below=below, above=above)
