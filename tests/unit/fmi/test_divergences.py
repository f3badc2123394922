"""The six rows of the table, at reference values and at the ends of their domains."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from gameproof.fmi.divergences import CHI2, DIVERGENCES, H2, JS, KL, RKL, TV

VECTORS = json.loads((Path(__file__).parents[2] / "golden" / "fmi_vectors.json").read_text("utf-8"))
EACH = pytest.mark.parametrize("symbol", DIVERGENCES)


def column(symbol, name):
    return np.array([row[name] for row in VECTORS["divergences"][symbol]["bins"]])


@EACH
def test_generator_equals_the_reference_on_the_seven_bins(symbol):
    found = DIVERGENCES[symbol].generator(column(symbol, "ratio"))
    np.testing.assert_allclose(found, column(symbol, "generator"), atol=1e-12, rtol=0)


@EACH
@pytest.mark.parametrize("formula", ["critic", "joint", "monotone"])
def test_formulas_of_the_ratio_equal_the_reference_on_the_seven_bins(symbol, formula):
    found = getattr(DIVERGENCES[symbol], formula)(np.log(column(symbol, "ratio")))
    np.testing.assert_allclose(found, column(symbol, formula), atol=1e-12, rtol=0)


@EACH
def test_conjugate_of_the_critic_equals_the_reference_on_the_seven_bins(symbol):
    found = DIVERGENCES[symbol].conjugate(column(symbol, "critic"))
    np.testing.assert_allclose(found, column(symbol, "conjugate_of_critic"), atol=1e-12, rtol=0)


@EACH
def test_gauge_constant_equals_the_reference(symbol):
    assert DIVERGENCES[symbol].gauge == pytest.approx(VECTORS["divergences"][symbol]["gauge"], abs=1e-15)


@EACH
def test_generator_at_zero_is_the_declared_limit(symbol):
    with np.errstate(divide="ignore"):
        assert DIVERGENCES[symbol].generator(np.array([0.0]))[0] == DIVERGENCES[symbol].at_zero


@EACH
def test_gauge_is_the_generator_at_zero_where_that_is_finite(symbol):
    divergence = DIVERGENCES[symbol]
    assert divergence.at_zero in {divergence.gauge, math.inf}


@EACH
def test_an_impossible_pair_costs_minus_the_generator_at_zero(symbol):
    # r = 0: f*(T*(0)) = 0 T*(0) - f(0) = -f(0), by Fenchel's equality
    divergence = DIVERGENCES[symbol]
    with np.errstate(divide="ignore"):
        critic = divergence.critic(np.array([-np.inf]))
        assert divergence.conjugate(critic)[0] == pytest.approx(-divergence.at_zero, abs=1e-15)


def test_total_variation_critic_of_ratio_one_is_zero():
    assert TV.critic(np.array([0.0]))[0] == 0.0


@pytest.mark.parametrize(
    ("divergence", "outside"),
    [(TV, 0.51), (RKL, 0.0), (RKL, 3.0), (H2, 1.0), (H2, 4.0), (JS, math.log(2) / 2), (JS, 2.0)],
)
def test_conjugate_is_infinite_outside_its_domain(divergence, outside):
    assert divergence.conjugate(np.array([outside]))[0] == math.inf


@pytest.mark.parametrize(("divergence", "floor"), [(CHI2, -1.0), (TV, -0.5), (H2, -1.0), (KL, 0.0)])
def test_conjugate_flattens_out_at_minus_the_generator_at_zero(divergence, floor):
    # the supremum over t > 0 of v t - f(t) tends to -f(0) as v falls; chi-squared reaches it at v = -2
    assert divergence.conjugate(np.array([-1e6]))[0] == pytest.approx(floor, abs=1e-5)


def test_chi_squared_conjugate_below_minus_two_is_exactly_minus_one():
    assert CHI2.conjugate(np.array([-2.0, -2.0001, -10.0])).tolist() == [-1.0, -1.0, -1.0]


def test_a_divergence_prints_as_its_symbol():
    assert [str(divergence) for divergence in DIVERGENCES.values()] == ["TV", "KL", "RKL", "CHI2", "H2", "JS"]
