"""What the best manipulation gains from a fixed score, in a world whose joint law is known.

Paper 1, section 4.6 (its displays bear no numbers): let s be manipulations of the candidate, honesty among
them. If a fixed score S errs by at most epsilon on every one,

    sup over s of |E S(s(X), Y) - I_f(s(X); Y)| <= epsilon,

then no manipulation gains more than twice that: E S(s(X), Y) <= E S(X, Y) + 2 epsilon, because
E S(s(X), Y) <= I_f(s(X); Y) + epsilon <= I_f(X; Y) + epsilon <= E S(X, Y) + 2 epsilon, where the middle step is
data processing (its Proposition 2.2). The factor 2 can be reached: S may pay epsilon too much for the
manipulated texts and epsilon too little for the honest ones.

For *variational* scores one half is never used. Whatever the critic T, E[T] - E[f*(T)] is at most I_f of the law
that the texts follow (its Eq. 2), so S never pays too much, and by the same chain

    E S(s(X), Y) - E S(X, Y) <= I_f(X; Y) - E S(X, Y),

the error on honest texts alone: no uniform bound is needed. Direct scores have no such side: they keep the
ratios of the honest law, and a manipulated text is paid by them as if an honest author had written it.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from gameproof.errors import InputError
from gameproof.fmi.divergences import Divergence
from gameproof.fmi.estimators import Form, direct
from gameproof.fmi.worlds import World
from gameproof.records import FloatArray, IntArray

__all__ = [
    "FixedScore",
    "Robustness",
    "all_manipulations",
    "best_manipulation",
    "direct_score",
    "expected_score",
    "robustness",
    "variational_score",
]

MAX_MANIPULATIONS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedScore:
    """A score of any text, whatever law it comes from: matched[x, y] minus the mean of mismatched[x, y-].

    Rows are texts. The first ones are the candidates of the honest world, in its order; more may follow that
    no honest author writes.
    """

    matched: FloatArray  # (n_texts, n_references)
    mismatched: FloatArray  # (n_texts, n_references): zeros for direct scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Robustness:
    """The best manipulation of a score, and what limits its gain."""

    manipulation: tuple[int, ...]  # candidate -> the text that takes its place
    gain: float  # E S(s(X), Y) - E S(X, Y)
    honest_error: float  # I_f(X; Y) - E S(X, Y)
    epsilon: float  # the largest |E S(s(X), Y) - I_f(s(X); Y)| over the manipulations

    @property
    def bound(self) -> float:
        """The gain that paper 1 allows: 2 epsilon."""
        return 2 * self.epsilon


def direct_score(divergence: Divergence, log_ratio: FloatArray, *, form: Form = "monotone") -> FixedScore:
    """Make the direct score of texts from log ratios, true or estimated, shape (n_texts, n_references)."""
    matched = direct(divergence, log_ratio, form=form).values
    return FixedScore(matched=matched, mismatched=np.zeros_like(matched))


def variational_score(divergence: Divergence, critic: FloatArray) -> FixedScore:
    """Make the variational score of texts from any critic T, shape (n_texts, n_references)."""
    return FixedScore(matched=critic, mismatched=divergence.conjugate(critic))


def expected_score(world: World, score: FixedScore, manipulation: Iterable[int] | None = None) -> float:
    """Return E S(s(X), Y); without a manipulation, that of honest candidates.

    Raises:
        InputError: The score has no row for a text, or the manipulation none for a candidate.
    """
    n_candidates = world.weights.shape[0]
    payments = _payments(world, score).tolist()
    chosen = tuple(range(n_candidates) if manipulation is None else manipulation)
    n_texts = score.matched.shape[0]
    if len(chosen) != n_candidates or not all(0 <= text < n_texts for text in chosen):
        raise InputError(
            f"manipulation: expected {n_candidates} texts between 0 and {n_texts - 1}, one for each candidate."
        )
    return _total(payments, chosen)


def best_manipulation(world: World, score: FixedScore) -> IntArray:
    """Return for each candidate the text that is paid best in its place; at a tie the earlier one.

    What candidate x is paid as text x' does not depend on what other candidates become, so the best
    manipulation is found text by text. Chance does not help either: the payment is linear in the kernel.

    Example:
        >>> from gameproof.fmi.divergences import TV
        >>> world = World(np.array([[3.0, 1.0], [1.0, 3.0]]))
        >>> best_manipulation(world, direct_score(TV, world.log_ratio)).tolist()
        [0, 1]
    """
    return np.argmax(_payments(world, score), axis=1).astype(np.int64)


def all_manipulations(world: World, n_texts: int) -> Iterator[tuple[int, ...]]:
    """Yield every map from candidates to texts, honesty among them.

    Raises:
        InputError: There are more than a hundred thousand.
    """
    n_candidates = world.weights.shape[0]
    if n_texts**n_candidates > MAX_MANIPULATIONS:
        raise InputError(
            f"manipulations: {n_texts} texts for each of {n_candidates} candidates are more than"
            f" {MAX_MANIPULATIONS:,}.",
            hint="Use a smaller world, or name the manipulations.",
        )
    return product(range(n_texts), repeat=n_candidates)


def robustness(
    world: World,
    divergence: Divergence,
    score: FixedScore,
    manipulations: Iterable[tuple[int, ...]] | None = None,
) -> Robustness:
    """Find the best manipulation of a score, and the epsilon of paper 1, section 4.6.

    Args:
        world: The law of honest candidates and references.
        divergence: What the score estimates.
        score: A direct or variational score with a row for every text.
        manipulations: The class that epsilon is uniform over; honesty is always of it. All maps from
            candidates to texts by default.
    """
    n_candidates, n_texts = world.weights.shape[0], score.matched.shape[0]
    honest = tuple(range(n_candidates))
    chosen = all_manipulations(world, n_texts) if manipulations is None else manipulations
    payments = _payments(world, score).tolist()
    information: dict[tuple[int, ...], float] = {}  # it depends on which candidates become alike only
    scores: dict[tuple[int, ...], float] = {}
    errors: dict[tuple[int, ...], float] = {}
    for manipulation in (honest, *chosen):
        scores[manipulation] = _total(payments, manipulation)
        alike = tuple(map(manipulation.index, manipulation))
        if alike not in information:
            information[alike] = _manipulated(world, alike).information(divergence)
        errors[manipulation] = information[alike] - scores[manipulation]
    best = max(scores, key=scores.__getitem__)  # the first of equals: honesty, if nothing beats it
    return Robustness(
        manipulation=best,
        gain=scores[best] - scores[honest],
        honest_error=errors[honest],
        epsilon=max(abs(error) for error in errors.values()),
    )


def _payments(world: World, score: FixedScore) -> FloatArray:
    """Return what candidate x is paid as text x', weighted by its chance, shape (n_candidates, n_texts)."""
    joint = world.joint
    if score.matched.shape[1:] != joint.shape[1:] or score.matched.shape[0] < joint.shape[0]:
        raise InputError(
            f"score: expected a row for each of at least {joint.shape[0]} texts and {joint.shape[1]} columns,"
            f" one for each reference; found {score.matched.shape}."
        )
    possible = joint[:, None, :] > 0  # what cannot occur does not count, however it would be paid
    paid = np.where(possible, joint[:, None, :] * np.where(possible, score.matched, 0.0), 0.0).sum(axis=2)
    penalty = (joint.sum(axis=0) * score.mismatched).sum(axis=1)
    return paid - joint.sum(axis=1)[:, None] * penalty


def _total(payments: Sequence[Sequence[float]], manipulation: Sequence[int]) -> float:
    return math.fsum(payments[x][text] for x, text in enumerate(manipulation))


def _manipulated(world: World, manipulation: tuple[int, ...]) -> World:
    groups = [[x for x, text in enumerate(manipulation) if text == t] for t in sorted(set(manipulation))]
    return world.merged(groups)
