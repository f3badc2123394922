"""Ratios from matched against mismatched pairs."""

import math

import numpy as np
import pytest

from gameproof.errors import InputError
from gameproof.fmi.calibration import (
    METHODS,
    Ratios,
    cross_fit,
    fit_isotonic,
    fit_platt,
    fit_temperature,
    implied_information,
)
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.worlds import World, random_world

WORLD = World(np.array([[14.0, 3, 1, 4], [2, 10, 5, 3], [1, 3, 9, 5]]))  # of tests/golden/fmi_vectors.json


def exact_pairs(world, support, n_tasks=10**9):
    """Return every pair of a world with its exact chance as weight."""
    return Ratios(
        values=np.tile(support.ravel(), 2),
        is_matched=np.repeat([1.0, 0.0], support.size),
        weights=np.concatenate([world.joint.ravel(), world.product.ravel()]),
        n_tasks=n_tasks,
    )


@pytest.mark.parametrize("distortion", [lambda z: z**3, lambda z: 5 * z - 2, np.arctan])
def test_isotonic_finds_the_true_ratio_behind_any_rising_distortion(distortion):
    support = distortion(WORLD.log_ratio)
    scale = fit_isotonic(exact_pairs(WORLD, support))
    assert scale(support) == pytest.approx(WORLD.log_ratio, abs=1e-6)  # the half tasks at the ends: 1e-9


def test_platt_finds_the_line_and_temperature_the_factor():
    assert fit_platt(exact_pairs(WORLD, 3 * WORLD.log_ratio + 1))(np.array([4.0])) == pytest.approx(
        1.0, abs=1e-6
    )
    assert fit_temperature(exact_pairs(WORLD, 7 * WORLD.log_ratio))(np.array([7.0])) == pytest.approx(
        1.0, abs=1e-6
    )


@pytest.mark.parametrize("symbol", DIVERGENCES)
@pytest.mark.parametrize("seed", range(3))
def test_true_ratios_have_no_gap_and_imply_the_exact_information(symbol, seed):
    world = random_world(np.random.default_rng(seed))
    pairs = exact_pairs(world, world.log_ratio)
    found = implied_information(DIVERGENCES[symbol], pairs.values, pairs.is_matched, pairs.weights)
    assert found.gap == pytest.approx(0.0, abs=1e-12)
    assert found.direct == pytest.approx(world.information(DIVERGENCES[symbol]), abs=1e-12)


def test_overconfident_ratios_have_a_gap_that_calibration_closes():
    pairs = exact_pairs(WORLD, 3 * WORLD.log_ratio)
    kl = DIVERGENCES["KL"]
    raw = implied_information(kl, pairs.values, pairs.is_matched, pairs.weights)
    mapped = fit_temperature(pairs)(pairs.values)
    assert raw.gap > 1.0
    assert abs(implied_information(kl, mapped, pairs.is_matched, pairs.weights).gap) < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_support_that_speaks_against_a_match_gives_no_ratio_but_one(method):
    pairs = exact_pairs(WORLD, -WORLD.log_ratio, n_tasks=50)
    assert METHODS[method](pairs)(np.array([-3.0, 0.0, 3.0])) == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)


def test_a_perfect_separation_gives_finite_ratios():
    pairs = Ratios(
        values=np.array([1.0, 0.0]), is_matched=np.array([1.0, 0.0]), weights=np.ones(2), n_tasks=20
    )
    # isotonic: one matched task against the half added, so r = 1 / (1/40) = 40 and 1/40, by hand
    assert fit_isotonic(pairs)(np.array([1.0, 0.0])) == pytest.approx([math.log(40), -math.log(40)])
    # Platt's targets (n + 1)/(n + 2): p = 21/22, so r = 21, by hand
    assert fit_platt(pairs)(np.array([1.0, 0.0])) == pytest.approx([math.log(21), -math.log(21)], abs=1e-6)


def test_isotonic_never_falls_and_is_level_beyond_the_data():
    rng = np.random.default_rng(1)
    values = rng.normal(size=200)
    pairs = Ratios(values=values, is_matched=np.tile([1.0, 0.0], 100), weights=np.full(200, 0.01), n_tasks=20)
    mapped = fit_isotonic(pairs)(np.linspace(-5, 5, 400))
    assert np.all(np.diff(mapped) >= 0)
    assert mapped[0] == mapped[1]
    assert mapped[-1] == mapped[-2]


def test_the_scale_of_a_task_does_not_know_its_own_pairs():
    n_tasks = 20
    tasks = np.repeat(np.arange(n_tasks), 2)
    other = np.where(np.arange(40) % 2 == 0, tasks, (tasks + 1) % n_tasks)

    def scale_of_task_zero(own_value):
        values = np.where(np.arange(40) % 2 == 0, 1.0, 0.0)
        values[(tasks == 0) | (other == 0)] = own_value
        ratios = Ratios(
            values=values,
            is_matched=np.tile([1.0, 0.0], n_tasks),
            weights=np.full(40, 1 / n_tasks),
            n_tasks=n_tasks,
        )
        fitted = cross_fit(
            ratios, candidate_tasks=tasks, reference_tasks=other, n_tasks=n_tasks, method="platt"
        )
        return fitted.of(0)(np.array([0.0, 1.0])).tolist(), fitted.of(1)(np.array([0.0, 1.0])).tolist()

    (zero, one), (zero_changed, one_changed) = scale_of_task_zero(1.0), scale_of_task_zero(-9.0)
    assert zero == zero_changed
    assert one != one_changed


def test_few_tasks_are_refused():
    ratios = Ratios(
        values=np.zeros(4), is_matched=np.array([1.0, 0, 1, 0]), weights=np.full(4, 0.5), n_tasks=2
    )
    tasks = np.array([0, 0, 1, 1])
    with pytest.raises(InputError, match="needs 10 tasks"):
        cross_fit(ratios, candidate_tasks=tasks, reference_tasks=tasks, n_tasks=2, method="isotonic")
