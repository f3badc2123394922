"""Units without a verdict, and what each unit counts, by hand."""

import math

import numpy as np
import pytest

from gameproof.fmi.aggregation import (
    Layout,
    Runs,
    Weights,
    average_units,
    critic_of_units,
    score_direct,
    score_variational,
    shares_of_units,
)
from gameproof.fmi.divergences import DIVERGENCES, KL, TV

NAN = math.nan
# Two matched references of two and one statements; one negative task with one reference of two statements.
REFERENCES, TASKS = Runs.of_lengths([2, 1, 2]), Runs.of_lengths([2, 1])
CONTRAST = Layout(references=REFERENCES, tasks=TASKS)
HALF_MISSING = np.array([[NAN, -0.5, 0.5, 0.5, NAN]])


def weighted(units, references):
    weights = Weights(units=np.array(units), references=np.array(references))
    return Layout(references=REFERENCES, tasks=TASKS, weights=weights)


def test_a_statement_without_a_verdict_is_left_out_of_the_mean():
    # matched ((-.5) + .5) / 2 = 0, negative .5, by hand; counted as 0 it would be -.125 + .25 and .25
    result = score_variational(TV, HALF_MISSING, CONTRAST, quantity="critic")
    assert (result.matched[0], result.negatives[0, 0], result.scores[0]) == (0.0, 0.5, -0.5)


def test_in_a_sum_a_statement_without_a_verdict_counts_as_the_mean_of_the_others():
    # matched (2 x (-.5) + .5) / 2 = -.25, negative 2 x .5 = 1, by hand
    result = score_variational(TV, HALF_MISSING, CONTRAST, quantity="critic", agg="sum")
    assert (result.matched[0], result.negatives[0, 0], result.scores[0]) == (-0.25, 1.0, -1.25)


def test_a_sum_is_per_row_whether_another_row_has_gaps_or_not():
    critic = np.concatenate([HALF_MISSING, [[0.5, -0.5, 0.5, 0.5, -0.5]]])
    # second row: matched (0 + .5) / 2, negative 0, by hand
    assert score_variational(TV, critic, CONTRAST, quantity="critic", agg="sum").scores.tolist() == [
        -1.25,
        0.25,
    ]


@pytest.mark.parametrize("agg", ["mean", "mean_critic"])
def test_a_reference_without_any_verdict_is_left_out_of_its_task(agg):
    critic = np.array([[NAN, NAN, 0.5, -0.5, -0.5]])
    result = score_variational(TV, critic, CONTRAST, quantity="critic", agg=agg)
    assert (result.matched[0], result.negatives[0, 0], result.scores[0]) == (0.5, -0.5, 1.0)


@pytest.mark.parametrize("divergence", DIVERGENCES.values(), ids=str)
def test_a_negative_without_any_verdict_leaves_no_score_rather_than_an_infinite_penalty(divergence):
    log_ratio = np.array([[1.0, 1.0, 1.0, NAN, NAN]])
    result = score_variational(divergence, log_ratio, CONTRAST, quantity="log_ratio")
    assert math.isnan(result.scores[0])
    assert math.isnan(result.negatives[0, 0])
    assert result.matched[0] == pytest.approx(divergence.critic(np.array([1.0]))[0])


def test_a_direct_score_leaves_out_what_has_no_ratio():
    # (2 log 2 + log 8) / 2 over two references, the first with one verdict of two, by hand: (2 + 3) / 2
    layout = Layout(references=Runs.of_lengths([2, 1]), tasks=Runs.of_lengths([2]))
    scored = score_direct(KL, np.log([[4.0, NAN, 8.0], [4.0, 16.0, 8.0]]), layout)
    assert scored.scores == pytest.approx(np.array([2.5, 3.0]) * math.log(2))
    assert scored.matched.tolist() == scored.scores.tolist()
    assert scored.negatives.shape == (2, 0)
    assert scored.n_clipped == 0


def test_a_reference_whose_statements_all_weigh_nothing_is_left_out():
    layout = weighted([0.0, 0.0, 5.0, 1.0, 1.0], [1.0, 1.0, 1.0])
    critic = np.array([[0.5, 0.5, -0.5, 0.5, -0.5]])
    result = score_variational(TV, critic, layout, quantity="critic")
    assert (result.matched[0], result.negatives[0, 0]) == (-0.5, 0.0)


