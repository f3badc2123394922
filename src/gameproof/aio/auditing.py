"""The verbs `audit`, `dry_run` and `check`."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from gameproof import files
from gameproof.aio.arguments import Llm, Metrics, Suite, listed, spare_calls
from gameproof.aio.counting import count_made
from gameproof.aio.engines import LOCAL, check_engine, open_engine
from gameproof.aio.reported import RESULT_FILE, Scored
from gameproof.aio.reporting import REPORT_FILE, write_result
from gameproof.aio.stand_ins import notes_on_stand_ins
from gameproof.audits.applicable import choose_checks
from gameproof.audits.checks import DEFAULT_MARGIN, CheckSettings, parse_margin
from gameproof.audits.dry_run import DryRun
from gameproof.audits.gating import check_gate, find_gate
from gameproof.audits.given_variants import with_variants
from gameproof.audits.other_data import refuse_other_data
from gameproof.audits.rerun import take_up
from gameproof.audits.result import AuditResult
from gameproof.audits.rewriting import OVERLAP, make_rewriting
from gameproof.audits.run import Run, check_stage, run_audit_with_scores
from gameproof.audits.unfinished import begin_anew, leave_no_half_run
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.errors import RunFolderError
from gameproof.files.sampling import Sample
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.references_asked import read_references, spread_out
from gameproof.records import Dataset

__all__ = ["audit", "check", "dry_run"]

SELF_TEST = (
    "the self-test of log-probabilities comes first, once: a call for a sentence and two for each of its tokens, some"
    " fifteen together"
)


async def audit(
    data: object,
    metrics: Metrics,
    *,
    out: str | Path | None = None,
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    variants: str | Path | None = None,
    margin: str = DEFAULT_MARGIN,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | Sequence[str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    gate: str | None = None,
    force: bool = False,
    overwrite: bool = False,
    engine: str = LOCAL,
    workers: int | None = None,
    parts: str | Path | None = None,
    progress: Progress | None = None,
    on_result: Callable[[AuditResult], None] | None = None,
) -> AuditResult:
    """Say for each metric whether it can be trusted as a target: perturb, score, check, report.

    Args:
        data: A path, ``-`` for standard input, an embedded data set (``planted``), a public one (``summeval:FILE``), a
            list of dicts or items, a pandas or polars frame, a Hugging Face data set, or a `Dataset`.
        metrics: Names, metrics, or functions of an `Item`.
        out: The run folder; without one nothing is written. Stages whose inputs have not changed since an
            earlier run in the same folder are skipped.
        suite: ``strategic``, ``satisfaction`` or ``all``.
        perturbations: Names of perturbations instead of a suite; ``all`` among them stands for the suite.
        skip: Names of perturbations that make no sense for the data, beside those that a public data set leaves out.
        variants: A file of variants made elsewhere, in the format of `perturb`; they replace made ones.
        margin: What counts as a material gain: ``.10`` standard deviations, or ``.5sent`` for half of what
            losing one sentence costs.
        domain: ``reviews``, ``summaries`` or ``answers``, for items that do not say it themselves.
        rename: Field -> column, where the columns have other names; ``{"candidate": "references"}`` tests the
            references themselves.
        reference: Which text serves as the reference: ``summary`` (the references of the row), ``title``,
            ``source`` or a column. With several of the first three, or ``all``, every metric that looks at
            references appears once against each.
        group_by: The column whose values are the groups that negatives come from, or ``all``.
        sample: So many originals, two to four of a task where there are more, or ``all``. By default 200 where a
            language model is asked, and all otherwise.
        limit: Only the first so many rows.
        llm: The language model for metrics that ask one: a name, an address, ``NAME@ADDRESS``, or a model.
        rewriter: The model that writes the variants no rule can make; without one they are not made.
        verify: Who says whether a rewrite does what its name says: ``overlap`` (words), or the name of a model.
        cache: The file of finished model calls, ``off`` for none; by default the user's own.
        limits: Of model calls, their cost, rates and times.
        seed: Of every draw.
        gate: The metric that alone decides the exit code, as the result, its page and `check` then say.
        force: Do every stage anew.
        overwrite: Replace the run of other data that may lie in the run folder; otherwise it is refused.
        engine: ``local``, or ``ray`` for worker processes on a Ray cluster: the same result.
        workers: Of the engine ``ray``: how many processes; by default one for each processor.
        parts: Of the engine ``ray``: a folder for finished parts, which stays; by default they are in the run folder
            until all texts are scored.
        progress: Told about every stage.
        on_result: Called with the result when all is written: `gameproof.integrations.tracking` has some.

    Raises:
        DataError: Rows of the data are bad; all of them are named and nothing is scored.
        SpecError: A metric or perturbation is not known.
        PlanError: The gate is none of the metrics.
        RunFolderError: The run folder cannot be used, or holds a run of other data.
    """
    settings = CheckSettings(margin=parse_margin(margin), seed=seed)
    check_engine(engine, workers, parts)
    asked = read_references(reference)
    options = DataOptions(
        rename=rename,
        reference=asked.single,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with AsyncExitStack() as stack:
        models = await stack.enter_async_context(as_pool(llm, cache=cache, limits=limits))
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        check_gate(gate, built, asked, llm=models)
        if variants is None:  # who brings variants has chosen the texts
            options = spare_calls(options, built, rewriter)
        dataset = with_variants(open_dataset(data, options), variants)
        chosen, dataset = choose_checks(dataset, suite, perturbations, skip)
        built, told = spread_out(built, dataset.items, asked)
        gate = find_gate(gate, [metric.name for metric in built], llm=models)
        dataset = replace(dataset, notes=(*dataset.notes, *told, *notes_on_stand_ins(built, dataset.notes)))
        await models.find(rewriter, verify)
        folder = stack.enter_context(files.RunFolder.open(out)) if out is not None else None
        if folder is not None:
            _take_over(folder, dataset, overwrite=overwrite)
        stack.enter_context(leave_no_half_run(folder, RESULT_FILE, rewritten=rewriter is not None))
        run = Run(
            dataset=dataset,
            perturbations=chosen,
            suite=suite,
            reference=asked.words,
            settings=settings,
            seed=seed,
            gate=gate,
            folder=folder,
            force=force,
            progress=progress,
            rewriting=make_rewriting(rewriter, verify, models),
            crew=stack.enter_context(
                open_engine(engine, workers=workers, parts=parts, models=models, seed=seed, progress=progress)
            ),
        )
        audited = await run_audit_with_scores(run, built)
        if folder is not None:
            write_result(folder, audited.result, Scored(items=dataset.items, table=audited.table))
    if on_result is not None:
        on_result(audited.result)
    return audited.result


async def dry_run(
    data: object,
    metrics: Metrics,
    *,
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    skip: Sequence[str] | None = None,
    variants: str | Path | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | Sequence[str] | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    rewriter: str | LanguageModel | None = None,
    verify: str = OVERLAP,
    cache: str | Path | None = None,
    seed: int = 0,
    gate: str | None = None,
) -> DryRun:
    """Count what `audit` with the same arguments would do, model calls first of all; nothing is scored.

    Answers that the store of calls has already are counted apart. Where a number is an estimate, a note says why.
    """
    asked = read_references(reference)
    options = DataOptions(
        rename=rename,
        reference=asked.single,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with counting_pool(llm, cache=cache) as models:
        built = build_metrics(listed(metrics), seed=seed, llm=models)
        check_gate(gate, built, asked, llm=models)
        if variants is None:  # who brings variants has chosen the texts
            options = spare_calls(options, built, rewriter)
        dataset = with_variants(open_dataset(data, options), variants)
        chosen, dataset = choose_checks(dataset, suite, perturbations, skip)
        built, told = spread_out(built, dataset.items, asked)
        dataset = replace(dataset, notes=(*dataset.notes, *told))
        await models.find(rewriter, verify)
        rewriting = make_rewriting(rewriter, verify, models)
        counted = await count_made(dataset, chosen, built, rewriting, models, seed=seed)
        tested = (SELF_TEST,) if _scores_texts(counted) and models.needs_self_test else ()
        return replace(counted, notes=(*counted.notes, *tested))


def _take_over(folder: files.RunFolder, dataset: Dataset, *, overwrite: bool) -> None:
    """Go on in a folder with the same data; refuse one with other data, or begin anew in it."""
    try:
        refuse_other_data(folder, dataset)
    except RunFolderError:
        if not overwrite:
            raise
        begin_anew(folder, RESULT_FILE, REPORT_FILE)


def _scores_texts(counted: DryRun) -> bool:
    return any(row["stage"] == "logprob" and row["calls"] for row in counted.stages)


async def check(
    run: str | Path,
    *,
    margin: str | None = None,
    gate: str | None = None,
    progress: Progress | None = None,
) -> AuditResult:
    """Do the statistics of a finished run again: no scoring, no model calls.

    Args:
        run: The run folder.
        margin: Another margin than the run's own.
        gate: Another metric than the run's own to decide the exit code; ``all`` lets all of them decide.
        progress: Told about every stage.
    """
    with files.RunFolder.open(run, create=False) as folder:
        taken, table = take_up(folder, margin=margin, gate=gate, progress=progress)
        result = check_stage(taken, table)
        write_result(folder, result, Scored(items=taken.dataset.items, table=table))
    return result
