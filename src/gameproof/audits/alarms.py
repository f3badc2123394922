"""What every score column is checked for before anybody reads a correlation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.scale import back_to_unit, tame
from gameproof.engine.table import MetricScores
from gameproof.records import FloatArray, Item
from gameproof.stats.ranks import spearman
from gameproof.text import words

__all__ = ["Inspection", "inspect"]

NEARLY_CONSTANT_SHARE = 0.9  # one value for more than this share of items: no ranking to speak of
MANY_TIES_SHARE = 0.5  # so many items share their score with another that ranks say little
LENGTH_RHO = 0.9  # so close to the order of lengths that the metric is a length metric
MISMATCH_KEY = ("random_replacement", None)  # a text of another task: the pair does not match


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """Plain facts about a column of scores, and sentences about what is wrong with it."""

    summary: Mapping[str, float | None]
    alarms: tuple[str, ...]


def inspect(items: Sequence[Item], scores: MetricScores) -> Inspection:
    """Describe the originals' scores: spread, ties, missing, floor on mismatched pairs, length.

    The floor is the mean score of texts that belong to another task: what a metric pays for nothing.
    """
    present = ~np.isnan(scores.original.values)
    values = scores.original.values[present]
    lengths = np.array([len(words(item.candidate)) for item in items], dtype=np.float64)[present]
    n_missing = int((~present).sum())
    distinct, tie_share, top_share = _ties(values)
    rho_length = spearman(values, lengths) if values.size > 2 else None
    tamed, exponent = tame(scores)
    sizes = tamed.original.values[present]
    floor = _mean_present(tamed.variants[MISMATCH_KEY].values) if MISMATCH_KEY in tamed.variants else None
    summary = {
        "n": float(values.size),
        "n_missing": float(n_missing),
        "mean": back_to_unit(float(sizes.mean()), exponent) if sizes.size else None,
        "sd": back_to_unit(float(sizes.std(ddof=1)), exponent) if sizes.size > 1 else None,
        "distinct": float(distinct),
        "tie_share": tie_share,
        "floor": back_to_unit(floor, exponent),
        "rho_length": rho_length,
        "seconds": scores.seconds,
    }
    alarms = [
        *_missing_alarms(scores, n_missing, len(items)),
        *_spread_alarms(values, distinct, tie_share, top_share),
        *_length_alarms(rho_length),
        *_repeat_alarms(scores),
    ]
    return Inspection(summary=summary, alarms=tuple(alarms))


def _ties(values: FloatArray) -> tuple[int, float | None, float | None]:
    if not values.size:
        return 0, None, None
    _, counts = np.unique(values, return_counts=True)
    return int(counts.size), float(counts[counts > 1].sum() / values.size), float(counts.max() / values.size)


def _mean_present(values: FloatArray) -> float | None:
    present = values[~np.isnan(values)]
    return float(present.mean()) if present.size else None


def _missing_alarms(scores: MetricScores, n_missing: int, n_items: int) -> list[str]:
    if not n_missing:
        return []
    counts: dict[str, int] = {}
    for reason in scores.original.reasons.values():
        counts[reason] = counts.get(reason, 0) + 1
    shown = sorted(counts.items(), key=lambda entry: -entry[1])[:3]
    why = "; ".join(f"{reason} ({count:,})" for reason, count in shown)
    return [f"missing: {n_missing:,} of {n_items:,} originals have no score: {why}"]


def _spread_alarms(
    values: FloatArray, distinct: int, tie_share: float | None, top_share: float | None
) -> list[str]:
    if distinct == 1 and values.size > 1:
        return ["constant metric: every text has the same score, so nothing can be ranked"]
    if top_share is not None and values.size > 1 and top_share > NEARLY_CONSTANT_SHARE:
        return [f"nearly constant metric: {top_share:.0%} of the texts have the same score"]
    if tie_share is not None and tie_share > MANY_TIES_SHARE:
        return [f"many ties: {tie_share:.0%} of the texts share their score; {distinct:,} distinct values"]
    return []


def _repeat_alarms(scores: MetricScores) -> list[str]:
    """Compare the mean change of every perturbation with what asking again moves a score (public case 31)."""
    spread = scores.original.spread
    if spread is None or not np.isfinite(spread).any():
        return []
    repeated = spread[np.isfinite(spread)]
    sd = float(np.sqrt(np.mean(repeated**2)))
    said = [f"self-consistency {np.mean(repeated == 0):.0%}, sd {sd:.2g} when the same text is judged again"]
    originals = dict(zip(scores.original.item_ids, scores.original.values.tolist(), strict=True))
    small: dict[str, None] = {}
    for (name, _), column in scores.variants.items():
        before = np.array([originals[item_id] for item_id in column.item_ids])
        change = _mean_present(column.values - before)
        if change is not None and abs(change) < sd:
            small[name] = None
    if small:
        said.append(f"smaller than that are the effects of {', '.join(small)}")
    return [": ".join(said)]


def _length_alarms(rho_length: float | None) -> list[str]:
    if rho_length is None or abs(rho_length) < LENGTH_RHO:
        return []
    return [f"length metric: its order is the order of text lengths (Spearman {rho_length:+.2f})"]
