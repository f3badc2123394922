"""Say of a ladder's levels what each does, and what is wrong with the papers' numbers about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gameproof.records import FloatArray
from gameproof.stats.paired import PairedResult
from gameproof.stats.parity import share_of_orders
from gameproof.stats.results import Interval

__all__ = ["NO_UNIT", "Artefact", "Level", "artefacts_of", "describe_levels", "explain_artefacts"]

NO_UNIT = "not told in deleted sentences"  # followed by why

# two_levels: the papers' rho is only a sign. unequal_documents: level means are over different documents.
# nominal_levels: levels have no order that rho could be about.
Artefact = Literal["two_levels", "unequal_documents", "nominal_levels"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of a ladder; the change is from the originals to this level, item by item."""

    level: int
    n: int  # items with a score
    mean: float | None  # of the scores as the metric gives them
    effect: float | None = None  # mean change / s_av
    interval: Interval | None = None
    pvalue_inside: float | None = None  # of "the effect is within the margin of stability"


def describe_levels(
    levels: FloatArray, scores: FloatArray, changes: Mapping[int, PairedResult], *, sign: float, margin: float
) -> tuple[Level, ...]:
    """Describe every level.

    Args:
        levels: (L,) ascending.
        scores: (n, L), NaN where an item has no such level, turned so that higher is better.
        changes: Level -> the change from the originals, where it was inferred.
        sign: Turns scores back.
        margin: Of stability.
    """
    return tuple(
        _level(int(level), scores[:, place], changes.get(int(level)), sign, margin)
        for place, level in enumerate(levels.tolist())
    )


def artefacts_of(levels: Sequence[Level], *, nominal: bool) -> tuple[Artefact, ...]:
    """Return what is wrong with rho and M of these level means."""
    scored = [level for level in levels if level.n]
    found: list[Artefact] = []
    if len(scored) == 2:
        found.append("two_levels")
    if len({level.n for level in scored}) > 1:
        found.append("unequal_documents")
    if nominal:
        found.append("nominal_levels")
    return tuple(found)


def explain_artefacts(
    artefacts: Sequence[Artefact], levels: Sequence[Level], *, low: float, high: float
) -> list[str]:
    """Say in words what to make of rho and M.

    Args:
        artefacts: What is wrong with them.
        levels: What they are about.
        low: Smallest rho that passes the papers' rule.
        high: Largest rho that passes it.
    """
    scored = [level for level in levels if level.n]
    said: list[str] = []
    if "unequal_documents" in artefacts:
        first, last = scored[0], scored[-1]
        said.append(
            f"rho and M compare means over different texts: {first.n:,} at level {first.level}, "
            f"{last.n:,} at level {last.level}"
        )
    if "nominal_levels" in artefacts:
        said.append("these levels have no order, so rho and M say little")
    chance = share_of_orders(len(scored), low=low, high=high)
    if chance == 0:
        said.append(f"rho of {len(scored)} levels cannot pass, in whatever order the means are")
    elif chance is not None:
        said.append(f"rho of {len(scored)} levels passes in {chance:.0%} of all orders by chance")
    return said


def _level(level: int, scores: FloatArray, change: PairedResult | None, sign: float, margin: float) -> Level:
    present = scores[~np.isnan(scores)]
    inside = None
    if change is not None:
        loss, gain = change.margins.get(-margin), change.margins.get(margin)
        inside = max(loss.above, gain.below) if loss is not None and gain is not None else None
    return Level(
        level=level,
        n=int(present.size),
        mean=sign * float(present.mean()) if present.size else None,
        effect=change.effect if change is not None else None,
        interval=change.interval if change is not None else None,
        pvalue_inside=inside,
    )
