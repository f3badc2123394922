"""What a report shows of single texts: how scores are spread, how they climb ladders, which moved most wrongly."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.audits.alarms import MISMATCH_KEY
from gameproof.audits.result import CheckRow, MetricResult
from gameproof.audits.scale import tame
from gameproof.engine.table import MetricScores, VariantKey
from gameproof.records import FloatArray, Item, Scores
from gameproof.stats.results import Verdict

__all__ = ["MOVES_SHOWN", "Curve", "Distribution", "MetricEvidence", "Move", "collect_evidence"]

BINS = 24
MOVES_SHOWN = 3  # of each failed check, each of another task
FAILED = frozenset({Verdict.FAIL, Verdict.WRONG_WAY})


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """How often scores fall into equal steps from the lowest to the highest."""

    low: float
    high: float
    original: tuple[int, ...]  # texts in each step
    mismatched: tuple[int, ...] | None  # the same for texts of another task, where there are any


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The mean score at each level of a ladder, as the change since its start."""

    check: str
    levels: tuple[int, ...]
    changes: tuple[float, ...]  # in standard deviations of the originals
    counts: tuple[int, ...]  # texts that have both the start and this level
    from_original: bool  # the start is the original; else it is the first level


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One text before and after a perturbation, with its scores."""

    check: str
    item: str
    before: str
    after: str
    score_before: float
    score_after: float
    change: float | None  # in standard deviations of the originals, a gain positive; None without spread


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricEvidence:
    """What there is to show of one metric's scores."""

    metric: str
    distribution: Distribution | None
    curves: tuple[Curve, ...]
    moves: tuple[Move, ...]
    n_scored: int  # texts, originals and variants together
    n_missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a move is: an item, and the columns it is scored in before and after."""

    check: str
    item: str
    before: VariantKey | None
    after: VariantKey | None
    scores: tuple[float, float]
    change: float | None


def collect_evidence(
    items: Sequence[Item],
    table: Sequence[MetricScores],
    results: Sequence[MetricResult],
    read_texts: Callable[[frozenset[tuple[str, VariantKey]]], Mapping[tuple[str, VariantKey], str]],
) -> tuple[MetricEvidence, ...]:
    """Take from the scores what a report shows beside the statistics.

    Args:
        items: The originals.
        table: The scores, metric by metric.
        results: What was found, metric by metric; a metric without a result is left out.
        read_texts: Returns the variants' texts by (item, (perturbation, level)); asked once, for the few that
            are shown.
    """
    found = {result.metric: result for result in results}
    pairs = [(scores, found[scores.metric]) for scores in table if scores.metric in found]
    places = [_wrong_moves(items, *pair) for pair in pairs]
    wanted = {
        (place.item, key)
        for own in places
        for place in own
        for key in (place.before, place.after)
        if key is not None
    }
    texts = read_texts(frozenset(wanted))
    originals = {item.id: item.candidate for item in items}
    return tuple(
        MetricEvidence(
            metric=scores.metric,
            distribution=_distribution(scores),
            curves=tuple(_curves(scores, result.checks)),
            moves=tuple(_moves(own, originals, texts)),
            n_scored=sum(int((~np.isnan(column.values)).sum()) for column in _columns(scores)),
            n_missing=sum(int(np.isnan(column.values).sum()) for column in _columns(scores)),
        )
        for (scores, result), own in zip(pairs, places, strict=True)
    )


def _columns(scores: MetricScores) -> list[Scores]:
    return [scores.original, *scores.variants.values()]


def _distribution(scores: MetricScores) -> Distribution | None:
    tamed, exponent = tame(scores)
    own = tamed.original.values[~np.isnan(tamed.original.values)]
    other = tamed.variants[MISMATCH_KEY].values if MISMATCH_KEY in tamed.variants else None
    other = None if other is None else other[~np.isnan(other)]
    every = own if other is None else np.concatenate([own, other])
    if not own.size or exponent:
        return None
    low, high = float(every.min()), float(every.max())
    if not low < high:
        return Distribution(low=low, high=high, original=(own.size,), mismatched=None)
    return Distribution(
        low=low,
        high=high,
        original=_count(own, low, high),
        mismatched=None if other is None or not other.size else _count(other, low, high),
    )


def _count(values: FloatArray, low: float, high: float) -> tuple[int, ...]:
    steps = np.clip(((values - low) / (high - low) * BINS).astype(np.int64), 0, BINS - 1)
    return tuple(np.bincount(steps, minlength=BINS).tolist())


def _curves(scores: MetricScores, checks: Sequence[CheckRow]) -> Iterator[Curve]:
    tamed, _ = tame(scores)
    spread = _spread(tamed.original)
    sign = 1.0 if scores.higher_is_better else -1.0
    for row in checks:
        levels = _levels(tamed, row.check)
        if row.family != "ladder" or not levels or not spread:
            continue
        from_original = not _builds_up(row, levels)
        start: Scores = tamed.original if from_original else tamed.variants[row.check, levels[0]]
        base = dict(zip(start.item_ids, start.values.tolist(), strict=True))
        told: list[tuple[int, float, int]] = []
        for level in levels:
            column = tamed.variants[row.check, level]
            before = np.array([base.get(item, math.nan) for item in column.item_ids])
            change = column.values - before
            change = change[~np.isnan(change)]
            if change.size:
                told.append((level, sign * float(change.mean()) / spread, change.size))
        if told:
            numbers, changes, counts = zip(*told, strict=True)
            yield Curve(
                check=row.check, levels=numbers, changes=changes, counts=counts, from_original=from_original
            )


def _levels(scores: MetricScores, check: str) -> list[int]:
    return sorted(level for name, level in scores.variants if name == check and level is not None)


def _builds_up(row: CheckRow, levels: Sequence[int]) -> bool:
    """Say whether the last level is the whole text, as in `gameproof.audits.measure`."""
    return row.expect == "increase" and len(levels) > 1


def _spread(scores: Scores) -> float:
    values = scores.values[~np.isnan(scores.values)]
    return float(values.std(ddof=1)) if values.size > 1 else 0.0


def _wrong_moves(items: Sequence[Item], scores: MetricScores, result: MetricResult) -> list[_Place]:
    """Find the texts of each failed check whose score went furthest where it should not."""
    task_of = {item.id: item.task_id for item in items}
    spread = _spread(scores.original)
    sign = 1.0 if scores.higher_is_better else -1.0
    places: list[_Place] = []
    for row in result.checks:
        keys = _compared(scores, row)
        if row.verdict not in FAILED or keys is None:
            continue
        before, after = (scores.original if key is None else scores.variants[key] for key in keys)
        base = dict(zip(before.item_ids, before.values.tolist(), strict=True))
        first = np.array([base.get(item, math.nan) for item in after.item_ids])
        with np.errstate(over="ignore"):
            change = sign * (after.values - first)
        wrong = {"increase": -change, "stable": np.abs(change)}.get(row.expect, change)
        for place in _furthest([task_of.get(item, item) for item in after.item_ids], wrong):
            moved = float(change[place]) / spread if spread else None
            places.append(
                _Place(
                    check=row.check,
                    item=after.item_ids[place],
                    before=keys[0],
                    after=keys[1],
                    scores=(float(first[place]), float(after.values[place])),
                    change=moved if moved is not None and math.isfinite(moved) else None,
                )
            )
    return places


def _compared(scores: MetricScores, row: CheckRow) -> tuple[VariantKey | None, VariantKey] | None:
    """Return the two columns whose difference a check is about: the originals and the strongest level, mostly."""
    levels = _levels(scores, row.check)
    if not levels:
        return (None, (row.check, None)) if (row.check, None) in scores.variants else None
    # A crossing of two levels holds what was written for another reader against what was written for the own one.
    crossed = row.family == "crossing" and len(levels) > 1
    start = (row.check, levels[0]) if crossed or _builds_up(row, levels) else None
    return start, (row.check, _decisive(row, levels))


def _decisive(row: CheckRow, levels: Sequence[int]) -> int:
    """Return the level that a check shows: of a stable ladder the one that moved most, else the last."""
    if row.expect != "stable":
        return levels[-1]
    moved = {level.level: abs(level.effect) for level in row.levels if level.effect is not None}
    return max(levels, key=lambda level: (moved.get(level, 0.0), level))


def _furthest(tasks: Sequence[str], wrong: FloatArray) -> Iterator[int]:
    """Yield the places of the largest values, one a task."""
    seen: set[str] = set()
    order: list[int] = np.argsort(-wrong, kind="stable").tolist()
    for place in order:
        if len(seen) == MOVES_SHOWN or math.isnan(wrong[place]):
            return
        if tasks[place] not in seen:
            seen.add(tasks[place])
            yield place


def _moves(
    places: Sequence[_Place],
    originals: Mapping[str, str],
    texts: Mapping[tuple[str, VariantKey], str],
) -> Iterator[Move]:
    for place in places:
        before, after = (
            originals.get(place.item) if key is None else texts.get((place.item, key))
            for key in (place.before, place.after)
        )
        if before is None or after is None:
            continue
        yield Move(
            check=place.check,
            item=place.item,
            before=before,
            after=after,
            score_before=place.scores[0],
            score_after=place.scores[1],
            change=place.change,
        )
