"""The verb `score`: originals only, into memory or row by row into a file."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from gameproof.engine.drawn import DrawnScores
from gameproof.engine.progress import Progress, Silent
from gameproof.engine.score import score_stream
from gameproof.engine.summary import ColumnCounter, ScoreTable, rows_of
from gameproof.engine.table import concatenate
from gameproof.files import open_writer
from gameproof.metrics.base import Metric
from gameproof.records import Item, Scores

__all__ = ["score_to_file", "score_to_memory"]


async def score_to_memory(
    items: Sequence[Item],
    metrics: Sequence[Metric],
    *,
    drawn: DrawnScores | None = None,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score items with prepared metrics and keep the scores; `drawn`, if there is one, is shown all of them."""
    told = progress or Silent()
    counters = _counters(metrics)
    parts: list[list[Scores]] = [[] for _ in metrics]
    told.start("score", len(items))
    async for batch, columns in score_stream(items, metrics):
        for part, counter, scores in zip(parts, counters, columns, strict=True):
            counter.add(scores)
            part.append(scores)
        if drawn is not None:
            drawn.add(batch, columns)
        told.advance(len(batch))
    told.done()
    return ScoreTable(
        summaries=tuple(counter.summary() for counter in counters),
        scores=tuple(concatenate(part) for part in parts),
    )


async def score_to_file(
    items: Iterable[Item],
    metrics: Sequence[Metric],
    out: str | Path,
    *,
    drawn: DrawnScores,
    total: int | None = None,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score items with prepared metrics in constant memory; the file appears when all rows are in it.

    Args:
        items: Any number.
        metrics: Prepared.
        out: Where the rows go.
        drawn: Is shown all scores.
        total: How many items there are, where that is known.
        progress: Told about every batch.
    """
    told = progress or Silent()
    counters = _counters(metrics)
    told.start("score", total)
    with open_writer(out) as writer:
        async for batch, columns in score_stream(items, metrics):
            for counter, scores in zip(counters, columns, strict=True):
                counter.add(scores)
                for row in rows_of(counter.metric, scores):
                    writer.write(row)
            drawn.add(batch, columns)
            told.advance(len(batch))
    told.done()
    return ScoreTable(summaries=tuple(counter.summary() for counter in counters), out=str(out))


def _counters(metrics: Sequence[Metric]) -> list[ColumnCounter]:
    return [ColumnCounter(metric=metric.name, signature=metric.signature()) for metric in metrics]
