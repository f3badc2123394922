"""Worlds with a known law: what garbling, merging and drawing do to them, by hand."""

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.fmi.divergences import KL
from gameproof.fmi.worlds import World, random_world

# of 10: candidate 0 has 4 and 1, candidate 1 has 2 and 3; references 6 and 4
WORLD = World(np.array([[4.0, 1.0], [2.0, 3.0]]))


def test_the_laws_of_a_world_follow_from_its_counts():
    np.testing.assert_allclose(WORLD.joint, [[0.4, 0.1], [0.2, 0.3]])
    np.testing.assert_allclose(WORLD.product, [[0.3, 0.2], [0.3, 0.2]])
    np.testing.assert_allclose(WORLD.ratio, [[4 / 3, 1 / 2], [2 / 3, 3 / 2]])
    np.testing.assert_allclose(WORLD.log_ratio, np.log([[4 / 3, 1 / 2], [2 / 3, 3 / 2]]))


def test_an_impossible_pair_has_no_part_in_the_mean_of_matched_pairs():
    world = World(np.array([[1.0, 0.0], [1.0, 2.0]]))
    assert world.log_ratio[0, 1] == -np.inf
    assert world.mean_over_matched(np.array([[1.0, np.nan], [2.0, 5.0]])) == pytest.approx(13 / 4)
    assert world.mean_over_mismatched(np.ones((2, 2))) == pytest.approx(1.0)
    # matched (1/4) log 2 + (1/4) log(2/3) + (1/2) log(4/3), for the product is 1/8, 1/8, 3/8, 3/8
    expected = np.log(2) / 4 + np.log(2 / 3) / 4 + np.log(4 / 3) / 2
    assert world.information(KL) == pytest.approx(expected)


def test_a_kernel_may_have_any_number_of_outcomes():
    # the half of candidate 0 stays, all else becomes the third text
    world = WORLD.garbled(np.array([[0.5, 0.0, 0.5], [0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(world.weights, [[2.0, 0.5], [4.0, 3.5]])


def test_candidates_that_nobody_can_become_leave_the_world():
    world = WORLD.garbled(np.array([[0.0, 1.0], [0.0, 1.0]]))
    np.testing.assert_allclose(world.weights, [[6.0, 4.0]])


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (
            [[1.5, -0.5], [0.0, 1.0]],
            "kernel: expected one row of chances from 0 upwards for each candidate.",
        ),
        ([[1.0], [1.0], [1.0]], "kernel: expected one row of chances from 0 upwards for each candidate."),
        ([1.0, 0.0], "kernel: expected one row of chances from 0 upwards for each candidate."),
        ([[0.5, 0.4], [0.0, 1.0]], "kernel: each row must sum to 1."),
        ([[1.0, 1.0], [0.0, 0.0]], "kernel: each row must sum to 1."),
    ],
)
def test_what_is_no_kernel_is_refused(kernel, message):
    with pytest.raises(InputError) as caught:
        WORLD.garbled(np.array(kernel))
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([[1.0, np.nan], [1.0, 1.0]], "weights: expected a table of finite numbers from 0 upwards."),
        ([[1.0, np.inf], [1.0, 1.0]], "weights: expected a table of finite numbers from 0 upwards."),
        ([[1.0, -1.0], [1.0, 2.0]], "weights: expected a table of finite numbers from 0 upwards."),
        ([1.0, 2.0], "weights: expected a table of finite numbers from 0 upwards."),
        ([[0.0, 0.0], [1.0, 1.0]], "weights: every candidate and every reference needs some weight."),
        ([[0.0, 1.0], [0.0, 1.0]], "weights: every candidate and every reference needs some weight."),
    ],
)
def test_what_is_no_law_is_refused(weights, message):
    with pytest.raises(InputError) as caught:
        World(np.array(weights))
    assert str(caught.value) == message


def test_merged_candidates_add_up_in_the_order_of_the_groups():
    world = World(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    assert world.merged([[1], [2, 0]]).weights.tolist() == [[3.0, 4.0], [6.0, 8.0]]
    with pytest.raises(InputError) as caught:
        world.merged([[0, 1], [1, 2]])
    assert str(caught.value) == "groups: every candidate must be in exactly one group."


def test_draws_follow_the_joint_law():
    world = World(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0]]))
    draws = world.draw(20_000, np.random.default_rng(1))
    counts = np.zeros((2, 3))
    np.add.at(counts, (draws.candidates, draws.references), 1)
    assert len(draws.candidates) == len(draws.references) == 20_000
    assert np.all(counts[world.weights == 0] == 0)
    # 4 standard errors of a share: at most 4 sqrt(.25 / 20,000) = .0141
    np.testing.assert_allclose(counts / 20_000, world.joint, atol=0.0142)
    assert draws.candidates.dtype == draws.references.dtype == np.int64


def test_a_random_world_is_a_law_without_impossible_pairs_of_the_size_asked_for():
    world = random_world(np.random.default_rng(0), n_candidates=3, n_references=2)
    assert world.weights.shape == (3, 2)
    assert np.all(world.weights > 0)
    assert world.weights.sum() == pytest.approx(1.0)
    assert random_world(np.random.default_rng(0)).weights.shape == (4, 5)
