"""The V-shaped scoring rule."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameproof.metrics.elicitation_rule import aggregate, expected_under_report, v_shaped

# shares of texts, which is what priors are
PRIORS = st.integers(1, 60).flatmap(lambda n: st.integers(0, n).map(lambda k: k / n))
REPORTS = st.sampled_from([0.0, 1.0, math.nan])


def rule(report, truth, prior):
    return float(v_shaped(np.array(report), np.array(truth), np.array(prior)))


@pytest.mark.parametrize(
    ("prior", "report", "truth", "score"),
    # from the rule by hand, in exact fractions: p = .2 gives 1/2 -+ (truth - 1/5) / (8/5)
    [
        (0.2, 0, 0, 0.625),
        (0.2, 0, 1, 0.0),
        (0.2, 1, 0, 0.375),
        (0.2, 1, 1, 1.0),
        (0.5, 0, 0, 1.0),
        (0.5, 0, 1, 0.0),
        (0.5, 1, 0, 0.0),
        (0.5, 1, 1, 1.0),
        (0.8, 0, 0, 1.0),
        (0.8, 0, 1, 0.375),
        (0.8, 1, 0, 0.0),
        (0.8, 1, 1, 0.625),
    ],
)
def test_the_rule_pays_as_its_definition_says(prior, report, truth, score):
    assert rule(report, truth, prior) == pytest.approx(score, abs=1e-12)


@given(prior=PRIORS, report=REPORTS)
def test_no_report_gains_on_the_prior_without_knowledge(prior, report):
    expected = prior * rule(report, 1.0, prior) + (1 - prior) * rule(report, 0.0, prior)
    assert expected == pytest.approx(0.5, abs=1e-12)


@given(prior=PRIORS, report=REPORTS, truth=REPORTS)
def test_scores_are_between_nothing_and_one(prior, report, truth):
    assert -1e-12 <= rule(report, truth, prior) <= 1 + 1e-12


@given(prior=PRIORS, truth=st.sampled_from([0.0, 1.0]))
def test_the_true_report_earns_no_less_than_any_other(prior, truth):
    assert (
        rule(truth, truth, prior) >= max(rule(other, truth, prior) for other in (0.0, 1.0, math.nan)) - 1e-12
    )


@given(prior=PRIORS, report=REPORTS, truth=REPORTS)
def test_turning_a_point_round_changes_nothing(prior, report, truth):
    assert rule(1 - report, 1 - truth, 1 - prior) == pytest.approx(rule(report, truth, prior), abs=1e-9)


@pytest.mark.parametrize("prior", [0.0, 1.0])
def test_a_report_of_what_everybody_knows_earns_as_much_as_nothing(prior):
    assert rule(prior, prior, prior) == 0.5


def test_an_unknown_truth_pays_the_prior_score_to_all():
    assert v_shaped(np.array([0.0, 1.0, np.nan]), np.array(np.nan), np.array(0.2)).tolist() == [0.5] * 3


def test_a_report_expects_most_where_it_says_what_few_say():
    # agree at p = .2 expects 1, agree at p = .8 expects .625, nothing expects .5
    expected = expected_under_report(np.array([1.0, 1.0, np.nan]), np.array([0.2, 0.8, 0.2]))
    assert expected == pytest.approx([1.0, 0.625, 0.5], abs=1e-12)


def test_av_is_the_mean_over_points_and_mv_the_point_the_report_is_surest_of():
    reports, truths = np.array([1.0, 1.0, np.nan]), np.array([0.0, 1.0, 1.0])
    priors = np.array([0.2, 0.8, 0.5])
    # scores .375, .625 and .5; the report expects most of the first
    assert aggregate(reports, truths, priors, agg="av") == pytest.approx(0.5, abs=1e-12)
    assert aggregate(reports, truths, priors, agg="mv") == pytest.approx(0.375, abs=1e-12)


def test_mv_averages_points_that_are_equally_sure():
    reports, truths, priors = np.array([1.0, 0.0]), np.array([1.0, 1.0]), np.array([0.2, 0.8])
    # both expect 1; the first earns 1, the second .375
    assert aggregate(reports, truths, priors, agg="mv") == pytest.approx(0.6875, abs=1e-12)


def test_a_report_that_says_nothing_earns_the_prior_score():
    nothing = np.full(4, np.nan)
    for agg in ("av", "mv"):
        assert aggregate(nothing, np.array([0.0, 1, 1, 0]), np.array([0.1, 0.4, 0.7, 1]), agg=agg) == 0.5
