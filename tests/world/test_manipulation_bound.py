"""The best manipulation of a fixed score gains at most twice its error, and sometimes nearly that."""

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.fmi.divergences import DIVERGENCES, KL, TV
from gameproof.fmi.estimators import optimal_critic
from gameproof.fmi.robustness import (
    FixedScore,
    all_manipulations,
    best_manipulation,
    direct_score,
    expected_score,
    robustness,
    variational_score,
)
from gameproof.fmi.worlds import World, random_world

EACH = pytest.mark.parametrize("divergence", DIVERGENCES.values(), ids=str)
# The joint counts of tests/golden/fmi_vectors.json.
WORLD = World(np.array([[14.0, 3, 1, 4], [2, 10, 5, 3], [1, 3, 9, 5]]))
SLACK = 1e-12
# Candidates 0..2 are honest; text x + 3 is a wording of candidate x that no honest author uses.
TWICE = [0, 1, 2, 0, 1, 2]


def noisy_critic(divergence, world, noise, seed):
    rng = np.random.default_rng(seed)
    log_ratio = world.log_ratio[TWICE] + rng.normal(0, noise, (len(TWICE), world.weights.shape[1]))
    return optimal_critic(divergence, log_ratio).values


def mildly_noisy_ratio(world, seed):
    """Log ratios that stay above 1/8, where every divergence has a monotone form."""
    noise = np.random.default_rng(seed).normal(0, 0.3, (len(TWICE), world.weights.shape[1]))
    return np.maximum(world.log_ratio[TWICE] + noise, -np.log(8))


@EACH
@pytest.mark.parametrize("seed", range(4))
def test_no_manipulation_gains_more_than_twice_the_uniform_error(divergence, seed):
    # paper 1, section 4.6; the adversary is the best of all 216 maps from 3 candidates to 6 texts
    scores = [variational_score(divergence, noisy_critic(divergence, WORLD, 0.5, seed))]
    scores += [
        direct_score(divergence, mildly_noisy_ratio(WORLD, seed), form=form) for form in ("monotone", "joint")
    ]
    for score in scores:
        found = robustness(WORLD, divergence, score)
        assert 0 <= found.gain <= found.bound + SLACK


@EACH
def test_the_adversary_in_closed_form_is_the_best_of_all_maps(divergence):
    gains = []
    for seed in range(4):
        score = variational_score(divergence, noisy_critic(divergence, WORLD, 1.0, seed))
        best = best_manipulation(WORLD, score).tolist()
        gains.append(expected_score(WORLD, score, best) - expected_score(WORLD, score))
        assert gains[-1] == pytest.approx(robustness(WORLD, divergence, score).gain, abs=SLACK)
    assert max(gains) > 0.01  # so noisy a critic can be gamed: the equality is of something


def test_twice_the_error_is_nearly_reached_by_a_direct_score():
    # Derivation: r = 1 +- d in a fair 2 x 2 world, where I_KL is about d^2/2. The score pays e too little for
    # honest texts and e too much for their doubles, so doubling gains exactly 2 e. The largest error of all
    # maps is that of exchanged candidates, paid too little besides: e + 2 d^2. For d -> 0 the bound is reached.
    d, e = 0.02, 0.1
    world = World(np.array([[1 + d, 1 - d], [1 - d, 1 + d]]))
    log_ratio = np.concatenate([world.log_ratio - e, world.log_ratio + e])
    found = robustness(world, KL, direct_score(KL, log_ratio))
    assert found.manipulation == (2, 3)
    assert found.gain == pytest.approx(2 * e, abs=SLACK)
    assert found.epsilon == pytest.approx(e + 2 * d**2, abs=1e-6)
    assert 0.99 * found.bound < found.gain <= found.bound + SLACK


def test_twice_the_error_on_honest_texts_is_not_enough_for_a_direct_score():
    # the uniformity over manipulations is needed: this score is exact on honest texts
    log_ratio = np.concatenate([WORLD.log_ratio, WORLD.log_ratio + 0.2])
    found = robustness(WORLD, KL, direct_score(KL, log_ratio))
    assert found.honest_error == pytest.approx(0, abs=SLACK)
    assert found.gain == pytest.approx(0.2, abs=SLACK)


