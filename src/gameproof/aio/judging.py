"""The verbs about language models as judges: `sensitivity` to the model that judges, and `judge_pairs`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from gameproof import files
from gameproof.aio.arguments import Suite, spare_calls, tell_sample
from gameproof.audits.applicable import choose_checks
from gameproof.audits.checks import DEFAULT_MARGIN, CheckSettings, parse_margin
from gameproof.audits.dry_run import DryRun, count_calls, count_run
from gameproof.audits.given_variants import with_variants
from gameproof.audits.judge_sensitivity import JudgeSensitivity, measure_judge_sensitivity, metric_of_both
from gameproof.audits.judged_pairs import JudgedPairs, draw_pairs, pair_rows, tally
from gameproof.audits.run import Run
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.asking_progress import shows_questions
from gameproof.engine.progress import Progress, Silent
from gameproof.files.sampling import Sample
from gameproof.llm.client import LanguageModel
from gameproof.llm.limits import Limits
from gameproof.llm.pool import ModelPool, as_pool, counting_pool, is_stored
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.pairwise import compare_texts, planned_comparisons
from gameproof.perturbations.apply import make_variants

__all__ = ["judge_pairs", "plan_judge_pairs", "plan_sensitivity", "sensitivity"]

Judge = str | LanguageModel


async def sensitivity(
    data: object,
    metric: str,
    *,
    llms: tuple[Judge | ModelPool, Judge],
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    variants: str | Path | None = None,
    margin: str = DEFAULT_MARGIN,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> JudgeSensitivity:
    """Audit one metric twice, each time with another language model: how far do scores and verdicts depend on it?

    Args:
        data: As in `audit`.
        metric: The text of a metric that asks a language model, such as ``judge``, without ``llm=``.
        llms: Two models: names, or models. A second name without an address is a model at that of the first.
        suite: As in `audit`, and so the arguments up to `limit`.
        perturbations: Names of perturbations instead of a suite.
        variants: A file of variants made elsewhere.
        margin: What counts as a material gain.
        domain: Of items that do not say it.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        group_by: The column whose values are the groups.
        sample: So many originals, two to four of a task where there are more, or ``all``. By default 200 where a
            language model is asked, and all otherwise.
        limit: Only the first so many rows.
        cache: Where finished calls are kept.
        limits: Of the calls to both models together.
        seed: Of every draw.
        progress: Told about every stage.

    Raises:
        PlanError: The metric asks no model, or both models have the same name.
    """
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    one, other = llms
    async with as_pool(one, cache=cache, limits=limits) as models:
        if variants is None:
            options = spare_calls(options, build_metrics([metric], seed=seed, llm=models), other)
        given = with_variants(tell_sample(open_dataset(data, options)), variants)
        chosen, dataset = choose_checks(given, suite, perturbations)
        run = Run(
            dataset=dataset,
            perturbations=chosen,
            suite=suite,
            settings=CheckSettings(margin=parse_margin(margin), seed=seed),
            seed=seed,
            progress=progress,
        )
        second = models(other) if isinstance(other, str) else other
        return await measure_judge_sensitivity(run, metric, models(None), second)


async def judge_pairs(
    data: object,
    *,
    llm: Judge | ModelPool,
    baseline: str | None = None,
    pairs_per_task: int | None = None,
    dimension: str = "overall",
    refs: str = "all",
    source: bool = False,
    query: bool = False,
    persona: bool = False,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> JudgedPairs:
    """Let a language model choose between the texts of each task, every pair in both orders.

    Args:
        data: Texts, several for each task; as in `audit`.
        llm: The model that judges.
        baseline: A system: only pairs of one of its texts and one of another system.
        pairs_per_task: At most so many pairs of a task, drawn at random; all of them where None.
        dimension: What is compared: ``overall``, ``faithfulness`` ...
        refs: The references that the judge sees: all, first or none.
        source: Whether it sees the source.
        query: Whether it sees what was asked for.
        persona: Whether it sees for whom the texts are.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        sample: So many texts, two to four of a task where there are more, or ``all``; by default all.
        limit: Only the first so many rows.
        out: A .jsonl, .csv or .parquet file for the pairs.
        cache: Where finished calls are kept.
        limits: Of the calls.
        seed: Of the draw of pairs.
        progress: Told about every question to the model, and about every stage that asks none.

    Raises:
        InputError: No task has two texts, the baseline is no system of the data, or the file has no such ending.
    """
    if out is not None:
        files.check_ending(out)
    dataset = open_dataset(
        data, DataOptions(rename=rename, reference=reference, sample=sample, limit=limit, seed=seed)
    )
    pairs = draw_pairs(dataset.items, baseline=baseline, per_task=pairs_per_task, seed=seed)
    async with as_pool(llm, cache=cache, limits=limits) as models:
        with shows_questions(progress or Silent()):
            found = await compare_texts(
                pairs,
                models(None),
                dimension=dimension,
                refs=refs,
                source=source,
                query=query,
                persona=persona,
            )
    judged = tally(pairs, found)
    if out is not None:
        files.write_rows(out, pair_rows(judged))
    return judged


async def plan_sensitivity(
    data: object,
    metric: str,
    *,
    llms: tuple[Judge | ModelPool, Judge],
    suite: Suite = "all",
    perturbations: Sequence[str] | None = None,
    variants: str | Path | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `sensitivity` with the same arguments would ask of both models; nothing is asked."""
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    one, other = llms
    async with counting_pool(one, cache=cache) as models:
        if variants is None:
            options = spare_calls(options, build_metrics([metric], seed=seed, llm=models), other)
        given = with_variants(open_dataset(data, options), variants)
        chosen, dataset = choose_checks(given, suite, perturbations)
        made = list(make_variants(dataset.items, chosen, seed=seed, given=dataset.variants))
        first, second = models(None), models(other) if isinstance(other, str) else other
        both = metric_of_both(metric, first, second, seed=seed)
        stored = partial(is_stored, {first.name: first, second.name: second}.__getitem__)
        return await count_run(dataset, chosen, made, both, is_stored=stored)


async def plan_judge_pairs(
    data: object,
    *,
    llm: Judge | ModelPool,
    baseline: str | None = None,
    pairs_per_task: int | None = None,
    dimension: str = "overall",
    refs: str = "all",
    source: bool = False,
    query: bool = False,
    persona: bool = False,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `judge_pairs` with the same arguments would ask of the model; nothing is asked.

    Its ``n_scores`` are the pairs, each asked about in both orders.
    """
    dataset = open_dataset(
        data, DataOptions(rename=rename, reference=reference, sample=sample, limit=limit, seed=seed)
    )
    pairs = draw_pairs(dataset.items, baseline=baseline, per_task=pairs_per_task, seed=seed)
    async with counting_pool(llm, cache=cache) as models:
        calls = planned_comparisons(
            pairs,
            models(None),
            dimension=dimension,
            refs=refs,
            source=source,
            query=query,
            persona=persona,
        )
        return count_calls(dataset, calls, n_scores=len(pairs), is_stored=partial(is_stored, models))
