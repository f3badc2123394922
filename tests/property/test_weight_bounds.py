"""Weights that depend on references alone keep the bound of total variation: checked in exact worlds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gameproof.fmi.aggregation import Layout, Runs, Weights, average_units
from gameproof.fmi.divergences import TV
from gameproof.fmi.worlds import World, random_world

seeds = st.integers(0, 2**32 - 1)


def weighted_critics(world, rng, *, weights_of):
    """Draw critics of random statements and return T(x, y) for every candidate and reference.

    Reference y has K_y statements; the critic of a candidate and a statement is any number in [-1/2, 1/2].
    """
    n_candidates, n_references = world.weights.shape
    lengths = rng.integers(1, 5, n_references)
    critic = rng.uniform(-0.5, 0.5, (n_candidates, lengths.sum()))
    # mostly the sign that follows the truth, so that the bound is nearly met and an error would break it
    truth = np.repeat(np.sign(world.log_ratio) / 2, lengths, axis=1)
    critic = np.where(rng.random(critic.shape) < 0.8, truth, critic)
    weights = weights_of(lengths)
    layout = Layout(
        references=Runs.of_lengths(lengths),
        tasks=Runs.of_lengths([1] * n_references),
        weights=Weights(units=weights, references=np.ones(n_references)),
    )
    return average_units(critic, layout)


@given(seed=seeds)
@settings(max_examples=60, deadline=None)
def test_a_weighted_score_is_at_most_the_information(seed):
    rng = np.random.default_rng(seed)
    world = random_world(rng)
    critic = weighted_critics(world, rng, weights_of=lambda lengths: rng.exponential(1.0, lengths.sum()))
    assert np.abs(critic).max() <= 0.5 + 1e-12
    score = world.mean_over_matched(critic) - world.mean_over_mismatched(
        TV.conjugate(np.clip(critic, -0.5, 0.5))
    )
    assert score <= world.information(TV) + 1e-12  # rounding


@given(seed=seeds)
@settings(max_examples=30, deadline=None)
def test_weights_on_all_but_one_statement_of_zero_are_a_choice_of_statements(seed):
    rng = np.random.default_rng(seed)
    world = random_world(rng)

    def first_only(lengths):
        weights = np.zeros(lengths.sum())
        weights[np.cumsum(lengths) - lengths] = 7.0
        return weights

    critic = weighted_critics(world, rng, weights_of=first_only)
    score = world.mean_over_matched(critic) - world.mean_over_mismatched(critic)
    assert score <= world.information(TV) + 1e-12


def test_weights_that_look_at_the_candidate_break_the_bound():
    # Candidate and reference independent: I = 0. Each reference has one statement that is supported and one that
    # is not; a weight that follows the support of the candidate by the matched reference alone scores 1 > 0.
    world = World(np.ones((2, 2)))
    layout = Layout(references=Runs.of_lengths([2, 2]), tasks=Runs.of_lengths([1, 1]))
    critic = np.array([[0.5, -0.5, 0.5, -0.5]])

    def score(units):
        weights = Weights(units=np.array(units), references=np.ones(2))
        weighted = Layout(references=layout.references, tasks=layout.tasks, weights=weights)
        matched, negative = average_units(critic, weighted)[0]
        return matched - negative

    assert score([1.0, 1.0, 1.0, 1.0]) == world.information(TV) == 0.0
    assert score([1.0, 0.0, 0.0, 1.0]) == pytest.approx(1.0)
