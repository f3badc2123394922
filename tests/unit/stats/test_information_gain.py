"""Information gain as a loop over folds, and a fit step by step."""

import numpy as np
import pytest

from gameproof.stats import tie_model
from gameproof.stats.bootstrap import percentile_bounds, resample_counts
from gameproof.stats.resampling import make_resampling
from gameproof.stats.tie_model import SMALLEST, TieModel, fit_tie_model, information_gain

RNG = np.random.default_rng(41)


def _drawn(n, n_clusters, seed=0):
    rng = np.random.default_rng(seed)
    choices = rng.integers(-1, 2, size=n)
    return choices + rng.normal(size=n), choices, rng.integers(0, n_clusters, size=n)


@pytest.mark.parametrize(("n_clusters", "n_folds"), [(24, 10), (7, 7), (3, 3)])
def test_gains_are_held_against_models_of_other_clusters(n_clusters, n_folds):
    differences, choices, clusters = _drawn(120, n_clusters)
    numbers = {label: number for number, label in enumerate(dict.fromkeys(clusters.tolist()))}
    folds = np.array([numbers[label] % n_folds for label in clusters.tolist()])
    gains = np.empty(120)
    for i in range(120):
        rest = folds != folds[i]
        ties = ((choices[rest] == 0).sum() + 0.5) / (rest.sum() + 1)
        base = ties if choices[i] == 0 else (1 - ties) / 2
        model = fit_tie_model(differences[rest], choices[rest])
        gains[i] = np.log(model.probabilities(differences[i : i + 1])[0, 1 - choices[i]] / base)
    counts = resample_counts(n_clusters, 99, seed=4)
    draws = np.array(
        [np.repeat(gains, row[[numbers[c] for c in clusters.tolist()]]).mean() for row in counts]
    )
    low, high = percentile_bounds(draws[None, :], 0.9)[:, 0]

    found = information_gain(
        differences, choices, make_resampling(clusters.tolist()), n_resamples=99, confidence_level=0.9, seed=4
    )

    assert found.value == pytest.approx(gains.mean())
    assert found.n == 120
    assert found.draws == pytest.approx(draws)
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))


def test_folds_are_made_of_the_last_kind_of_cluster():
    # Texts cross annotators: leaving one fold of texts out is what the model never saw.
    differences, choices, texts = _drawn(60, 5)
    people = np.arange(60) % 4
    crossed = make_resampling(people.tolist(), texts.tolist())
    alone = make_resampling(texts.tolist())
    values = [information_gain(differences, choices, each, n_resamples=9).value for each in (crossed, alone)]
    assert values[0] == pytest.approx(values[1], abs=1e-12)


def test_a_metric_that_never_differs_gains_nothing():
    found = information_gain(
        np.zeros(20), RNG.integers(-1, 2, size=20), make_resampling(range(20)), n_resamples=99
    )
    assert (found.value, found.n) == (0.0, 20)
    assert set(found.draws.tolist()) == {0.0}


def test_a_single_cluster_has_nothing_to_be_held_against():
    found = information_gain(
        np.array([1.0, -1.0, 2.0]), np.array([1, -1, 1]), make_resampling(["a", "a", "a"]), n_resamples=9
    )
    assert (found.value, found.interval, found.n, found.draws.size) == (None, None, 0, 0)


def test_a_choice_that_the_model_rules_out_costs_a_finite_number_of_nats():
    # Cluster 1 has clear choices and no tie, so the model gives a tie in cluster 0 no chance at all.
    differences = np.array([50.0, 1.0, -1.0, 1.0, -1.0])
    choices = np.array([0, 1, -1, 1, -1])
    found = information_gain(differences, choices, make_resampling([0, 1, 1, 1, 1]), n_resamples=9)
    held = np.log(SMALLEST) - np.log(0.5 / 5)  # of cluster 0: no tie among the four others
    # Of cluster 1 the model knows one tie: it is fitted to a share of ties of 1.
    model = fit_tie_model(differences[:1], choices[:1])
    others = np.log(np.maximum(model.probabilities(differences[1:])[np.arange(4), 1 - choices[1:]], SMALLEST))
    base = np.log((1 - 1.5 / 2) / 2)
    assert found.value == pytest.approx((held + (others - base).sum()) / 5)


