"""The two estimators of f-mutual information, on plain arrays.

For a candidate x, a reference y of its task and references y-_1 .. y-_m of other tasks (paper 1, Table 3):

    direct       S = f(r(x, y)) / r(x, y) + c (1 - 1/r(x, y))
    variational  S = T(x, y) - mean over j of f*(T(x, y-_j))

The mean of S over a data set estimates I_f(X; Y). Any critic T gives a variational score whose expectation is
at most I_f; no direct score with an estimated ratio is a bound.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gameproof.errors import InputError
from gameproof.fmi.divergences import Divergence
from gameproof.records import FloatArray

__all__ = ["EXPONENT_LIMIT", "Clipped", "Form", "Quantity", "direct", "optimal_critic", "variational"]

Form = Literal["monotone", "joint"]
Quantity = Literal["log_ratio", "critic"]  # what a predictor supplies (paper 1, Table 3)

# Nats of |log r| before any exp. Beyond 709 float64 overflows; beyond 36.7, 1 - 1/r is exactly 1 and ranks tie.
EXPONENT_LIMIT = 20.0

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Clipped:
    """Values, and for how many of them log r had to be cut to the exponent limit."""

    values: FloatArray
    n_clipped: int


def direct(
    divergence: Divergence,
    log_ratio: FloatArray,
    *,
    form: Form = "monotone",
    limit: float = EXPONENT_LIMIT,
) -> Clipped:
    """Score matched pairs from their density ratio: f(r)/r + c (1 - 1/r).

    Args:
        divergence: A row of `DIVERGENCES`.
        log_ratio: log r(x, y) of each matched pair; KL, which is log r itself, is never cut.
        form: ``monotone`` has c = f(0), so the score increases with r and is exact where some pairs are
            impossible; ``joint`` has c = 0, as in paper 1's tables.
        limit: Largest |log r| that enters an exp.

    Raises:
        InputError: Reverse KL in monotone form with a ratio below 1/8, where it has none.

    Example:
        >>> from gameproof.fmi.divergences import TV
        >>> log_ratio = np.log([1 / 8, 1.0, 8.0])
        >>> direct(TV, log_ratio).values.tolist()
        [0.0, 0.0, 0.875]
        >>> direct(TV, log_ratio, form="joint").values.round(6).tolist()
        [3.5, 0.0, 0.4375]
    """
    cut = _limited(divergence, "direct", log_ratio, limit)
    if form == "joint":
        return Clipped(values=divergence.joint(cut.values), n_clipped=cut.n_clipped)
    if np.any(cut.values < divergence.monotone_from - ROUNDING):
        raise InputError(
            f"{divergence.symbol} has no monotone direct score for ratios below"
            f" {np.exp(divergence.monotone_from):g}; the smallest here is {np.exp(np.min(cut.values)):.3g}.",
            hint="Use form=joint, or a predictor whose ratios stay on the seven-point scale 1/8 .. 8.",
        )
    return Clipped(values=divergence.monotone(cut.values), n_clipped=cut.n_clipped)


def optimal_critic(
    divergence: Divergence, log_ratio: FloatArray, *, limit: float = EXPONENT_LIMIT
) -> Clipped:
    """Turn density ratios into the population-optimal critic T*(r) = f'(r) (paper 1, Table 9).

    The ratio is cut before it becomes a critic, never after: matched and negative pairs then share one
    function T, and the variational score stays a bound.
    """
    cut = _limited(divergence, "critic", log_ratio, limit)
    return Clipped(values=divergence.critic(cut.values), n_clipped=cut.n_clipped)


def variational(divergence: Divergence, matched: FloatArray, negatives: FloatArray) -> FloatArray:
    """Score candidates from a critic: T(x, y) - mean over j of f*(T(x, y-_j)) (paper 1, Eq. 2).

    f* is applied to each negative before the mean (the mean of r for KL, not exp of the mean of log r).

    Args:
        divergence: A row of `DIVERGENCES`; a critic outside its `critic_limits` is cut to them first.
        matched: T(x_i, y_i), shape (n,).
        negatives: T(x_i, y-_ij), shape (n, m), m >= 1.

    Example:
        >>> from gameproof.fmi.divergences import TV
        >>> variational(TV, np.array([0.5]), np.array([[-0.5, -0.5, 0.5, -0.5]])).tolist()
        [0.75]
    """
    low, high = divergence.critic_limits
    matched, negatives = np.clip(matched, low, high), np.clip(negatives, low, high)
    return matched - divergence.conjugate(negatives).mean(axis=1)


def _limited(divergence: Divergence, formula: str, log_ratio: FloatArray, limit: float) -> Clipped:
    if formula not in divergence.needs_exp:
        return Clipped(values=log_ratio, n_clipped=0)
    return Clipped(
        values=np.clip(log_ratio, -limit, limit),
        n_clipped=int(np.count_nonzero(np.abs(log_ratio) > limit)),
    )
