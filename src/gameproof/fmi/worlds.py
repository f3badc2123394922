"""Small discrete worlds whose joint law of candidate and reference is known, so that I_f is exact.

They are the ground truth of the estimators: with the true ratio every route must give the exact value, and
no garbling of the candidate may raise it (paper 1, Proposition 2.2).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.errors import InputError
from gameproof.fmi.divergences import Divergence
from gameproof.records import FloatArray, IntArray

__all__ = ["Draws", "World", "random_world"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Independent draws of (candidate, reference) pairs, as row and column numbers."""

    candidates: IntArray
    references: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """A joint law of candidate (rows) and reference (columns), as weights that need not sum to 1.

    Counts keep ratios exact: a cell that is independent by its counts has r = 1, not 1.0000000000000002.
    """

    weights: FloatArray

    def __post_init__(self) -> None:
        weights = self.weights
        if weights.ndim != 2 or not np.all(np.isfinite(weights)) or np.any(weights < 0):
            raise InputError("weights: expected a table of finite numbers from 0 upwards.")
        if np.any(weights.sum(axis=1) == 0) or np.any(weights.sum(axis=0) == 0):
            raise InputError("weights: every candidate and every reference needs some weight.")

    @property
    def joint(self) -> FloatArray:
        """P(x, y): the law of matched pairs."""
        return self.weights / float(self.weights.sum())

    @property
    def product(self) -> FloatArray:
        """P(x) P(y): the law of mismatched pairs."""
        joint = self.joint
        return joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)

    @property
    def ratio(self) -> FloatArray:
        """r(x, y) = P(x, y) / (P(x) P(y))."""
        weights = self.weights
        rows, columns = weights.sum(axis=1, keepdims=True), weights.sum(axis=0, keepdims=True)
        return weights * float(weights.sum()) / (rows * columns)

    @property
    def log_ratio(self) -> FloatArray:
        """The log of the ratio; minus infinity where a pair is impossible."""
        with np.errstate(divide="ignore"):
            return np.log(self.ratio)

    def information(self, divergence: Divergence) -> float:
        """Return I_f(X; Y), the mean of f(r) over mismatched pairs (paper 1, Eq. 1)."""
        with np.errstate(divide="ignore"):  # reverse KL of an impossible pair is infinite, rightly
            return self.mean_over_mismatched(divergence.generator(self.ratio))

    def mean_over_matched(self, values: FloatArray) -> float:
        """Return the expectation over matched pairs; a pair that cannot occur does not count."""
        return float(np.sum(self.joint * np.where(self.weights > 0, values, 0.0)))

    def mean_over_mismatched(self, values: FloatArray) -> float:
        """Return the expectation over independent pairs."""
        return float(np.sum(self.product * values))

    def garbled(self, kernel: FloatArray) -> "World":
        """Replace each candidate x by a random x' drawn from row x of the kernel, blind to the reference."""
        if kernel.ndim != 2 or kernel.shape[0] != self.weights.shape[0] or np.any(kernel < 0):
            raise InputError("kernel: expected one row of chances from 0 upwards for each candidate.")
        if not np.allclose(kernel.sum(axis=1), 1.0):
            raise InputError("kernel: each row must sum to 1.")
        reachable = kernel.sum(axis=0) > 0
        return World(kernel[:, reachable].T @ self.weights)

    def merged(self, groups: Sequence[Sequence[int]]) -> "World":
        """Make the candidates of each group indistinguishable."""
        if sorted(row for group in groups for row in group) != list(range(self.weights.shape[0])):
            raise InputError("groups: every candidate must be in exactly one group.")
        return World(np.stack([self.weights[list(group)].sum(axis=0) for group in groups]))

    def draw(self, n: int, rng: np.random.Generator) -> Draws:
        """Draw n matched pairs."""
        cells = rng.choice(self.weights.size, size=n, p=self.joint.ravel())
        rows, columns = np.divmod(cells, self.weights.shape[1])
        return Draws(candidates=rows.astype(np.int64), references=columns.astype(np.int64))


def random_world(rng: np.random.Generator, *, n_candidates: int = 4, n_references: int = 5) -> World:
    """Draw a world without impossible pairs."""
    return World(rng.dirichlet(np.ones(n_candidates * n_references)).reshape(n_candidates, n_references))
