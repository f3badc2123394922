"""Averages over statements, references and negatives, by hand."""

import math

import numpy as np
import pytest

from gameproof.fmi.aggregation import Layout, Runs, Weights, score_direct, score_variational
from gameproof.fmi.divergences import KL, TV

# Two matched references of two and one statements; one negative task with one reference of two statements.
MATCHED = Layout(references=Runs.of_lengths([2, 1]), tasks=Runs.of_lengths([2]))
CONTRAST = Layout(references=Runs.of_lengths([2, 1, 2]), tasks=Runs.of_lengths([2, 1]))
LOG_RATIO = np.log([[8.0, 2.0, 1 / 4]])


def test_direct_scores_average_over_statements_then_over_references():
    # ((log 8 + log 2)/2 + log(1/4)) / 2 = (2 - 2) log(2) / 2, by hand
    assert score_direct(KL, LOG_RATIO, MATCHED).scores[0] == pytest.approx(0)


def test_a_long_reference_counts_no_more_than_a_short_one():
    layout = Layout(references=Runs.of_lengths([9, 1]), tasks=Runs.of_lengths([2]))
    assert score_direct(KL, np.array([[1.0] * 9 + [3.0]]), layout).scores[0] == pytest.approx(2.0)


def test_sum_adds_over_statements_and_still_averages_over_references():
    # ((3 + 1) log 2 - 2 log 2) / 2 = log 2, by hand
    assert score_direct(KL, LOG_RATIO, MATCHED, agg="sum").scores[0] == pytest.approx(math.log(2))


def test_geometric_takes_the_direct_score_of_the_geometric_mean_ratio():
    # reference 1: sqrt(16) = 4 -> 1 - 1/4; reference 2: 1/4 -> 0; by hand
    assert score_direct(TV, LOG_RATIO, MATCHED, agg="geometric").scores[0] == pytest.approx(0.375)
    # mean of statements instead: (7/8 + 1/2)/2 and 0
    assert score_direct(TV, LOG_RATIO, MATCHED).scores[0] == pytest.approx(0.34375)


def test_contrast_gives_both_halves():
    critic = np.array([[0.5, 0.5, -0.5, 0.5, -0.5]])
    result = score_variational(TV, critic, CONTRAST, quantity="critic")
    assert (result.matched[0], result.negatives[0, 0], result.scores[0]) == (0.0, 0.0, 0.0)


def test_conjugate_is_taken_per_statement_before_the_mean():
    log_ratio = np.log([[1.0, 1.0, 1.0, 8.0, 1 / 8]])
    # f*(T*) = r for KL: (8 + 1/8)/2, by hand
    result = score_variational(KL, log_ratio, CONTRAST, quantity="log_ratio")
    assert result.negatives[0, 0] == pytest.approx(4.0625)


def test_mean_critic_averages_the_critic_before_its_conjugate():
    log_ratio = np.log([[1.0, 1.0, 1.0, 8.0, 1 / 8]])
    # mean T = 1 + (log 8 - log 8)/2 = 1, f*(1) = 1, by hand
    result = score_variational(KL, log_ratio, CONTRAST, quantity="log_ratio", agg="mean_critic")
    assert result.negatives[0, 0] == pytest.approx(1.0)
    assert result.matched[0] == pytest.approx(1.0)


def test_geometric_and_mean_critic_agree_where_the_critic_is_linear_in_the_log_ratio():
    log_ratio = np.log([[8.0, 0.5, 3.0, 4.0, 0.25]])
    geometric = score_variational(KL, log_ratio, CONTRAST, quantity="log_ratio", agg="geometric")
    mean_critic = score_variational(KL, log_ratio, CONTRAST, quantity="log_ratio", agg="mean_critic")
    np.testing.assert_allclose(geometric.scores, mean_critic.scores, atol=1e-12)


def test_sum_lets_copies_of_a_statement_multiply_the_score():
    once = Layout(references=Runs.of_lengths([1, 1]), tasks=Runs.of_lengths([1, 1]))
    five_times = Layout(references=Runs.of_lengths([5, 5]), tasks=Runs.of_lengths([1, 1]))
    single = score_variational(TV, np.array([[0.5, -0.5]]), once, quantity="critic", agg="sum")
    copied = score_variational(
        TV, np.array([[0.5] * 5 + [-0.5] * 5]), five_times, quantity="critic", agg="sum"
    )
    assert copied.scores[0] == 5 * single.scores[0]


def test_a_critic_outside_the_domain_is_cut_in_both_halves():
    result = score_variational(TV, np.full((1, 5), 7.0), CONTRAST, quantity="critic")
    assert (result.matched[0], result.negatives[0, 0]) == (0.5, 0.5)


def test_ratios_that_were_cut_are_counted():
    log_ratio = np.array([[30.0, 1.0, 1.0, -25.0, 0.0]])
    assert score_variational(KL, log_ratio, CONTRAST, quantity="log_ratio").n_clipped == 2
    assert score_direct(TV, log_ratio[:, :3], MATCHED).n_clipped == 1
    assert score_direct(TV, log_ratio[:, :3], MATCHED, limit=40.0).n_clipped == 0


def test_every_row_is_a_candidate():
    critic = np.array([[0.5] * 5, [-0.5] * 5, [0.5, 0.5, 0.5, -0.5, -0.5]])
    assert score_variational(TV, critic, CONTRAST, quantity="critic").scores.tolist() == [0.0, 0.0, 1.0]


def test_chosen_runs_are_gathered_in_the_order_of_choice():
    runs = Runs.of_lengths([2, 1, 3])
    places, chosen = runs.gather(np.array([2, 0]))
    assert places.tolist() == [3, 4, 5, 0, 1]
    assert chosen.lengths.tolist() == [3, 2]
    assert chosen.starts.tolist() == [0, 3]


def test_weights_are_normalised_within_a_reference_and_within_a_task():
    weights = Weights(units=np.array([3.0, 1.0, 5.0]), references=np.array([1.0, 3.0]))
    layout = Layout(references=MATCHED.references, tasks=MATCHED.tasks, weights=weights)
    # reference 1: (3 x 3 + 1) / 4 = 2.5 in units of log 2; reference 2: -2; (2.5 - 3 x 2) / 4 = -0.875, by hand
    scores = score_direct(KL, LOG_RATIO, layout).scores
    assert scores[0] == pytest.approx(-0.875 * math.log(2))


@pytest.mark.parametrize("agg", ["mean", "geometric"])
def test_equal_weights_change_nothing(agg):
    weights = Weights(units=np.full(3, 0.2), references=np.full(2, 7.0))
    layout = Layout(references=MATCHED.references, tasks=MATCHED.tasks, weights=weights)
    weighted = score_direct(KL, LOG_RATIO, layout, agg=agg).scores
    assert weighted == pytest.approx(score_direct(KL, LOG_RATIO, MATCHED, agg=agg).scores)


def test_weights_of_statements_without_a_verdict_go_to_the_others():
    weights = Weights(units=np.array([3.0, 1.0, 2.0, 1.0, 1.0]), references=np.ones(3))
    layout = Layout(references=CONTRAST.references, tasks=CONTRAST.tasks, weights=weights)
    critic = np.array([[math.nan, -0.5, 0.5, 0.5, math.nan]])
    result = score_variational(TV, critic, layout, quantity="critic")
    assert (result.matched[0], result.negatives[0, 0]) == (0.0, 0.5)
