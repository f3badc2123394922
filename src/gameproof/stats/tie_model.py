"""A Bradley-Terry model with ties: how sure a score difference makes us of a choice, without any threshold.

With d the difference of two scores (first minus second), following P. Rao and L. Kupper 1967, eqs. 2.3 to 2.5, in
logistic form:

    P(first) = sigma(slope d - tie),  P(second) = sigma(-slope d - tie),  P(neither) = what is left,  tie >= 0

The log-likelihood is concave in (slope, tie). Swapping the two sides changes nothing.
"""

from dataclasses import dataclass

import numpy as np

from gameproof.records import FloatArray, IntArray
from gameproof.stats.choices import Estimate, estimate_of_draws
from gameproof.stats.logit import sigmoid
from gameproof.stats.resampling import Resampling
from gameproof.stats.sums import sum_by

__all__ = ["TieModel", "fit_tie_model", "information_gain"]

# A prior so weak that it only keeps the slope finite where the metric separates all choices: it weighs as
# much as this share of one judgement at a slope of 1 per standard deviation.
PENALTY = 0.01
MAX_STEPS = 100
CONVERGED = 1e-10  # nats per judgement
N_FOLDS = 10
SMALLEST = 1e-12  # of a probability: a logarithm of it is finite


@dataclass(frozen=True, slots=True, kw_only=True)
class TieModel:
    """A fitted model; differences are in units of their root mean square."""

    slope: float  # log odds per unit of difference
    tie: float  # log odds against the first text at a difference of 0; 0 where nobody chose neither
    scale: float  # root mean square of the differences

    def probabilities(self, differences: FloatArray) -> FloatArray:
        """Return P(first), P(neither), P(second) for each difference: (n, 3).

        Example:
            >>> model = TieModel(slope=0.0, tie=0.0, scale=1.0)
            >>> model.probabilities(np.array([5.0])).tolist()
            [[0.5, 0.0, 0.5]]
        """
        return _probabilities(differences / self.scale, self.slope, self.tie)


def fit_tie_model(differences: FloatArray, choices: IntArray) -> TieModel | None:
    """Fit by maximum likelihood (Newton's method), with a prior that keeps separated data finite.

    Args:
        differences: (n,) finite score differences, first minus second.
        choices: (n,) +1 first, 0 neither, -1 second.

    Returns:
        The model, or None where no difference is other than 0.
    """
    scale = float(np.sqrt((differences**2).mean())) if differences.size else 0.0
    if not scale > 0.0:
        return None
    x = differences / scale
    tie_share = float((choices == 0).mean())
    # At slope 0, P(neither) = 1 - 2 sigma(-tie).
    tie = float(np.log((1 + tie_share) / max(1 - tie_share, SMALLEST)))
    parameters = np.array([0.0, tie])
    free = np.array([True, tie_share > 0.0])
    best = _objective(x, choices, parameters)
    for _ in range(MAX_STEPS):
        gradient, hessian = _derivatives(x, choices, parameters)
        step = np.zeros(2)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], gradient[free])
        size = 1.0
        while True:  # halve until the likelihood rises and the tie parameter is legal
            moved = parameters + size * step
            value = _objective(x, choices, moved) if moved[1] >= 0.0 else -np.inf
            if value >= best or size < 1e-8:
                break
            size /= 2
        gained = value - best
        if gained >= 0.0:
            parameters, best = moved, value
        if gained < CONVERGED * differences.size:
            break
    return TieModel(slope=float(parameters[0]), tie=float(parameters[1]), scale=scale)


