"""Base rates as a control variate of contrastive total-variation scores.

Some statements are supported by nearly every candidate and some by none, whoever wrote them. That luck of the
draw is noise in the score of one item:

    S = mean over k of [t_k - beta p_k] - mean over j and k of [t_jk - beta p_jk]

where t is the critic against statement k of the own reference, or of negative reference j, and p_k the share of
*other tasks'* candidates that support statement k; the item's own task is left out. Own and negative references
are drawn alike, so the correction has mean zero whatever beta is: the score estimates what it did before. It is the
same for every candidate of a task, so it cancels where a text is compared with its variant; it only makes the scores
of single items and tasks less noisy. The beta of a task is fitted on the scores of the other tasks; its own
candidates enter those tasks' base rates, and nothing else of the fit.

Two forms that look alike are wrong. t_k - p_k *without negatives* has no contrast: a text that is stuffed with what
fits everywhere gains. And to regress a candidate's *own* mean negative critic out of its score removes the very
penalty that keeps stuffing from paying. For other divergences f* is not the identity, and the same correction would
have to be made to f*(T).
"""

import numpy as np

from gameproof.records import FloatArray

__all__ = ["correct", "cross_fitted_slopes"]

MIN_TASKS = 4  # fewer tell no slope


def correct(values: FloatArray, rates: FloatArray, slope: float) -> FloatArray:
    """Return mean t - beta mean p, for a reference or several.

    Args:
        values: Mean critics.
        rates: Mean shares of other tasks' candidates that support the same statements.
        slope: beta.

    Example:
        An own reference that everybody supports, against one that half of all do: the score falls from .5 to .25.

        >>> own, negative = correct(np.array([0.4, -0.1]), np.array([1.0, 0.5]), 0.5)
        >>> round(float(own - negative), 2)
        0.25
    """
    return values - slope * rates


def cross_fitted_slopes(scores: FloatArray, differences: FloatArray) -> FloatArray:
    """Return for each task the slope of scores on differences of base rates, fitted on all other tasks.

    It is the beta that makes the variance of the other tasks' corrected scores smallest.

    Args:
        scores: Mean uncorrected score of each task; NaN where it has none.
        differences: Mean base rate of its own statements minus that of its negatives' statements; NaN likewise.

    Returns:
        One slope for each task; 0, that is no correction, where fewer than four other tasks or no differences
        between them tell one.

    Example:
        >>> cross_fitted_slopes(np.array([1.0, 3.0, 5.0, 7.0, 9.0]), np.array([0.0, 1.0, 2.0, 3.0, 4.0])).tolist()
        [2.0, 2.0, 2.0, 2.0, 2.0]
    """
    there = ~(np.isnan(scores) | np.isnan(differences))
    y, x = np.where(there, scores, 0.0), np.where(there, differences, 0.0)
    n = there.sum() - there
    means_x, means_y = (v.sum() - v for v in (x, y))
    means_x, means_y = means_x / np.maximum(n, 1), means_y / np.maximum(n, 1)
    covariance = (x * y).sum() - x * y - n * means_x * means_y
    variance = (x * x).sum() - x * x - n * means_x * means_x
    told = (n >= MIN_TASKS) & (variance > 1e-12 * np.maximum(1.0, (x * x).sum()))
    return np.where(told, covariance / np.where(told, variance, 1.0), 0.0)
