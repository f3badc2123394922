"""Intervals are of 95%, resamples are 9,999 or what is said, and the seed is 0, unless a caller says otherwise."""

import inspect

import pytest

from gameproof.stats import (
    agreement,
    best_of_n,
    choices,
    correlation,
    dimensions,
    effect_difference,
    gaming,
    ladder,
    logit,
    paired,
    preference,
    ratio,
    tie_model,
)

# methods.md 6.1: 9,999 draws of the studentised bootstrap; correlations and curves take 2,000, shares and alpha 10,000.
DEFAULTS = [
    (paired.infer_paired, 9_999),
    (paired.infer_combination, 9_999),
    (ladder.infer_ladder, 9_999),
    (gaming.infer_gaming, 9_999),
    (ratio.infer_loss_ratio, 9_999),
    (effect_difference.infer_effect_difference, 9_999),
    (correlation.correlate, 2_000),
    (correlation.correlation_differences, 2_000),
    (dimensions.rank, 2_000),
    (best_of_n.goodhart_curve, 2_000),
    (preference.hold_against_half, 10_000),
    (agreement.krippendorff_alpha, 10_000),
    (choices.accuracy, None),
    (choices.auc, None),
    (tie_model.information_gain, None),
    (logit.fit_logit, None),
    (dimensions.subtract, None),
    (choices.estimate_difference, None),
]


@pytest.mark.parametrize(
    ("function", "n_resamples"), DEFAULTS, ids=lambda each: getattr(each, "__name__", None)
)
def test_defaults_are_those_of_the_methods(function, n_resamples):
    given = inspect.signature(function).parameters
    assert given["confidence_level"].default == 0.95
    if n_resamples is not None:
        assert given["n_resamples"].default == n_resamples
    if "seed" in given:
        assert given["seed"].default == 0
    if "margin" in given and given["margin"].default is not inspect.Parameter.empty:
        assert given["margin"].default == 0.1  # methods.md 6.2
