"""Score originals and variants with several metrics at once."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from gameproof.engine.partition import batches
from gameproof.engine.progress import Progress, Silent
from gameproof.engine.table import MetricScores, VariantKey, concatenate
from gameproof.llm.tally import Tally, tallied
from gameproof.metrics.base import Metric
from gameproof.records import Item, Scores, Variant

__all__ = [
    "Columns",
    "Scorer",
    "Work",
    "prepare",
    "score_column",
    "score_here",
    "score_stream",
    "score_table",
]

Columns = Mapping[VariantKey, Sequence[tuple[int, Variant]]]


async def prepare(
    metrics: Sequence[Metric], pool: Sequence[Item], asked: Sequence[Tally] | None = None
) -> list[Metric]:
    """Let every metric fix what depends on the whole data; count for each what it asks of models."""
    tallies = asked or [Tally() for _ in metrics]

    async def prepared(metric: Metric, tally: Tally) -> Metric:
        with tallied(tally):
            return await metric.prepare(pool)

    return list(await asyncio.gather(*map(prepared, metrics, tallies)))


@runtime_checkable
class _Announces(Protocol):
    """A metric that shares work with other metrics of its run."""

    def announce(self, items: Sequence[Item]) -> None:
        """Take note of items that will be scored."""
        ...


@dataclass(slots=True, kw_only=True)
class Work:
    """What every column of one run shares; `seconds` and `asked` add up what each metric takes."""

    metrics: Sequence[Metric]
    progress: Progress
    seconds: list[float] = field(default_factory=list[float])
    asked: list[Tally] = field(default_factory=list[Tally])

    def __post_init__(self) -> None:
        """Begin with nothing spent."""
        self.seconds = [0.0] * len(self.metrics)
        self.asked = [Tally() for _ in self.metrics]


class Scorer(Protocol):
    """Scores columns of texts: here, or on other machines."""

    def __call__(self, columns: Iterable[Sequence[Item]], work: Work) -> AsyncGenerator[list[Scores]]:
        """Yield for each column, in order, the scores of every metric."""
        ...


async def score_here(columns: Iterable[Sequence[Item]], work: Work) -> AsyncGenerator[list[Scores]]:
    """Score columns one after another in this process."""
    for items in columns:
        yield await score_column(items, work)


async def score_table(
    items: Sequence[Item],
    columns: Columns,
    metrics: Sequence[Metric],
    *,
    progress: Progress | None = None,
    scorer: Scorer = score_here,
) -> list[MetricScores]:
    """Score every original once and every variant that differs from its original.

    Each batch of texts goes through all metrics before the next one, so that metrics which share a memo
    tokenise each text once per run.

    Args:
        items: The originals; metrics must have been prepared on them.
        columns: For each perturbation and level, (row of the item, variant), in the order of the items.
        metrics: Prepared metrics.
        progress: Told about every batch.
        scorer: Who scores.
    """
    told = progress or Silent()
    total = len(items) + sum(len(column) for column in columns.values())
    told.start("score", total * len(metrics))
    work = Work(metrics=metrics, progress=told)
    tables: list[dict[VariantKey, Scores]] = [{} for _ in metrics]
    changed = {key: _changed(items, column) for key, column in columns.items()}
    async with aclosing(scorer(_texts(items, changed), work)) as scored:
        originals = await anext(scored)
        for key, column in columns.items():
            new = await anext(scored) if changed[key] else [None] * len(metrics)
            told.advance((len(column) - len(changed[key])) * len(metrics))
            for table, original, found in zip(tables, originals, new, strict=True):
                table[key] = _complete(items, column, original, changed[key], found)
    told.done()
    return [
        MetricScores(
            metric=metric.name,
            signature=metric.signature(),
            higher_is_better=metric.higher_is_better,
            original=original,
            variants=table,
            seconds=spent,
            asked=asked,
        )
        for metric, original, table, spent, asked in zip(
            metrics, originals, tables, work.seconds, work.asked, strict=True
        )
    ]


async def score_stream(
    items: Iterable[Item], metrics: Sequence[Metric]
) -> AsyncIterator[tuple[list[Item], list[Scores]]]:
    """Score originals batch by batch, in constant memory."""
    work = Work(metrics=metrics, progress=Silent())
    for batch in batches(items):
        yield batch, await _score_batch(batch, work)


async def score_column(items: Sequence[Item], work: Work) -> list[Scores]:
    """Score texts batch by batch; return the scores of each metric."""
    parts = [await _score_batch(batch, work) for batch in batches(items)]
    return [concatenate(column) for column in zip(*parts, strict=True)]


async def _score_batch(batch: Sequence[Item], work: Work) -> list[Scores]:
    # All metrics are told what they will score before the first one does: some share what costs time.
    for metric in work.metrics:
        if isinstance(metric, _Announces):
            metric.announce(batch)
    found: list[Scores] = []
    for index, metric in enumerate(work.metrics):
        started = time.perf_counter()
        with tallied(work.asked[index]):
            found.append(await metric.score(batch))
        work.seconds[index] += time.perf_counter() - started
    work.progress.advance(len(batch) * len(work.metrics))
    await asyncio.sleep(0)  # a pause in which the work can be cancelled
    return found


def _texts(items: Sequence[Item], changed: Columns) -> Iterator[Sequence[Item]]:
    """Yield the texts of each column that has to be scored: the originals, then what variants changed."""
    yield items
    for column in changed.values():
        if column:
            yield [items[row].with_candidate(variant.text or "") for row, variant in column]


def _changed(items: Sequence[Item], column: Sequence[tuple[int, Variant]]) -> list[tuple[int, Variant]]:
    return [
        (row, variant)
        for row, variant in column
        if variant.text is not None and variant.text != items[row].candidate
    ]


def _complete(
    items: Sequence[Item],
    column: Sequence[tuple[int, Variant]],
    original: Scores,
    changed: Sequence[tuple[int, Variant]],
    new: Scores | None,
) -> Scores:
    """Complete a column: failures keep their reason, texts equal to the original keep its score."""
    known = [row for row, variant in column if variant.text == items[row].candidate]
    failed = [entry for entry in column if entry[1].text is None]
    rows = [*known, *(row for row, _ in changed), *(row for row, _ in failed)]
    parts = [original.take(known)] if known else []
    if new is not None:
        parts.append(new)
    if failed:
        parts.append(_missing(original, items, failed))
    return concatenate(parts).take(sorted(range(len(rows)), key=rows.__getitem__))


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
