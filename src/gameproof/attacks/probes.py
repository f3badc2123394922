"""Null answers and injections put to every text: how often a metric takes them for at least as good.

The attack success rate of a null answer is the share of originals that score no higher than it does; of an addition,
the share of texts whose score it raises. A text that is not scored is left out and counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.attacks.result import Probe
from gameproof.attacks.sides import Scored, Side
from gameproof.attacks.wording import INJECTIONS
from gameproof.perturbations.joining import append
from gameproof.perturbations.replacement import NULL_ANSWERS
from gameproof.records import BoolArray, FloatArray, IntArray, Item
from gameproof.stats.bootstrap import percentile_bounds, resample_counts
from gameproof.stats.sums import mean_by
from gameproof.text import split_layout

__all__ = ["PROBES", "FixedText", "probe"]

N_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedText:
    """One row of the table: a text that is the same for every task."""

    name: str
    text: str
    alone: bool  # in the place of the candidate; otherwise behind it

    def put(self, candidate: str) -> str:
        """Return the attacked text."""
        return self.text if self.alone else append(candidate, self.text, split_layout(candidate))


_ROWS = (
    *(
        FixedText(name=f"null_answer_{number}", text=text, alone=True)
        for number, text in enumerate(NULL_ANSWERS, start=1)
    ),
    *(
        FixedText(name=f"injection_{number}", text=text, alone=False)
        for number, text in enumerate(INJECTIONS, start=1)
    ),
    *(
        FixedText(name=f"injection_alone_{number}", text=text, alone=True)
        for number, text in enumerate(INJECTIONS, start=1)
    ),
)
PROBES: Mapping[str, FixedText] = {row.name: row for row in _ROWS}


async def probe(items: Sequence[Item], side: Side, originals: Scored, *, seed: int) -> tuple[Probe, ...]:
    """Put every row of the table to every text.

    Args:
        items: The originals.
        side: That measures.
        originals: Their scores on it.
        seed: Of the resamples.
    """
    found: list[Probe] = []
    tasks = _numbers([item.task_id for item in items])
    spread = float(np.nanstd(originals.values, ddof=1)) if np.isfinite(originals.values).sum() > 1 else 0.0
    for row in PROBES.values():
        scored = await side.score([item.with_candidate(row.put(item.candidate)) for item in items])
        gains: FloatArray = scored.values - originals.values
        good = ~np.isnan(gains)
        won: BoolArray = gains[good] >= 0 if row.alone else gains[good] > 0
        bounds = _bounds(tasks[good], won, seed)
        found.append(
            Probe(
                name=row.name,
                text=row.text,
                n=int(good.sum()),
                success=float(mean_by(tasks[good], won.astype(np.float64)).mean()) if good.any() else None,
                low=bounds[0],
                high=bounds[1],
                mean_gain=float(gains[good].mean() / spread) if good.any() and spread > 0 else None,
                n_missing=int((~good).sum()),
            )
        )
    return tuple(found)


def _bounds(tasks: IntArray, won: BoolArray, seed: int) -> tuple[float | None, float | None]:
    if np.unique(tasks).size < 2:
        return None, None
    shares = mean_by(tasks, won.astype(np.float64))
    draws = resample_counts(shares.size, N_RESAMPLES, seed).astype(np.float64) @ shares / shares.size
    low, high = percentile_bounds(draws[None, :], 0.95)[:, 0].tolist()
    return low, high


def _numbers(names: Sequence[str]) -> IntArray:
    return np.unique(np.array(names), return_inverse=True)[1].astype(np.int64)