@EACH
@pytest.mark.parametrize("noise", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_variational_score_gives_away_no_more_than_its_error_on_honest_texts(divergence, noise, seed):
    world = random_world(np.random.default_rng(seed), n_candidates=3, n_references=4)
    found = robustness(
        world, divergence, variational_score(divergence, noisy_critic(divergence, world, noise, seed))
    )
    tolerance = SLACK * (1 + abs(found.honest_error))
    assert found.gain <= found.honest_error + tolerance
    assert found.honest_error >= -tolerance


@EACH
def test_the_error_on_honest_texts_is_reached_by_a_critic_that_is_blind_to_their_wording(divergence):
    # A constant critic at f'(1) pays nothing; on the doubles it is the optimal one and pays all of I_f.
    blind = np.zeros_like(WORLD.log_ratio)
    critic = optimal_critic(divergence, np.concatenate([blind, WORLD.log_ratio])).values
    found = robustness(WORLD, divergence, variational_score(divergence, critic))
    assert found.manipulation == (3, 4, 5)
    assert found.gain == pytest.approx(WORLD.information(divergence), abs=SLACK)
    assert found.honest_error == pytest.approx(found.gain, abs=SLACK)


def test_support_without_its_penalty_breaks_that_limit():
    # the same critics, but only what the matched reference pays: a text that everything supports wins
    critic = optimal_critic(TV, WORLD.log_ratio).values
    yes_to_all = np.full((1, 4), 0.5)
    score = FixedScore(
        matched=np.concatenate([critic, yes_to_all]), mismatched=np.zeros((4, WORLD.weights.shape[1]))
    )
    contrasted = variational_score(TV, score.matched)
    assert robustness(WORLD, TV, score).manipulation == (3, 3, 3)
    assert robustness(WORLD, TV, contrasted).manipulation == (0, 1, 2)
    assert robustness(WORLD, TV, contrasted).gain == 0.0


@EACH
def test_with_the_optimal_critic_honesty_is_the_best_manipulation(divergence):
    score = variational_score(divergence, optimal_critic(divergence, WORLD.log_ratio).values)
    found = robustness(WORLD, divergence, score)
    assert found.manipulation == (0, 1, 2)
    assert found.honest_error == pytest.approx(0, abs=SLACK)


def test_the_log_ratio_is_a_proper_score():
    # E log r(x', Y) given x is largest at x' = x (Gibbs' inequality)
    for seed in range(5):
        world = random_world(np.random.default_rng(seed), n_candidates=4, n_references=3)
        assert robustness(world, KL, direct_score(KL, world.log_ratio)).manipulation == (0, 1, 2, 3)


def test_the_direct_score_of_total_variation_pays_for_a_text_that_says_nothing():
    # Counts [[5, 5], [1, 2]] of 13: r = [[13/12, 13/14], [13/18, 26/21]], max(0, 1 - 1/r) = [[1/13, 0], [0, 5/26]].
    # Candidate 0 gets 5/13 x 1/13 honestly and 5/13 x 5/26 as text 1: a gain of 5/13 x 3/26 = 15/338, although
    # everybody then writes text 1 and I_TV is 0. The true ratio does not help: only contrast does.
    world = World(np.array([[5.0, 5.0], [1.0, 2.0]]))
    found = robustness(world, TV, direct_score(TV, world.log_ratio))
    assert found.manipulation == (1, 1)
    assert found.gain == pytest.approx(15 / 338, abs=SLACK)
    assert found.honest_error == pytest.approx(0, abs=SLACK)
    contrasted = variational_score(TV, optimal_critic(TV, world.log_ratio).values)
    assert robustness(world, TV, contrasted).gain == pytest.approx(0, abs=SLACK)


def test_a_manipulation_needs_a_text_for_every_candidate():
    score = direct_score(KL, WORLD.log_ratio)
    with pytest.raises(InputError, match="expected 3 texts between 0 and 2"):
        expected_score(WORLD, score, (0, 3, 1))
    with pytest.raises(InputError, match="expected 3 texts"):
        expected_score(WORLD, score, (0, 1))


def test_a_score_needs_a_row_for_every_candidate():
    with pytest.raises(InputError, match="at least 3 texts and 4 columns"):
        best_manipulation(WORLD, direct_score(KL, WORLD.log_ratio[:2]))


def test_too_many_manipulations_are_refused():
    with pytest.raises(InputError, match="more than 100,000"):
        all_manipulations(World(np.eye(8) + 1), 8)
