"""What a fixed score pays for manipulated texts, by hand; the theorems are in tests/world/test_manipulation_bound.py."""

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.fmi.divergences import KL, TV
from gameproof.fmi.robustness import (
    FixedScore,
    Robustness,
    all_manipulations,
    best_manipulation,
    direct_score,
    expected_score,
    robustness,
    variational_score,
)
from gameproof.fmi.worlds import World

# of 10: candidate 0 has 4 and 1, candidate 1 has 2 and 3; references 6 and 4
WORLD = World(np.array([[4.0, 1.0], [2.0, 3.0]]))
# the third text is one that no honest author writes
SCORE = FixedScore(
    matched=np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0]]),
    mismatched=np.array([[0.0, 0.0], [0.0, 0.0], [0.5, 1.0]]),
)


def test_a_text_is_paid_by_the_law_of_the_candidate_whose_place_it_takes():
    # honest: .4 x 1 + .3 x 1 = .7
    assert expected_score(WORLD, SCORE) == pytest.approx(0.7)
    # both as text 2: (.4 + .2) x 2 - (.6 x .5 + .4 x 1) = 1.2 - .7
    assert expected_score(WORLD, SCORE, (2, 2)) == pytest.approx(0.5)
    # candidate 0 as text 2: .4 x 2 - .5 x .7, and candidate 1 honestly .3
    assert expected_score(WORLD, SCORE, [2, 1]) == pytest.approx(0.8 - 0.35 + 0.3)
    assert best_manipulation(WORLD, SCORE).tolist() == [2, 1]
    found = robustness(WORLD, TV, SCORE)
    assert found.manipulation == (2, 1)
    assert found.gain == pytest.approx(0.05)


def test_epsilon_is_uniform_over_the_manipulations_that_are_named_and_honesty():
    # I_TV = |.4 - .3| + |.2 - .3| = .2, merged 0. Honest error .2 - .7 = -.5; both as text 2: 0 - .5
    found = robustness(WORLD, TV, SCORE, [(2, 2)])
    assert found.honest_error == pytest.approx(-0.5)
    assert found.epsilon == pytest.approx(0.5)
    assert found.bound == pytest.approx(1.0)
    assert (found.manipulation, found.gain) == ((0, 1), 0.0)
    # with both as text 0 as well: 0 - .6 x 1
    assert robustness(WORLD, TV, SCORE, [(2, 2), (0, 0)]).epsilon == pytest.approx(0.6)


def test_the_bound_is_twice_the_error():
    assert Robustness(manipulation=(0,), gain=0.0, honest_error=0.0, epsilon=0.25).bound == 0.5


def test_of_texts_that_are_paid_alike_the_earlier_one_is_taken():
    score = FixedScore(matched=np.ones((3, 2)), mismatched=np.zeros((3, 2)))
    assert best_manipulation(WORLD, score).tolist() == [0, 0]
    assert robustness(WORLD, TV, score).manipulation == (0, 1)


def test_a_pair_that_cannot_occur_is_not_paid():
    world = World(np.array([[1.0, 0.0], [1.0, 2.0]]))
    found = expected_score(world, direct_score(KL, world.log_ratio))  # log 0 is minus infinity
    expected = np.log(2) / 4 + np.log(2 / 3) / 4 + np.log(4 / 3) / 2  # as in test_worlds.py
    assert found == pytest.approx(expected)


def test_direct_scores_come_in_both_forms_and_have_no_penalty():
    # max(0, 1 - 1/r) and |1 - 1/r| / 2 at r = 1/4 and 4
    log_ratio = np.log([[0.25, 4.0]])
    assert direct_score(TV, log_ratio).matched[0] == pytest.approx([0.0, 0.75])
    joint = direct_score(TV, log_ratio, form="joint")
    assert joint.matched[0] == pytest.approx([1.5, 0.375])
    assert joint.mismatched.tolist() == [[0.0, 0.0]]


def test_variational_scores_pay_the_critic_and_take_its_conjugate():
    critic = np.array([[1.0, 2.0]])
    score = variational_score(KL, critic)
    assert score.matched.tolist() == [[1.0, 2.0]]
    assert score.mismatched[0] == pytest.approx([1.0, np.e])  # exp(v - 1)


def test_all_manipulations_are_every_map_in_order():
    assert list(all_manipulations(WORLD, 3)) == [(a, b) for a in range(3) for b in range(3)]


def test_a_hundred_thousand_manipulations_are_the_most():
    world = World(np.eye(5) + 1)
    assert next(all_manipulations(world, 10)) == (0, 0, 0, 0, 0)
    with pytest.raises(InputError) as caught:
        all_manipulations(world, 11)
    assert str(caught.value) == (
        "manipulations: 11 texts for each of 5 candidates are more than 100,000."
        "\nUse a smaller world, or name the manipulations."
    )


@pytest.mark.parametrize("manipulation", [(0,), (0, 1, 2), (0, 3), (-1, 0)])
def test_a_manipulation_names_a_text_for_every_candidate(manipulation):
    with pytest.raises(InputError) as caught:
        expected_score(WORLD, SCORE, manipulation)
    assert str(caught.value) == "manipulation: expected 2 texts between 0 and 2, one for each candidate."


@pytest.mark.parametrize(("shape", "found"), [((1, 2), "(1, 2)"), ((2, 3), "(2, 3)")])
def test_a_score_has_a_row_for_each_text_and_a_column_for_each_reference(shape, found):
    score = FixedScore(matched=np.zeros(shape), mismatched=np.zeros(shape))
    with pytest.raises(InputError) as caught:
        best_manipulation(WORLD, score)
    assert str(caught.value) == (
        "score: expected a row for each of at least 2 texts and 2 columns, one for each reference;"
        f" found {found}."
    )
