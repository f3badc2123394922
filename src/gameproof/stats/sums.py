"""Add up values by label."""

import numpy as np
import numpy.typing as npt

from gameproof.records import FloatArray, IntArray

__all__ = ["mean_by", "sum_by"]


def sum_by(labels: IntArray, values: npt.NDArray[np.float64 | np.bool_], n_labels: int) -> FloatArray:
    """Sum the values of each label from 0 to ``n_labels - 1``.

    Example:
        >>> sum_by(np.array([0, 2, 0]), np.array([1.0, 5.0, 2.0]), 3).tolist()
        [3.0, 0.0, 5.0]
    """
    return np.bincount(labels, weights=values, minlength=n_labels).astype(np.float64, copy=False)


def mean_by(labels: IntArray, values: FloatArray) -> FloatArray:
    """Return the mean of each label that occurs, in ascending order of labels.

    Example:
        >>> mean_by(np.array([0, 2, 0]), np.array([1.0, 5.0, 2.0])).tolist()
        [1.5, 5.0]
    """
    counts = np.bincount(labels)
    present = counts > 0
    return sum_by(labels, values, counts.size)[present] / counts[present]
