"""Score some originals again: does a score come out the same, and does it depend on its neighbours?"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.engine.table import MetricScores
from gameproof.llm.asking import answers_anew
from gameproof.metrics.base import Metric
from gameproof.records import FloatArray, Item, Scores
from gameproof.seeds import rng_for

__all__ = ["RESCORED", "Rescoring", "compare_rescored", "rescore"]

RESCORED = "rescored"  # the name of these columns among the variants of a score table
AGAIN, ONCE_MORE = (RESCORED, 1), (RESCORED, 2)
MOST_ITEMS = 32
FLOAT_NOISE = 1e-3  # of the standard deviation: padding of a batch moves float32 scores by less
SMALLEST_NOISE = 1e-9  # of the largest score


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescoring:
    """What scoring a part of the originals again has shown."""

    n: int
    n_unstable: int  # differ when the same texts are scored twice in the same order
    n_dependent: int  # differ from the score in the full data, though both times the same came out
    unstable_sd: float  # of one score, from the differences of two
    largest_shift: float  # between the score among all texts and the score among these

    def alarms(self) -> list[str]:
        """Say what is wrong with the column."""
        said: list[str] = []
        if self.n_unstable:
            said.append(
                f"not repeatable: {self.n_unstable:,} of {self.n:,} scores differ when the same texts are scored "
                f"again (sd {self.unstable_sd:.2g})"
            )
        if self.n_dependent:
            said.append(
                f"batch-dependent: {self.n_dependent:,} of {self.n:,} scores change with their neighbours in the "
                f"batch, by up to {self.largest_shift:.3g}; scored one at a time they could not"
            )
        return said


async def rescore(
    items: Sequence[Item],
    metric: Metric,
    scores: MetricScores,
    *,
    seed: int,
    most: int = MOST_ITEMS,
    anew: bool = False,
) -> MetricScores:
    """Add two columns: some originals scored twice more, in another order and among other texts.

    Half of the originals are taken, at most 32. Metrics that ask a language model through gameproof are left
    alone unless their questions are to be asked anew: their replies are kept, so that the same question has the
    same answer. Then one new column stands beside the scores that there are.

    Args:
        items: The originals.
        metric: Prepared on them.
        scores: What it said of them.
        seed: Of the draw.
        most: Originals to score again.
        anew: Whether a language model is asked again; each question costs a call.
    """
    present = np.flatnonzero(~np.isnan(scores.original.values))
    n = min(most, (present.size + 1) // 2)
    asks = "llm" in metric.needs
    if not n or (asks and not anew):
        return scores
    rows = rng_for(seed, RESCORED).permutation(present)[:n]
    chosen = [items[int(row)] for row in rows]
    order = np.argsort(rows)
    if asks:
        with answers_anew(1):
            columns = {AGAIN: (await metric.score(chosen)).take(order)}
        columns[ONCE_MORE] = scores.original.take(rows[order])
    else:
        columns = {key: (await metric.score(chosen)).take(order) for key in (AGAIN, ONCE_MORE)}
    return replace(scores, variants={**scores.variants, **columns})


def compare_rescored(scores: MetricScores) -> Rescoring | None:
    """Compare the columns of `rescore` with each other and with the originals; None where there are none."""
    if AGAIN not in scores.variants or ONCE_MORE not in scores.variants:
        return None
    again, once_more = (scores.variants[key] for key in (AGAIN, ONCE_MORE))
    if again.item_ids != once_more.item_ids:
        return None  # rows were lost on the way
    first = _originals(scores, again)
    noise = max(
        FLOAT_NOISE * _spread(scores.original.values), SMALLEST_NOISE * float(np.abs(first).max(initial=0.0))
    )
    repeat = np.abs(again.values - once_more.values)
    shift = np.abs(again.values - first)
    # A score that is there once and missing once is as different as can be.
    appeared = np.isnan(again.values) != np.isnan(once_more.values)
    unstable = (repeat > noise) | appeared
    dependent = ~unstable & ((shift > np.maximum(noise, 3 * np.nan_to_num(repeat))) | np.isnan(shift))
    moved = shift[dependent & ~np.isnan(shift)]
    told = repeat[~np.isnan(repeat)]
    return Rescoring(
        n=int(first.size),
        n_unstable=int(unstable.sum()),
        n_dependent=int(dependent.sum()),
        unstable_sd=float(np.sqrt(np.mean(told**2) / 2)) if told.size else 0.0,
        largest_shift=float(moved.max(initial=0.0)),
    )


def _originals(scores: MetricScores, column: Scores) -> FloatArray:
    value_of = dict(zip(scores.original.item_ids, scores.original.values.tolist(), strict=True))
    return np.array([value_of[item_id] for item_id in column.item_ids], dtype=np.float64)


def _spread(values: FloatArray) -> float:
    present = values[~np.isnan(values)]
    return float(present.std()) if present.size > 1 else 0.0