def information_gain(
    differences: FloatArray,
    choices: IntArray,
    resampling: Resampling,
    *,
    n_resamples: int,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return how much better the model foretells choices than their base rates do, in nats a judgement.

    Both are fitted on other clusters than those they are held against, so a metric that says nothing gains 0
    or less. The base rates know how often nobody is preferred, and give both sides the same chance.

    Args:
        differences: (n,) finite score differences.
        choices: (n,) +1, 0, -1.
        resampling: Of the n judgements; folds are made of whole clusters of its last kind.
        n_resamples: Of the bootstrap.
        confidence_level: Of the percentile interval.
        seed: Of the resamples.
    """
    gains = np.full(differences.size, np.nan)
    clusters = resampling.factors[-1][resampling.cells]
    folds = clusters % min(N_FOLDS, max(resampling.sizes[-1], 2))
    for fold in np.unique(folds).tolist():
        held, rest = folds == fold, folds != fold
        if not rest.any():
            continue
        tie_share = (float((choices[rest] == 0).sum()) + 0.5) / (int(rest.sum()) + 1.0)
        base = np.where(choices[held] == 0, tie_share, (1.0 - tie_share) / 2)
        model = fit_tie_model(differences[rest], choices[rest])
        if model is None:
            gains[held] = 0.0
            continue
        rows = np.arange(int(held.sum()))
        found = model.probabilities(differences[held])[rows, 1 - choices[held]]
        gains[held] = np.log(np.maximum(found, SMALLEST)) - np.log(base)
    known = ~np.isnan(gains)
    cells, n_cells = resampling.cells[known], resampling.n_cells
    sums = sum_by(cells, gains[known], n_cells)
    sizes = sum_by(cells, np.ones(int(known.sum())), n_cells)
    pairs = [(weights @ sums, weights @ sizes) for weights in resampling.blocks(n_resamples, seed)]
    totals = np.concatenate([size for _, size in pairs])
    draws = np.divide(
        np.concatenate([total for total, _ in pairs]),
        totals,
        out=np.full(totals.shape, np.nan),
        where=totals > 0,
    )
    value = float(gains[known].mean()) if known.any() else None
    return estimate_of_draws(value, draws, int(known.sum()), confidence_level)


def _probabilities(x: FloatArray, slope: float, tie: float) -> FloatArray:
    first, second = sigmoid(slope * x - tie), sigmoid(-slope * x - tie)
    neither = (1.0 - np.exp(-2.0 * tie)) * sigmoid(slope * x + tie) * sigmoid(tie - slope * x)
    return np.stack([first, neither, second], axis=1)


def _objective(x: FloatArray, choices: IntArray, parameters: FloatArray) -> float:
    slope, tie = parameters.tolist()
    found = _probabilities(x, slope, tie)[np.arange(x.size), 1 - choices]
    return float(np.log(np.maximum(found, 1e-300)).sum()) - 0.5 * PENALTY * slope**2


def _derivatives(x: FloatArray, choices: IntArray, parameters: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the gradient and the negative Hessian of the penalised log-likelihood.

    With u = slope x - tie and v = -slope x - tie: log P(first) = log sigma(u), log P(second) = log sigma(v), and
    log P(neither) = log(1 - exp(-2 tie)) + log sigma(-u) + log sigma(-v), since 1 - sigma(u) - sigma(v) is that product.
    """
    slope, tie = parameters.tolist()
    p_first, p_second = sigmoid(slope * x - tie), sigmoid(-slope * x - tie)
    tied = choices == 0
    # d log L / du and d log L / dv of each judgement
    by_u = np.where(choices == 1, 1.0 - p_first, np.where(tied, -p_first, 0.0))
    by_v = np.where(choices == -1, 1.0 - p_second, np.where(tied, -p_second, 0.0))
    curve_u = np.where((choices == 1) | tied, p_first * (1.0 - p_first), 0.0)
    curve_v = np.where((choices == -1) | tied, p_second * (1.0 - p_second), 0.0)
    n_tied = float(tied.sum())
    shrunk = max(
        float(np.expm1(2.0 * tie)), SMALLEST
    )  # d log(1 - exp(-2 tie)) / d tie = 2 / (exp(2 tie) - 1)
    gradient = np.array(
        [
            ((by_u - by_v) * x).sum() - PENALTY * slope,
            -(by_u + by_v).sum() + (2.0 * n_tied / shrunk if n_tied else 0.0),
        ]
    )
    both, cross = curve_u + curve_v, ((curve_v - curve_u) * x).sum()
    of_tie = both.sum() + (4.0 * n_tied * (shrunk + 1.0) / shrunk**2 if n_tied else 0.0)
    hessian = np.array([[(both * x**2).sum() + PENALTY, cross], [cross, of_tie]])
    return gradient, hessian
