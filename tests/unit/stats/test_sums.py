import numpy as np

from gameproof.stats.sums import mean_by, sum_by


def test_every_label_has_a_sum_also_one_that_does_not_occur():
    # By hand: 1 + 2, nothing, 5, and a fourth label that nothing has.
    found = sum_by(np.array([0, 2, 0]), np.array([1.0, 5.0, 2.0]), 4)
    assert found.tolist() == [3.0, 0.0, 5.0, 0.0]
    assert found.dtype == np.float64


def test_truths_are_counted():
    assert sum_by(np.array([1, 1, 0]), np.array([True, True, False]), 2).tolist() == [0.0, 2.0]


def test_means_skip_labels_that_do_not_occur():
    assert mean_by(np.array([0, 3, 0]), np.array([1.0, 5.0, 2.0])).tolist() == [1.5, 5.0]
