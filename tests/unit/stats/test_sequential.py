"""A test that may be looked at after every observation."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from gameproof.errors import InputError
from gameproof.stats.sequential import EFFECT_VARIANCE, evidence, first_settled

N_SEEDS, N_LOOKS = 1000, 400
ALLOWED = 74  # rejections of 1,000 at level .05: exceeded by chance in one test of 2,000 (binomial)


def rejections(values):
    return int(np.any(evidence(values) >= 20, axis=1).sum())


def t_tests_reject(values):
    n = np.arange(1, values.shape[1] + 1)
    means = np.cumsum(values, axis=1) / n
    spreads = np.sqrt((np.cumsum(values**2, axis=1) - n * means**2)[:, 1:] / (n[1:] - 1))
    t = np.abs(means[:, 1:]) * np.sqrt(n[1:]) / spreads
    return int(np.any(t >= stats.t.ppf(0.975, n[1:] - 1), axis=1).sum())


def test_the_bound_is_that_of_the_binomial_law():
    assert stats.binom.sf(ALLOWED, N_SEEDS, 0.05) < 1 / 2000


@pytest.mark.parametrize("spread", [1e-6, 1.0, 1e6])
def test_under_optional_stopping_the_level_holds_where_repeated_t_tests_break_it(spread):
    values = spread * np.random.default_rng(11).normal(size=(N_SEEDS, N_LOOKS))
    assert rejections(values) <= ALLOWED
    assert t_tests_reject(values) > 5 * ALLOWED


@pytest.mark.parametrize("kind", ["skewed", "coins"])
def test_the_level_holds_for_means_of_many_texts_that_are_not_normal(kind):
    rng = np.random.default_rng(12)
    shape = (N_SEEDS, 200, 40)
    draws = rng.exponential(size=shape) - 1 if kind == "skewed" else rng.choice([-0.5, 0.0, 0.5], size=shape)
    assert rejections(draws.mean(axis=2)) <= ALLOWED


def test_a_change_of_half_a_standard_deviation_is_settled_with_its_sign():
    values = np.random.default_rng(13).normal(-0.5, 1.0, (200, N_LOOKS))
    settled = [first_settled(row) for row in values]
    assert all(place is not None for place in settled)
    # log 20 / (growth a look, about log(1 + .25)/2 = .11) and the price of the mixture: about 50 looks
    assert 20 < np.median(settled) < 80
    assert all(row[:place].mean() < 0 for row, place in zip(values, settled, strict=True))


@pytest.mark.parametrize("n", [8, 30])
def test_evidence_is_the_likelihood_ratio_of_t(n):
    values = np.random.default_rng(n).normal(0.4, 2.0, n)
    t = math.sqrt(n) * values.mean() / values.std(ddof=1)

    def mixed(effect):
        law = stats.norm(0, math.sqrt(EFFECT_VARIANCE))
        return stats.nct.pdf(t, n - 1, math.sqrt(n) * effect) * law.pdf(effect)

    expected = integrate.quad(mixed, -6, 6, limit=200)[0] / stats.t.pdf(t, n - 1)
    assert evidence(values)[-1] == pytest.approx(expected, rel=1e-6)  # quadrature


def test_evidence_does_not_depend_on_the_unit():
    values = np.random.default_rng(1).normal(size=20)
    assert evidence(1000 * values) == pytest.approx(evidence(values))


def test_nothing_is_concluded_before_eight_observations():
    assert evidence(np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]))[-1] == 1.0


def test_observations_without_spread_settle_at_once_unless_they_are_0():
    assert evidence(np.zeros(9)).tolist() == [1.0] * 9
    assert evidence(np.full(9, 0.1)).tolist() == [1.0] * 7 + [np.inf] * 2
    assert first_settled(np.zeros(9)) is None


def test_a_mixture_without_effects_is_refused():
    with pytest.raises(InputError, match="effect_variance"):
        evidence(np.ones(3), effect_variance=0.0)
