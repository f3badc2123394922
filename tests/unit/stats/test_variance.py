"""Variance components of a simulated score whose components are known."""

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.stats.variance import (
    Components,
    Cost,
    Design,
    Repeats,
    best_within,
    cheapest_for_item,
    cheapest_for_mean,
    estimate,
)

TRUE = Components(
    item=0.09,
    negatives=0.05,
    decomposition=0.02,
    decomposition_of_negatives=0.01,
    oracle=0.04,
    oracle_of_negatives=0.03,
    n_items=0,
)
SOURCES = (
    "item",
    "negatives",
    "decomposition",
    "decomposition_of_negatives",
    "oracle",
    "oracle_of_negatives",
)


def simulate(rng, n_items, *, negatives=6, decompositions=3, samples=2, true=TRUE):
    """Draw both halves of scores by the model in the module's docstring."""

    def effect(variance, *shape):
        return rng.normal(0.0, np.sqrt(variance), shape)

    own = (n_items, decompositions)
    foreign = (n_items, negatives, decompositions)
    matched = (
        0.3
        + effect(true.item, n_items)[:, None, None]
        + effect(true.decomposition, *own)[..., None]
        + effect(true.oracle, *own, samples)
    )
    other = (
        -0.2
        + effect(true.negatives, n_items, negatives)[..., None, None]
        + effect(true.decomposition_of_negatives, *foreign)[..., None]
        + effect(true.oracle_of_negatives, *foreign, samples)
    )
    return Repeats(matched=matched, negatives=other)


def test_the_components_of_a_simulated_score_are_found_without_bias():
    rng = np.random.default_rng(8)
    found = [estimate(simulate(rng, 12)) for _ in range(400)]
    for source in SOURCES:
        values = np.array([getattr(each, source) for each in found])
        error = values.std(ddof=1) / np.sqrt(len(values))
        assert abs(values.mean() - getattr(TRUE, source)) < 4 * error, source


def test_the_error_of_a_score_is_the_variance_of_its_repetitions():
    # one item scored again and again, with two decompositions, three samples and four negatives
    rng = np.random.default_rng(9)
    fixed = Components(**{name: getattr(TRUE, name) for name in SOURCES[1:]}, item=0.0, n_items=0)
    drawn = simulate(rng, 40_000, negatives=4, decompositions=2, samples=3, true=fixed)
    scores = drawn.matched.mean(axis=(1, 2)) - drawn.negatives.mean(axis=(1, 2, 3))
    # by hand: .02/2 + .04/6 + (.05 + .01/2 + .03/6)/4 = .03167
    design = Design(decompositions=2, samples=3, negatives=4)
    assert TRUE.error(design) == pytest.approx(0.0316667, abs=1e-6)
    assert scores.var() == pytest.approx(TRUE.error(design), rel=0.03)  # 4 se of a variance of 40,000: 2.8%


def test_the_mean_squares_by_hand():
    # one decomposition, two samples (0, 2) and (4, 6): the mean variance of samples is 2
    repeats = Repeats(
        matched=np.array([[[0.0, 2.0]], [[4.0, 6.0]], [[0.0, 2.0]], [[4.0, 6.0]]]),
        negatives=np.zeros((4, 0, 1, 2)),
    )
    found = estimate(repeats)
    assert found.oracle == pytest.approx(2.0)
    assert found.decomposition == found.negatives == 0.0
    # variance of the item means 1, 5, 1, 5 is 16/3; less 2/2 for two samples
    assert found.item == pytest.approx(16 / 3 - 1)


def test_an_axis_of_one_says_that_there_is_no_such_component():
    rng = np.random.default_rng(2)
    found = estimate(simulate(rng, 10, decompositions=1, samples=1))
    assert (found.decomposition, found.oracle, found.oracle_of_negatives) == (0.0, 0.0, 0.0)
    assert found.negatives > 0


def test_items_with_a_missing_answer_are_left_out():
    repeats = simulate(np.random.default_rng(3), 6)
    repeats.matched[0, 0, 0] = np.nan
    repeats.negatives[1, 2, 0, 1] = np.nan
    assert estimate(repeats).n_items == 4
    repeats.matched[2, 0, 0] = np.nan
    with pytest.raises(InputError, match="only 3 items have all their repeats"):
        estimate(repeats)


COST = Cost(each_reference=1.0, each_decomposition=0.5)
FREE = Design(decompositions=8, samples=16, negatives=99)


def test_the_cheapest_design_is_the_cheapest_of_all_that_suffice():
    now = Design(decompositions=1, samples=1, negatives=4)
    wanted = TRUE.error(now) / 4
    found = cheapest_for_item(TRUE, COST, error=wanted, free=FREE)
    every = [
        Design(decompositions=d, samples=m, negatives=n)
        for d in range(1, 9)
        for m in range(1, 17)
        for n in range(1, 100)
    ]
    suffice = [design for design in every if TRUE.error(design) <= wanted]
    assert COST.calls(found) == min(map(COST.calls, suffice))
    assert TRUE.error(found) <= wanted


def test_an_error_that_no_design_reaches_is_said_to_be_out_of_reach():
    assert cheapest_for_item(TRUE, COST, error=0.0, free=FREE) is None
    fixed = Design(decompositions=1, samples=1, negatives=99)  # nothing but negatives can be repeated
    assert cheapest_for_item(TRUE, COST, error=0.059, free=fixed) is None  # .02 + .04 stay
    assert cheapest_for_item(TRUE, COST, error=0.061, free=fixed) is not None


def test_the_best_design_within_a_budget_beats_the_present_one():
    now = Design(decompositions=1, samples=1, negatives=9)
    found = best_within(TRUE, COST, calls=COST.calls(now), free=FREE)
    assert TRUE.error(found) < TRUE.error(now)
    assert COST.calls(found) <= COST.calls(now)


def test_a_mean_is_halved_in_error_by_four_times_the_items_or_by_less():
    now = Design(decompositions=1, samples=1, negatives=1)
    design, n_items = cheapest_for_mean(TRUE, COST, now=now, n_items=50, free=FREE)
    wanted = (TRUE.item + TRUE.error(now)) / 200
    assert (TRUE.item + TRUE.error(design)) / n_items <= wanted * (1 + 1e-6)
    assert n_items * COST.calls(design) <= 200 * COST.calls(now)


def test_calls_are_counted_by_what_a_question_holds():
    design = Design(decompositions=2, samples=3, negatives=4)
    assert Cost(each_reference=1.0, each_decomposition=0.5).calls(design) == 3 * 2 * 5 + 1  # by hand
    assert Cost(each_sample=1.0, each_reference=0.0).calls(design) == 3
