"""What a metric decides about a pair: the first text, the second, or neither."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gameproof.errors import PlanError
from gameproof.metrics.spec_text import split_spec
from gameproof.records import FloatArray, IntArray

__all__ = ["NEITHER_THRESHOLDS", "check_thresholds", "decide", "parse_thresholds", "threshold_of"]

# Differences smaller than this mean "neither": Information Satisfaction (arXiv:2608.14457), table 5. They were
# set by hand there; our own figures use no threshold.
NEITHER_THRESHOLDS: Mapping[str, float] = {
    "rouge1": 0.05,
    "rouge2": 0.03,
    "rougeL": 0.05,
    "bleu": 2.0,
    "chrf++": 2.0,
    "meteor": 0.05,
    "cider": 0.05,
    "coverage": 0.05,
    "density": 0.1,
    "compression": 0.1,
    "length": 5.0,
    "novel": 0.05,
    "repeated": 0.01,
    "bertscore": 0.02,
    "supert": 0.05,
    "summaqa": 0.05,
    "blanc": 0.02,
    "judge": 0.5,
    "factscore": 0.1,
}
# The table's thresholds hold on the scale that it names: a judge on 1 to 5, length in words.
HOLDS_WITH: Mapping[str, tuple[str, str, str]] = {  # metric -> (option, value, the option's default)
    "judge": ("scale", "5", "10"),
    "length": ("unit", "words", "words"),
}


def threshold_of(metric: str, given: Mapping[str, float] | None = None) -> float | None:
    """Return the smallest difference of a metric that decides a pair; None where the paper has none.

    Args:
        metric: Its name, options included.
        given: The user's own thresholds, by name.

    Example:
        >>> threshold_of("rougeL,stem=true"), threshold_of("judge"), threshold_of("judge,scale=5")
        (0.05, None, 0.5)
    """
    if given and metric in given:
        return given[metric]
    spec = split_spec(metric)
    if given and spec.head in given:
        return given[spec.head]
    option, value, default = HOLDS_WITH.get(spec.head, ("", "", ""))
    if option and dict(spec.options).get(option, default) != value:
        return None
    return NEITHER_THRESHOLDS.get(spec.head)


def decide(differences: FloatArray, threshold: float | None) -> IntArray:
    """Return +1, -1, or 0 where a difference is smaller than the threshold; missing ones must be left out.

    Without a threshold only equal scores are undecided.

    Example:
        >>> decide(np.array([0.2, -0.04, -0.05]), 0.05).tolist()
        [1, 0, -1]
    """
    signs = np.sign(differences).astype(np.int64)
    return signs if threshold is None else np.where(np.abs(differences) < threshold, 0, signs)


def parse_thresholds(pairs: Sequence[str] | None) -> dict[str, float]:
    """Read ``METRIC=SIZE`` pairs; the size stands behind the last equals sign.

    Raises:
        PlanError: A pair has no size, or one below 0.
    """
    found: dict[str, float] = {}
    for pair in pairs or ():
        metric, equals, size = pair.rpartition("=")
        try:
            value = float(size) if equals else math.nan
        except ValueError:
            value = math.nan
        if not metric or not 0.0 <= value < math.inf:
            raise PlanError(
                f"--threshold {pair}: expected METRIC=SIZE with a size of 0 or more.",
                hint="For example --threshold rougeL=.03.",
            )
        if metric in found:
            raise PlanError(f"--threshold gives {metric} two sizes: {found[metric]:g} and {value:g}.")
        found[metric] = value
    return found


def check_thresholds(given: Mapping[str, float], metrics: Sequence[str]) -> None:
    """Refuse a threshold for a metric that is not asked for: it would change nothing.

    Args:
        given: Sizes, by the name of a metric with or without its options.
        metrics: The names of all metrics asked for, options included.

    Raises:
        PlanError: No metric has that name.
    """
    named = {*metrics, *(split_spec(metric).head for metric in metrics)}
    for metric, size in given.items():
        if metric not in named:
            raise PlanError(
                f"the threshold {metric}={size:g} is of no metric asked for: expected {', '.join(metrics)}.",
                hint="A threshold of a name without options holds for the metric with any options.",
            )
