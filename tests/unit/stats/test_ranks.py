import numpy as np
import pytest

from gameproof.stats.ranks import distinct_values, kendall, midranks, midranks_within, spearman, tie_share


def test_ties_share_the_mean_of_their_places():
    assert midranks(np.array([10.0, 20.0, 20.0, 5.0])).tolist() == [2.0, 3.5, 3.5, 1.0]


def test_columns_are_ranked_separately():
    table = np.array([[1.0, 5.0], [1.0, 4.0], [0.0, 3.0]])
    assert midranks(table).tolist() == [[2.5, 3.0], [2.5, 2.0], [1.0, 1.0]]


def test_ranks_within_tasks_start_anew_in_each():
    ranks = midranks_within(np.array([3.0, 9.0, 3.0, 1.0]), np.array([0, 1, 0, 1]))
    assert ranks.tolist() == [1.5, 2.0, 1.5, 1.0]


def test_ranks_of_nothing_are_nothing():
    assert midranks_within(np.zeros(0), np.zeros(0, int)).size == 0


def test_spearman_of_one_pair_or_of_a_constant_is_not_defined():
    assert spearman(np.array([1.0]), np.array([2.0])) is None
    assert spearman(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])) is None


def test_case_45_both_variants_of_kendalls_tau_are_named():
    # Measured with scipy 1.17.1: tau-b .75, tau-c .72.
    x, y = np.array([1.0, 1, 2, 2, 3]), np.array([1.0, 2, 2, 3, 3])
    assert kendall(x, y, variant="b") == pytest.approx(0.75)
    assert kendall(x, y, variant="c") == pytest.approx(0.72)
    assert kendall(x, np.ones(5), variant="b") is None


def test_case_45_the_share_of_ties_is_named():
    assert tie_share(np.array([1.0, 1, 2, 2, 3])) == 0.8
    assert tie_share(np.zeros(0)) == 0.0
    assert distinct_values(np.array([1.0, 1, 2, 2, 3])) == 3
