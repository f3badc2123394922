"""Identities that hold for every divergence, at every ratio and in every world."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameproof.fmi.divergences import DIVERGENCES, RKL
from gameproof.fmi.estimators import direct, optimal_critic
from gameproof.fmi.worlds import World

EACH = pytest.mark.parametrize("divergence", DIVERGENCES.values(), ids=str)
LOG_RATIOS = st.floats(-12, 12)
POSITIVE = st.floats(1e-6, 1e6)


@st.composite
def worlds(draw):
    rows, columns = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    counts = draw(st.lists(st.integers(1, 50), min_size=rows * columns, max_size=rows * columns))
    return World(np.array(counts, dtype=float).reshape(rows, columns))


@st.composite
def kernels(draw, rows):
    weights = draw(
        st.lists(
            st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=rows, max_size=rows
        )
    )
    table = np.array(weights, dtype=float)
    return table / table.sum(axis=1, keepdims=True)


@EACH
@given(log_ratio=LOG_RATIOS)
def test_fenchel_equality_at_the_optimal_critic(divergence, log_ratio):
    # r T* - f*(T*) = f(r)
    ratio = np.array([math.exp(log_ratio)])
    critic = divergence.critic(np.array([log_ratio]))
    left = ratio * critic - divergence.conjugate(critic)
    np.testing.assert_allclose(left, divergence.generator(ratio), rtol=1e-9, atol=1e-9)


@EACH
@given(log_ratio=LOG_RATIOS, other=LOG_RATIOS)
def test_fenchel_young_inequality_at_any_other_critic(divergence, log_ratio, other):
    # r T - f*(T) <= f(r): no critic makes the bound too large
    ratio = np.array([math.exp(log_ratio)])
    critic = divergence.critic(np.array([other]))
    left, right = ratio * critic - divergence.conjugate(critic), divergence.generator(ratio)
    assert left[0] <= right[0] + 1e-9 * (1 + abs(right[0]) + abs(left[0]) + ratio[0])


@EACH
@given(ratio=POSITIVE)
def test_monotone_form_is_the_joint_form_plus_its_gauge(divergence, ratio):
    log_ratio = np.log([ratio])
    expected = divergence.generator(np.array([ratio])) / ratio + divergence.gauge * (1 - 1 / ratio)
    tolerance = 1e-9 * (1 + 1 / ratio)  # the closed forms avoid the cancellation of the definition
    np.testing.assert_allclose(divergence.monotone(log_ratio), expected, rtol=1e-9, atol=tolerance)


@EACH
@given(first=st.floats(-20, 20), second=st.floats(-20, 20))
def test_monotone_form_increases_with_the_ratio(divergence, first, second):
    low, high = sorted((first, second))
    low = max(low, divergence.monotone_from)
    if low < high:
        scores = direct(divergence, np.array([low, high])).values
        assert scores[0] <= scores[1]


@EACH
@given(world=worlds())
def test_all_routes_give_the_same_information(divergence, world):
    exact = world.information(divergence)
    joint = world.mean_over_matched(direct(divergence, world.log_ratio, form="joint").values)
    critic = optimal_critic(divergence, world.log_ratio).values
    contrast = world.mean_over_matched(critic) - world.mean_over_mismatched(divergence.conjugate(critic))
    np.testing.assert_allclose([joint, contrast], exact, rtol=1e-9, atol=1e-9)
    if divergence is not RKL or world.log_ratio.min() >= RKL.monotone_from:
        monotone = world.mean_over_matched(direct(divergence, world.log_ratio).values)
        assert monotone == pytest.approx(exact, rel=1e-9, abs=1e-9)


@EACH
@given(world=worlds(), data=st.data())
def test_garbling_the_candidate_never_raises_information(divergence, world, data):
    # the data-processing inequality (paper 1, Proposition 2.2)
    kernel = data.draw(kernels(world.weights.shape[0]))
    assert world.garbled(kernel).information(divergence) <= world.information(divergence) + 1e-12


@EACH
@given(world=worlds())
def test_merging_candidates_never_raises_information(divergence, world):
    rows = range(world.weights.shape[0])
    merged = world.merged([rows[:2], *([row] for row in rows[2:])])
    assert merged.information(divergence) <= world.information(divergence) + 1e-12


@EACH
@given(world=worlds())
def test_information_is_within_its_bounds(divergence, world):
    assert -1e-12 <= world.information(divergence) <= divergence.upper_bound + 1e-12
