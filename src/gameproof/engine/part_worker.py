"""Do the jobs of one worker process."""

import io
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from gameproof.engine.jobs import (
    Envelope,
    Failed,
    Job,
    ScoredTexts,
    ScoreTexts,
    Setup,
    VariantsOf,
    WriteRows,
    WrittenRows,
)
from gameproof.engine.part_files import has_passing
from gameproof.engine.progress import Silent
from gameproof.engine.score import Work, score_column, score_stream
from gameproof.engine.shipping import Unpacked, unpack
from gameproof.engine.summary import rows_of
from gameproof.errors import GameproofError
from gameproof.files.writing import RowWriter
from gameproof.llm.connect import NO_CACHE
from gameproof.llm.pool import ModelPool
from gameproof.llm.shares import Spent, share_limits, spent_in
from gameproof.metrics.base import Metric
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.perturbations.pool import Originals
from gameproof.records import Variant

__all__ = ["PartWorker"]


class PartWorker:
    """Scores and perturbs parts of data with copies of the run's metrics; its models stay loaded between jobs."""

    def __init__(self, setup: Setup, number: int) -> None:
        """Connect to nothing yet.

        Args:
            setup: What all workers of the stage have.
            number: Of this worker, from 0; one that takes the place of another has its number.
        """
        self._setup = setup
        self._number = number
        self._process = f"{number}-{secrets.token_hex(4)}"
        self._pool: ModelPool | None = None
        self._unpacked: Unpacked | None = None

    async def do(self, job: Job) -> Envelope:
        """Do a job; an error raised on purpose comes back as a value."""
        try:
            done = await self._do(job)
        except GameproofError as error:
            done = Failed.of(error)
        return Envelope(
            process=self._process,
            done=done,
            counts=() if self._unpacked is None else self._unpacked.take_counts(),
            usages=() if self._pool is None else self._pool.usages(),
        )

    async def close(self) -> None:
        """Close models and files."""
        if self._pool is not None:
            await self._pool.__aexit__(None, None, None)
            self._pool = None

    async def _do(self, job: Job) -> WrittenRows | ScoredTexts | list[Variant]:
        if isinstance(job, VariantsOf):
            return self._make_variants(job)
        metrics = await self._metrics()
        if isinstance(job, ScoreTexts):
            work = Work(metrics=metrics, progress=Silent())
            columns = await score_column(job.items, work)
            return ScoredTexts(columns=columns, seconds=work.seconds, asked=work.asked)
        return await self._write_rows(job, metrics)

    async def _write_rows(self, job: WriteRows, metrics: Sequence[Metric]) -> WrittenRows:
        runs, part = self._setup.runs, job.part
        items = job.items if job.items is not None or runs is None else runs.between(part.start, part.stop)
        rows = io.BytesIO()
        writer = RowWriter(Path("a part"), rows)
        again = False
        async for _, columns in score_stream(items or (), metrics):
            for metric, scores in zip(metrics, columns, strict=True):
                for row in rows_of(metric.name, scores):
                    writer.write(row)
            again = again or has_passing(columns)
        return WrittenRows(rows=rows.getvalue(), again=again)

    def _make_variants(self, job: VariantsOf) -> list[Variant]:
        setup = self._setup
        return list(
            make_variants(
                setup.items[job.part.start : job.part.stop],
                [PERTURBATIONS[name] for name in setup.perturbations],
                seed=setup.seed,
                given=job.given,
                pool=self._originals,
                given_names=setup.given_names,
            )
        )

    @cached_property
    def _originals(self) -> Originals:
        return Originals(self._setup.items)

    async def _metrics(self) -> Sequence[Metric]:
        """Return the metrics, connected to models of this process."""
        if self._unpacked is None:
            with suppress(OSError):  # on another machine there may be no such folder
                os.chdir(self._setup.working_folder)
            pool = self._make_pool()
            self._pool = await pool.__aenter__()
            self._unpacked = unpack(self._setup.metrics or b"", pool)
        return self._unpacked.metrics

    def _make_pool(self) -> ModelPool:
        models = self._setup.models
        if models is None:
            return ModelPool(cache=NO_CACHE)
        layers = models.layers(self._number)
        own = Spent() if layers is None else spent_in(layers.own, models.limits.prices)
        limits = share_limits(models.limits, self._number, self._setup.n_workers, spent=models.spent, own=own)
        return ModelPool(models.llm, cache=NO_CACHE if layers is None else layers, limits=limits)
