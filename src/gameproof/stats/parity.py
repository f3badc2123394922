"""The papers' own rules, computed as they did, to stand beside ours."""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Literal

import numpy as np

from gameproof.records import FloatArray
from gameproof.stats.ranks import spearman
from gameproof.stats.results import Interval

__all__ = ["LevelTest", "PairedT", "level_test", "paired_t", "share_of_orders"]

STABLE_STEP = 0.05  # "Information Satisfaction": a stable step is smaller than this share of the baseline
MOST_ENUMERATED = 7  # levels whose orders are counted: 5,040
ROUNDING = 1e-12
STABLE_BASELINE_FLOOR = 0.01  # a baseline mean nearer to 0 counts as this


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedT:
    """The standardised mean difference with the interval of "Scoring Rules!", and its paired t test.

    A value is None where it does not exist: without spread there is no t and no p-value.
    """

    n: int
    mean_change: float
    effect: float | None  # d = mean change / s_av
    effect_original: float | None  # mean change / sd of the originals
    effect_change: float | None  # d_z = mean change / sd of the changes
    half_width: float | None
    statistic: float | None
    pvalue: float | None  # two-sided
    pvalue_less: float | None
    pvalue_greater: float | None

    @property
    def interval(self) -> Interval | None:
        """Return d +- half-width."""
        if self.effect is None or self.half_width is None:
            return None
        return Interval(low=self.effect - self.half_width, high=self.effect + self.half_width)


def paired_t(original: FloatArray, variant: FloatArray, *, confidence_level: float) -> PairedT:
    """Compare paired scores by the rules of "Scoring Rules!" (arXiv:2608.01423, tables 10 and 11).

    d = (mean variant - mean original) / s_av with s_av^2 = (s_variant^2 + s_original^2) / 2, all with ddof 1.
    The printed intervals are those of the mean paired difference divided by s_av, taken as fixed:
    d +- t(n - 1) sd(difference) / (sqrt(n) s_av), so they exclude 0 exactly where the t test rejects.

    Example:
        >>> result = paired_t(np.array([1.0, 2.0, 3.0]), np.array([1.5, 2.5, 4.0]), confidence_level=0.95)
        >>> round(result.statistic, 6), round(result.pvalue, 4)
        (4.0, 0.0572)
    """
    n = original.size
    change = variant - original
    mean_change = float(change.mean())
    if n < 2:
        return _without_spread(n, mean_change, None, None)
    s_original = float(original.std(ddof=1))
    s_average = float(np.sqrt((variant.var(ddof=1) + original.var(ddof=1)) / 2))
    effect = mean_change / s_average if s_average > 0 else None
    effect_original = mean_change / s_original if s_original > 0 else None
    s_change = float(change.std(ddof=1))
    if s_change <= 1e-10 * max(float(np.abs(original).max()), float(np.abs(variant).max())):
        return _without_spread(n, mean_change, effect, effect_original)
    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - loads on first use: 0.3 s

    statistic = mean_change / (s_change / np.sqrt(n))
    less = float(stdtr(n - 1, statistic))
    greater = float(stdtr(n - 1, -statistic))
    quantile = float(stdtrit(n - 1, (1 + confidence_level) / 2))
    return PairedT(
        n=n,
        mean_change=mean_change,
        effect=effect,
        effect_original=effect_original,
        effect_change=mean_change / s_change,
        half_width=quantile * s_change / (float(np.sqrt(n)) * s_average),
        statistic=float(statistic),
        pvalue=min(1.0, 2 * min(less, greater)),
        pvalue_less=less,
        pvalue_greater=greater,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelTest:
    """The level test of "Information Satisfaction", with its known flaws kept."""

    rho: float | None  # Spearman of level against mean score; None: see `rho_detail`
    rho_detail: str | None
    match_rate: float | None  # M: share of steps between neighbouring levels with the expected sign


def level_test(
    levels: FloatArray, means: FloatArray, *, expect: Literal["decrease", "increase", "stable"]
) -> LevelTest:
    """Test level means by the rules of "Information Satisfaction" (arXiv:2608.14457, table 2).

    rho is the Spearman correlation of level and mean score. Their code sets it to the sign of the difference
    where there are two levels; such a number can only be -1, 0 or 1, so here it is undefined and the sign is
    told. M is the share of consecutive steps of the means that go the expected way; a stable step is smaller
    than 5% of the absolute baseline mean, which counts as .01 at least.

    Args:
        levels: Ascending.
        means: The mean score at each level.
        expect: Where scores should go as the level rises.

    Example:
        >>> result = level_test(np.arange(3.0), np.array([0.9, 0.5, 0.6]), expect="decrease")
        >>> result.rho, result.match_rate
        (-0.5, 0.5)
    """
    steps = np.diff(means)
    if not steps.size:
        return LevelTest(rho=None, rho_detail="fewer than 2 levels", match_rate=None)
    if expect == "stable":
        baseline = max(abs(float(means[0])), STABLE_BASELINE_FLOOR)
        matches = np.abs(steps) < STABLE_STEP * baseline
    else:
        matches = steps > 0 if expect == "increase" else steps < 0
    rho = spearman(levels, means) if steps.size > 1 else None
    detail = None
    if steps.size == 1:
        detail = f"two levels: the papers' rho is only the sign of the step, {np.sign(steps[0]):+.0f}"
    elif rho is None:
        detail = "constant level means"
    return LevelTest(rho=rho, rho_detail=detail, match_rate=float(matches.mean()))


@cache
def share_of_orders(n_levels: int, *, low: float, high: float) -> float | None:
    """Return how many of all orders of the level means, without ties, give a rho within bounds.

    That is the chance of a rule about rho to hold where levels make no difference: with the four levels of the
    audience test rho is at most -.4 in 9 of 24 orders, with the six of the distractor test in 151 of 720.

    Args:
        n_levels: How many levels there are; beyond 7 nothing is counted, and None returned.
        low: Smallest rho that counts.
        high: Largest rho that counts.

    Example:
        >>> share_of_orders(4, low=-1.0, high=-0.4)
        0.375
    """
    if not 3 <= n_levels <= MOST_ENUMERATED:
        return None
    largest = n_levels * (n_levels**2 - 1)
    rhos = [
        1 - 6 * sum((place - level) ** 2 for place, level in enumerate(order)) / largest
        for order in permutations(range(n_levels))
    ]
    return sum(low - ROUNDING <= rho <= high + ROUNDING for rho in rhos) / len(rhos)


def _without_spread(
    n: int, mean_change: float, effect: float | None, effect_original: float | None
) -> PairedT:
    return PairedT(
        n=n,
        mean_change=mean_change,
        effect=effect,
        effect_original=effect_original,
        effect_change=None,
        half_width=None,
        statistic=None,
        pvalue=None,
        pvalue_less=None,
        pvalue_greater=None,
    )
