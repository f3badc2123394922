"""Score and perturb with several worker processes: the same batches, the same numbers as in one process."""

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from gameproof.engine.jobs import (
    Done,
    Envelope,
    Failed,
    Job,
    Models,
    ScoredTexts,
    ScoreTexts,
    Setup,
    VariantsOf,
)
from gameproof.engine.part_files import ScoreParts, worker_stores
from gameproof.engine.partition import cut
from gameproof.engine.progress import Progress, Silent
from gameproof.engine.score import Scorer, Work
from gameproof.engine.shipping import Pickler, Shipped, pack
from gameproof.engine.table import concatenate
from gameproof.engine.workers import Worker, do_all
from gameproof.errors import BudgetError, GameproofError, PlanError
from gameproof.files.stream import ItemRuns
from gameproof.llm.pool import ModelPool
from gameproof.llm.shares import spent_by
from gameproof.llm.store_layers import merge_stores
from gameproof.metrics.base import Metric
from gameproof.perturbations.base import Perturbation
from gameproof.records import Item, Scores, Variant

__all__ = ["Crew", "Distributed"]


class Crew(Protocol):
    """Worker processes, on this machine or on others."""

    @property
    def n_workers(self) -> int:
        """How many work at a time."""
        ...

    @property
    def pickler(self) -> type[Pickler]:
        """What writes objects for workers."""
        ...

    def starter(self, setup: Setup) -> Callable[[int], Worker[Job, Envelope]]:
        """Return what starts the worker of a number."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Distributed:
    """A crew at work for one run."""

    crew: Crew
    models: ModelPool
    seed: int
    parts: Path | None = None  # where finished parts stay; None: they go when the result is complete
    progress: Progress = field(default_factory=Silent)

    def scorer(self, metrics: Sequence[Metric], folder: Path) -> Scorer:
        """Return what scores columns for `score_table`; finished parts stay in the folder until they are removed."""

        async def score(columns: Iterable[Sequence[Item]], work: Work) -> AsyncGenerator[list[Scores]]:
            parts = _ColumnParts(columns, ScoreParts(folder, metrics, keeps=True), work)
            shipped = self.pack(metrics)
            running = self.run(self.setup(folder, shipped), parts.jobs(), shipped=shipped, folder=folder)
            async with aclosing(running) as finished:
                async for job, done in finished:
                    if isinstance(job, ScoreTexts) and isinstance(done, ScoredTexts):
                        parts.take(job, done)
                    for column in parts.complete():
                        yield column
            for column in parts.complete():
                yield column

        return score

    async def variants(
        self, items: Sequence[Item], perturbations: Sequence[Perturbation], *, given: Sequence[Variant]
    ) -> list[Variant]:
        """Make the variants of originals, in the order in which one process makes them."""
        told = self.progress
        told.start("perturb", None)
        by_item: dict[str, list[Variant]] = {}
        for variant in given:
            by_item.setdefault(variant.item_id, []).append(variant)
        jobs = (
            VariantsOf(
                part=part,
                given=[
                    variant for item in items[part.start : part.stop] for variant in by_item.get(item.id, ())
                ],
            )
            for part in cut(len(items))
        )
        setup = Setup(
            n_workers=self.crew.n_workers,
            working_folder=str(Path.cwd()),
            items=tuple(items),
            perturbations=tuple(row.name for row in perturbations),
            given_names=frozenset(variant.name for variant in given),
            seed=self.seed,
        )
        made: dict[int, Sequence[Variant]] = {}
        async for job, done in self.run(setup, jobs):
            if isinstance(done, Sequence):
                made[job.part.number] = done
                told.advance(len(done))
        told.done()
        return [variant for _, part in sorted(made.items()) for variant in part]

    async def run(
        self, setup: Setup, jobs: Iterator[Job], *, shipped: Shipped | None = None, folder: Path | None = None
    ) -> AsyncGenerator[tuple[Job, Done]]:
        """Do jobs; take over what workers have counted, and the calls that they have made.

        Args:
            setup: What the workers have.
            jobs: Made lazily.
            shipped: The metrics that go to the workers, whose counts come back.
            folder: Where the workers' stores of calls are: those of an earlier run that was ended are taken over first.
        """
        self._merge_stores(folder)
        try:
            async with aclosing(do_all(jobs, self.crew.starter(setup), self.crew.n_workers)) as finished:
                async for job, envelope in finished:
                    self.models.count_elsewhere(envelope.process, envelope.usages)
                    if shipped is not None and envelope.counts:
                        shipped.add(envelope.counts)
                    if isinstance(envelope.done, Failed):
                        raise self._explain(envelope.done.error())
                    yield job, envelope.done
        finally:
            self._merge_stores(folder)

    def pack(self, metrics: Sequence[Metric]) -> Shipped:
        """Write metrics for workers."""
        return pack(metrics, self.models.name_of, pickler=self.crew.pickler)

    def setup(self, folder: Path, shipped: Shipped, *, runs: ItemRuns | None = None) -> Setup:
        """Return what workers need to score.

        Args:
            folder: Of finished parts, where the workers' stores of calls are too.
            shipped: The metrics.
            runs: What reads the texts that a job names by their numbers.

        Raises:
            PlanError: Calls are limited, and no store counts those of a worker that dies.
        """
        models = self.models
        base = models.store_path
        if base is None and (models.limits.max_calls is not None or models.limits.max_cost is not None):
            raise PlanError(
                "--max-calls and --max-cost with several workers need the store of calls, which counts what a worker that "
                "dies has asked.",
                hint="Leave out --cache off.",
            )
        return Setup(
            n_workers=self.crew.n_workers,
            working_folder=str(Path.cwd()),
            metrics=shipped.data,
            runs=runs,
            models=Models(
                llm=models.llm,
                limits=models.limits,
                spent=spent_by(models.usages()),
                folder=None if base is None else str(folder.resolve()),
                base=None if base is None or not base.exists() else str(base.resolve()),
            ),
        )

    def _merge_stores(self, folder: Path | None) -> None:
        base = self.models.store_path
        if folder is not None and base is not None:
            merge_stores(base, worker_stores(folder))

    def _explain(self, error: GameproofError) -> GameproofError:
        """Say of a budget that it is a worker's share."""
        if isinstance(error, BudgetError) and self.crew.n_workers > 1:
            message = (
                f"a worker has used up its share of the budget, one of {self.crew.n_workers}: {error.message}"
            )
            return BudgetError(message, hint=error.hint)
        return error


