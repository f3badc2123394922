"""The verbs `analyse_study` and `export_study`."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gameproof.agreement.analyse import ClusterBy
from gameproof.agreement.result import AgreementResult
from gameproof.aio.agreeing import agree
from gameproof.aio.arguments import Llm, Metrics
from gameproof.aio.reporting import write_text
from gameproof.engine.progress import Progress
from gameproof.errors import PlanError
from gameproof.llm.limits import Limits
from gameproof.reports.study import render_study_markdown, study_record
from gameproof.reports.study_html import render_study_html
from gameproof.study.analysis import StudyAnalysis, analyse_record
from gameproof.study.export import ExportFormat, write_export
from gameproof.study.opening import open_record
from gameproof.study.record import StudyRecord
from gameproof.study.store import is_database, open_store
from gameproof.study.tables import agreement_rows

__all__ = ["StudyResult", "analyse_study", "export_study"]

ENDINGS = (".json", ".md", ".html")
# What metrics see of a comparison: nothing of conditions.
PAIR_COLUMNS = (
    "task_id", "candidate_a", "candidate_b", "preference", "annotator", "query", "source", "title", "persona",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyResult:
    """What a study's choices say, and how far metrics agree with them."""

    analysis: StudyAnalysis
    agreement: AgreementResult | None

    def record(self) -> dict[str, object]:
        """Return it as JSON has it."""
        return study_record(self.analysis, self.agreement)


async def analyse_study(
    data: str | Path | StudyRecord,
    metrics: Metrics = (),
    *,
    out: str | Path | None = None,
    thresholds: Mapping[str, float] | None = None,
    reference: str | None = None,
    cluster: ClusterBy | None = "annotator",
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> StudyResult:
    """Analyse the choices of a reader study.

    Args:
        data: A study's database (a file, or an address), a folder that `export_study` wrote or paper 2 released, or a
            .zip of one.
        metrics: Held against the choices, as in `agree`; candidates are the summaries, the source is the documents
            that were found.
        out: A .json, .md or .html file for the result.
        thresholds: As in `agree`, and so `cluster`, `llm`, `cache`, `limits` and `progress`.
        reference: What metrics that need a reference are given: ``title`` (titles of the documents, as the paper), or
            ``source`` (their abstracts).
        cluster: What is resampled for the metrics; the reader by default.
        llm: Of metrics that ask one.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the resamples.
        progress: Told about every batch.

    Raises:
        InputError: These are no study's data, or nobody has compared anything.
        PlanError: The file of the result has no such ending.
    """
    path = None if out is None else Path(out)
    if path is not None and path.suffix.lower() not in ENDINGS:
        raise PlanError(f"cannot write {path}: the ending of its name is none of {', '.join(ENDINGS)}.")
    record = data if isinstance(data, StudyRecord) else await asyncio.to_thread(open_record, data)
    analysis = await asyncio.to_thread(analyse_record, record, seed=seed)
    agreement = None
    if metrics:
        agreement = await agree(
            [{name: row[name] for name in PAIR_COLUMNS} for row in agreement_rows(record)],
            metrics,
            thresholds=thresholds,
            reference=reference,
            cluster=cluster,
            llm=llm,
            cache=cache,
            limits=limits,
            seed=seed,
            progress=progress,
        )
    result = StudyResult(analysis=analysis, agreement=agreement)
    if path is not None:
        write_text(path, _render(result, path.suffix.lower()))
    return result


async def export_study(
    data: str | Path, folder: str | Path, *, kind: ExportFormat = "all"
) -> tuple[Path, ...]:
    """Write a study's data into a new folder: paper 2's layout, JSON lines for `agree`, CSV tables and a dictionary.

    Args:
        data: As in `analyse_study`.
        folder: A new or empty one.
        kind: ``all``, ``layout``, ``jsonl`` or ``csv``.

    Raises:
        InputError: These are no study's data.
        PlanError: The folder is not empty.
    """
    record = await asyncio.to_thread(open_record, data)
    source = await asyncio.to_thread(_stored_source, data)
    return await asyncio.to_thread(write_export, record, Path(folder), kind, source=source)


def _stored_source(data: str | Path) -> str | None:
    if not is_database(data):
        return None
    store = open_store(data, create=False)
    try:
        return store.study_source()
    finally:
        store.close()


def _render(result: StudyResult, ending: str) -> str:
    if ending == ".json":
        return json.dumps(result.record(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    render = render_study_markdown if ending == ".md" else render_study_html
    return render(result.analysis, result.agreement)
