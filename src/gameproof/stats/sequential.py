"""Evidence that may be looked at after every observation: the test holds its level whenever one stops.

For observations x_1, x_2 ... that are independent and normal with unknown spread, and the hypothesis that their mean
is 0, the evidence after n of them is the likelihood ratio of t against a mixture of effects mean / sd ~ N(0, g):

    E_n = (1 + n g)^(-1/2) [(1 + t^2/(n-1)) / (1 + t^2/((n-1)(1 + n g)))]^(n/2),   t = sqrt(n) mean / sd

Under the hypothesis E_n has mean 1 at every stopping time that looks at t alone (it is a nonnegative martingale, since
the spread is integrated out by the right Haar measure: Lai 1976; Perez-Ortiz, Lardy, de Heide and Gruenwald 2024), so
that it ever reaches 1/alpha has a chance of at most alpha (Ville). Repeated t tests have no such bound: with enough
looks each of them rejects for certain.
"""

import numpy as np

from gameproof.errors import InputError
from gameproof.records import FloatArray

__all__ = ["EFFECT_VARIANCE", "evidence", "first_settled"]

MIN_LOOKS = 8  # scores of few texts are coarse: a few of them are equal by chance, as if they had no spread
EFFECT_VARIANCE = 0.25  # g: effects of about half a standard deviation are looked for first


def evidence(values: FloatArray, *, effect_variance: float = EFFECT_VARIANCE) -> FloatArray:
    """Return E_n after each observation; 1 before the eighth, when nothing is concluded yet.

    Args:
        values: Observations in the order they came, along the last axis.
        effect_variance: g, of the mixture.

    Returns:
        The same shape. Infinite where all observations so far are the same and not 0.

    Example:
        >>> evidence(np.array([1.0, 1.2, 0.9, 1.1, 1.0, 1.2, 1.1, 0.9, 1.0]))[-3:].round(1).tolist()
        [1.0, 42.8, 100.6]
    """
    if effect_variance <= 0:
        raise InputError("effect_variance: expected a number above 0.")
    n = np.arange(1, values.shape[-1] + 1, dtype=np.float64)
    sums, squares = np.cumsum(values, axis=-1), np.cumsum(values**2, axis=-1)
    # t^2/(n-1) = n mean^2 / (sum of squares about the mean)
    about_mean = squares - sums**2 / n
    is_same = about_mean <= 1e-12 * squares
    ratio = np.divide(sums**2 / n, about_mean, out=np.zeros_like(sums), where=~is_same)
    widening = 1 + n * effect_variance
    log_evidence = n / 2 * (np.log1p(ratio) - np.log1p(ratio / widening)) - np.log(widening) / 2
    with np.errstate(over="ignore"):
        found = np.exp(log_evidence)
    found = np.where(is_same, np.where(squares > 0, np.inf, 1.0), found)
    found[..., : MIN_LOOKS - 1] = 1.0
    return found


def first_settled(values: FloatArray, *, alpha: float = 0.05) -> int | None:
    """Return after how many observations the sign of their mean is settled at level alpha; None if it is not.

    Example:
        >>> first_settled(np.array([1.0, 1.2, 0.9, 1.1, 1.0, 1.2, 1.1, 0.9, 1.0]))
        8
    """
    settled = np.flatnonzero(evidence(values) >= 1 / alpha)
    return int(settled[0]) + 1 if len(settled) else None
