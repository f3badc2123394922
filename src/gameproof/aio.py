"""The asynchronous verbs: the only implementation. `gameproof.audit` and the others run these."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal, cast

from gameproof import files
from gameproof.audits.card import exit_code
from gameproof.audits.checks import DEFAULT_MARGIN, CheckSettings, parse_margin
from gameproof.audits.dry_run import DryRun, count_run, count_variants
from gameproof.audits.given_variants import with_variants
from gameproof.audits.power import plan_checks
from gameproof.audits.rerun import take_up
from gameproof.audits.result import AuditResult
from gameproof.audits.rewriting import DROPPED_LATER, OVERLAP, make_rewriting, plan
from gameproof.audits.run import Run, check_stage, run_audit
from gameproof.datasets.opening import DataOptions, is_embedded, open_dataset
from gameproof.engine.progress import Progress, Silent
from gameproof.engine.scoring import score_to_file, score_to_memory
from gameproof.engine.summary import ScoreTable
from gameproof.errors import PlanError, RunFolderError
from gameproof.files.atomic import AtomicFile, writing_errors
from gameproof.llm.client import LanguageModel
from gameproof.llm.connect import NO_CACHE
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool, as_pool
from gameproof.metrics.catalogue import MetricLike, build_metrics
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import select
from gameproof.perturbations.written import review_rows
from gameproof.records import Dataset, Variant
from gameproof.reports.html import render_html
from gameproof.reports.markdown import render_csv, render_markdown
from gameproof.reports.result_json import parse_result, render_json

__all__ = ["audit", "check", "dry_run", "perturb", "power", "report", "score"]

Metrics = MetricLike | Sequence[MetricLike]
Suite = Literal["all", "strategic", "satisfaction"]
Llm = str | LanguageModel | ModelPool

RESULT_FILE = "result.json"
REPORT_FILE = "report.html"


async def audit(
    data: object,
    metrics: Metrics,
    *,
    out: str | Path | None = None,
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    variants: str | Path | None = None,
    margin: str = DEFAULT_MARGIN,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    force: bool = False,
    progress: Progress | None = None,
) -> AuditResult:
    """Say for each metric whether it can be trusted as a target: perturb, score, check, report.

    Args:
        data: A path, ``-`` for standard input, an embedded data set (``planted``), a list of dicts or items,
            a pandas or polars frame, a Hugging Face data set, or a `Dataset`.
        metrics: Names, metrics, or functions of an `Item`.
        out: The run folder; without one nothing is written. Stages whose inputs have not changed since an
            earlier run in the same folder are skipped.
        suite: ``strategic``, ``satisfaction`` or ``all``.
        perturbations: Names of perturbations instead of a suite.
        variants: A file of variants made elsewhere, in the format of `perturb`; they replace made ones.
        margin: What counts as a material gain: ``.10`` standard deviations, or ``.5sent`` for half of what
            losing one sentence costs.
        domain: ``reviews``, ``summaries`` or ``answers``, for items that do not say it themselves.
        rename: Field -> column, where the columns have other names.
        group_by: The column whose values are the groups that negatives come from, or ``all``.
        sample: So many originals, drawn task by task.
        limit: Only the first so many rows.
        llm: The language model for metrics that ask one: a name, an address, ``NAME@ADDRESS``, or a model.
        rewriter: The model that writes the variants no rule can make; without one they are not made.
        verify: Who says whether a rewrite does what its name says: ``overlap`` (words), or the name of a model.
        cache: The file of finished model calls, ``off`` for none; by default the user's own.
        limits: Of model calls, their cost, rates and times.
        seed: Of every draw.
        force: Do every stage anew.
        progress: Told about every stage.

    Raises:
        DataError: Rows of the data are bad; all of them are named and nothing is scored.
        SpecError: A metric or perturbation is not known.
        RunFolderError: The run folder cannot be used.
    """
    chosen = select(suite, perturbations)
    settings = CheckSettings(margin=parse_margin(margin), seed=seed)
    options = DataOptions(
        rename=rename, group_by=group_by, sample=sample, limit=limit, seed=seed, domain=domain
    )
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(as_pool(llm, cache=cache, limits=limits))
        built = build_metrics(_listed(metrics), seed=seed, llm=models)
        dataset = with_variants(open_dataset(data, options), variants)
        folder = stack.enter_context(files.RunFolder.open(out)) if out is not None else None
        run = Run(
            dataset=dataset,
            perturbations=chosen,
            suite=suite,
            settings=settings,
            seed=seed,
            folder=folder,
            force=force,
            progress=progress,
            rewriting=make_rewriting(rewriter, verify, models),
        )
        result = await run_audit(run, built)
        if folder is not None:
            _write_result(folder.path, result)
    return result


async def dry_run(
    data: object,
    metrics: Metrics,
    *,
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    variants: str | Path | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    seed: int = 0,
) -> DryRun:
    """Count what `audit` with the same arguments would do, model calls first of all; nothing is scored."""
    chosen = select(suite, perturbations)
    options = DataOptions(
        rename=rename, group_by=group_by, sample=sample, limit=limit, seed=seed, domain=domain
    )
    async with as_pool(llm, cache=NO_CACHE, limits=None) as models:
        built = build_metrics(_listed(metrics), seed=seed, llm=models)
        dataset = with_variants(open_dataset(data, options), variants)
        rewriting = make_rewriting(rewriter, verify, models)
        writer = rewriting.writer.name if rewriting is not None else None
        planned = plan(dataset.items, chosen, writer=writer, given=dataset.variants)
        given = (*dataset.variants, *planned.variants)
        made = list(make_variants(dataset.items, chosen, seed=seed, given=given))
        counted = await count_run(dataset, chosen, made, built, before=planned.calls)
        return replace(counted, notes=(*counted.notes, DROPPED_LATER)) if planned.calls else counted


async def check(
    run: str | Path, *, margin: str | None = None, progress: Progress | None = None
) -> AuditResult:
    """Do the statistics of a finished run again: no scoring, no model calls.

    Args:
        run: The run folder.
        margin: Another margin than the run's own.
        progress: Told about every stage.
    """
    with files.RunFolder.open(run, create=False) as folder:
        taken, table = take_up(folder, margin=margin, progress=progress)
        result = check_stage(taken, table)
        _write_result(folder.path, result)
    return result


async def report(run: str | Path, *, out: str | Path | None = None) -> Path:
    """Write the report of a finished run.

    Args:
        run: The run folder.
        out: Where it goes: ``.html``, ``.md`` for Markdown, ``.csv`` for the checks as a table; by default
            ``report.html`` in the run folder.

    Returns:
        The path of the report.
    """
    with files.RunFolder.open(run, create=False, read_only=True) as folder:
        path = Path(out) if out is not None else folder.path / REPORT_FILE
        render = _renderer(path)
        result = _read_result(folder.path)
    _write_text(path, render(result))
    return path


async def perturb(
    data: object,
    *,
    out: str | Path,
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[dict[str, object]]:
    """Write variants of every text to a file; return for each perturbation how many were made or failed.

    The arguments are those of `audit`. What a rewriter wrote lies beside the file as ``NAME.review.jsonl``, with
    the verdict on each text and what it rests on; edit the verdicts and give it to `audit` as ``variants``.
    """
    chosen = select(suite, perturbations)
    options = DataOptions(
        rename=rename, group_by=group_by, sample=sample, limit=limit, seed=seed, domain=domain
    )
    dataset = open_dataset(data, options)
    given = dataset.variants
    told = progress or Silent()
    async with as_pool(llm, cache=cache, limits=limits) as models:
        rewriting = make_rewriting(rewriter, verify, models)
        if rewriting is not None:
            written = await rewriting.write(dataset.items, chosen, given)
            given = (*given, *written.variants)
            files.write_rows(_review_path(Path(out)), review_rows(written))
    made: list[Variant] = []
    told.start("perturb", None)
    for variant in make_variants(dataset.items, chosen, seed=seed, given=given):
        made.append(variant)
        told.advance(1)
    told.done()
    files.write_variants(out, made)
    return count_variants(chosen, made, dataset.items)


async def power(
    data: object,
    metrics: Metrics,
    *,
    suite: Suite = "strategic",
    perturbations: Sequence[str] | None = None,
    margin: str = DEFAULT_MARGIN,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[dict[str, object]]:
    """Say from a small pilot how many tasks and items each verdict needs; arguments as in `audit`."""
    options = DataOptions(
        rename=rename, group_by=group_by, sample=sample, limit=limit, seed=seed, domain=domain
    )
    run = Run(
        dataset=open_dataset(data, options),
        perturbations=select(suite, perturbations),
        suite=suite,
        settings=CheckSettings(margin=parse_margin(margin), seed=seed),
        seed=seed,
        progress=progress,
    )
    async with as_pool(llm, cache=cache, limits=limits) as models:
        return await plan_checks(run, build_metrics(_listed(metrics), seed=seed, llm=models))


async def score(
    data: object,
    metrics: Metrics,
    *,
    out: str | Path | None = None,
    rename: Mapping[str, str] | None = None,
    group_by: str | None = None,
    sample: int | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> ScoreTable:
    """Score every text.

    With ``out`` and metrics that do not look at the whole data (mutual-information cells do), items stream
    through in constant memory: the file is first validated as a whole, then scored.

    Args:
        data: As in `audit`.
        metrics: Names, metrics, or functions of an `Item`.
        out: A .jsonl, .csv or .parquet file for the rows.
        rename: Field -> column.
        group_by: The column whose values are the groups, or ``all``.
        sample: So many originals, drawn task by task.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of the sample and of the negatives.
        progress: Told about every batch.
    """
    options = DataOptions(rename=rename, group_by=group_by, sample=sample, limit=limit, seed=seed)
    async with as_pool(llm, cache=cache, limits=limits) as models:
        built = build_metrics(_listed(metrics), seed=seed, llm=models)
        streams = out is not None and sample is None and not any("pool" in metric.needs for metric in built)
        if streams and out is not None and not isinstance(data, Dataset) and not _embedded(data):
            with files.open_items(data, rename=rename, group_by=group_by, limit=limit) as items:
                items.validate()
                return await score_to_file(items, built, out, total=items.n_items, progress=progress)
        dataset = open_dataset(data, options)
        prepared = [await metric.prepare(dataset.items) for metric in built]
        if out is None:
            return await score_to_memory(dataset.items, prepared, progress=progress)
        return await score_to_file(dataset.items, prepared, out, total=len(dataset.items), progress=progress)


def _listed(metrics: Metrics) -> list[MetricLike]:
    if isinstance(metrics, str) or not isinstance(metrics, Sequence):
        return [metrics]
    return list(cast("Sequence[MetricLike]", metrics))  # the checker cannot tell a list from a metric


def _review_path(out: Path) -> Path:
    return out.with_name(f"{out.name.partition('.')[0]}.review.jsonl")


def _embedded(data: object) -> bool:
    return isinstance(data, str) and is_embedded(data)


def _renderer(path: Path) -> Callable[[AuditResult], str]:
    renderers = {".html": _page, ".htm": _page, ".md": render_markdown, ".csv": render_csv}
    ending = path.suffix.lower()
    if ending not in renderers:
        raise PlanError(
            f"cannot write {path}: the ending of its name is none of .html, .md (Markdown), .csv (the checks).",
        )
    return renderers[ending]


def _write_result(folder: Path, result: AuditResult) -> None:
    record = render_json(result)
    _write_text(
        folder / RESULT_FILE, json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    )
    _write_text(folder / REPORT_FILE, _page(result))


def _read_result(folder: Path) -> AuditResult:
    path = folder / RESULT_FILE
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunFolderError(
            f"{path} cannot be read: {error}.", hint=f"`gameproof check {folder}` writes it again."
        ) from error
    return parse_result(record)


def _page(result: AuditResult) -> str:
    return render_html(result, exit_code=exit_code(result.metrics))


def _write_text(path: Path, text: str) -> None:
    with AtomicFile(path) as file, writing_errors(path):
        file.data.write(text.encode("utf-8", "backslashreplace"))
