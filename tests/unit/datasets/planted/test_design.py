from collections import Counter

import numpy as np
import pytest

from gameproof.datasets.planted import PlantedWorld, WorldSpec, make_world
from gameproof.datasets.planted.design import BLOCK_OF_TASKS, draw_factors

NO_VARIANTS = frozenset[str]()


@pytest.fixture(scope="module")
def crossed() -> PlantedWorld:
    return make_world(WorldSpec(seed=11, tasks_per_domain=120, variants=NO_VARIANTS))


@pytest.fixture(scope="module")
def confounded() -> PlantedWorld:
    return make_world(WorldSpec(seed=11, tasks_per_domain=120, variants=NO_VARIANTS, confounded=True))


def correlations(world: PlantedWorld) -> dict[str, float]:
    """Correlate what is true in the texts with how they are written."""
    truths = [world.truth(item.id) for item in world.dataset.items]
    factors = [factor for task in world.tasks.values() for factor in task.factors]
    share = np.array([truth.true_share for truth in truths])
    written = {
        "words": [truth.n_words for truth in truths],
        "style": [factor.ornate for factor in factors],
        "topic": [factor.topical for factor in factors],
        "closeness": [factor.near for factor in factors],
    }
    return {
        name: float(np.corrcoef(share, np.asarray(values, float))[0, 1]) for name, values in written.items()
    }


def test_truth_is_unrelated_to_length_style_topic_and_wording(crossed: PlantedWorld):
    # 1,440 texts: the standard error of a correlation of 0 is .026.
    assert all(abs(rho) < 0.08 for rho in correlations(crossed).values())


def test_length_style_and_topic_are_unrelated_to_each_other_in_words(crossed: PlantedWorld):
    words = np.array([crossed.truth(item.id).n_words for item in crossed.dataset.items], float)
    factors = [factor for task in crossed.tasks.values() for factor in task.factors]

    assert abs(np.corrcoef(words, [factor.ornate for factor in factors])[0, 1]) < 0.08
    assert abs(np.corrcoef(words, [factor.topical for factor in factors])[0, 1]) < 0.08
    assert np.corrcoef(words, [factor.long for factor in factors])[0, 1] > 0.8


def test_in_the_confounded_world_better_texts_are_longer_more_ornate_and_more_topical(
    confounded: PlantedWorld,
):
    found = correlations(confounded)

    assert found["words"] > 0.5
    assert found["style"] > 0.5
    assert found["topic"] > 0.5


def test_each_system_meets_each_cell_of_the_factorial_once_in_a_block():
    cells = Counter(
        (factor.system, factor.long, factor.ornate, factor.topical)
        for number in range(BLOCK_OF_TASKS)
        for factor in draw_factors(3, "inns", number, n_systems=4, confounded=False)
    )

    assert len(cells) == 4 * 8
    assert set(cells.values()) == {1}


def test_closeness_of_wording_is_balanced_over_every_pair_of_other_factors():
    factors = [
        factor
        for number in range(BLOCK_OF_TASKS)
        for factor in draw_factors(3, "inns", number, n_systems=4, confounded=False)
    ]

    for one, other in (("long", "ornate"), ("long", "topical"), ("ornate", "topical")):
        cells = Counter((getattr(factor, one), getattr(factor, other), factor.near) for factor in factors)
        assert set(cells.values()) == {4}


def test_systems_are_ordered_from_best_to_worst():
    shares = [factor.right_share for factor in draw_factors(3, "inns", 0, n_systems=4, confounded=False)]

    assert shares == sorted(shares, reverse=True)
    assert len(set(shares)) == 4
