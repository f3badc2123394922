"""The six f-divergences: generator, optimal critic, conjugate and direct scores.

Paper 1 is "Scoring Rules!" (arXiv:2608.01423). With r(x, y) = p(x, y) / (p(x) p(y)), the f-mutual information
of a candidate X and a reference Y is the mean of f(r) over independent pairs (its Eq. 1), or

    I_f(X; Y) = E_matched[T*(X, Y)] - E_mismatched[f*(T*(X, Y))],   T* a subgradient of f at r    (Eq. 2)

Formulas of the ratio take log r: that is what language models and support scales supply, it holds where r
itself would overflow, and r = 0 is simply minus infinity.

The direct score of a matched pair is f(r)/r. It is exact only if no mismatched pair is impossible, and for all
divergences but KL it is not monotone: a contradicted reference scores as high as a supported one. Since
f(t) + c (t - 1) generates the same divergence for every c, so does f(r)/r + c (1 - 1/r), whose slope in r is
(f*(T*(r)) + c) / r^2. The smallest c that makes it monotone is f(0): the *monotone* form. It stays exact when
some mismatched pairs are impossible, where the *joint* form f(r)/r loses f(0) P_mismatched(r = 0).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gameproof.records import FloatArray

__all__ = ["CHI2", "DIVERGENCES", "H2", "JS", "KL", "RKL", "TV", "Divergence"]

Formula = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """One row of paper 1's Table 9, with its two direct scores."""

    symbol: str
    name: str
    generator: Formula  # f(t), t >= 0
    critic: Formula  # T*(r) = f'(r), given log r
    conjugate: Formula  # f*(v) = sup over t > 0 of v t - f(t); infinite outside its domain
    joint: Formula  # f(r)/r, given log r
    monotone: Formula  # f(r)/r + c (1 - 1/r), given log r
    gauge: float  # c
    at_zero: float  # f(0)
    upper_bound: float  # the largest I_f there can be
    critic_limits: tuple[float, float] = (-math.inf, math.inf)  # a critic from elsewhere is cut to these
    monotone_from: float = -math.inf  # smallest log r on which the monotone form is monotone
    needs_exp: frozenset[str] = frozenset({"direct", "critic"})  # formulas that raise e to log r

    def __str__(self) -> str:
        return self.symbol


LOG_2 = math.log(2)
LOG_4 = math.log(4)

# Reverse KL has f(0) = infinity, so no c makes it monotone everywhere. On r >= 1/8, the lowest bin of the
# seven-point support scale, -inf f*(T*) = 1 + log 8 does.
RKL_GAUGE = 1 + math.log(8)


def _t_log_t(t: FloatArray) -> FloatArray:
    """Return t log t, with its limit 0 at t = 0."""
    return t * np.log(np.where(t > 0, t, 1.0))


def _log_1_plus_r(log_r: FloatArray) -> FloatArray:
    with np.errstate(invalid="ignore"):  # numpy warns of a missing ratio here, and in no other formula
        return np.logaddexp(0.0, log_r)


def _inside(v: FloatArray, *, below: float) -> FloatArray:
    """Replace values outside the domain v < below, so that a formula can be evaluated everywhere."""
    return np.where(v < below, v, below - 1.0)


TV = Divergence(
    symbol="TV",
    name="total variation",
    generator=lambda t: np.abs(t - 1) / 2,
    critic=lambda log_r: np.sign(log_r) / 2,  # sign(0) = 0
    conjugate=lambda v: np.where(v <= 1 / 2, np.maximum(v, -1 / 2), np.inf),
    joint=lambda log_r: np.abs(np.expm1(-log_r)) / 2,  # |1 - 1/r| / 2
    monotone=lambda log_r: np.maximum(0.0, -np.expm1(-log_r)),  # max(0, 1 - 1/r)
    gauge=1 / 2,
    at_zero=1 / 2,
    upper_bound=1.0,
    critic_limits=(-1 / 2, 1 / 2),
    needs_exp=frozenset({"direct"}),
)

