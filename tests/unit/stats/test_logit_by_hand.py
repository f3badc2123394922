"""Coefficients with their three errors in cases that have closed forms."""

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from gameproof.errors import InputError
from gameproof.stats import logit
from gameproof.stats.logit import fit_logit, is_separated, sigmoid
from gameproof.stats.results import State


def _share(wins_by_cluster, size, confidence_level=0.95):
    y = np.concatenate([np.repeat([1, 0], [wins, size - wins]) for wins in wins_by_cluster])
    clusters = np.repeat(np.arange(len(wins_by_cluster)), size)
    return fit_logit(
        y, np.ones((y.size, 1)), ["constant"], clusters.tolist(), confidence_level=confidence_level
    )


def test_a_share_over_equal_clusters_has_errors_by_hand():
    # Shares 1/4, 2/4, 2/4, 3/4, 3/4 of 5 clusters of 4: p = 11/20, log odds log(11/9), bread 1 / (20 p q). The scores
    # of clusters are wins - 4 p = -1.2, -.2, -.2, .8, .8 with the sum of squares 2.8.
    found = _share([1, 2, 2, 3, 3], 4, confidence_level=0.9)
    (row,) = found.coefficients
    bread = 1 / (20 * 0.55 * 0.45)
    error = np.sqrt(5 / 4 * 19 / 19 * 2.8) * bread
    assert (row.name, found.n, found.n_clusters, found.state, found.detail) == ("constant", 20, 5, None, None)
    assert row.estimate == pytest.approx(np.log(11 / 9))
    assert row.odds_ratio == pytest.approx(11 / 9)
    assert found.log_likelihood == pytest.approx(11 * np.log(0.55) + 9 * np.log(0.45))
    assert row.error == pytest.approx(error)
    z = row.estimate / error
    assert row.pvalue_normal == pytest.approx(2 * NormalDist().cdf(-z))
    assert row.pvalue_t == pytest.approx(2 * stats.t.sf(z, 4))
    assert row.interval_normal.low == pytest.approx(row.estimate - 1.644854 * error, rel=1e-5)
    assert row.interval_normal.high == pytest.approx(row.estimate + 1.644854 * error, rel=1e-5)
    # Equal clusters: I - H_gg = I - 1/20 J has the root factor 1 / sqrt(1 - 4/20) on the sum, so the same error as
    # CR1 here, 5/4 = 1 / (1 - 1/5), and G - 1 degrees of freedom.
    assert row.error_cr2 == pytest.approx(error)
    assert row.df_cr2 == pytest.approx(4.0)
    assert row.pvalue_cr2 == pytest.approx(row.pvalue_t)
    reach = stats.t.ppf(0.95, 4) * error
    assert (row.interval_cr2.low, row.interval_cr2.high) == pytest.approx(
        (row.estimate - reach, row.estimate + reach)
    )


def test_the_small_sample_factor_counts_columns():
    # Two saturated groups of 3 clusters each: G/(G-1) (N-1)/(N-K) = 6/5 x 23/22 over the plain sandwich.
    wins, size = [1, 2, 3, 3, 2, 1], 4
    y = np.concatenate([np.repeat([1, 0], [w, size - w]) for w in wins])
    group = np.repeat([0.0, 1.0], 12)
    clusters = np.repeat(np.arange(6), 4)
    design = np.stack([1 - group, group], axis=1)
    found = fit_logit(y, design, ["one", "two"], clusters.tolist())
    bread = 1 / (12 * 0.25)
    for row in found.coefficients:
        assert row.estimate == pytest.approx(0.0, abs=1e-9)
        # scores of the clusters: wins - 2 = -1, 0, 1
        assert row.error == pytest.approx(np.sqrt(6 / 5 * 23 / 22 * 2) * bread)


def test_sides_of_a_pvalue_and_signs_of_an_estimate():
    up, down = _share([3, 3, 2, 3], 4), _share([1, 1, 2, 1], 4)
    for name in ("pvalue_normal", "pvalue_t", "pvalue_cr2", "error", "error_cr2"):
        assert getattr(up.coefficients[0], name) == pytest.approx(getattr(down.coefficients[0], name))
    assert up.coefficients[0].estimate == pytest.approx(-down.coefficients[0].estimate)
    assert up.coefficients[0].interval_cr2.low == pytest.approx(-down.coefficients[0].interval_cr2.high)


def test_the_first_step_is_newtons(monkeypatch):
    # By hand: at 0 the gradient of 3 of 4 is 3 - 4/2 = 1 and the curvature 4 x 1/4.
    monkeypatch.setattr(logit, "MAX_STEPS", 1)
    assert _share([2, 1], 2).coefficients[0].estimate == pytest.approx(1.0)


def test_a_step_that_overshoots_is_halved(monkeypatch):
    # Steps eight times too long: 8 from 0, where the maximum of 3 of 4 is log 3.
    solve = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda matrix, slope: 8 * solve(matrix, slope))
    assert _share([2, 1], 2).coefficients[0].estimate == pytest.approx(np.log(3), abs=1e-5)


