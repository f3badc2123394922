"""In a world whose joint law is known, every estimator finds the exact f-mutual information."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.fmi.divergences import CHI2, DIVERGENCES, H2, JS, KL, RKL, TV
from gameproof.fmi.estimators import direct, optimal_critic, variational
from gameproof.fmi.worlds import World, random_world

VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "fmi_vectors.json").read_text("utf-8"))
WORLD = World(np.array(VECTORS["joint_counts"], dtype=float))
KERNEL = np.array(VECTORS["kernel"])
RANDOM_WORLDS = {
    seed: random_world(np.random.default_rng(seed), n_candidates=3 + seed, n_references=4)
    for seed in (1, 2, 3)
}
EACH = pytest.mark.parametrize("symbol", DIVERGENCES)


def expected(symbol, name):
    return pytest.approx(VECTORS["divergences"][symbol][name], abs=1e-12, rel=0)


def contrast(world, divergence, log_ratio):
    critic = optimal_critic(divergence, log_ratio).values
    return world.mean_over_matched(critic) - world.mean_over_mismatched(divergence.conjugate(critic))


@EACH
def test_information_equals_the_reference(symbol):
    assert WORLD.information(DIVERGENCES[symbol]) == expected(symbol, "information")


@EACH
@pytest.mark.parametrize("form", ["joint", "monotone"])
def test_direct_scores_of_matched_pairs_average_to_the_information(symbol, form):
    scores = direct(DIVERGENCES[symbol], WORLD.log_ratio, form=form).values
    assert WORLD.mean_over_matched(scores) == expected(symbol, "information")


@EACH
def test_product_form_averages_to_the_information_over_mismatched_pairs(symbol):
    # f(r) = r (f(r)/r): the other reading of a direct score in paper 1's Table 3
    scores = WORLD.ratio * direct(DIVERGENCES[symbol], WORLD.log_ratio, form="joint").values
    assert WORLD.mean_over_mismatched(scores) == expected(symbol, "information")


@EACH
def test_both_halves_of_the_variational_score_equal_the_reference(symbol):
    divergence = DIVERGENCES[symbol]
    critic = optimal_critic(divergence, WORLD.log_ratio).values
    penalty = divergence.conjugate(critic)
    assert WORLD.mean_over_matched(critic) == expected(symbol, "mean_matched_critic")
    assert WORLD.mean_over_mismatched(penalty) == expected(symbol, "mean_mismatched_conjugate")


@EACH
def test_variational_scores_average_to_the_information(symbol):
    divergence = DIVERGENCES[symbol]
    assert contrast(WORLD, divergence, WORLD.log_ratio) == expected(symbol, "information")


@EACH
def test_garbling_lowers_the_information_to_the_reference(symbol):
    assert WORLD.garbled(KERNEL).information(DIVERGENCES[symbol]) == expected(symbol, "after_garbling")


@EACH
def test_merging_lowers_the_information_to_the_reference(symbol):
    merged = WORLD.merged([[0, 1], [2]])
    assert merged.information(DIVERGENCES[symbol]) == expected(symbol, "after_merging_rows_0_and_1")


@EACH
@pytest.mark.parametrize("seed", RANDOM_WORLDS)
def test_every_route_agrees_in_random_worlds(symbol, seed):
    divergence, world = DIVERGENCES[symbol], RANDOM_WORLDS[seed]
    exact = world.information(divergence)
    joint = world.mean_over_matched(direct(divergence, world.log_ratio, form="joint").values)
    assert joint == pytest.approx(exact, abs=1e-12, rel=1e-12)
    assert contrast(world, divergence, world.log_ratio) == pytest.approx(exact, abs=1e-12, rel=1e-12)
    if world.log_ratio.min() >= divergence.monotone_from:
        monotone = world.mean_over_matched(direct(divergence, world.log_ratio).values)
        assert monotone == pytest.approx(exact, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize(
    ("divergence", "bound"),
    # 40-digit arithmetic on the same joint counts; the sign, and so total variation, is that of the true ratio
    [
        (TV, 0.30555555555555),
        (KL, 0.19725524450307),
        (RKL, 0.22423651896265),
        (CHI2, 0.37603763831632),
        (H2, 0.10402595838445),
        (JS, 0.05136525546968),
    ],
    ids=str,
)
def test_a_critic_at_the_root_of_the_ratio_gives_a_lower_bound(divergence, bound):
    found = contrast(WORLD, divergence, WORLD.log_ratio / 2)
    assert found == pytest.approx(bound, abs=1e-13)
    assert found < WORLD.information(divergence) or divergence is TV


@EACH
def test_sampled_scores_converge_to_the_information(symbol):
    divergence, rng, n = DIVERGENCES[symbol], np.random.default_rng(5), 20_000
    critic = optimal_critic(divergence, WORLD.log_ratio).values
    pairs, others = WORLD.draw(n, rng), WORLD.draw(4 * n, rng)
    negatives = others.references.reshape(n, 4)
    scores = variational(
        divergence,
        critic[pairs.candidates, pairs.references],
        critic[pairs.candidates[:, None], negatives],
    )
    standard_error = scores.std(ddof=1) / math.sqrt(n)
    assert abs(scores.mean() - WORLD.information(divergence)) < 4 * standard_error


@EACH
@pytest.mark.parametrize("form", ["monotone", "joint"])
def test_sampled_direct_scores_converge_to_the_information(symbol, form):
    divergence, n = DIVERGENCES[symbol], 20_000
    pairs = WORLD.draw(n, np.random.default_rng(6))
    scores = direct(divergence, WORLD.log_ratio[pairs.candidates, pairs.references], form=form).values
    standard_error = scores.std(ddof=1) / math.sqrt(n)
    assert abs(scores.mean() - WORLD.information(divergence)) < 4 * standard_error


def test_where_two_fifths_of_mismatched_pairs_are_impossible_the_joint_form_loses_nearly_half():
    # By hand, in units of 1/441 (21 pairs squared): Q(r = 0) = 5 (7 + 3 + 6) + 10 (5 + 3) + 6 5 = 190, TV = sum of
    # P - Q where P > Q = 80 + 56 + 24 + 45 + 6 = 211, and the joint form loses 190 / 2.
    world = World(np.array([[0.0, 5, 0, 0], [6, 0, 0, 4], [1, 0, 3, 2]]))
    possible = np.where(world.weights > 0, world.log_ratio, 0.0)
    impossible = world.mean_over_mismatched((world.weights == 0).astype(float))
    monotone = world.mean_over_matched(direct(TV, possible).values)
    joint = world.mean_over_matched(direct(TV, possible, form="joint").values)
    assert impossible == pytest.approx(190 / 441, abs=1e-12)  # .43
    assert world.information(TV) == pytest.approx(211 / 441, abs=1e-12)  # .478
    assert monotone == pytest.approx(211 / 441, abs=1e-12)
    assert joint == pytest.approx(116 / 441, abs=1e-12)  # .263


@pytest.mark.parametrize("symbol", ["TV", "CHI2", "H2", "JS"])
def test_with_impossible_pairs_the_monotone_form_is_exact_and_the_joint_form_loses(symbol):
    divergence = DIVERGENCES[symbol]
    world = World(np.array([[6.0, 0.0, 1.0], [0.0, 5.0, 0.0], [2.0, 3.0, 4.0]]))
    possible = np.where(world.weights > 0, world.log_ratio, 0.0)
    exact = world.information(divergence)
    monotone = world.mean_over_matched(direct(divergence, possible).values)
    joint = world.mean_over_matched(direct(divergence, possible, form="joint").values)
    lost = divergence.at_zero * world.mean_over_mismatched((world.weights == 0).astype(float))
    assert monotone == pytest.approx(exact, abs=1e-12)
    assert joint == pytest.approx(exact - lost, abs=1e-12)


def test_reverse_kl_of_a_world_with_impossible_pairs_is_infinite():
    assert World(np.array([[1.0, 0.0], [1.0, 1.0]])).information(RKL) == math.inf


@EACH
def test_independent_candidates_carry_no_information(symbol):
    assert World(np.outer([1.0, 2.0, 3.0], [4.0, 5.0])).information(DIVERGENCES[symbol]) == 0.0


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[1.0, -1.0], [1.0, 1.0]], "finite numbers from 0"),
        ([[1.0, math.inf], [1.0, 1.0]], "finite numbers from 0"),
        ([[0.0, 0.0], [1.0, 1.0]], "needs some weight"),
        ([1.0, 2.0], "finite numbers from 0"),
    ],
)
def test_a_world_refuses_weights_that_are_no_law(weights, message):
    with pytest.raises(InputError, match=message):
        World(np.array(weights))


def test_a_world_refuses_a_kernel_whose_rows_do_not_sum_to_one():
    with pytest.raises(InputError, match="each row must sum to 1"):
        WORLD.garbled(np.full((3, 3), 0.5))


def test_a_world_refuses_a_kernel_of_another_size():
    with pytest.raises(InputError, match="one row of chances"):
        WORLD.garbled(np.full((2, 2), 0.5))


def test_a_world_refuses_groups_that_leave_a_candidate_out():
    with pytest.raises(InputError, match="exactly one group"):
        WORLD.merged([[0, 1]])
