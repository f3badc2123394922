"""How much each statement of a reference counts: weights that nobody who writes a candidate can move.

    T(x, y) = sum over k of w_k T(x, psi_k),   w_k >= 0,   sum over k of w_k = 1

With weights that depend on the reference alone, a statement drawn by them is a function of the reference (and of
chance), so |T| <= 1/2 holds and a variational score stays at most the information about the whole reference, as
it is with equal weights. Weights that depend on the candidate would be a critic without that bound.

    rarity      w_k = min(-log p_k, log 20): what many other tasks' references say as well counts little
    consensus   w_k = how many references of the task say it; what an earlier one says already is not counted again
"""

import math

import numpy as np

from gameproof.records import BoolArray, FloatArray, IntArray

__all__ = ["RARITY_CAP", "consensus", "rarity"]

# As for the words of `overlap`: what is in one task of twenty or fewer counts most, so that weights do not
# drift with the number of tasks.
RARITY_CAP = math.log(20)


def rarity(n_carrying: IntArray, n_others: IntArray) -> FloatArray:
    """Return min(-log p_k, log 20), p_k = (1 + c_k) / (1 + n): the own task carries every statement of its own.

    Args:
        n_carrying: c_k, how many other tasks have a reference that carries statement k.
        n_others: n, how many other tasks were looked at.

    Example:
        >>> rarity(np.array([0, 4, 9]), np.array([9, 9, 9])).round(3).tolist()
        [2.303, 0.693, 0.0]
    """
    share = (1 + n_carrying) / (1 + n_others)
    return np.minimum(-np.log(share) + 0.0, RARITY_CAP)


def consensus(carries: BoolArray, owners: IntArray) -> FloatArray:
    """Weigh the union of the statements of several references by how many of them carry each.

    Args:
        carries: Whether reference a (rows) says statement k (columns); every one says its own.
        owners: The reference that each statement is from.

    Returns:
        For each statement the number of references that carry it; 0 where one before its own does, since the
        union holds that statement already. The first reference keeps all of its statements.

    Example:
        Two references with two statements each; the second repeats the first's first statement.

        >>> carries = np.array([[True, True, True, False], [True, False, True, True]])
        >>> consensus(carries, np.array([0, 0, 1, 1])).tolist()
        [2.0, 1.0, 0.0, 1.0]
    """
    earlier = np.arange(len(carries))[:, None] < owners[None, :]
    is_repeated = np.any(carries & earlier, axis=0)
    return np.where(is_repeated, 0.0, carries.sum(axis=0).astype(np.float64))
