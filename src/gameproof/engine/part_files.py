"""Finished parts of a run in a folder: each is there as a whole or not at all, and is not done again."""

import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from gameproof._version import __version__
from gameproof.engine.partition import Part
from gameproof.engine.score_files import read_scores, write_scores
from gameproof.engine.table import MetricScores
from gameproof.files import digest_items, digest_of
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.llm.passing import is_passing
from gameproof.metrics.base import Metric, is_pinned
from gameproof.records import Item, Scores

__all__ = ["RowParts", "ScoreParts", "has_passing", "worker_stores"]

DIGITS = 16
STORES = "calls-*.sqlite"


def worker_stores(folder: Path) -> list[Path]:
    """Return the stores of calls that workers have left in a folder of parts."""
    return sorted(folder.glob(STORES))


def has_passing(columns: Sequence[Scores]) -> bool:
    """Say whether scores are missing because calls failed for the time being: they are worth another try."""
    return any(
        is_passing(text)
        for scores in columns
        for text in (*scores.reasons.values(), *scores.remarks.values())
    )


class RowParts:
    """Rows of scores as they are written to a file, a file for each part."""

    def __init__(self, folder: Path, inputs: object, *, keeps: bool) -> None:
        """Look into a folder.

        Args:
            folder: Where the parts are.
            inputs: All that the rows depend on.
            keeps: Whether a part that is there counts; otherwise every part is done again.
        """
        self.folder = folder
        self._name = digest_of(inputs)[:DIGITS]
        self._keeps = keeps

    def has(self, part: Part) -> bool:
        """Say whether a part is finished."""
        return self._keeps and self._path(part).exists()

    def write(self, part: Part, rows: bytes, *, again: bool) -> None:
        """Write the rows of a part; with `again` the next run does it once more."""
        path = self._path(part, unfinished=again)
        with AtomicFile(path) as file, writing_errors(path):
            file.data.write(rows)
        if again:
            self._path(part).unlink(missing_ok=True)

    def lines(self, part: Part) -> Iterator[bytes]:
        """Yield the rows of a part, as lines of JSON."""
        path = self._path(part)
        with (path if path.exists() else self._path(part, unfinished=True)).open("rb") as lines:
            yield from lines

    def _path(self, part: Part, *, unfinished: bool = False) -> Path:
        name = f"{self._name}-{part.number:06d}-{part.start}-{part.stop}"
        return self.folder / f"{name}{'.unfinished' if unfinished else ''}.jsonl"


class ScoreParts:
    """Scores of runs of texts, a small folder for each: named by what the scores depend on."""

    def __init__(self, folder: Path, metrics: Sequence[Metric], *, keeps: bool) -> None:
        """Look into a folder.

        Args:
            folder: Where the parts are.
            metrics: Prepared.
            keeps: Whether a part that is there counts.
        """
        self._folder = folder
        self._metrics = metrics
        self._signatures = [metric.signature() for metric in metrics]
        self._keeps = keeps and all(map(is_pinned, self._signatures))

    def read(self, items: Sequence[Item]) -> list[Scores] | None:
        """Return the scores of exactly these texts; None where there are none yet."""
        path = self._path(items)
        if not self._keeps or not path.is_dir():
            return None
        wanted = {
            metric.name: (signature, metric.higher_is_better)
            for metric, signature in zip(self._metrics, self._signatures, strict=True)
        }
        found = read_scores(path, items, wanted)
        return [found[metric.name].original for metric in self._metrics]

    def write(self, items: Sequence[Item], columns: Sequence[Scores]) -> None:
        """Write the scores of texts, unless some are worth another try."""
        path = self._path(items)
        if not self._keeps or path.is_dir() or has_passing(columns):
            return
        table = [
            MetricScores(
                metric=metric.name,
                signature=signature,
                higher_is_better=metric.higher_is_better,
                original=scores,
                variants={},
            )
            for metric, signature, scores in zip(self._metrics, self._signatures, columns, strict=True)
        ]
        temporary = self._folder / f".{path.name}.{secrets.token_hex(4)}.part"
        with writing_errors(path):
            temporary.mkdir(parents=True)
            try:
                write_scores(temporary, table)
                with suppress(FileExistsError):
                    temporary.rename(path)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)

    def _path(self, items: Sequence[Item]) -> Path:
        return self._folder / digest_of([__version__, self._signatures, digest_items(items)])[:DIGITS]
