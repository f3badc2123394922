import numpy as np
import pytest

from gameproof.stats.ranks import (
    distinct_values,
    kendall,
    midranks,
    midranks_within,
    rank_correlation,
    spearman,
    tie_share,
)


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


def test_runs_of_ties_at_both_ends_share_their_places():
    # By hand: places 1, 2 share 1.5; 3, 4, 5 share 4; 6 stands alone.
    assert midranks(np.array([7.0, 1.0, 5.0, 1.0, 5.0, 5.0])).tolist() == [6.0, 1.5, 4.0, 1.5, 4.0, 4.0]
    assert midranks_within(np.array([7.0, 1, 5, 1, 5, 5]), np.zeros(6, int)).tolist() == [
        6.0,
        1.5,
        4,
        1.5,
        4,
        4,
    ]


def test_the_same_value_in_two_tasks_is_no_tie():
    # Task 1 begins with the value that task 0 ends with.
    ranks = midranks_within(np.array([1.0, 2.0, 2.0, 3.0, 3.0]), np.array([0, 0, 1, 1, 1]))
    assert ranks.tolist() == [1.0, 2.0, 1.0, 2.5, 2.5]


def test_two_pairs_have_a_rank_correlation():
    assert spearman(np.array([1.0, 5.0]), np.array([7.0, 2.0])) == -1.0


def test_a_constant_column_of_ranks_has_no_correlation_and_spoils_no_other():
    first, second = np.array([[1.0, 2.0], [2.0, 2.0], [3.0, 2.0]]), np.array([[3.0, 1], [2, 2], [1, 3]])
    found = rank_correlation(first, second)
    assert found[0] == pytest.approx(-1.0)
    assert np.isnan(found[1])


def test_kendall_by_counting_pairs():
    # x 1 1 2 3 4 and y 1 2 2 2 1: concordant (1,3) (1,4); discordant (2,5) (3,5) (4,5); ties in x 1, in y 1 + 3 of 10.
    x, y = np.array([1.0, 1, 2, 3, 4]), np.array([1.0, 2, 2, 2, 1])
    assert kendall(x, y, variant="b") == pytest.approx((2 - 3) / np.sqrt((10 - 1) * (10 - 4)))
    # two distinct values of y: 2 (C - D) / (25 / 2)
    assert kendall(x, y, variant="c") == pytest.approx(-2 / (25 * 1 / 2))
    assert kendall(np.ones(5), y, variant="c") is None
    assert kendall(np.array([1.0, 2.0]), np.array([3.0, 4.0]), variant="b") == 1.0


def test_values_that_occur_twice_are_ties():
    assert tie_share(np.array([1.0, 2, 3])) == 0.0
    assert tie_share(np.array([1.0, 1, 3, 3, 3, 4])) == pytest.approx(5 / 6)
