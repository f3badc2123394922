"""Who wins between two kinds of text: shares of decided contests against one half, with annotators resampled."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gameproof.records import FloatArray
from gameproof.stats.bootstrap import count_blocks, percentile_bounds, studentise
from gameproof.stats.resampling import number_labels
from gameproof.stats.results import Interval, State
from gameproof.stats.sign_flip import sign_flip_pvalue
from gameproof.stats.sums import sum_by

__all__ = ["Contest", "ShareTest", "VariantRecord", "hold_against_half", "win_records"]

N_RESAMPLES = 10_000
HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """One choice between two variants, blind, by one annotator."""

    first: str  # the variant shown first
    second: str
    choice: Literal["first", "second", "neither"]
    annotator: Hashable
    round: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareTest:
    """A share of wins, held against one half, with annotators as the sampling unit."""

    wins: int
    n: int  # decided contests
    n_neither: int
    n_clusters: int
    share: float | None
    interval: Interval | None  # percentiles over resampled annotators
    interval_t: Interval | None  # bootstrap-t: the one to read with fewer than 40 annotators
    pvalue_bootstrap: (
        float | None
    )  # 2 min(P(share* <= 1/2), P(share* >= 1/2)), with the +1 of a finite bootstrap
    pvalue_t: float | None  # bootstrap-t, two-sided
    pvalue_sign_flip: float | None  # exact for at most 20 annotators
    state: State | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantRecord:
    """How one variant did in one round."""

    variant: str
    round: str
    test: ShareTest


def hold_against_half(
    won: Sequence[bool | None],
    annotators: Sequence[Hashable],
    *,
    n_resamples: int = N_RESAMPLES,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> ShareTest:
    """Hold the share of wins among decided contests against one half.

    Args:
        won: Of each contest; None where neither was chosen.
        annotators: Of each contest: what is resampled.
        n_resamples: Of both bootstraps.
        confidence_level: Of both intervals.
        seed: Of the resamples.

    Example:
        >>> found = hold_against_half([True, True, False, None] * 5, list("abcde") * 4)
        >>> found.share, found.n, found.n_neither
        (0.6666666666666666, 15, 5)
    """
    decided = [(bool(win), who) for win, who in zip(won, annotators, strict=True) if win is not None]
    n_neither = len(won) - len(decided)
    clusters = number_labels([who for _, who in decided])
    wins = np.array([win for win, _ in decided], dtype=np.float64)
    n_clusters = len(np.unique(clusters))
    if n_clusters < 2:
        why = "nothing was decided" if not decided else "one annotator decided everything"
        return ShareTest(
            wins=int(wins.sum()), n=len(decided), n_neither=n_neither, n_clusters=n_clusters,
            share=float(wins.mean()) if decided else None, interval=None, interval_t=None,
            pvalue_bootstrap=None, pvalue_t=None, pvalue_sign_flip=None,
            state=State.UNDEFINED, detail=f"{why}: an interval needs at least 2 annotators",
        )  # fmt: skip
    sums, sizes = sum_by(clusters, wins, n_clusters), sum_by(clusters, np.ones(wins.size), n_clusters)
    shares = _resampled_shares(sums, sizes, n_resamples, seed)
    bounds = percentile_bounds(shares[None, :], confidence_level)
    total = shares.size
    lower, upper = (
        (1 + int((shares <= HALF).sum())) / (total + 1),
        (1 + int((shares >= HALF).sum())) / (total + 1),
    )
    t = studentise(
        _pseudo_values(sums, sizes)[:, None] - HALF,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        seed=seed,
    )
    spread = bool(np.isfinite(t.errors[0]))
    return ShareTest(
        wins=int(wins.sum()),
        n=wins.size,
        n_neither=n_neither,
        n_clusters=n_clusters,
        share=float(wins.mean()),
        interval=Interval(low=float(bounds[0, 0]), high=float(bounds[1, 0])),
        interval_t=Interval(low=HALF + float(t.low[0]), high=HALF + float(t.high[0])) if spread else None,
        pvalue_bootstrap=min(1.0, 2.0 * min(lower, upper)),
        pvalue_t=min(1.0, 2.0 * min(float(t.below[0]), float(t.above[0]))) if spread else None,
        pvalue_sign_flip=sign_flip_pvalue(sums - HALF * sizes, n_resamples=n_resamples, seed=seed),
        detail=None if spread else "all annotators have the same share",
    )


def win_records(contests: Iterable[Contest], *, seed: int = 0) -> tuple[VariantRecord, ...]:
    """Return the record of every variant in every round, in order of appearance."""
    outcomes: dict[tuple[str, str], list[tuple[bool | None, Hashable]]] = {}
    for contest in contests:
        for variant, side in ((contest.first, "first"), (contest.second, "second")):
            won = None if contest.choice == "neither" else contest.choice == side
            outcomes.setdefault((contest.round, variant), []).append((won, contest.annotator))
    return tuple(
        VariantRecord(
            variant=variant,
            round=stage,
            test=hold_against_half([won for won, _ in rows], [who for _, who in rows], seed=seed),
        )
        for (stage, variant), rows in outcomes.items()
    )


def _resampled_shares(sums: FloatArray, sizes: FloatArray, n_resamples: int, seed: int) -> FloatArray:
    blocks = [(weights @ sums) / (weights @ sizes) for weights in count_blocks(sums.size, n_resamples, seed)]
    return np.concatenate(blocks)


def _pseudo_values(sums: FloatArray, sizes: FloatArray) -> FloatArray:
    """Return jackknife pseudo-values of the share over annotators: their mean estimates it."""
    total, n = sums.sum(), sizes.sum()
    without = (total - sums) / (n - sizes)
    n_clusters = sums.size
    return n_clusters * total / n - (n_clusters - 1) * without