class _ColumnParts:
    """Cuts columns into jobs, and puts together what comes back in any order."""

    def __init__(self, columns: Iterable[Sequence[Item]], known: ScoreParts, work: Work) -> None:
        self._columns = columns
        self._known = known
        self._work = work
        self._found: dict[int, list[list[Scores] | None]] = {}  # column -> its parts -> scores of each metric
        self._n_complete = 0

    def jobs(self) -> Iterator[ScoreTexts]:
        """Yield what is not in the folder yet."""
        for number, items in enumerate(self._columns):
            parts = cut(len(items))
            self._found[number] = [None] * len(parts)
            for part in parts:
                texts = items[part.start : part.stop]
                scores = self._known.read(texts)
                if scores is None:
                    yield ScoreTexts(column=number, part=part, items=texts)
                else:
                    self._found[number][part.number] = scores
                    self._advance(len(part))

    def take(self, job: ScoreTexts, done: ScoredTexts) -> None:
        """Keep the scores of a part."""
        self._known.write(job.items, done.columns)
        self._found[job.column][job.part.number] = list(done.columns)
        self._work.seconds[:] = [a + b for a, b in zip(self._work.seconds, done.seconds, strict=True)]
        for asked, more in zip(self._work.asked, done.asked, strict=True):
            asked.add(more)
        self._advance(len(job.part))

    def complete(self) -> Iterator[list[Scores]]:
        """Yield the columns that are complete, in order, each once."""
        while (parts := self._found.get(self._n_complete)) is not None and None not in parts:
            del self._found[self._n_complete]
            self._n_complete += 1
            columns = zip(*(part for part in parts if part is not None), strict=True)
            yield [concatenate(column) for column in columns]

    def _advance(self, n_texts: int) -> None:
        self._work.progress.advance(n_texts * len(self._work.metrics))
