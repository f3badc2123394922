"""Say what a data set can show, and how much data a verdict needs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from gameproof.records import FloatArray, IntArray
from gameproof.stats.sums import mean_by, sum_by

__all__ = [
    "PowerRow",
    "design_effect",
    "detectable_effect",
    "detectable_margin",
    "intraclass_correlation",
    "pair_correlation",
    "plan_power",
    "required_items",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerRow:
    """What one check of a pilot can show, and how much data it needs."""

    alpha: float  # of one test; smaller where several tests share one level
    pair_correlation: float | None  # of the scores before and after
    icc: float | None  # intraclass correlation of the changes: how alike tasks make them
    items_per_task: float
    design_effect: float
    n_tasks: int  # in the pilot
    detectable: float | None  # smallest effect this pilot shows with the power wanted
    tasks_needed: int | None  # to show an effect of 0 to be below the margin
    items_needed: int | None


def required_items(
    *, margin: float, correlation: float, alpha: float, power: float, effect: float = 0.0
) -> int:
    """Return how many independent pairs show that the effect lies below the margin.

    n = ((z_(1 - alpha) + z_power) / (margin - effect))^2 x 2 (1 - correlation), the variance of a change in
    units of s_av being 2 (1 - correlation).

    Example:
        >>> [required_items(margin=0.1, correlation=r, alpha=0.05, power=0.8) for r in (0.8, 0.5, 0)]
        [248, 619, 1237]
    """
    return math.ceil((_reach(alpha, power) / (margin - effect)) ** 2 * 2 * (1 - correlation))


def design_effect(items_per_task: float, icc: float) -> float:
    """Return by how much clustering inflates the variance of a mean: 1 + (k - 1) ICC (Kish)."""
    return 1 + (items_per_task - 1) * icc


def detectable_margin(
    *, n_tasks: int, items_per_task: float, icc: float, correlation: float, alpha: float, power: float
) -> float:
    """Return the smallest margin that clustered data can show an effect of 0 to lie below.

    Args:
        n_tasks: Tasks.
        items_per_task: Items of each.
        icc: Intraclass correlation of the changes.
        correlation: Between the scores before and after.
        alpha: One-sided level.
        power: Chance wanted.

    Example:
        >>> round(detectable_margin(
        ...     n_tasks=100, items_per_task=16, icc=0.1, correlation=0.8, alpha=0.05, power=0.8
        ... ), 3)
        0.062
    """
    effective = n_tasks * items_per_task / design_effect(items_per_task, icc)
    return _reach(alpha, power) * math.sqrt(2 * (1 - correlation) / effective)


def detectable_effect(standard_error: float, *, n_tasks: int, alpha: float, power: float) -> float:
    """Return the smallest effect that a one-sided test with this standard error shows with this power.

    From the noncentral t distribution with G - 1 degrees of freedom; with many tasks it is
    (z_(1 - alpha) + z_power) standard errors.

    Example:
        >>> round(detectable_effect(0.1, n_tasks=1000, alpha=0.05, power=0.8), 3)
        0.249
    """
    from scipy.special import nctdtrinc, stdtrit  # noqa: PLC0415 - loads on first use: 0.3 s

    freedom = n_tasks - 1
    critical = float(stdtrit(freedom, 1 - alpha))
    distance = float(nctdtrinc(freedom, 1 - power, critical))
    return distance * standard_error


def intraclass_correlation(values: FloatArray, tasks: IntArray) -> float | None:
    """Return the one-way intraclass correlation of values within tasks; None without spread or repeats.

    (MSB - MSW) / (MSB + (k0 - 1) MSW) with k0 the mean size of tasks, corrected for unequal sizes.

    Example:
        >>> intraclass_correlation(np.array([1.0, 1, 5, 5, 9, 9]), np.array([0, 0, 1, 1, 2, 2]))
        1.0
    """
    _, labels = np.unique(tasks, return_inverse=True)
    sizes = np.bincount(labels).astype(np.float64)
    n, n_tasks = float(values.size), float(sizes.size)
    if n_tasks < 2 or n <= n_tasks:
        return None
    means = mean_by(labels, values)
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (n_tasks - 1)
    within = float(sum_by(labels, (values - means[labels]) ** 2, sizes.size).sum()) / (n - n_tasks)
    size = (n - float((sizes**2).sum()) / n) / (n_tasks - 1)
    total = between + (size - 1) * within
    return (between - within) / total if total > 0 else None


def pair_correlation(original: FloatArray, variant: FloatArray) -> float | None:
    """Return the Pearson correlation of paired scores, or None where one side is constant."""
    one, two = original - original.mean(), variant - variant.mean()
    spread = math.sqrt(float((one**2).sum() * (two**2).sum()))
    return float((one * two).sum()) / spread if spread > 0 else None


def plan_power(
    *,
    original: FloatArray,
    variant: FloatArray,
    tasks: IntArray,
    standard_error: float | None,
    margin: float,
    alphas: Sequence[float],
    power: float,
) -> list[PowerRow]:
    """Say for each level alpha what a pilot shows and how many tasks of its size the margin needs.

    Args:
        original: Scores before.
        variant: Scores after.
        tasks: The task of each pair.
        standard_error: Of the effect, from `gameproof.stats.paired.infer_paired`: it knows shared negatives.
        margin: In units of s_av.
        alphas: One-sided levels, for example .05 and .05 / 6 for the first Holm step of six checks.
        power: Chance wanted.
    """
    n_tasks = int(np.unique(tasks).size)
    items_per_task = original.size / n_tasks
    icc = intraclass_correlation(variant - original, tasks)
    rows: list[PowerRow] = []
    for alpha in alphas:
        detectable, tasks_needed = None, None
        if standard_error is not None and n_tasks > 1:
            detectable = detectable_effect(standard_error, n_tasks=n_tasks, alpha=alpha, power=power)
            per_task = standard_error * math.sqrt(n_tasks)
            tasks_needed = max(math.ceil((_reach(alpha, power) * per_task / margin) ** 2), 2)
        rows.append(
            PowerRow(
                alpha=alpha,
                pair_correlation=pair_correlation(original, variant),
                icc=icc,
                items_per_task=items_per_task,
                design_effect=design_effect(items_per_task, max(icc or 0.0, 0.0)),
                n_tasks=n_tasks,
                detectable=detectable,
                tasks_needed=tasks_needed,
                items_needed=None if tasks_needed is None else math.ceil(tasks_needed * items_per_task),
            )
        )
    return rows


def _reach(alpha: float, power: float) -> float:
    """Return how many standard errors lie between no effect and an effect shown with this power."""
    normal = NormalDist()
    return normal.inv_cdf(1 - alpha) + normal.inv_cdf(power)
