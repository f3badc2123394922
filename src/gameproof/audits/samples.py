"""Turn score columns into samples for inference, and count what is missing."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gameproof.perturbations.apply import applies
from gameproof.perturbations.base import Perturbation
from gameproof.records import BoolArray, Contrast, FloatArray, IntArray, Item, Scores
from gameproof.stats.ladder import LadderSample
from gameproof.stats.paired import PairedSample

__all__ = ["Coverage", "Frame", "Laddered", "Paired", "combine", "pair", "stack_levels", "take_rows"]

NO_VARIANT = "no variant"
NO_COMMON_NEGATIVE = "no negative reference on both sides"
FEWER_LEVELS = "fewer than 2 levels have a score"


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How many of the items that a perturbation applies to have what it takes, and why the others do not."""

    n_applicable: int
    n_missing: int
    missing: Mapping[str, int] = field(default_factory=dict[str, int])  # reason -> count


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Pairs of scores of the items at the given rows of the frame."""

    sample: PairedSample
    rows: IntArray
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Laddered:
    """Scores at several levels."""

    sample: LadderSample
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The items of a run and the scores of the originals; scores are turned so that higher is better."""

    items: Sequence[Item]
    original: Scores
    sign: float  # -1 where lower is better
    row_of: Mapping[str, int]
    number_of: Mapping[str, int]  # task -> number, in the order of sorted names
    tasks: IntArray  # (n,)
    places: IntArray  # (n,): where an item is in `original`, -1 where it is not

    @staticmethod
    def of(items: Sequence[Item], original: Scores, *, higher_is_better: bool) -> "Frame":
        """Index items and tasks once for all checks of a metric."""
        row_of = {item.id: row for row, item in enumerate(items)}
        number_of = {task: number for number, task in enumerate(sorted({item.task_id for item in items}))}
        places = np.full(len(items), -1, dtype=np.int64)
        for place, item_id in enumerate(original.item_ids):
            if item_id in row_of:
                places[row_of[item_id]] = place
        return Frame(
            items=items,
            original=original,
            sign=1.0 if higher_is_better else -1.0,
            row_of=row_of,
            number_of=number_of,
            tasks=np.array([number_of[item.task_id] for item in items], dtype=np.int64),
            places=places,
        )

    def applicable(self, perturbation: Perturbation) -> BoolArray:
        """Say which items a perturbation makes sense for."""
        if perturbation.domains is None and not perturbation.needs:
            return np.ones(len(self.items), dtype=np.bool_)
        return np.array([applies(perturbation, item) for item in self.items], dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Column:
    """One column of scores in the order of the frame's items."""

    scores: Scores
    places: IntArray  # (n,): where an item is in the column, -1 where it is not
    values: FloatArray  # (n,): NaN where there is no score

    def reason(self, item_id: str, row: int) -> str:
        """Say why an item has no score here."""
        return NO_VARIANT if self.places[row] < 0 else self.scores.reasons.get(item_id, "no score")


def pair(frame: Frame, variant: Scores, applicable: BoolArray) -> Paired:
    """Pair the originals with one variant column.

    For a contrastive metric both sides keep only the negatives that both have, so that the same references
    stand on both sides; a score that loses a negative this way is computed anew.

    Args:
        frame: The items and the originals' scores.
        variant: Scores of a variant; items that are not in it count as missing where they are applicable.
        applicable: (n,) items the perturbation makes sense for; items that have a variant are added.
    """
    columns = [_original(frame), _column(frame, variant)]
    applicable = applicable | (columns[1].places >= 0)
    scored = ~np.isnan(columns[0].values) & ~np.isnan(columns[1].values)
    missing = _count_reasons(frame, columns, applicable & ~scored)
    aligned = _align(frame, columns, np.flatnonzero(applicable & scored), missing)
    negatives = aligned.negatives
    sample = PairedSample(
        tasks=frame.tasks[aligned.rows],
        original=aligned.values[:, 0],
        variant=aligned.values[:, 1],
        negative_tasks=aligned.negative_tasks,
        original_negatives=None if negatives is None else negatives[:, 0],
        variant_negatives=None if negatives is None else negatives[:, 1],
    )
    return Paired(sample=sample, rows=aligned.rows, coverage=_coverage(applicable, missing))


def combine(first: Paired, second: Paired) -> tuple[PairedSample, PairedSample]:
    """Keep the items that both samples hold, in the same order."""
    _, left, right = np.intersect1d(first.rows, second.rows, assume_unique=True, return_indices=True)
    return take_rows(first.sample, left.astype(np.int64)), take_rows(second.sample, right.astype(np.int64))


def stack_levels(
    frame: Frame, levels: Mapping[int, Scores], applicable: BoolArray, *, original_level: int | None
) -> Laddered:
    """Put the levels of a ladder side by side.

    An item enters with the levels it has, if there are two; a text too short for a level simply lacks it.

    Args:
        frame: The items and the originals' scores.
        levels: Level -> scores.
        applicable: As in `pair`.
        original_level: The level that the originals stand at; None if they are no level.
    """
    by_level = {level: _column(frame, scores) for level, scores in levels.items()}
    applicable = applicable | np.any([column.places >= 0 for column in by_level.values()], axis=0)
    if original_level is not None:
        by_level.setdefault(original_level, _original(frame))
    order = sorted(by_level)
    columns = [by_level[level] for level in order]
    enough = np.sum([~np.isnan(column.values) for column in columns], axis=0) >= 2
    missing = _count_reasons(frame, columns, applicable & ~enough)
    aligned = _align(frame, columns, np.flatnonzero(applicable & enough), missing)
    sample = LadderSample(
        tasks=frame.tasks[aligned.rows],
        levels=np.array(order, dtype=np.float64),
        scores=aligned.values,
        negative_tasks=aligned.negative_tasks,
        negatives=aligned.negatives,
    )
    return Laddered(sample=sample, coverage=_coverage(applicable, missing))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Aligned:
    """Columns of scores of the same items against the same negatives, turned so that higher is better."""

    rows: IntArray  # (n,)
    values: FloatArray  # (n, columns)
    negative_tasks: IntArray | None  # (n, m)
    negatives: FloatArray | None  # (n, columns, m)


def take_rows(sample: PairedSample, places: IntArray) -> PairedSample:
    """Return the pairs at the given places of a sample."""

    def taken(array: FloatArray | None) -> FloatArray | None:
        return None if array is None else array[places]

    return PairedSample(
        tasks=sample.tasks[places],
        original=sample.original[places],
        variant=sample.variant[places],
        negative_tasks=None if sample.negative_tasks is None else sample.negative_tasks[places],
        original_negatives=taken(sample.original_negatives),
        variant_negatives=taken(sample.variant_negatives),
    )


def _original(frame: Frame) -> _Column:
    return _Column(scores=frame.original, places=frame.places, values=_spread(frame.original, frame.places))


def _column(frame: Frame, scores: Scores) -> _Column:
    places = np.full(len(frame.items), -1, dtype=np.int64)
    rows = np.array([frame.row_of.get(item_id, -1) for item_id in scores.item_ids], dtype=np.int64)
    known = rows >= 0
    places[rows[known]] = np.flatnonzero(known)
    return _Column(scores=scores, places=places, values=_spread(scores, places))


def _spread(scores: Scores, places: IntArray) -> FloatArray:
    values = np.full(places.size, np.nan)
    has = places >= 0
    values[has] = scores.values[places[has]]
    return values


def _count_reasons(frame: Frame, columns: Sequence[_Column], lacking: BoolArray) -> Counter[str]:
    """Count for each lacking item the first reason that a column gives."""
    counts: Counter[str] = Counter()
    for row in np.flatnonzero(lacking).tolist():
        item_id = frame.items[row].id
        reasons = [column.reason(item_id, row) for column in columns if np.isnan(column.values[row])]
        told = [reason for reason in reasons if reason != NO_VARIANT]
        counts[(told or reasons or [FEWER_LEVELS])[0]] += 1
    return counts


def _coverage(applicable: BoolArray, missing: Counter[str]) -> Coverage:
    return Coverage(
        n_applicable=int(applicable.sum()), n_missing=missing.total(), missing=dict(missing.most_common())
    )


def _align(frame: Frame, columns: Sequence[_Column], rows: IntArray, missing: Counter[str]) -> _Aligned:
    """Give all columns of an item the negatives that all of them have; items without any become missing."""
    values = np.stack([column.values[rows] for column in columns], axis=1)
    contrasts = [column.scores.contrast for column in columns]
    present = [contrast for contrast in contrasts if contrast is not None]
    if not present:
        return _Aligned(rows=rows, values=frame.sign * values, negative_tasks=None, negatives=None)
    if len(present) < len(contrasts):
        raise ValueError("some columns of a contrastive metric lack the parts of their scores")
    width = max(contrast.negatives.shape[1] for contrast in present)
    numbers = dict(frame.number_of)
    lined_up = [
        _line_up(column, contrast, rows, width, numbers)
        for column, contrast in zip(columns, present, strict=True)
    ]
    tasks = _common_tasks([own for own, _ in lined_up], ~np.isnan(values))
    negatives = np.stack([found for _, found in lined_up], axis=1)
    negatives = np.where(tasks[:, None, :] >= 0, negatives, np.nan)
    for place, (column, contrast) in enumerate(zip(columns, present, strict=True)):
        matched = contrast.matched[column.places[rows]]
        values[:, place] = _rescored(
            values[:, place], matched, lined_up[place][0], tasks, negatives[:, place]
        )
    keep = (tasks >= 0).any(axis=1)
    if not bool(keep.all()):
        missing[NO_COMMON_NEGATIVE] += int((~keep).sum())
    return _Aligned(
        rows=rows[keep],
        values=frame.sign * values[keep],
        negative_tasks=tasks[keep],
        negatives=frame.sign * negatives[keep],
    )


def _line_up(
    column: _Column, contrast: Contrast, rows: IntArray, width: int, numbers: dict[str, int]
) -> tuple[IntArray, FloatArray]:
    """Return tasks (numbered as in the frame, new ones after them) and values of a column's negatives."""
    codes = np.array([numbers.setdefault(task, len(numbers)) for task in contrast.tasks], dtype=np.int64)
    tasks = np.full((rows.size, width), -1, dtype=np.int64)
    values = np.full((rows.size, width), np.nan)
    has = column.places[rows] >= 0
    places, m = column.places[rows][has], contrast.negatives.shape[1]
    drawn, found = contrast.negative_tasks[places], contrast.negatives[places]
    usable = (drawn >= 0) & np.isfinite(found)
    tasks[has, :m] = np.where(usable, codes[np.where(usable, drawn, 0)], -1)
    values[has, :m] = np.where(usable, found, np.nan)
    return tasks, values


def _common_tasks(drawn: Sequence[IntArray], present: BoolArray) -> IntArray:
    """Return the tasks of negatives that every column has in which an item is present: (n, m), else -1."""
    tasks = drawn[0].copy()
    seen = present[:, 0].copy()
    for place, own in enumerate(drawn[1:], start=1):
        tasks[~seen] = own[~seen]
        seen |= present[:, place]
    for place, own in enumerate(drawn):
        tasks = np.where(present[:, [place]] & (own != tasks), -1, tasks)
    return tasks


def _rescored(
    values: FloatArray, matched: FloatArray, drawn: IntArray, tasks: IntArray, negatives: FloatArray
) -> FloatArray:
    """Compute anew the scores that lose negatives: matched minus the mean of those that are left."""
    kept = (tasks >= 0).sum(axis=1)
    fewer = ~np.isnan(values) & (kept < (drawn >= 0).sum(axis=1)) & (kept > 0)
    if not bool(fewer.any()):
        return values
    means = np.nansum(negatives, axis=1) / np.maximum(kept, 1)
    return np.where(fewer, matched - means, values)
