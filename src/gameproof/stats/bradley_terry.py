"""Strengths from comparisons: the Bradley-Terry model with ties and an effect of order.

Davidson (1970) gives a tie the geometric mean of both strengths; Davidson and Beaver (1977) add an effect of the
place. For item i shown first and item j second, with strengths pi = exp(theta),

    P(i wins) = g^(1/2) pi_i / D,   P(j wins) = g^(-1/2) pi_j / D,   P(tie) = nu (pi_i pi_j)^(1/2) / D,

where D is the sum of the three numerators, nu >= 0 says how common ties are and log g is the gain of the first
place. (With pi_i g, pi_j and nu' (pi_i pi_j)^(1/2), as printed there, it is the same model and nu' = nu g^(1/2).)
Every probability is the exponential of a linear form, so the log-likelihood is concave in (theta, log g, log nu).

Its maximum is finite only where the data do not separate: no set of items wins all its comparisons with the
others, and not every verdict fits one order of strengths. That is decided exactly, by a linear programme.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gameproof.errors import InputError
from gameproof.records import FloatArray, IntArray

__all__ = ["SAME_ORDER", "BradleyTerry", "Duels", "count_duels", "cyclic_triads", "fit_bradley_terry"]

NOT_CONNECTED = "some items are never compared, not even by way of others"
SAME_ORDER = "the gain of the first place cannot be told from strength: show some pairs in both orders"
SEPARATED = "separated: some strength is without bound, since one side of the data always wins"
ALL_TIES = "every comparison is a tie"
NO_DUELS = "no comparisons"

FIRST, SECOND, TIE = 0, 1, 2
MAX_STEPS = 200
TOLERANCE = 1e-13  # of what a step of Newton promises, in log-likelihood
SLACK = 1e-7  # of the linear programme, relative


@dataclass(frozen=True, slots=True, kw_only=True)
class Duels:
    """Comparisons of items, counted: each row is one ordered pair."""

    first: IntArray  # (m,)
    second: IntArray  # (m,)
    counts: FloatArray  # (m, 3): how often the first won, the second won, neither did
    n_items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BradleyTerry:
    """Fitted strengths; all NaN where `reason` says why there are none.

    Standard errors take comparisons for independent: those that share texts are not, and need a resampling of
    what they share.
    """

    strengths: FloatArray  # (n,): theta, with mean 0
    covariance: FloatArray  # (n, n)
    tie: float  # nu
    order_effect: float  # log g: 0 if it was not fitted
    order_effect_se: float  # NaN if it was not fitted
    log_likelihood: float
    n: float  # comparisons
    reason: str | None = None

    def standard_error(self, i: int, j: int) -> float:
        """Return the standard error of theta_i - theta_j."""
        cov = self.covariance
        return float(np.sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j]))


def count_duels(first: Sequence[int], second: Sequence[int], outcomes: Sequence[int], n_items: int) -> Duels:
    """Count comparisons by their pair and its order.

    Args:
        first: The item shown first.
        second: The item shown second.
        outcomes: 1 where the first won, -1 where the second did, 0 for a tie.
        n_items: Items are numbered from 0 below this.

    Raises:
        InputError: The three differ in length, an item is compared with itself, or there is no such item.

    Example:
        >>> count_duels([0, 0, 1], [1, 1, 0], [1, 0, -1], 2).counts.tolist()
        [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    one, other, won = (np.asarray(column, dtype=np.int64) for column in (first, second, outcomes))
    if not len(one) == len(other) == len(won):
        raise InputError("first, second and outcomes: expected one entry of each for every comparison.")
    if (
        np.any(one == other)
        or np.any(np.minimum(one, other) < 0)
        or np.any(np.maximum(one, other) >= n_items)
    ):
        raise InputError(f"first and second: expected two different items between 0 and {n_items - 1}.")
    if np.any(np.abs(won) > 1):
        raise InputError("outcomes: expected 1, -1 or 0.")
    pairs, rows = np.unique(one * n_items + other, return_inverse=True)
    counts = np.zeros((len(pairs), 3))
    np.add.at(counts, (rows, np.array([TIE, FIRST, SECOND])[won]), 1.0)
    return Duels(first=pairs // n_items, second=pairs % n_items, counts=counts, n_items=n_items)


def fit_bradley_terry(duels: Duels, *, order_effect: bool = False, precision: float = 0.0) -> BradleyTerry:
    """Fit strengths by maximum likelihood, or with a normal prior by the maximum of the posterior.

    Args:
        duels: Counted comparisons.
        order_effect: Whether the first place may have a gain of its own.
        precision: Of a normal prior about 0 of every strength and of the order effect; 0 for none. With one,
            strengths are finite even where the data separate.

    Returns:
        Strengths, or the reason why there are none: no comparisons, items that never meet, only ties, a separation,
        or an order effect where the place says as much as the item (such as one item that is always first).
    """
    n_items = duels.n_items
    has_ties = bool(duels.counts[:, TIE].sum() > 0)
    reason = _why_not(duels)
    design = _design(duels, order_effect=order_effect, has_ties=has_ties)
    if reason is None and precision == 0:
        reason = _why_unbounded(duels.counts, design)
    if reason is not None:
        nothing = np.full(n_items, np.nan)
        return BradleyTerry(
            strengths=nothing,
            covariance=np.full((n_items, n_items), np.nan),
            tie=np.nan,
            order_effect=np.nan if order_effect else 0.0,
            order_effect_se=np.nan,
            log_likelihood=np.nan,
            n=float(duels.counts.sum()),
            reason=reason,
        )
    penalty = np.zeros((design.shape[2], design.shape[2]))
    n_penalised = n_items + order_effect
    penalty[:n_penalised, :n_penalised] = precision * np.eye(n_penalised)
    penalty[:n_items, :n_items] += 1.0  # strengths sum to 0: this moves no probability
    found = _maximise(duels.counts, design, penalty)
    curvature = _information(duels.counts, design, found) + penalty
    inverse = np.asarray(np.linalg.inv(curvature), dtype=np.float64)
    strengths = found[:n_items] - found[:n_items].mean()
    return BradleyTerry(
        strengths=strengths,
        covariance=_centred(inverse[:n_items, :n_items]),
        tie=float(np.exp(found[-1])) if has_ties else 0.0,
        order_effect=float(found[n_items]) if order_effect else 0.0,
        order_effect_se=float(np.sqrt(inverse[n_items, n_items])) if order_effect else np.nan,
        log_likelihood=_log_likelihood(duels.counts, design, found),
        n=float(duels.counts.sum()),
    )


def cyclic_triads(wins: FloatArray) -> tuple[int, int]:
    """Count circles among three items (a beats b beats c beats a), and the triads in which all three met.

    A coin would give a circle in a quarter of all triads.

    Args:
        wins: Shape (n, n): above 0 where the row beats the column; 0 for a tie or none; antisymmetric in sign.

    Example:
        >>> cyclic_triads(np.array([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], dtype=float))
        (1, 1)
    """
    beats = (wins > 0).astype(np.float64)
    met = beats + beats.T
    n_circles = round(float(np.trace(beats @ beats @ beats)) / 3)
    return n_circles, round(float(np.trace(met @ met @ met)) / 6)


def _why_not(duels: Duels) -> str | None:
    """Say why there is nothing to fit, or None."""
    if not len(duels.counts):
        return NO_DUELS
    if not _is_connected(duels):
        return NOT_CONNECTED
    return ALL_TIES if duels.counts[:, TIE].sum() == duels.counts.sum() else None


def _is_connected(duels: Duels) -> bool:
    """Say whether every item is reached from the first one by way of comparisons."""
    met = np.eye(duels.n_items, dtype=np.bool_)
    met[duels.first, duels.second] = met[duels.second, duels.first] = True
    reached = met[0]
    while not np.array_equal(wider := met[reached].any(axis=0), reached):
        reached = wider
    return bool(reached.all())


def _design(duels: Duels, *, order_effect: bool, has_ties: bool) -> FloatArray:
    """Return the linear forms of all outcomes, shape (m, 2 or 3 outcomes, parameters).

    Parameters are the strengths, then the order effect and log nu where they are fitted.
    """
    m, n = len(duels.first), duels.n_items
    design = np.zeros((m, 2 + has_ties, n + order_effect + has_ties))
    rows = np.arange(m)
    design[rows, FIRST, duels.first] = 1.0
    design[rows, SECOND, duels.second] = 1.0
    if order_effect:
        design[:, FIRST, n], design[:, SECOND, n] = 0.5, -0.5
    if has_ties:
        design[rows, TIE, duels.first] = design[rows, TIE, duels.second] = 0.5
        design[:, TIE, -1] = 1.0
    return design


def _probabilities(design: FloatArray, parameters: FloatArray) -> FloatArray:
    forms = design @ parameters
    raised = np.exp(forms - forms.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def _log_likelihood(counts: FloatArray, design: FloatArray, parameters: FloatArray) -> float:
    forms = design @ parameters
    top = forms.max(axis=1, keepdims=True)
    logs = forms - top - np.log(np.exp(forms - top).sum(axis=1, keepdims=True))
    return float(np.sum(counts[:, : logs.shape[1]] * logs))


def _information(counts: FloatArray, design: FloatArray, parameters: FloatArray) -> FloatArray:
    """Return minus the second derivative of the log-likelihood."""
    chances = _probabilities(design, parameters)
    totals = counts.sum(axis=1)
    means = np.einsum("mo,mop->mp", chances, design)
    weighted = (totals[:, None] * chances)[:, :, None] * design
    return np.einsum("mop,moq->pq", weighted, design) - np.einsum("m,mp,mq->pq", totals, means, means)


def _maximise(counts: FloatArray, design: FloatArray, penalty: FloatArray) -> FloatArray:
    """Climb by Newton's method, with steps halved until they gain."""
    parameters = np.zeros(design.shape[2])
    height = _height(counts, design, penalty, parameters)
    for _ in range(MAX_STEPS):
        slope = _slope(counts, design, penalty, parameters)
        curvature = _information(counts, design, parameters) + penalty
        step = np.linalg.solve(curvature, slope)
        if float(slope @ step) < TOLERANCE:
            break
        while _height(counts, design, penalty, parameters + step) < height:
            step /= 2.0
        parameters = parameters + step
        height = _height(counts, design, penalty, parameters)
    return parameters


def _height(counts: FloatArray, design: FloatArray, penalty: FloatArray, parameters: FloatArray) -> float:
    """Return the log-likelihood less its penalty."""
    return _log_likelihood(counts, design, parameters) - float(parameters @ penalty @ parameters) / 2


def _slope(counts: FloatArray, design: FloatArray, penalty: FloatArray, parameters: FloatArray) -> FloatArray:
    missed = counts[:, : design.shape[1]] - counts.sum(axis=1, keepdims=True) * _probabilities(
        design, parameters
    )
    return np.einsum("mo,mop->p", missed, design) - penalty @ parameters


def _why_unbounded(counts: FloatArray, design: FloatArray) -> str | None:
    """Say why the likelihood has no single maximum, or None."""
    # One direction moves no chance: all strengths alike. Where another does, places stand for items.
    forms = (design[:, 1:] - design[:, :1]).reshape(-1, design.shape[2])
    if np.linalg.matrix_rank(forms) < design.shape[2] - 1:
        return SAME_ORDER
    return SEPARATED if _is_separated(counts, design) else None


def _is_separated(counts: FloatArray, design: FloatArray) -> bool:
    """Say whether some change of the parameters makes no observed outcome less likely, and one more likely."""
    from scipy.optimize import linprog  # noqa: PLC0415 # pyright: ignore[reportUnknownVariableType] - slow

    forms = np.concatenate(
        [
            design[counts[:, outcome] > 0, outcome] - design[counts[:, outcome] > 0, other]
            for outcome in range(design.shape[1])
            for other in range(design.shape[1])
            if other != outcome
        ]
    )
    found: Any = linprog(  # Any: scipy's result has no types
        -forms.sum(axis=0), A_ub=-forms, b_ub=np.zeros(len(forms)), bounds=[(-1.0, 1.0)] * forms.shape[1]
    )
    return bool(-found.fun > SLACK * np.abs(forms).sum())


def _centred(covariance: FloatArray) -> FloatArray:
    """Return the covariance of strengths less their mean."""
    rows = covariance - covariance.mean(axis=0, keepdims=True)
    return rows - rows.mean(axis=1, keepdims=True)
