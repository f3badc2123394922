import numpy as np
import pytest

from gameproof.datasets.planted import FactState, PlantedWorld, Truth, WorldSpec, make_world
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.ratings import DIMENSIONS, RATERS, draw_importances, rate


@pytest.fixture(scope="module")
def world() -> PlantedWorld:
    return make_world(WorldSpec(seed=31, tasks_per_domain=72, variants=frozenset()))


def marks(world: PlantedWorld, dimension: str) -> np.ndarray:
    return np.array([[item.raters[rater][dimension] for rater in RATERS] for item in world.dataset.items])


def average_mark(states: list[FactState], n_words: int, dimension: str = "quality") -> float:
    truth = Truth(
        item_id="a", variant=None, states=tuple(states), sentence_facts=(), favourable=None, n_words=n_words
    )
    weights = [1 / len(states)] * len(states)
    rated = [rate(truth, weights, Draws(0, "many", place)) for place in range(300)]
    return float(np.mean([by_rater[rater][dimension] for by_rater in rated for rater in RATERS]))


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_ratings_follow_truth_without_being_a_function_of_it(world: PlantedWorld, dimension: str):
    share = np.array([world.truth(item.id).true_share for item in world.dataset.items])
    ratings = np.array([item.ratings[dimension] for item in world.dataset.items])

    assert 0.5 < np.corrcoef(share, ratings)[0, 1] < 0.9
    same_share = ratings[share == np.median(share)]
    assert len(set(same_share.tolist())) > 3


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_raters_agree_only_in_part(world: PlantedWorld, dimension: str):
    table = marks(world, dimension)

    for column in range(len(RATERS)):
        others = np.delete(table, column, axis=1).mean(axis=1)
        assert 0.4 < np.corrcoef(table[:, column], others)[0, 1] < 0.9


def test_raters_differ_in_how_mild_they_are(world: PlantedWorld):
    means = marks(world, "quality").mean(axis=0)

    assert means[0] < means[1] < means[2]


def test_the_rating_of_an_item_is_the_mean_of_its_raters(world: PlantedWorld):
    item = world.dataset.items[0]

    for dimension in DIMENSIONS:
        assert item.ratings[dimension] == pytest.approx(np.mean([item.raters[r][dimension] for r in RATERS]))


def test_marks_are_whole_numbers_from_one_to_five(world: PlantedWorld):
    for dimension in DIMENSIONS:
        assert set(marks(world, dimension).ravel().tolist()) <= {1.0, 2.0, 3.0, 4.0, 5.0}


def test_more_right_facts_are_worth_less_and_less():
    right, omitted = FactState.CORRECT, FactState.OMITTED
    steps = [average_mark([right] * n + [omitted] * (6 - n), 60) for n in (0, 2, 4)]

    assert steps[0] < steps[1] < steps[2]
    assert steps[2] - steps[1] < steps[1] - steps[0]


def test_length_costs():
    states = [FactState.CORRECT] * 3 + [FactState.OMITTED] * 3

    assert average_mark(states, 140) < average_mark(states, 60)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_wrong_fact_is_worse_than_none(dimension: str):
    right = [FactState.CORRECT] * 3

    with_wrong = average_mark([*right, *[FactState.WRONG] * 3], 60, dimension)
    assert with_wrong < average_mark([*right, *[FactState.OMITTED] * 3], 60, dimension)


def test_importances_differ_and_sum_to_one():
    weights = draw_importances(6, Draws(1, "importances"))

    assert sum(weights) == pytest.approx(1)
    assert max(weights) > 1.2 * min(weights)
