"""The scoring rule of ElicitationGPT: what a report of agree, disagree or nothing earns on one point.

Y. Wu and J. Hartline, "ElicitationGPT: Text Elicitation Mechanisms via Language Models", 2024. A point is true or
false of a subject; p is the share of subjects of which it is true. A report is 1 (agree), 0 (disagree) or NaN (it
says nothing: "my belief is p"). With p <= 1/2 the V-shaped rule pays

    1/2                                 to nothing, and to a report that says what p says
    1/2 + (truth - p) / (2 (1 - p))     to a report above p
    1/2 - (truth - p) / (2 (1 - p))     to a report below p

and with p > 1/2 it is S(1 - p; 1 - report, 1 - truth). Scores are between 0 and 1. Whatever the report, the score
expected with truth = 1 of chance p is 1/2: nobody gains by guessing without knowledge.
"""

from typing import Literal

import numpy as np

from gameproof.records import FloatArray

__all__ = ["PRIOR_SCORE", "Aggregation", "aggregate", "expected_under_report", "v_shaped"]

Aggregation = Literal["av", "mv"]
PRIOR_SCORE = 1 / 2  # what the prior itself earns, and any report where the truth is unknown

TIES = 1e-12  # expected scores that differ by less are equal


def v_shaped(reports: FloatArray, truths: FloatArray, priors: FloatArray) -> FloatArray:
    """Score reports on points, all three broadcast against one another.

    Args:
        reports: 1, 0 or NaN.
        truths: 1, 0 or NaN. Where the truth is unknown the score is what is expected of it, 1/2.
        priors: The chance that the truth is 1, from 0 to 1.

    Example:
        >>> v_shaped(np.array([0.0, 0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0, 1.0]), np.array(0.2)).tolist()
        [0.625, 0.0, 0.375, 1.0]
    """
    turned = priors > 1 / 2
    p = np.where(turned, 1 - priors, priors)
    report = np.where(turned, 1 - reports, reports)
    truth = np.where(turned, 1 - truths, truths)
    earned = (truth - p) / (2 * (1 - p))
    score = PRIOR_SCORE + np.sign(report - p) * earned
    return np.where(np.isnan(score), PRIOR_SCORE, score)


def expected_under_report(reports: FloatArray, priors: FloatArray) -> FloatArray:
    """Return the score that who believes a report expects: what it earns if it is true."""
    return v_shaped(reports, reports, priors)


def aggregate(reports: FloatArray, truths: FloatArray, priors: FloatArray, *, agg: Aggregation) -> float:
    """Score one report on all points of a cluster.

    Args:
        reports: Shape (n_points,), n_points >= 1.
        truths: The same.
        priors: The same.
        agg: ``av`` for the mean over points; ``mv`` for the point on which the report expects most, whatever
            the truth (the mean over such points, where several are equal).
    """
    scores = v_shaped(reports, truths, priors)
    if agg == "av":
        return float(scores.mean())
    expected = expected_under_report(reports, priors)
    return float(scores[expected >= expected.max() - TIES].mean())
