import numpy as np
import pytest
import statsmodels.api as sm
from scipy.optimize import minimize
from statsmodels.miscmodels.ordinal_model import OrderedModel

from gameproof.stats.resampling import make_resampling
from gameproof.stats.tie_model import PENALTY, TieModel, fit_tie_model, information_gain

RNG = np.random.default_rng(11)


def drawn(n, slope, tie):
    differences = RNG.normal(size=n)
    model = TieModel(slope=slope, tie=tie, scale=1.0)
    shares = model.probabilities(differences)
    u = RNG.random(n)
    choices = np.where(u < shares[:, 0], 1, np.where(u < shares[:, 0] + shares[:, 1], 0, -1))
    return differences, choices


def test_chances_sum_to_one_and_mirror_when_sides_are_swapped():
    model = TieModel(slope=1.3, tie=0.4, scale=2.0)
    shares = model.probabilities(np.array([-3.0, 0.0, 3.0]))
    assert shares.sum(axis=1) == pytest.approx([1.0] * 3, abs=1e-15)
    assert shares[0] == pytest.approx(shares[2, ::-1], abs=1e-15)


def test_the_fit_is_the_ordered_logit_of_pairs_in_both_orders():
    # statsmodels 0.14: with every pair in both orders the two cut points are symmetric, as here by definition.
    differences, choices = drawn(400, 1.2, 0.5)
    found = fit_tie_model(differences, choices)
    both = np.concatenate([differences, -differences]) / found.scale
    theirs = OrderedModel(np.concatenate([choices, -choices]) + 1, both[:, None], distr="logit").fit(
        method="bfgs", disp=False, gtol=1e-8
    )
    assert found.slope == pytest.approx(theirs.params[0], rel=2e-3)  # the prior weighs about 1e-4
    assert found.tie == pytest.approx(-theirs.params[1], rel=2e-3)


def test_the_fit_is_where_the_penalised_likelihood_is_highest():
    differences, choices = drawn(60, 0.7, 0.8)
    found = fit_tie_model(differences, choices)
    x = differences / found.scale

    def loss(parameters):
        slope, tie = parameters
        model = TieModel(slope=slope, tie=tie, scale=1.0)
        shares = model.probabilities(x)[np.arange(x.size), 1 - choices]
        return -np.log(np.maximum(shares, 1e-300)).sum() + 0.5 * PENALTY * slope**2

    best = minimize(loss, [0.1, 0.5], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    assert [found.slope, found.tie] == pytest.approx(best.x.tolist(), abs=1e-6)


def test_without_ties_it_is_a_logit_without_intercept():
    differences, choices = drawn(300, 0.9, 0.0)
    found = fit_tie_model(differences, choices)
    theirs = sm.Logit((choices + 1) // 2, differences[:, None] / found.scale).fit(disp=False)
    assert found.tie == 0.0
    assert found.slope == pytest.approx(theirs.params[0], rel=2e-3)


def test_separated_choices_have_a_finite_slope():
    differences = np.linspace(-1, 1, 40)
    found = fit_tie_model(differences, np.sign(differences).astype(int))
    assert 3 < found.slope < 100


def test_a_metric_that_never_differs_has_no_model():
    assert fit_tie_model(np.zeros(4), np.array([1, 0, -1, 1])) is None


def test_information_is_gained_by_a_metric_that_knows_and_not_by_noise():
    differences, choices = drawn(3000, 1.5, 0.5)
    clusters = np.arange(3000) % 60
    found = information_gain(differences, choices, make_resampling(clusters.tolist()), n_resamples=499)
    model = TieModel(slope=1.5, tie=0.5, scale=1.0)
    x = RNG.normal(size=400_000)
    shares = model.probabilities(x)
    tied = shares[:, 1].mean()
    base = np.array([(1 - tied) / 2, tied, (1 - tied) / 2])
    expected = (shares * (np.log(np.maximum(shares, 1e-300)) - np.log(base))).sum(axis=1).mean()
    # the population gain, with the interval's own width as what sampling may do
    assert found.interval.low < expected < found.interval.high
    noise = information_gain(
        RNG.normal(size=3000), choices, make_resampling(clusters.tolist()), n_resamples=499
    )
    assert abs(noise.value) < 0.002  # a fitted slope on 2,700 choices costs about 1 / 5,400 nats each
