"""The verb `score` with several workers: parts of rows, joined to the file that one process writes."""

import json
import shutil
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import cast

import numpy as np

from gameproof._version import __version__
from gameproof.engine.distributed import Distributed
from gameproof.engine.drawn import DrawnScores, drawn_numbers
from gameproof.engine.jobs import WriteRows, WrittenRows
from gameproof.engine.part_files import RowParts
from gameproof.engine.partition import batches, cut
from gameproof.engine.score import Work
from gameproof.engine.summary import ColumnCounter, ScoreTable, scores_of_rows
from gameproof.engine.table import concatenate
from gameproof.errors import RunFolderError
from gameproof.files import ItemStream, digest_file, digest_items, digest_of, open_writer
from gameproof.files.stream import ItemRuns
from gameproof.metrics.base import Metric, is_pinned
from gameproof.records import Item, Scores

__all__ = ["kept_parts", "score_parts_to_file", "score_parts_to_memory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """The originals: how many, and where they come from."""

    n: int
    items: Iterable[Item]
    runs: ItemRuns | None  # where any run of them can be read by a worker

    @classmethod
    def of(cls, items: ItemStream | Sequence[Item]) -> "_Texts":
        if isinstance(items, ItemStream):
            return cls(n=items.n_items, items=items, runs=items.runs())
        return cls(n=len(items), items=items, runs=None)

    def digest(self) -> str:
        """Return what changes when a text does."""
        runs = self.runs
        if runs is None:
            return digest_items(self.items)
        read = [runs.rename, runs.group_by, runs.reference, self.n]
        return digest_of([[digest_file(path) for path in runs.paths], read])

    def at(self, numbers: Sequence[int]) -> list[Item]:
        """Return texts by their numbers, which are in order."""
        if self.runs is not None:
            return list(self.runs.at(numbers))
        if isinstance(self.items, Sequence):
            return [self.items[number] for number in numbers]
        wanted = set(numbers)
        return [item for number, item in enumerate(self.items) if number in wanted]


async def score_parts_to_file(
    run: Distributed,
    items: ItemStream | Sequence[Item],
    metrics: Sequence[Metric],
    out: str | Path,
    *,
    drawn: DrawnScores,
) -> ScoreTable:
    """Score originals; the rows are those that one process writes, in the same order.

    Args:
        run: The crew.
        items: Validated. Runs of Parquet files are read by the workers, everything else is sent to them.
        metrics: Prepared.
        out: Where the rows go.
        drawn: Is given the scores that it would have drawn.
    """
    texts = _Texts.of(items)
    signatures = [metric.signature() for metric in metrics]
    inputs = {"texts": texts.digest(), "metrics": signatures, "version": __version__}
    path = Path(out)
    with kept_parts(run.parts, path.with_name(f"{path.name}.parts")) as folder:
        rows = RowParts(folder, inputs, keeps=all(map(is_pinned, signatures)))
        await _write_parts(run, texts, metrics, rows)
        return _join(texts, metrics, rows, out, drawn)


async def score_parts_to_memory(
    run: Distributed, items: Sequence[Item], metrics: Sequence[Metric], *, drawn: DrawnScores
) -> ScoreTable:
    """Score originals and keep the scores; arguments as in `score_parts_to_file`."""
    run.progress.start("score", len(items) * len(metrics))
    with kept_parts(run.parts, None) as folder:
        work = Work(metrics=metrics, progress=run.progress)
        async with aclosing(run.scorer(metrics, folder)([items], work)) as scored:
            columns = await anext(scored)
    run.progress.done()
    counters = _counters(metrics)
    for rows in batches(range(len(items))):
        for counter, scores in zip(counters, columns, strict=True):
            counter.add(scores.take(rows))
    numbers = drawn_numbers(len(items), seed=drawn.seed)
    drawn.fill(
        len(items), [items[number] for number in numbers], [scores.take(numbers) for scores in columns]
    )
    return ScoreTable(summaries=tuple(counter.summary() for counter in counters), scores=tuple(columns))


@contextmanager
def kept_parts(chosen: Path | None, beside: Path | None) -> Generator[Path]:
    """Give a folder for finished parts: the user's own stays; another goes when all is done, and stays after an error.

    Args:
        chosen: The user's own.
        beside: Another one; None for a temporary folder.
    """
    if chosen is None and beside is None:
        with tempfile.TemporaryDirectory(prefix="gameproof-") as folder:
            yield Path(folder)
        return
    path = chosen or cast("Path", beside)  # one of them is there
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunFolderError(
            f"{path} cannot hold the parts of a run: {error.strerror}.", hint="Name a folder with --parts."
        ) from error
    yield path
    if chosen is None:
        shutil.rmtree(path, ignore_errors=True)


async def _write_parts(run: Distributed, texts: _Texts, metrics: Sequence[Metric], rows: RowParts) -> None:
    told = run.progress
    told.start("score", texts.n)

    def jobs() -> Iterator[WriteRows]:
        sent = iter(texts.items) if texts.runs is None else iter(())
        for part in cut(texts.n):
            items = None if texts.runs is not None else tuple(islice(sent, len(part)))
            if rows.has(part):
                told.advance(len(part))
            else:
                yield WriteRows(part=part, items=items)

    shipped = run.pack(metrics)
    setup = run.setup(rows.folder, shipped, runs=texts.runs)
    async with aclosing(run.run(setup, jobs(), shipped=shipped, folder=rows.folder)) as finished:
        async for job, done in finished:
            if isinstance(done, WrittenRows):
                rows.write(job.part, done.rows, again=done.again)
                told.advance(len(job.part))
    told.done()


def _join(
    texts: _Texts, metrics: Sequence[Metric], rows: RowParts, out: str | Path, drawn: DrawnScores
) -> ScoreTable:
    """Write the rows of all parts, and count them batch by batch as one process does."""
    counters = _counters(metrics)
    numbers = drawn_numbers(texts.n, seed=drawn.seed)
    kept: list[list[Scores]] = [[] for _ in metrics]
    wanted = iter([*numbers, texts.n])
    next_wanted = next(wanted)
    with open_writer(out) as writer:
        for start, columns in _columns(metrics, texts, rows, writer.write_line):
            n_batch = len(columns[0].item_ids)
            chosen: list[int] = []
            while next_wanted < start + n_batch:
                chosen.append(next_wanted - start)
                next_wanted = next(wanted, texts.n)
            for place, (counter, scores) in enumerate(zip(counters, columns, strict=True)):
                counter.add(scores)
                if chosen:
                    kept[place].append(scores.take(chosen))
    drawn.fill(texts.n, texts.at(numbers), [_without_empty_spread(concatenate(column)) for column in kept])
    return ScoreTable(summaries=tuple(counter.summary() for counter in counters), out=str(out))


def _columns(
    metrics: Sequence[Metric], texts: _Texts, rows: RowParts, write: Callable[[bytes], None]
) -> Iterator[tuple[int, list[Scores]]]:
    """Yield the scores of each batch with the number of its first text, and hand on their rows as they stand."""
    signatures = [metric.signature() for metric in metrics]
    for part in cut(texts.n):
        lines = rows.lines(part)
        for numbers in batches(range(part.start, part.stop)):
            columns: list[Scores] = []
            for signature in signatures:
                found = list(islice(lines, len(numbers)))
                if len(found) < len(numbers):
                    raise RunFolderError(
                        f"{rows.folder} has a part of {len(part):,} texts with too few rows.",
                        hint="Remove the folder, and score again.",
                    )
                for line in found:
                    write(line)
                columns.append(scores_of_rows(signature, [json.loads(line) for line in found]))
            yield numbers[0], columns


def _without_empty_spread(scores: Scores) -> Scores:
    empty = scores.spread is None or bool(np.isnan(scores.spread).all())
    return replace(scores, spread=None) if empty else scores


def _counters(metrics: Sequence[Metric]) -> list[ColumnCounter]:
    return [ColumnCounter(metric=metric.name, signature=metric.signature()) for metric in metrics]
