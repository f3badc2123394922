"""Score originals and variants with several metrics at once."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol, runtime_checkable

from gameproof.engine.progress import Progress, Silent
from gameproof.engine.table import MetricScores, VariantKey, concatenate
from gameproof.metrics.base import Metric
from gameproof.records import Item, Scores, Variant

__all__ = ["BATCH_SIZE", "prepare", "score_stream", "score_table"]

# Large enough to keep vectorised metrics busy, small enough that a batch of long texts stays in memory.
BATCH_SIZE = 512

Columns = Mapping[VariantKey, Sequence[tuple[int, Variant]]]


async def prepare(metrics: Sequence[Metric], pool: Sequence[Item]) -> list[Metric]:
    """Let every metric fix what depends on the whole data."""
    return list(await asyncio.gather(*(metric.prepare(pool) for metric in metrics)))


@runtime_checkable
class _Announces(Protocol):
    """A metric that shares work with other metrics of its run."""

    def announce(self, items: Sequence[Item]) -> None:
        """Take note of items that will be scored."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What every column of one run shares; `seconds` adds up the time of each metric."""

    metrics: Sequence[Metric]
    seconds: list[float]
    progress: Progress


async def score_table(
    items: Sequence[Item],
    columns: Columns,
    metrics: Sequence[Metric],
    *,
    progress: Progress | None = None,
) -> list[MetricScores]:
    """Score every original once and every variant that differs from its original.

    Each batch of texts goes through all metrics before the next one, so that metrics which share a memo
    tokenise each text once per run.

    Args:
        items: The originals; metrics must have been prepared on them.
        columns: For each perturbation and level, (row of the item, variant), in the order of the items.
        metrics: Prepared metrics.
        progress: Told about every batch.
    """
    progress = progress or Silent()
    total = len(items) + sum(len(column) for column in columns.values())
    progress.start("score", total * len(metrics))
    work = _Work(metrics=metrics, seconds=[0.0] * len(metrics), progress=progress)
    originals = await _score_column(items, work)
    tables: list[dict[VariantKey, Scores]] = [{} for _ in metrics]
    for key, column in columns.items():
        scored = await _score_variants(items, column, originals, work)
        for table, scores in zip(tables, scored, strict=True):
            table[key] = scores
    progress.done()
    return [
        MetricScores(
            metric=metric.name,
            signature=metric.signature(),
            higher_is_better=metric.higher_is_better,
            original=original,
            variants=table,
            seconds=spent,
        )
        for metric, original, table, spent in zip(metrics, originals, tables, work.seconds, strict=True)
    ]


async def score_stream(
    items: Iterable[Item], metrics: Sequence[Metric]
) -> AsyncIterator[tuple[list[Item], list[Scores]]]:
    """Score originals batch by batch, in constant memory."""
    for batch in _batches(items):
        _announce(batch, metrics)
        yield batch, [await metric.score(batch) for metric in metrics]
        await asyncio.sleep(0)  # a pause in which the work can be cancelled


def _batches(items: Iterable[Item], size: int = BATCH_SIZE) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _announce(items: Sequence[Item], metrics: Sequence[Metric]) -> None:
    """Say to all metrics what they will score, before the first one does: some share what costs time."""
    for metric in metrics:
        if isinstance(metric, _Announces):
            metric.announce(items)


async def _score_column(items: Sequence[Item], work: _Work) -> list[Scores]:
    parts: list[list[Scores]] = [[] for _ in work.metrics]
    for batch in _batches(items):
        _announce(batch, work.metrics)
        for index, metric in enumerate(work.metrics):
            started = time.perf_counter()
            parts[index].append(await metric.score(batch))
            work.seconds[index] += time.perf_counter() - started
        work.progress.advance(len(batch) * len(work.metrics))
        await asyncio.sleep(0)  # a pause in which the work can be cancelled
    return [concatenate(part) for part in parts]


async def _score_variants(
    items: Sequence[Item],
    column: Sequence[tuple[int, Variant]],
    originals: Sequence[Scores],
    work: _Work,
) -> list[Scores]:
    """Score one column: failures keep their reason, texts equal to the original keep its score."""
    same = [entry for entry in column if entry[1].text == items[entry[0]].candidate]
    failed = [entry for entry in column if entry[1].text is None]
    changed = [
        (row, items[row].with_candidate(variant.text))
        for row, variant in column
        if variant.text is not None and variant.text != items[row].candidate
    ]
    scored: list[Scores | None] = [None] * len(work.metrics)
    if changed:
        scored = list(await _score_column([item for _, item in changed], work))
    work.progress.advance((len(same) + len(failed)) * len(work.metrics))
    known = [row for row, _ in same]
    rows = [*known, *(row for row, _ in changed), *(row for row, _ in failed)]
    order = sorted(range(len(rows)), key=rows.__getitem__)
    columns: list[Scores] = []
    for original, new in zip(originals, scored, strict=True):
        parts = [original.take(known)] if known else []
        if new is not None:
            parts.append(new)
        if failed:
            parts.append(_missing(original, items, failed))
        columns.append(concatenate(parts).take(order))
    return columns


def _missing(original: Scores, items: Sequence[Item], failed: Sequence[tuple[int, Variant]]) -> Scores:
    """Return rows without a score, in the shape of the metric's other scores."""
    template = original.take([row for row, _ in failed])
    values = template.values.copy()
    values[:] = float("nan")
    reasons = {items[row].id: variant.reason or "no text" for row, variant in failed}
    return Scores(
        signature=template.signature,
        item_ids=template.item_ids,
        values=values,
        reasons=reasons,
        contrast=template.contrast,  # never read where the value is missing
        spread=values if template.spread is not None else None,
    )
