import csv

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.stats import norm, t

from gameproof.errors import InputError
from gameproof.stats import logit
from gameproof.stats.logit import fit_logit, is_separated
from gameproof.stats.results import State


def drawn(n=240, n_clusters=19, seed=1):
    rng = np.random.default_rng(seed)
    clusters = rng.integers(0, n_clusters, size=n)
    x = np.stack([np.ones(n), rng.integers(0, 2, n), rng.normal(size=n)], axis=1).astype(float)
    own = rng.normal(scale=0.5, size=n_clusters)
    y = rng.random(n) < 1 / (1 + np.exp(-(x @ [0.3, -0.8, 0.4] + own[clusters])))
    return y.astype(int), x, clusters


def fitted(y, x, clusters):
    return fit_logit(y, x, ["constant", "group", "size"][: x.shape[1]], clusters.tolist())


@pytest.mark.parametrize("use_t", [False, True])
def test_estimates_and_cluster_errors_are_those_of_statsmodels(use_t):
    y, x, clusters = drawn()
    ours = fitted(y, x, clusters)
    # statsmodels 0.14
    theirs = sm.Logit(y, x).fit(disp=False, cov_type="cluster", cov_kwds={"groups": clusters}, use_t=use_t)
    assert [row.estimate for row in ours.coefficients] == pytest.approx(theirs.params.tolist(), abs=1e-8)
    assert [row.error for row in ours.coefficients] == pytest.approx(theirs.bse.tolist(), abs=1e-8)
    pvalues = [row.pvalue_t if use_t else row.pvalue_normal for row in ours.coefficients]
    if use_t:  # statsmodels counts t(N-K) there unless told the number of clusters; the rule is t(G-1)
        z = theirs.params / theirs.bse
        assert pvalues == pytest.approx((2 * t.sf(abs(z), len(set(clusters)) - 1)).tolist(), abs=1e-8)
    else:
        assert pvalues == pytest.approx(theirs.pvalues.tolist(), abs=1e-8)
        assert ours.log_likelihood == pytest.approx(theirs.llf, abs=1e-9)


def test_with_one_observation_a_cluster_the_reduced_errors_are_hc2_of_the_weighted_model():
    y, x, _ = drawn(n=80)
    ours = fitted(y, x, np.arange(80))
    p = 1 / (1 + np.exp(-x @ [row.estimate for row in ours.coefficients]))
    root = np.sqrt(p * (1 - p))
    working = root[:, None] * x
    response = working @ [row.estimate for row in ours.coefficients] + (y - p) / root
    theirs = sm.OLS(response, working).fit()  # statsmodels 0.14, HC2
    assert [row.error_cr2 for row in ours.coefficients] == pytest.approx(theirs.HC2_se.tolist(), rel=1e-7)


def test_reduced_errors_are_unbiased_and_degrees_of_freedom_match_moments():
    # In the weighted linear model with equal variances, E[V] = M, and V[c, c] is a quadratic form u' B u of
    # independent errors: Satterthwaite's degrees of freedom are tr(B)^2 / tr(B^2). B is read off the code by
    # putting unit errors in.
    _, x, clusters = drawn(n=40, n_clusters=6, seed=3)
    weights = np.random.default_rng(4).uniform(0.1, 0.25, size=40)
    scaled = np.sqrt(weights)[:, None] * x
    bread = np.linalg.inv(scaled.T @ scaled)
    maker = np.eye(40) - scaled @ bread @ scaled.T

    def variance(errors):
        residuals = (maker @ errors) * np.sqrt(weights)
        found, df = logit._bias_reduced(residuals, x, weights, bread, clusters)
        return found**2, df

    unit = np.eye(40)
    singles = np.array([variance(unit[i])[0] for i in range(40)])
    assert singles.sum(axis=0) == pytest.approx(np.diag(bread), rel=1e-10)
    _, degrees = variance(unit[0])
    forms = np.zeros((3, 40, 40))
    for i in range(40):
        for j in range(i, 40):
            cross = (variance(unit[i] + unit[j])[0] - singles[i] - singles[j]) / 2 if i != j else singles[i]
            forms[:, i, j] = forms[:, j, i] = cross
    expected = np.einsum("kii->k", forms) ** 2 / np.einsum("kij,kji->k", forms, forms)
    assert degrees == pytest.approx(expected, rel=1e-8)


def test_a_share_over_equal_clusters_has_one_degree_of_freedom_less_than_clusters():
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(12), 5)
    ours = fitted((rng.random(60) < 0.6).astype(int), np.ones((60, 1)), clusters)
    assert ours.coefficients[0].df_cr2 == pytest.approx(11.0, rel=1e-9)


def test_separation_is_named_and_has_no_coefficients():
    x = np.stack([np.ones(20), np.arange(20.0)], axis=1)
    for y in ((np.arange(20) > 9).astype(int), np.array([0] * 9 + [1, 0] + [1] * 9)):
        separated = bool((np.diff(y) >= 0).all())
        assert is_separated(y.astype(float), x) is separated
        found = fit_logit(y, x, ["constant", "size"], list(range(20)))
        assert (found.state is State.UNDEFINED) is separated
        assert bool(found.coefficients) is not separated


def test_quasi_separation_by_a_group_that_always_wins_is_found():
    y = np.array([1, 1, 1, 1, 0, 1, 0, 1])
    x = np.stack([np.ones(8), [1, 1, 1, 1, 0, 0, 0, 0]], axis=1)
    found = fit_logit(y, x, ["constant", "group"], list(range(8)))
    assert "separated" in found.detail


def test_dependent_columns_are_named():
    y, x, clusters = drawn()
    found = fit_logit(y, np.concatenate([x, x[:, 1:2]], axis=1), ["a", "b", "c", "d"], clusters.tolist())
    assert "linearly dependent" in found.detail


def test_case_52_one_cluster_is_refused_in_words():
    y, x, _ = drawn(n=30)
    with pytest.raises(InputError, match="`clusters` has 1: errors that allow for clusters need at least 2"):
        fit_logit(y, x, ["a", "b", "c"], ["one"] * 30)


def test_shapes_and_values_are_checked():
    with pytest.raises(InputError, match=r"must be \(N,\), \(N, K\)"):
        fit_logit([1, 0], np.ones((3, 1)), ["a"], [1, 2, 3])
    with pytest.raises(InputError, match="finite"):
        fit_logit([1, 0, 1], np.array([[np.nan], [1], [1]]), ["a"], [1, 2, 3])


@pytest.mark.real_data
def test_the_published_regression_is_rederived_from_its_coefficients(shared_folder):
    # Information Satisfaction, table 4c: z, p and intervals are normal; with t(18) for its 19 annotators the
    # headline p of .046 is .062.
    with (shared_folder / "seed_tables" / "p2_table04c_logistic_regression.csv").open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        estimate, error = float(row["coef"]), float(row["se_cluster"])
        half_last_digit = 0.0005 / error + 0.0005 * abs(estimate) / error**2
        assert float(row["z"]) == pytest.approx(estimate / error, abs=0.005 + half_last_digit)
        assert float(row["p"]) == pytest.approx(2 * norm.sf(abs(estimate / error)), abs=0.003)
        assert float(row["odds_ratio"]) == pytest.approx(np.exp(estimate), abs=0.006)
        assert float(row["or_ci_low"]) == pytest.approx(np.exp(estimate - 1.96 * error), abs=0.006)
        assert float(row["or_ci_high"]) == pytest.approx(np.exp(estimate + 1.96 * error), abs=0.006)
    assert 2 * logit._t_tail(0.619 / 0.311, 18) == pytest.approx(0.062, abs=5e-4)
