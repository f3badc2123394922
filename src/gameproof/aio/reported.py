"""Take from a run folder everything a report shows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from gameproof.audits.card import exit_code
from gameproof.audits.evidence import MetricEvidence, collect_evidence
from gameproof.audits.rerun import refuse_unscored, take_up
from gameproof.audits.result import AuditResult
from gameproof.audits.run import VARIANTS_FILE
from gameproof.engine.table import MetricScores, VariantKey
from gameproof.errors import GameproofError
from gameproof.files import RunFolder
from gameproof.files.json_object import read_json_object
from gameproof.json_text import parse_json
from gameproof.records import Item
from gameproof.reports.html import ReportedRun
from gameproof.reports.result_json import parse_result

__all__ = ["RESULT_FILE", "read_result", "reported_run", "result_of"]

RESULT_FILE = "result.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """The originals of a run and all its scores."""

    items: Sequence[Item]
    table: Sequence[MetricScores]


def reported_run(folder: RunFolder, result: AuditResult, *, scored: Scored | None = None) -> ReportedRun:
    """Return the run with its evidence; where the scores are gone, the statistics are reported alone.

    Args:
        folder: The run folder.
        result: What was found.
        scored: The scores, where they are at hand; else they are read from the folder.
    """
    return ReportedRun(
        result=result,
        exit_code=exit_code(result.metrics, result.gate),
        gate=result.gate,
        evidence=_evidence(folder, result, scored),
        plan=folder.plan,
        versions=folder.versions,
    )


def read_result(folder: Path) -> AuditResult:
    """Read ``result.json`` of a run folder.

    Raises:
        RunFolderError: It is not there or cannot be read.
    """
    hint = f"`gameproof check {folder}` writes it again."
    return parse_result(read_json_object(folder / RESULT_FILE, hint=hint))


def result_of(folder: RunFolder) -> AuditResult:
    """Read the result of a run.

    Raises:
        RunFolderError: It cannot be read, or the run was not finished, so that `check` could not write it either.
    """
    if not (folder.path / RESULT_FILE).exists():
        refuse_unscored(folder)
    return read_result(folder.path)


def _evidence(folder: RunFolder, result: AuditResult, scored: Scored | None) -> tuple[MetricEvidence, ...]:
    if scored is None:
        try:
            run, table = take_up(folder)
        except (OSError, GameproofError):
            return ()  # a result without its scores, as people send it around, has its statistics still
        scored = Scored(items=run.dataset.items, table=table)

    def read_texts(wanted: frozenset[tuple[str, VariantKey]]) -> Mapping[tuple[str, VariantKey], str]:
        return _read_texts(folder.path / VARIANTS_FILE, wanted)

    return collect_evidence(scored.items, scored.table, result.metrics, read_texts)


def _read_texts(
    path: Path, wanted: frozenset[tuple[str, VariantKey]]
) -> Mapping[tuple[str, VariantKey], str]:
    """Look the texts of a few variants up; the file is read line by line, since it may be large."""
    found: dict[tuple[str, VariantKey], str] = {}
    if not wanted:
        return found
    try:
        with path.open(encoding="utf-8", errors="surrogatepass") as lines:
            for line in lines:
                row = cast("dict[str, object]", parse_json(line))
                level = row.get("level")
                key = (str(row["item"]), (str(row["variant"]), level if isinstance(level, int) else None))
                if key in wanted and isinstance(row.get("text"), str):
                    found[key] = str(row["text"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return found  # examples are shown where their texts can be read
    return found