def test_sigmoid_does_not_overflow():
    assert sigmoid(np.array([-1e4, 0.0, np.log(3), 1e4])).tolist() == pytest.approx([0.0, 0.5, 0.75, 1.0])


def test_a_cluster_that_alone_decides_a_column_keeps_finite_errors():
    # Only cluster 0 has the second column: in that direction I - H_gg is 0, and it is left out.
    rng = np.random.default_rng(0)
    y = np.array([1, 0, 1, 0, *rng.integers(0, 2, 20)])
    x = np.stack([np.ones(24), np.repeat([1.0, 0.0], [4, 20])], axis=1)
    found = fit_logit(y, x, ["constant", "own"], np.repeat(np.arange(6), 4).tolist())
    assert all(np.isfinite([row.error_cr2, row.df_cr2]).all() for row in found.coefficients)
    assert found.coefficients[1].estimate == pytest.approx(-found.coefficients[0].estimate)


def test_the_inverse_root_leaves_out_empty_directions():
    # By hand: eigenvalues 4 and 0 of [[2, 2], [2, 2]]: inverse root 1/2 on (1, 1) / sqrt(2).
    assert logit._inverse_root(np.full((2, 2), 2.0)) == pytest.approx(np.full((2, 2), 0.25))
    assert logit._inverse_root(np.diag([4.0, 1e-12])) == pytest.approx(np.diag([0.5, 0.0]))
    assert logit._inverse_root(np.diag([4.0, 1e-8])) == pytest.approx(np.diag([0.5, 1e4]))


@pytest.mark.parametrize(
    ("y", "x", "separated"),
    [
        ([1, 1, 0, 0], [1.0, 2, -1, -2], True),
        ([1, 1, 0, 0], [1.0, 0, 0, -2], True),  # quasi: never on the wrong side
        ([1, 0, 1, 0], [1.0, 1, 2, 2], False),
        ([1, 0], [1e-3, 1e-3], False),
        ([1, 0], [1e-3, -1e-3], True),
    ],
)
def test_separation_by_one_column(y, x, separated):
    assert is_separated(np.array(y, float), np.array(x)[:, None]) is separated


@pytest.mark.parametrize(
    ("y", "x", "names", "clusters"),
    [
        ([1, 0], np.ones((3, 1)), ["a"], [1, 2, 3]),
        ([1, 0, 1], np.ones((3, 1)), ["a"], [1, 2]),
        ([1, 0, 1], np.ones((3, 1)), ["a", "b"], [1, 2, 3]),
        ([1, 0, 1], np.ones(3), ["a"], [1, 2, 3]),
    ],
)
def test_shapes_that_do_not_fit_are_all_told(y, x, names, clusters):
    with pytest.raises(InputError) as caught:
        fit_logit(y, x, names, clusters)
    assert caught.value.message == (
        f"`outcomes` has {len(y)} entries, `design` the shape {x.shape}, `clusters` {len(clusters)} entries and"
        f" `names` {len(names)}: they must be (N,), (N, K), (N,) and (K,)."
    )


@pytest.mark.parametrize(("y", "value"), [([1, 0, 2], 1.0), ([1, 0, 1], np.inf), ([1, 0, 1], np.nan)])
def test_missing_or_other_values_are_refused(y, value):
    with pytest.raises(InputError) as caught:
        fit_logit(y, np.array([[1.0], [value], [1.0]]), ["a"], [1, 2, 3])
    assert caught.value.message == (
        "`design` must be finite and `outcomes` yes or no: leave rows with missing values out."
    )


def test_one_cluster_is_refused_and_two_are_enough():
    with pytest.raises(InputError) as caught:
        fit_logit([1, 0, 1], np.ones((3, 1)), ["a"], [7, 7, 7])
    assert (
        caught.value.hint
        == "Cluster by something that has several values, such as the annotator or the session."
    )
    assert fit_logit([1, 0, 1, 1], np.ones((4, 1)), ["a"], [7, 7, 8, 8]).coefficients


@pytest.mark.parametrize(
    ("x", "detail"),
    [
        ([[1.0, 1], [1, 1], [1, 1]], "the columns are linearly dependent: leave one out"),
        ([[1.0, 2], [1, -3], [1, 4]], "separated: some combination of columns foretells every outcome"),
    ],
)
def test_what_has_no_fit_says_why(x, detail):
    found = fit_logit([1, 0, 1], np.array(x), ["a", "b"], [1, 2, 2])
    assert (found.coefficients, found.n, found.n_clusters, found.log_likelihood) == ((), 3, 2, None)
    assert (found.state, found.detail) == (State.UNDEFINED, detail)


def test_clusters_that_all_say_the_same_give_no_error_and_a_reason():
    """Two of four in each cluster: every cluster's residuals sum to 0, and so would the errors. It divided by them."""
    fit = _share([2, 2, 2], 4)
    assert fit.coefficients == ()
    assert (fit.state, fit.detail) == (State.UNDEFINED, logit.ALIKE)
    assert _share([2, 2, 3], 4).coefficients[0].error > 0