def test_chances_by_hand():
    # sigma(1.5 x 2/4 - .5) = sigma(.25), sigma(-1.25), and what is left.
    first, neither, second = TieModel(slope=1.5, tie=0.5, scale=4.0).probabilities(np.array([2.0]))[0]
    assert first == pytest.approx(1 / (1 + np.exp(-0.25)))
    assert second == pytest.approx(1 / (1 + np.exp(1.25)))
    assert neither == pytest.approx(1 - first - second)


def test_a_constant_size_of_difference_is_fitted_by_its_shares():
    # By hand: differences of +-1 with 30 choices with the metric, 10 against it and 20 ties: two parameters for two
    # shares, so sigma(slope - tie) = 1/2 and sigma(-slope - tie) = 1/6 but for the weak prior.
    differences = np.tile([1.0, -1.0], 30)
    choices = np.repeat([1, -1, 0], [30, 10, 20]) * differences.astype(int)
    found = fit_tie_model(differences, choices)
    assert found.scale == 1.0
    assert found.slope == pytest.approx(np.log(5) / 2, abs=2e-3)
    assert found.tie == pytest.approx(np.log(5) / 2, abs=2e-3)


def test_the_scale_is_the_root_mean_square():
    found = fit_tie_model(np.array([3.0, -4.0, 0.0, 5.0]), np.array([1, -1, 0, -1]))
    assert found.scale == pytest.approx(np.sqrt(50 / 4))


def test_the_first_step_is_newtons(monkeypatch):
    # By hand: at slope 0 without ties every chance is 1/2, so of three right and one wrong choice the gradient is
    # (3 - 1) / 2 = 1, and the curvature 4 x 1/4 + .01.
    monkeypatch.setattr(tie_model, "MAX_STEPS", 1)
    found = fit_tie_model(np.ones(4), np.array([1, 1, 1, -1]))
    assert found.slope == pytest.approx(1 / 1.01)
    assert found.tie == 0.0


def test_no_differences_have_no_model():
    assert fit_tie_model(np.empty(0), np.empty(0, int)) is None


def test_only_ties_have_a_finite_model():
    found = fit_tie_model(np.array([1.0, -2.0, 0.5]), np.zeros(3, int))
    assert np.isfinite([found.slope, found.tie]).all()
    assert found.probabilities(np.array([1.0, 0.0]))[:, 1] == pytest.approx([1.0, 1.0], abs=1e-6)


def test_a_step_that_overshoots_is_halved(monkeypatch):
    # Steps eight times too long reach the same maximum as Newton's own.
    differences, choices, _ = _drawn(40, 4)
    expected = fit_tie_model(differences, choices)
    solve = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda matrix, slope: 8 * solve(matrix, slope))
    found = fit_tie_model(differences, choices)
    assert (found.slope, found.tie) == pytest.approx((expected.slope, expected.tie), abs=1e-3)


def test_a_step_that_only_loses_is_not_taken(monkeypatch):
    # Turned round, no step gains. By hand the climb begins at slope 0 with the share of ties t as it is, here 1/4:
    # 1 - 2 sigma(-tie) = t gives tie = log((1 + t) / (1 - t)) = log(5 / 3).
    differences, choices = np.array([1.0, 2.0, -1.0, 0.5]), np.array([1, 1, -1, 0])
    solve = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda matrix, slope: -solve(matrix, slope))
    found = fit_tie_model(differences, choices)
    assert (found.slope, found.tie) == (0.0, pytest.approx(np.log(5 / 3)))
