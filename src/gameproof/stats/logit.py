"""Logistic regression whose errors allow for clusters, few of them included.

The fit is by maximum likelihood. Three errors are given:

    CR1   the sandwich, times G/(G-1) * (N-1)/(N-K), with a normal reference: what most papers print
    CR1-t the same against t(G-1)
    CR2   residuals of each cluster inflated by (I - H_gg)^(-1/2), against t with Satterthwaite's degrees of
          freedom (R. Bell and D. McCaffrey 2002; for weighted least squares J. Pustejovsky and E. Tipton 2018),
          on the weighted linear model of the last step of the fit. The one to read with fewer than 40 clusters.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from gameproof.errors import InputError
from gameproof.records import FloatArray, IntArray
from gameproof.stats.resampling import number_labels
from gameproof.stats.results import Interval, State

__all__ = ["Coefficient", "LogitFit", "fit_logit", "is_separated", "sigmoid"]

MAX_STEPS = 50
CONVERGED = 1e-12  # largest move of a coefficient, relative
MIN_CLUSTERS = 2
SMALLEST_ERROR = 1e-9  # by clusters, of the error that independent outcomes would have
ALIKE = "the outcomes of each cluster cancel out: how sure a coefficient is cannot be told from clusters"
SMALLEST_EIGENVALUE = 1e-10  # of I - H_gg: below it a cluster alone decides a coefficient


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """One coefficient with its three errors."""

    name: str
    estimate: float  # log odds
    odds_ratio: float
    error: float  # CR1
    pvalue_normal: float  # two-sided, of estimate 0
    pvalue_t: float  # t(G-1)
    interval_normal: Interval
    error_cr2: float
    df_cr2: float
    pvalue_cr2: float
    interval_cr2: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitFit:
    """A fitted model, or the reason why there is none."""

    coefficients: tuple[Coefficient, ...]
    n: int
    n_clusters: int
    log_likelihood: float | None
    state: State | None = None
    detail: str | None = None


def fit_logit(
    outcomes: Sequence[bool] | IntArray,
    design: FloatArray,
    names: Sequence[str],
    clusters: Sequence[Hashable],
    *,
    confidence_level: float = 0.95,
) -> LogitFit:
    """Regress a yes-or-no outcome on columns of numbers.

    Args:
        outcomes: (N,) yes or no.
        design: (N, K) columns; a constant column is not added.
        names: (K,) of the columns.
        clusters: (N,) what an observation belongs to, such as the annotator.
        confidence_level: Of the intervals.

    Raises:
        InputError: Shapes do not fit, or there are fewer than 2 clusters.

    Returns:
        The fit; without coefficients where the columns separate the outcomes (then the likelihood has no
        maximum) or are linearly dependent, and where clusters do not differ at all.
    """
    y = np.asarray(outcomes, dtype=np.float64)
    x = np.asarray(design, dtype=np.float64)
    labels = number_labels(clusters)
    _check(y, x, names, labels)
    n_clusters = int(labels.max()) + 1
    if np.linalg.matrix_rank(x) < x.shape[1]:
        return _no_fit(y.size, n_clusters, "the columns are linearly dependent: leave one out")
    if is_separated(y, x):
        return _no_fit(y.size, n_clusters, "separated: some combination of columns foretells every outcome")
    beta = _maximise(y, x)
    coefficients = _coefficients(y, x, beta, labels, names=names, confidence_level=confidence_level)
    if coefficients is None:
        return _no_fit(y.size, n_clusters, ALIKE)
    return LogitFit(
        coefficients=coefficients,
        n=y.size,
        n_clusters=n_clusters,
        log_likelihood=_log_likelihood(y, x, beta),
    )


def is_separated(outcomes: FloatArray, design: FloatArray) -> bool:
    """Say whether some combination of columns is never on the wrong side of an outcome.

    Complete and quasi-complete separation, by linear programming (K. Konis 2007, chapter 3): the largest total
    of signed scores with none below 0 and bounded coefficients is 0 exactly where nothing separates.
    """
    from scipy import optimize  # noqa: PLC0415 - 0.3 s that most runs can do without

    signed = (2.0 * outcomes - 1.0)[:, None] * design
    found = cast("Any", optimize).linprog(  # Any: scipy's function has no types
        -signed.sum(axis=0),
        A_ub=-signed,
        b_ub=np.zeros(outcomes.size),
        bounds=[(-1.0, 1.0)] * design.shape[1],
    )
    return bool(-found.fun > 1e-7 * np.abs(signed).sum())


def _maximise(y: FloatArray, x: FloatArray) -> FloatArray:
    """Newton's method with halved steps: the log-likelihood is concave and has a maximum here."""
    beta = np.zeros(x.shape[1])
    best = _log_likelihood(y, x, beta)
    for _ in range(MAX_STEPS):
        p = sigmoid(x @ beta)
        step = np.linalg.solve(x.T @ ((p * (1.0 - p))[:, None] * x), x.T @ (y - p))
        while _log_likelihood(y, x, beta + step) < best - 1e-12 * abs(best):
            step /= 2.0
        beta = beta + step
        best = _log_likelihood(y, x, beta)
        if np.abs(step).max() <= CONVERGED * (1.0 + np.abs(beta).max()):
            break
    return beta