KL = Divergence(
    symbol="KL",
    name="Kullback-Leibler",
    generator=_t_log_t,
    critic=lambda log_r: 1 + log_r,
    conjugate=lambda v: np.exp(v - 1),
    joint=lambda log_r: log_r,
    monotone=lambda log_r: log_r,
    gauge=0.0,
    at_zero=0.0,
    upper_bound=math.inf,
    needs_exp=frozenset({"critic"}),  # the critic itself has no exp, its conjugate has
)

RKL = Divergence(
    symbol="RKL",
    name="reverse Kullback-Leibler",
    generator=lambda t: -np.log(t),
    critic=lambda log_r: -np.exp(-log_r),  # -1/r
    conjugate=lambda v: np.where(v < 0, -1 - np.log(-_inside(v, below=0)), np.inf),
    joint=lambda log_r: -log_r * np.exp(-log_r),  # -(log r)/r
    monotone=lambda log_r: RKL_GAUGE - (RKL_GAUGE + log_r) * np.exp(-log_r),
    gauge=RKL_GAUGE,
    at_zero=math.inf,
    upper_bound=math.inf,
    monotone_from=-math.log(8),
)

CHI2 = Divergence(
    symbol="CHI2",
    name="Pearson chi-squared",
    generator=lambda t: (t - 1) ** 2,
    critic=lambda log_r: 2 * np.expm1(log_r),  # 2 (r - 1)
    conjugate=lambda v: np.where(v >= -2, v + v**2 / 4, -1.0),  # below -2 the supremum over t > 0 is at 0
    joint=lambda log_r: -np.expm1(log_r) * np.expm1(-log_r),  # (r - 1)^2 / r
    monotone=np.expm1,  # r - 1
    gauge=1.0,
    at_zero=1.0,
    upper_bound=math.inf,
)

H2 = Divergence(
    symbol="H2",
    name="squared Hellinger",
    generator=lambda t: (np.sqrt(t) - 1) ** 2,
    critic=lambda log_r: -np.expm1(-log_r / 2),  # 1 - r^(-1/2)
    conjugate=lambda v: np.where(v < 1, 1 / (1 - _inside(v, below=1)) - 1, np.inf),  # v / (1 - v)
    joint=lambda log_r: np.expm1(-log_r / 2) ** 2,  # (1 - r^(-1/2))^2
    monotone=lambda log_r: -2 * np.expm1(-log_r / 2),  # 2 (1 - r^(-1/2))
    gauge=1.0,
    at_zero=1.0,
    upper_bound=2.0,
)

JS = Divergence(
    symbol="JS",
    name="Jensen-Shannon",
    generator=lambda t: (_t_log_t(t) - (t + 1) * np.log((t + 1) / 2)) / 2,
    critic=lambda log_r: (LOG_2 - _log_1_plus_r(-log_r)) / 2,  # log(2r / (1 + r)) / 2
    conjugate=lambda v: np.where(
        v < LOG_2 / 2, -np.log(2 - np.exp(2 * _inside(v, below=LOG_2 / 2))) / 2, np.inf
    ),
    # [log r - (1 + 1/r) log((1 + r)/2)] / 2
    joint=lambda log_r: (log_r - (1 + np.exp(-log_r)) * (_log_1_plus_r(log_r) - LOG_2)) / 2,
    # the same + (log 2)/2 (1 - 1/r) = [log 4 + log(r/(1 + r)) - log(1 + r)/r] / 2
    monotone=lambda log_r: (LOG_4 - _log_1_plus_r(-log_r) - np.exp(-log_r) * _log_1_plus_r(log_r)) / 2,
    gauge=LOG_2 / 2,
    at_zero=LOG_2 / 2,
    upper_bound=LOG_2,
)

DIVERGENCES = {divergence.symbol: divergence for divergence in (TV, KL, RKL, CHI2, H2, JS)}
