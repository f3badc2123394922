"""The verb `agree`."""

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from gameproof.agreement.analyse import ClusterBy, analyse_agreement
from gameproof.agreement.decide import check_thresholds
from gameproof.agreement.result import AgreementResult
from gameproof.aio.arguments import Llm, Metrics, listed
from gameproof.aio.reporting import write_text
from gameproof.aio.stand_ins import notes_on_stand_ins
from gameproof.audits.dry_run import DryRun, count_run
from gameproof.audits.preparing import prepare_for_audit
from gameproof.audits.run import notes_of
from gameproof.datasets.opening import open_comparisons
from gameproof.engine.progress import Progress
from gameproof.engine.scoring import score_to_memory
from gameproof.errors import PlanError
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool, is_stored
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Dataset
from gameproof.reports.agreement import agreement_record, render_agreement_csv, render_agreement_markdown

__all__ = ["agree", "plan_agree"]

ENDINGS = (".json", ".md", ".csv")


async def agree(
    data: object,
    metrics: Metrics,
    *,
    out: str | Path | None = None,
    thresholds: Mapping[str, float] | None = None,
    cluster: ClusterBy | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> AgreementResult:
    """Say how far metrics agree with people's choices between two texts.

    Args:
        data: Rows with candidate_a, candidate_b and preference (a, b or tie): a path, ``-``, or a table in memory.
        metrics: Names, metrics, or functions of an `Item`.
        out: A .json, .md or .csv file for the result.
        thresholds: Metric -> differences below which it decides neither, for alpha; the published ones by
            default.
        cluster: What is resampled for intervals: ``annotator``, ``group``, ``task``, ``choice`` or
            ``both``; by default what the data calls for.
        rename: Field -> column; ``{"preference": COLUMN}`` chooses among several questions.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        group_by: The column whose values are the groups, or ``all``.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of negatives and resamples.
        progress: Told about every batch.

    Raises:
        DataError: Rows are bad; all of them are named and nothing is scored.
        PlanError: The file of the result has no such ending, or a threshold is of a metric not asked for.
        InputError: It is not known whether a higher score of a metric is better, and cannot be measured.
    """
    path = None if out is None else Path(out)
    if path is not None and path.suffix.lower() not in ENDINGS:
        raise PlanError(f"cannot write {path}: the ending of its name is none of {', '.join(ENDINGS)}.")
    async with as_pool(llm, cache=cache, limits=limits) as models:
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        check_thresholds(thresholds or {}, [metric.name for metric in built])
        comparisons = open_comparisons(
            data, rename=rename, reference=reference, group_by=group_by, limit=limit
        )
        prepared = await prepare_for_audit(built, comparisons.items)
        table = await score_to_memory(comparisons.items, prepared, progress=progress)
    result = analyse_agreement(
        comparisons, prepared, table.scores, thresholds=thresholds, cluster=cluster, seed=seed
    )
    told = notes_on_stand_ins(prepared, comparisons.notes, result="agreement")
    result = replace(result, notes=(*result.notes, *told, *notes_of(prepared)))
    if path is not None:
        write_text(path, _render(result, path.suffix.lower()))
    return result


async def plan_agree(
    data: object,
    metrics: Metrics,
    *,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `agree` with the same arguments would ask of models; nothing is scored."""
    async with counting_pool(llm, cache=cache) as models:
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        comparisons = open_comparisons(
            data, rename=rename, reference=reference, group_by=group_by, limit=limit
        )
        texts = Dataset(name=comparisons.name, items=comparisons.items)
        return await count_run(texts, (), (), built, is_stored=partial(is_stored, models))


def _render(result: AgreementResult, ending: str) -> str:
    if ending == ".json":
        return json.dumps(agreement_record(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    return render_agreement_markdown(result) if ending == ".md" else render_agreement_csv(result)
