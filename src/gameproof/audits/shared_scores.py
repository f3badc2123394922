"""Scores of one metric in two runs, cut down to what both have, so that they can be paired text by text."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gameproof.audits.crossing import pair_crossed
from gameproof.audits.result import CheckRow
from gameproof.audits.samples import Frame, Paired, combine, pair, stack_levels
from gameproof.audits.scale import tame
from gameproof.engine.table import MetricScores, VariantKey
from gameproof.records import BoolArray, FloatArray, Item, Scores
from gameproof.stats.ladder import LadderSample
from gameproof.stats.paired import PairedSample

__all__ = ["SharedScores", "share_scores"]

NOT_SHARED = "not the same text in both runs, or no score in one of them"
NO_COLUMN = "not scored in both runs"
NO_PAIR = "the two runs have no variant in common: their seeds or rewrites differ"

Samples = tuple[PairedSample, PairedSample] | tuple[LadderSample, LadderSample]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedScores:
    """Both runs' columns on the same items; what one run lacks is missing in the other."""

    frames: tuple[Frame, Frame]
    columns: tuple[dict[VariantKey, Scores], dict[VariantKey, Scores]]

    @property
    def originals(self) -> tuple[FloatArray, FloatArray]:
        """Return the scores of the originals, turned so that higher is better."""
        one, two = (frame.sign * frame.original.values for frame in self.frames)
        return one, two

    def samples(self, row: CheckRow) -> Samples | None:
        """Return what a check's effect is computed from, in both runs; None where there is no pair."""
        keys = self._keys(row)
        if not keys:
            return None
        nobody: BoolArray = np.zeros(len(self.frames[0].items), dtype=np.bool_)
        if row.family == "ladder" and row.expect != "stable":
            builds_up = row.expect == "increase" and len(keys) > 1
            one, two = (
                stack_levels(
                    frame,
                    {1 if level is None else level: columns[name, level] for name, level in keys},
                    nobody,
                    original_level=None if builds_up else 0,
                ).sample
                for frame, columns in zip(self.frames, self.columns, strict=True)
            )
            return (one, two) if one.tasks.size and two.tasks.size else None
        first, second = combine(
            *(
                _paired(frame, {level: columns[name, level] for name, level in keys}, row.family, nobody)
                for frame, columns in zip(self.frames, self.columns, strict=True)
            )
        )
        return (first, second) if first.original.size else None

    def why_not(self, row: CheckRow) -> str:
        """Say why a check has no samples."""
        return NO_PAIR if self._keys(row) else NO_COLUMN

    def _keys(self, row: CheckRow) -> list[VariantKey]:
        return [key for key in self.columns[0] if key[0] == row.check and key in self.columns[1]]


def _paired(frame: Frame, columns: Mapping[int | None, Scores], family: str, applicable: BoolArray) -> Paired:
    """Pair what a check compares: readers' own texts with others', else the originals with the strongest level."""
    if family == "crossing":
        return pair_crossed(frame, columns, applicable)
    strongest = max(columns, key=lambda level: -1 if level is None else level)
    return pair(frame, columns[strongest], applicable)


def share_scores(
    items: Sequence[Item],
    scores: tuple[MetricScores, MetricScores],
    same_text: Callable[[str, VariantKey], bool],
) -> SharedScores:
    """Cut both runs' scores down to what both have.

    Args:
        items: The items that both runs have.
        scores: Of one metric, before and after.
        same_text: Whether a variant of an item is the same text in both runs.
    """
    before, after = (tame(one)[0] for one in scores)
    ids = [item.id for item in items]
    originals = _cut(before.original, after.original, ids)
    columns: tuple[dict[VariantKey, Scores], dict[VariantKey, Scores]] = ({}, {})
    for key, first in before.variants.items():
        second = after.variants.get(key)
        if second is None:
            continue
        own = [item for item in ids if same_text(item, key)]
        columns[0][key], columns[1][key] = _cut(first, second, own)
    tasks = sorted({item.task_id for item in items} | _contrast_tasks(before) | _contrast_tasks(after))
    numbers = {task: number for number, task in enumerate(tasks)}
    return SharedScores(
        frames=(
            _frame(items, originals[0], numbers, higher_is_better=before.higher_is_better),
            _frame(items, originals[1], numbers, higher_is_better=after.higher_is_better),
        ),
        columns=columns,
    )


def _frame(
    items: Sequence[Item], original: Scores, numbers: dict[str, int], *, higher_is_better: bool
) -> Frame:
    """Index the items; tasks are numbered alike in both runs, those of negative references too."""
    frame = Frame.of(items, original, higher_is_better=higher_is_better)
    tasks = np.array([numbers[item.task_id] for item in items], dtype=np.int64)
    return replace(frame, number_of=numbers, tasks=tasks)


def _contrast_tasks(scores: MetricScores) -> set[str]:
    contrast = scores.original.contrast
    return set() if contrast is None else set(contrast.tasks)


def _cut(first: Scores, second: Scores, ids: Sequence[str]) -> tuple[Scores, Scores]:
    """Take the same items from both columns; a score that one lacks is missing in the other as well."""
    places = [{item: place for place, item in enumerate(scores.item_ids)} for scores in (first, second)]
    shared = [item for item in ids if all(item in known for known in places)]
    taken = [
        scores.take([known[item] for item in shared])
        for scores, known in zip((first, second), places, strict=True)
    ]
    gone = np.isnan(taken[0].values) | np.isnan(taken[1].values)
    reasons = {item: NOT_SHARED for item, missing in zip(shared, gone.tolist(), strict=True) if missing}
    one, two = (
        replace(scores, values=np.where(gone, np.nan, scores.values), reasons=reasons) for scores in taken
    )
    return one, two