@pytest.mark.parametrize("agg", ["mean_critic", "geometric"])
def test_weights_stay_in_force_where_statements_are_brought_together_first(agg):
    # log ratios in units of log 2. Reference 1: (3 x 1 + 1 x 5) / 4 = 2; matched (1 x 2 + 3 x (-2)) / 4 = -1, so
    # T = 1 - log 2. Negative (1 x 0 + 3 x 4) / 4 = 3: f*(T) = r = 8, by hand
    layout = weighted([3.0, 1.0, 7.0, 1.0, 3.0], [1.0, 3.0, 9.0])
    log_ratio = np.array([[1.0, 5.0, -2.0, 0.0, 4.0]]) * math.log(2)
    result = score_variational(KL, log_ratio, layout, quantity="log_ratio", agg=agg)
    assert result.matched[0] == pytest.approx(1 - math.log(2))
    assert result.negatives[0, 0] == pytest.approx(8.0)
    brought = critic_of_units(KL, log_ratio, layout, quantity="log_ratio", agg=agg)
    assert brought.critic[0] == pytest.approx(1 + np.array([2.0, -2.0, 3.0]) * math.log(2))
    assert brought.layout.references.lengths.tolist() == [1, 1, 1]
    assert brought.layout.tasks is TASKS


def test_a_critic_from_elsewhere_is_no_log_ratio():
    # KL: a critic of 3 stays 3; as a log ratio it would become 4
    units = np.full((1, 5), 3.0)
    assert critic_of_units(KL, units, CONTRAST, quantity="critic", agg="geometric").critic.tolist() == [
        [3.0] * 5
    ]
    assert critic_of_units(KL, units, CONTRAST, quantity="log_ratio").critic.tolist() == [[4.0] * 5]
    assert critic_of_units(KL, units, CONTRAST, quantity="critic").n_clipped == 0


def test_the_exponent_limit_of_a_contrast_can_be_set():
    # KL: T* = 1 + log r, log r cut to 2; three of five are cut, by hand
    found = score_variational(
        KL, np.array([[3.0, 3.0, 1.0, 0.0, 9.0]]), CONTRAST, quantity="log_ratio", limit=2.0
    )
    assert found.matched[0] == pytest.approx((3.0 + 2.0) / 2)
    assert found.negatives[0, 0] == pytest.approx((1 + math.e**2) / 2)
    assert found.n_clipped == 3


def test_the_joint_form_is_passed_on():
    # |1 - 1/r| / 2 at r = 1/4 is 3/2, by hand; the monotone form is 0
    layout = Layout(references=Runs.of_lengths([1]), tasks=Runs.of_lengths([1]))
    assert score_direct(TV, np.log([[0.25]]), layout, form="joint").scores[0] == pytest.approx(1.5)
    assert score_direct(TV, np.log([[0.25]]), layout).scores[0] == 0.0


def test_statements_share_their_reference_and_references_their_task():
    # task 1: two references of 1/2, of two statements and of one; task 2: one reference of two statements
    assert shares_of_units(CONTRAST).tolist() == [0.25, 0.25, 0.5, 0.5, 0.5]


def test_shares_follow_both_kinds_of_weights():
    # references 1/4 and 3/4; statements 3/4 and 1/4 of the first; 1/5 and 4/5 in the other task, by hand
    layout = weighted([3.0, 1.0, 7.0, 1.0, 4.0], [1.0, 3.0, 2.0])
    assert shares_of_units(layout) == pytest.approx([3 / 16, 1 / 16, 3 / 4, 1 / 5, 4 / 5])


def test_a_reference_without_weight_leaves_its_share_to_the_others():
    layout = weighted([0.0, 0.0, 0.5, 1.0, 4.0], [1.0, 3.0, 2.0])
    assert shares_of_units(layout) == pytest.approx([0.0, 0.0, 1.0, 1 / 5, 4 / 5])


def test_shares_are_what_the_mean_of_a_task_counts():
    rng = np.random.default_rng(4)
    critic = rng.uniform(-0.5, 0.5, (3, 5))
    layout = weighted(rng.uniform(0.1, 2.0, 5), rng.uniform(0.1, 2.0, 3))
    shares = shares_of_units(layout)
    expected = np.stack([critic[:, :3] @ shares[:3], critic[:, 3:] @ shares[3:]], axis=1)
    np.testing.assert_allclose(average_units(critic, layout), expected, atol=1e-15)


def test_no_runs_at_all_are_places_too():
    runs = Runs.of_lengths([])
    assert np.arange(5)[runs.starts].tolist() == []