def _coefficients(
    y: FloatArray,
    x: FloatArray,
    beta: FloatArray,
    labels: IntArray,
    *,
    names: Sequence[str],
    confidence_level: float,
) -> tuple[Coefficient, ...] | None:
    """Return the coefficients; None where clusters do not differ, and nothing tells how sure an estimate is."""
    n, k = x.shape
    n_clusters = int(labels.max()) + 1
    p = sigmoid(x @ beta)
    weights = p * (1.0 - p)
    bread = np.asarray(np.linalg.inv(x.T @ (weights[:, None] * x)), dtype=np.float64)
    scores = np.zeros((n_clusters, k))
    np.add.at(scores, labels, (y - p)[:, None] * x)
    factor = n_clusters / (n_clusters - 1) * (n - 1) / (n - k)
    errors = np.sqrt(factor * np.diag(bread @ (scores.T @ scores) @ bread))
    errors_cr2, degrees = _bias_reduced(y - p, x, weights, bread, labels)
    if np.any(np.minimum(errors, errors_cr2) <= SMALLEST_ERROR * np.sqrt(np.diag(bread))):
        return None
    level = (1.0 + confidence_level) / 2.0
    normal = NormalDist().inv_cdf(level)
    found: list[Coefficient] = []
    for place, name in enumerate(names):
        estimate, error = float(beta[place]), float(errors[place])
        error_cr2, df = float(errors_cr2[place]), float(degrees[place])
        far = _t_quantile(level, df) * error_cr2
        found.append(
            Coefficient(
                name=name,
                estimate=estimate,
                odds_ratio=math.exp(estimate),
                error=error,
                pvalue_normal=2.0 * NormalDist().cdf(-abs(estimate / error)),
                pvalue_t=2.0 * _t_tail(estimate / error, n_clusters - 1),
                interval_normal=Interval(low=estimate - normal * error, high=estimate + normal * error),
                error_cr2=error_cr2,
                df_cr2=df,
                pvalue_cr2=2.0 * _t_tail(estimate / error_cr2, df),
                interval_cr2=Interval(low=estimate - far, high=estimate + far),
            )
        )
    return tuple(found)


def _t_tail(t: float, df: float) -> float:
    """Return P(T < -|t|) of Student's t."""
    from scipy.special import stdtr  # noqa: PLC0415 - loads on first use: 0.3 s

    return float(stdtr(df, -abs(t)))


def _t_quantile(level: float, df: float) -> float:
    from scipy.special import stdtrit  # noqa: PLC0415 - loads on first use: 0.3 s

    return float(stdtrit(df, level))


