"""Calibrate density ratios by telling matched from mismatched pairs.

If matched and mismatched pairs are equally likely beforehand, a pair with support z is matched with probability

    p(z) = r(z) / (1 + r(z)),   so   r = p / (1 - p)

is the density ratio of z. Fitted by a classifier, a scale of support becomes one of ratios, whatever it was before:

    isotonic      p rises with z in steps (pool adjacent violators)
    platt         log r = a z + b, a >= 0
    temperature   log r = z / tau: for sums of log-probabilities, which are too sure of themselves

All values of a task are mapped by a fit on other tasks. Where ratios are calibrated, the direct and the variational
estimate of a divergence agree; the gap between them says how far they are from it (it is 0 only then for all).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from gameproof.errors import InputError
from gameproof.fmi.divergences import DIVERGENCES, Divergence
from gameproof.fmi.estimators import EXPONENT_LIMIT, direct, optimal_critic
from gameproof.records import FloatArray, IntArray

__all__ = [
    "METHODS",
    "MIN_TASKS",
    "CrossFitted",
    "Implied",
    "Ratios",
    "Scale",
    "cross_fit",
    "fit_isotonic",
    "fit_platt",
    "fit_temperature",
    "implied_information",
]

N_FOLDS = 5
MIN_TASKS = 10  # fewer than two tasks a fold tell nothing
NEWTON_STEPS = 100
TOLERANCE = 1e-10


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratios:
    """Support of matched and mismatched pairs, on any scale that rises with it; weights of each kind sum to 1."""

    values: FloatArray  # (n,)
    is_matched: FloatArray  # (n,): 1 or 0
    weights: FloatArray  # (n,)
    n_tasks: int  # how much data there is: pairs of one task are no independent evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A map from support to log r: straight lines between points, level beyond the last ones or going on."""

    points: FloatArray  # support, rising
    log_ratios: FloatArray  # at the points, never falling
    slope: float = 0.0  # of log r beyond the points

    def __call__(self, values: FloatArray) -> FloatArray:
        """Map support to log r."""
        inside = np.interp(values, self.points, self.log_ratios)
        beyond = np.minimum(values - self.points[0], 0.0) + np.maximum(values - self.points[-1], 0.0)
        return inside + self.slope * beyond


def fit_isotonic(ratios: Ratios) -> Scale:
    """Fit p(z) as the rising steps of least squares (Zadrozny and Elkan 2002).

    So that no step is 0 or 1, the strongest support is given one mismatched pair more and the weakest one matched
    pair, each with the weight of half a task: no ratio is beyond 2 n + 1 tasks, or its inverse.
    """
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - slow to load

    points, places = np.unique(ratios.values, return_inverse=True)
    matched = np.bincount(places, weights=ratios.weights * ratios.is_matched, minlength=len(points))
    mismatched = np.bincount(places, weights=ratios.weights * (1 - ratios.is_matched), minlength=len(points))
    matched[0] += 1 / (2 * ratios.n_tasks)
    mismatched[-1] += 1 / (2 * ratios.n_tasks)
    weights = matched + mismatched
    seen = weights > 0
    found = isotonic_regression(matched[seen] / weights[seen], weights=weights[seen])  # untyped
    fitted = np.asarray(found.x, dtype=np.float64)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return Scale(points=points[seen], log_ratios=np.log(fitted) - np.log1p(-fitted))


def fit_platt(ratios: Ratios) -> Scale:
    """Fit log r = a z + b by likelihood (Platt 1999), with his targets, which keep a finite where no pair errs.

    Support that speaks against a match (a < 0) is no support: r = 1 then.
    """
    slope, intercept = _logistic(ratios, with_intercept=True)
    if slope <= 0:
        slope, intercept = 0.0, 0.0
    return _line(slope, intercept)


def fit_temperature(ratios: Ratios) -> Scale:
    """Fit log r = z / tau by likelihood; 1/tau is 0 where z speaks against a match."""
    slope, _ = _logistic(ratios, with_intercept=False)
    return _line(max(slope, 0.0), 0.0)


