"""What every score column is checked for before anybody reads a correlation."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.rescoring import RESCORED, Rescoring, compare_rescored
from gameproof.audits.scale import back_to_unit, tame
from gameproof.engine.table import MetricScores
from gameproof.records import FloatArray, Item
from gameproof.stats.ranks import spearman
from gameproof.text import words

__all__ = ["MISMATCH_KEY", "Inspection", "inspect", "missing_alarm"]

NEARLY_CONSTANT_SHARE = 0.9  # one value for more than this share of items: no ranking to speak of
MANY_TIES_SHARE = 0.5  # so many items share their score with another that ranks say little
LENGTH_RHO = 0.9  # so close to the order of lengths that the metric is a length metric
WRONG_WAY_SHARE = 0.9  # mismatched pairs that score better than matched ones: the direction may be wrong
HIGH_FLOOR = 0.8  # of the mean: scores say little before they are compared with the floor
FEWEST_PAIRS = 10  # before anything is said about shares of pairs
MOST_REASONS = 3  # shown
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
    rescored = compare_rescored(tamed)
    summary = {
        "n": float(values.size),
        "n_missing": float(n_missing),
        "mean": back_to_unit(float(sizes.mean()), exponent) if sizes.size else None,
        "sd": back_to_unit(float(sizes.std(ddof=1)), exponent) if sizes.size > 1 else None,
        "distinct": float(distinct),
        "tie_share": tie_share,
        "floor": back_to_unit(floor, exponent),
        "rho_length": rho_length,
        **_rescored_facts(rescored, exponent),
        "seconds": scores.seconds,
    }
    alarms = [
        *missing_alarm(Counter(scores.original.reasons.values()), len(items)),
        *_spread_alarms(values, distinct, tie_share, top_share),
        *_remark_alarms(scores, len(items)),
        *_length_alarms(rho_length),
        *_mismatch_alarms(tamed, floor),
        *_repeat_alarms(scores),
        *(rescored.alarms() if rescored is not None else ()),
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


def missing_alarm(reasons: Mapping[str, int], n_items: int) -> list[str]:
    """Say how many scores are missing, and why.

    Args:
        reasons: Why there is no score -> for how many texts.
        n_items: All texts.
    """
    n_missing = sum(reasons.values())
    if not n_missing:
        return []
    return [f"missing: {n_missing:,} of {n_items:,} originals have no score: {_counted(Counter(reasons))}"]


def _counted(said: Counter[str]) -> str:
    """Return the most frequent of some remarks, with their counts."""
    shown = said.most_common(MOST_REASONS)
    return "; ".join(f"{reason} ({count:,})" for reason, count in shown)


def _remark_alarms(scores: MetricScores, n_items: int) -> list[str]:
    """Say which scores leave out a part of what they should be about: text that was cut, statements unanswered."""
    remarks = scores.original.remarks
    if not remarks:
        return []
    return [
        f"scored in part: {len(remarks):,} of {n_items:,} originals: {_counted(Counter(remarks.values()))}"
    ]


def _rescored_facts(rescored: Rescoring | None, exponent: int) -> dict[str, float | None]:
    if rescored is None:
        return {}
    return {
        "rescored": float(rescored.n),
        "rescored_sd": back_to_unit(rescored.unstable_sd, exponent),
        "rescored_shift": back_to_unit(rescored.largest_shift, exponent),
    }


def _mismatch_alarms(tamed: MetricScores, floor: float | None) -> list[str]:
    """Compare the originals with texts of another task (public cases 40 and 68)."""
    if floor is None:
        return []
    column = tamed.variants[MISMATCH_KEY]
    originals = dict(zip(tamed.original.item_ids, tamed.original.values.tolist(), strict=True))
    own = np.array([originals[item_id] for item_id in column.item_ids])
    both = ~(np.isnan(own) | np.isnan(column.values))
    own, other = own[both], column.values[both]
    if own.size < FEWEST_PAIRS:
        return []
    sign = 1.0 if tamed.higher_is_better else -1.0
    worse, better = float((sign * (own - other) < 0).mean()), float((sign * (own - other) > 0).mean())
    if worse >= WRONG_WAY_SHARE:
        which = "higher" if tamed.higher_is_better else "lower"
        said = f"a text of another task scores better than the task's own in {worse:.0%} of pairs"
        return [f"direction: {said}, taking it that {which} is better; is that right?"]
    mean = float(own.mean())
    if tamed.higher_is_better and better and 0 < HIGH_FLOOR * mean <= floor < mean:
        return [f"high floor: a text of another task scores {floor / mean:.0%} of what the task's own does"]
    return []


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
        if name == RESCORED:
            continue
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