def _bias_reduced(
    residuals: FloatArray, x: FloatArray, weights: FloatArray, bread: FloatArray, labels: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return CR2 errors and Satterthwaite degrees of freedom of each coefficient.

    With X' = W^(1/2) X, M = (X'^T X')^-1, H = X' M X'^T and e' = W^(-1/2) (y - p): the variance is
    M (sum over g of X'_g^T A_g e'_g e'_g^T A_g X'_g) M with A_g = (I - H_gg)^(-1/2). For coefficient c, with
    v_g = A_g X'_g M c and p_g = (I - H)[:, g] v_g, the degrees of freedom are
    (sum of p_g.p_g)^2 / sum over g, h of (p_g.p_h)^2. Since I - H is a projection, p_g.p_h is
    [g = h] v_g.v_g - u_g^T M u_h with u_g = X'_g^T v_g.
    """
    root = np.sqrt(weights)
    scaled, errors = root[:, None] * x, residuals / root
    order = np.argsort(labels, kind="stable")
    rows_of = np.split(order, np.cumsum(np.bincount(labels))[:-1])
    n_columns = x.shape[1]
    meat = np.zeros((n_columns, n_columns))
    lengths = np.zeros((len(rows_of), n_columns))  # v_g.v_g of every coefficient
    sums = np.zeros((len(rows_of), n_columns, n_columns))  # u_g, a column for every coefficient
    for cluster, rows in enumerate(rows_of):
        own = scaled[rows]
        adjusted = _inverse_root(np.eye(rows.size) - own @ bread @ own.T) @ own  # A_g X'_g
        score = adjusted.T @ errors[rows]
        meat += np.outer(score, score)
        v = adjusted @ bread
        lengths[cluster] = (v**2).sum(axis=0)
        sums[cluster] = own.T @ v
    variance = bread @ meat @ bread
    own_products = np.einsum("gkc,kl,glc->gc", sums, bread, sums)
    among = np.einsum("kl,glc,gmc->ckm", bread, sums, sums)  # M U^T U of every coefficient
    trace = (lengths - own_products).sum(axis=0)
    squares = (lengths**2 - 2.0 * lengths * own_products).sum(axis=0) + np.einsum("ckm,cmk->c", among, among)
    return np.sqrt(np.diag(variance)), trace**2 / squares


def _inverse_root(matrix: FloatArray) -> FloatArray:
    """Return the symmetric inverse root; directions that the cluster decides alone are left out."""
    values, vectors = np.linalg.eigh(matrix)
    kept = values > SMALLEST_EIGENVALUE
    inverse = np.where(kept, 1.0 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    return (vectors * inverse) @ vectors.T


def _check(y: FloatArray, x: FloatArray, names: Sequence[str], labels: IntArray) -> None:
    if x.ndim != 2 or not y.size == len(x) == labels.size or x.shape[1] != len(names):
        raise InputError(
            f"`outcomes` has {y.size} entries, `design` the shape {x.shape}, `clusters` {labels.size} entries and"
            f" `names` {len(names)}: they must be (N,), (N, K), (N,) and (K,)."
        )
    if not np.isfinite(x).all() or not np.isin(y, (0.0, 1.0)).all():
        raise InputError(
            "`design` must be finite and `outcomes` yes or no: leave rows with missing values out."
        )
    n_clusters = len(np.unique(labels))
    if n_clusters < MIN_CLUSTERS:
        raise InputError(
            f"`clusters` has {n_clusters}: errors that allow for clusters need at least {MIN_CLUSTERS}.",
            hint="Cluster by something that has several values, such as the annotator or the session.",
        )


def _no_fit(n: int, n_clusters: int, detail: str) -> LogitFit:
    return LogitFit(
        coefficients=(), n=n, n_clusters=n_clusters, log_likelihood=None, state=State.UNDEFINED, detail=detail
    )


def _log_likelihood(y: FloatArray, x: FloatArray, beta: FloatArray) -> float:
    score = x @ beta
    return float((y * score - np.logaddexp(0.0, score)).sum())


def sigmoid(values: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-x)), without overflow."""
    return np.exp(-np.logaddexp(0.0, -values))