METHODS: Mapping[str, Callable[[Ratios], Scale]] = {
    "isotonic": fit_isotonic,
    "platt": fit_platt,
    "temperature": fit_temperature,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossFitted:
    """One scale for each fold of tasks, fitted without it."""

    folds: IntArray  # of each task
    scales: tuple[Scale, ...]

    def of(self, task: int) -> Scale:
        """Return the scale for the values of a task's candidates."""
        return self.scales[int(self.folds[task])]

    def apply(self, values: FloatArray, tasks: IntArray) -> FloatArray:
        """Map the values of several tasks' candidates, each with the scale of its task."""
        mapped = np.empty_like(values)
        for fold, scale in enumerate(self.scales):
            chosen = self.folds[tasks] == fold
            mapped[chosen] = scale(values[chosen])
        return mapped


def cross_fit(
    ratios: Ratios, *, candidate_tasks: IntArray, reference_tasks: IntArray, n_tasks: int, method: str
) -> CrossFitted:
    """Fit a scale for every fold of tasks on the pairs that have no part in it.

    Args:
        ratios: All pairs.
        candidate_tasks: The task of each pair's candidate.
        reference_tasks: The task of each pair's reference; the same one for matched pairs.
        n_tasks: Tasks in all; they are dealt to five folds in turn.
        method: A key of `METHODS`.

    Raises:
        InputError: There are fewer than ten tasks to fit on.
    """
    present = np.unique(candidate_tasks)
    if len(present) < MIN_TASKS:
        raise InputError(
            f"calibrate={method} is fitted on other tasks and needs {MIN_TASKS} tasks with scores; this data has"
            f" {len(present)}.",
            hint="Use more data, or calibrate=none.",
        )
    folds = np.arange(n_tasks, dtype=np.int64)
    folds[present] = np.arange(len(present))
    folds %= N_FOLDS
    scales: list[Scale] = []
    for fold in range(N_FOLDS):
        apart = (folds[candidate_tasks] != fold) & (folds[reference_tasks] != fold)
        n_apart = len(np.unique(candidate_tasks[apart]))
        scales.append(METHODS[method](_balanced(ratios, apart, n_apart)))
    return CrossFitted(folds=folds, scales=tuple(scales))


@dataclass(frozen=True, slots=True, kw_only=True)
class Implied:
    """The information that ratios imply, by both routes."""

    divergence: str
    direct: float
    variational: float

    @property
    def gap(self) -> float:
        """Direct minus variational: 0 where ratios are calibrated."""
        return self.direct - self.variational


def implied_information(
    divergence: Divergence, log_ratio: FloatArray, is_matched: FloatArray, weights: FloatArray
) -> Implied:
    """Estimate I_f from log r of matched and mismatched pairs, by both routes.

    Reverse KL, which has no monotone direct form below 1/8, is taken in joint form.

    Args:
        divergence: A row of `DIVERGENCES`.
        log_ratio: Of each pair, cut at 20 nats before any exp.
        is_matched: 1 or 0.
        weights: Of each pair; those of matched pairs sum to 1, and so do those of mismatched ones.
    """
    form = "joint" if divergence is DIVERGENCES["RKL"] else "monotone"
    cut = np.clip(log_ratio, -EXPONENT_LIMIT, EXPONENT_LIMIT)
    critic = optimal_critic(divergence, cut).values
    matched, mismatched = weights * is_matched, weights * (1 - is_matched)
    return Implied(
        divergence=divergence.symbol,
        direct=float(np.sum(matched * direct(divergence, cut, form=form).values)),
        variational=float(np.sum(matched * critic) - np.sum(mismatched * divergence.conjugate(critic))),
    )


def _balanced(ratios: Ratios, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]], n_tasks: int) -> Ratios:
    """Return some of the pairs, with weights of each kind that sum to 1."""
    is_matched, weights = ratios.is_matched[chosen], ratios.weights[chosen]
    totals = np.where(is_matched > 0, np.sum(weights * is_matched), np.sum(weights * (1 - is_matched)))
    return Ratios(
        values=ratios.values[chosen],
        is_matched=is_matched,
        weights=weights / totals,
        n_tasks=n_tasks,
    )


def _logistic(ratios: Ratios, *, with_intercept: bool) -> tuple[float, float]:
    """Fit p = 1 / (1 + exp(-(a z + b))) by Newton's method; steps that do not help are halved."""
    n = ratios.n_tasks
    targets = np.where(ratios.is_matched > 0, (n + 1) / (n + 2), 1 / (n + 2))
    scale = max(float(np.max(np.abs(ratios.values))), TOLERANCE)
    columns = [ratios.values / scale] + ([np.ones_like(ratios.values)] if with_intercept else [])
    design = np.stack(columns, axis=1)

    def loss(coefficients: FloatArray) -> float:
        logits = design @ coefficients
        return float(np.sum(ratios.weights * (np.logaddexp(0.0, logits) - targets * logits)))

    found = np.zeros(design.shape[1])
    now = loss(found)
    for _ in range(NEWTON_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(design @ found, -500, 500)))
        gradient = design.T @ (ratios.weights * (chances - targets))
        curvature = (design * (ratios.weights * chances * (1 - chances))[:, None]).T @ design
        step = np.linalg.solve(curvature + 1e-12 * np.eye(len(found)), gradient)
        while loss(found - step) > now and np.abs(step).max() > TOLERANCE:
            step = step / 2
        if np.abs(step).max() <= TOLERANCE:
            break
        found = found - step
        now = loss(found)
    return float(found[0]) / scale, float(found[1]) if with_intercept else 0.0


def _line(slope: float, intercept: float) -> Scale:
    points = np.array([0.0, 1.0])
    return Scale(points=points, log_ratios=slope * points + intercept, slope=slope)
