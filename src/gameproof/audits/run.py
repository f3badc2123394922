"""The audit as stages: perturb, score, check. Each writes a file and is skipped where its input is unchanged."""

import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import cast

from gameproof._version import __version__
from gameproof.audits.alarms import inspect
from gameproof.audits.card import make_card
from gameproof.audits.checks import CheckSettings, check_metric
from gameproof.audits.correlate import Ratings, collect_ratings, correlate
from gameproof.audits.few_tasks import note_on_tasks
from gameproof.audits.preparing import prepare_for_audit
from gameproof.audits.rescoring import rescore
from gameproof.audits.result import AuditResult, Cost, MetricResult
from gameproof.audits.rewriting import Rewriting
from gameproof.audits.scale import rows_in_unit, tame
from gameproof.engine import score_files
from gameproof.engine.distributed import Distributed
from gameproof.engine.distributed_rows import kept_parts
from gameproof.engine.kept_batches import keep_batches
from gameproof.engine.progress import Progress, Silent
from gameproof.engine.score import Columns, score_table
from gameproof.engine.table import MetricScores, variants_by_key
from gameproof.engine.variants import make_all_variants
from gameproof.files import (
    RunFolder,
    digest_items,
    digest_of,
    read_variants,
    write_rows,
    write_variants,
)
from gameproof.llm.passing import is_passing
from gameproof.llm.tally import Tally
from gameproof.metrics.base import Metric, is_pinned
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.verify import UNVERIFIED
from gameproof.perturbations.written import review_rows
from gameproof.records import Dataset, Variant

__all__ = [
    "ITEMS_FILE",
    "VARIANTS_FILE",
    "Audited",
    "Run",
    "check_stage",
    "notes_of",
    "perturb_stage",
    "run_audit",
    "run_audit_with_scores",
    "score_stage",
    "score_stage_name",
]

ITEMS_FILE = "items.jsonl"
VARIANTS_FILE = "variants.jsonl"
PARTS_FOLDER = "parts"  # of scores, while worker processes score
SCORE_STAGE = "score "  # begins the names of the stages of metrics
TO_BE_DONE_AGAIN = "some calls failed"  # in the place of a stage's inputs
REVIEW_FILE = "review.jsonl"  # what a language model wrote, with the verdict on each text


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one audit is asked to do."""

    dataset: Dataset
    perturbations: Sequence[Perturbation]
    settings: CheckSettings
    seed: int
    suite: str = "all"
    folder: RunFolder | None = None  # None: nothing is written
    force: bool = False  # do every stage anew
    progress: Progress | None = None
    reference: str | None = None  # which text serves as the reference, where one was chosen
    rewriting: Rewriting | None = None  # None: only rules make variants
    crew: Distributed | None = None  # worker processes; None: all is done in this one
    gate: str | None = None  # the metric that alone decides the exit code; None: all of them do
    metric_notes: tuple[str, ...] = ()  # what prepared metrics say about the data: fallbacks, near-duplicates

    def told(self) -> Progress:
        """Return whom to tell about progress."""
        return self.progress or Silent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What an audit found, and the scores it found it in."""

    result: AuditResult
    table: tuple[MetricScores, ...]


async def run_audit(run: Run, metrics: Sequence[Metric]) -> AuditResult:
    """Perturb, score and check; originals are scored once and nothing is scored again to resample."""
    return (await run_audit_with_scores(run, metrics)).result


async def run_audit_with_scores(run: Run, metrics: Sequence[Metric]) -> Audited:
    """Do what `run_audit` does, and return the scores as well: a report shows some of them."""
    asked = [Tally() for _ in metrics]
    prepared = await prepare_for_audit(metrics, run.dataset.items, asked)
    run = replace(run, metric_notes=tuple(notes_of(prepared)))
    if run.folder is not None:
        run.folder.record_plan(_plan(run, prepared))
    anew = tuple(_notes_on_unpinned(run, prepared))
    variants = await perturb_stage(run)
    table = await score_stage(run, prepared, variants)
    for scores, before in zip(table, asked, strict=True):
        scores.asked.add(before)
    # Some things are only known afterwards: replies that were mended, parameters that an endpoint refused.
    run = replace(
        run, metric_notes=(*notes_of(prepared), *anew, *_notes_on_rewrites(run, prepared, variants))
    )
    if run.folder is not None:
        run.folder.record_plan(_plan(run, prepared))
    return Audited(result=check_stage(run, table), table=tuple(table))


async def perturb_stage(run: Run) -> list[Variant]:
    """Make the variants, or read them back where nothing has changed since they were made."""
    inputs = _perturb_inputs(run)
    folder = run.folder
    if folder is not None and not run.force and folder.stage_is_current("perturb", inputs):
        return list(read_variants(folder.path / VARIANTS_FILE))
    given, written_files = run.dataset.variants, [ITEMS_FILE, VARIANTS_FILE]
    if run.rewriting is not None:
        run.told().start("rewrite", None)
        written = await run.rewriting.write(run.dataset.items, run.perturbations, given)
        run.told().done()
        given = (*given, *written.variants)
        if folder is not None:
            write_rows(folder.path / REVIEW_FILE, review_rows(written))
            written_files.append(REVIEW_FILE)
    variants = await make_all_variants(
        run.dataset.items,
        run.perturbations,
        seed=run.seed,
        given=given,
        crew=run.crew,
        progress=run.progress,
    )
    if folder is not None:
        write_rows(folder.path / ITEMS_FILE, run.dataset.items)
        write_variants(folder.path / VARIANTS_FILE, variants)
        _forget_scores_of_others(folder, inputs)
        reasons = [variant.reason for variant in variants if variant.reason is not None]
        folder.finish_stage("perturb", _unless_passing(inputs, reasons), written_files)
    return variants


def _forget_scores_of_others(folder: RunFolder, inputs: str) -> None:
    """Forget the scores of texts that have just been replaced: without them the run is not finished."""
    before = folder.stages.get("perturb")
    if before is not None and before.inputs not in {inputs, TO_BE_DONE_AGAIN}:
        folder.forget_stages(SCORE_STAGE)


async def score_stage(run: Run, metrics: Sequence[Metric], variants: Sequence[Variant]) -> list[MetricScores]:
    """Score with every metric whose scores of exactly these texts are not in the folder yet."""
    texts = _texts_to_score(run, variants)
    known = _scores_in_folder(run, metrics, texts)
    todo = [metric for metric in metrics if metric.name not in known]
    if todo:
        scored = await _score_all(run, todo, variants_by_key(run.dataset.items, variants))
        for metric, scores in zip(todo, scored, strict=True):
            known[scores.metric] = await rescore(run.dataset.items, metric, scores, seed=run.seed)
    table = [known[metric.name] for metric in metrics]
    if run.folder is not None and todo:
        _write_scores(run.folder, table, texts)
    return table


async def _score_all(run: Run, metrics: Sequence[Metric], columns: Columns) -> list[MetricScores]:
    beside = None if run.folder is None else run.folder.path / PARTS_FOLDER
    if run.crew is None:
        if beside is None:
            return await score_table(run.dataset.items, columns, metrics, progress=run.told())
        if run.force:
            shutil.rmtree(beside, ignore_errors=True)
        with kept_parts(None, beside) as parts:
            kept = keep_batches(metrics, parts)
            return await score_table(run.dataset.items, columns, kept, progress=run.told())
    with kept_parts(run.crew.parts, beside) as parts:
        scorer = run.crew.scorer(metrics, parts)
        return await score_table(run.dataset.items, columns, metrics, progress=run.told(), scorer=scorer)


def check_stage(run: Run, table: Sequence[MetricScores]) -> AuditResult:
    """Infer and decide: statistics on the scores, no model calls."""
    progress = run.told()
    progress.start("check", len(table))
    ratings = collect_ratings(run.dataset.items)
    results: list[MetricResult] = []
    for scores in table:
        results.append(_check_metric(run, scores, ratings))
        progress.advance(1)
    progress.done()
    return AuditResult(run=_about(run), metrics=tuple(results))


def _check_metric(run: Run, scores: MetricScores, ratings: Ratings) -> MetricResult:
    items = run.dataset.items
    tamed, exponent = tame(scores)
    rows = check_metric(
        items,
        tamed.original,
        tamed.variants,
        run.perturbations,
        higher_is_better=scores.higher_is_better,
        settings=run.settings,
    )
    checks = rows_in_unit(rows, exponent)
    correlation = correlate(ratings, tamed, seed=run.seed)
    inspection = inspect(items, scores)
    return MetricResult(
        metric=scores.metric,
        signature=scores.signature,
        higher_is_better=scores.higher_is_better,
        card=make_card(checks, correlation),
        correlation=correlation,
        checks=checks,
        alarms=inspection.alarms,
        cost=Cost(**asdict(scores.asked)),
        summary=inspection.summary,
    )


def _about(run: Run) -> dict[str, object]:
    items = run.dataset.items
    return {
        "data": run.dataset.name,
        "public": run.dataset.public,
        "n_items": len(items),
        "n_tasks": len({item.task_id for item in items}),
        "n_groups": len({item.group for item in items}),
        "n_duplicates": run.dataset.n_duplicates,
        "seed": run.seed,
        "margin": str(run.settings.margin),
        "suite": run.suite,
        **({"reference": run.reference} if run.reference is not None else {}),
        **({"gate": run.gate} if run.gate is not None else {}),
        "version": __version__,
        "folder": str(run.folder.path) if run.folder is not None else None,
        "notes": [*run.dataset.notes, *run.metric_notes, *note_on_tasks(items)],
    }


def notes_of(metrics: Sequence[Metric]) -> Iterator[str]:
    """Yield what metrics say of the data and of their calls."""
    for metric in metrics:
        for note in cast("Sequence[str]", getattr(metric, "notes", ())):
            yield f"{metric.name}: {note}"


def _notes_on_unpinned(run: Run, metrics: Sequence[Metric]) -> Iterator[str]:
    """Say why scores that the run folder has are made again."""
    if run.folder is None or run.force:
        return
    for metric in metrics:
        signature = metric.signature()
        if not is_pinned(signature) and score_stage_name(signature) in run.folder.stages:
            yield (
                f"{metric.name}: scored anew, since a function without a version may have changed; ,version=1 behind its "
                "name promises that it has not, and keeps its scores"
            )


def _notes_on_rewrites(run: Run, metrics: Sequence[Metric], variants: Sequence[Variant]) -> Iterator[str]:
    if run.rewriting is not None:
        yield from run.rewriting.notes(run.perturbations, variants, metrics)


def _plan(run: Run, metrics: Sequence[Metric]) -> dict[str, object]:
    return {
        "data": run.dataset.name,
        "public": run.dataset.public,
        "n_duplicates": run.dataset.n_duplicates,
        "notes": [*run.dataset.notes, *run.metric_notes],
        "suite": run.suite,
        "reference": run.reference,
        "gate": run.gate,
        "perturbations": [perturbation.name for perturbation in run.perturbations],
        "margin": str(run.settings.margin),
        "seed": run.seed,
        "metrics": [
            {
                "metric": metric.name,
                "signature": metric.signature(),
                "higher_is_better": metric.higher_is_better,
            }
            for metric in metrics
        ],
    }


def _perturb_inputs(run: Run) -> str:
    rewriting = run.rewriting.inputs(run.perturbations) if run.rewriting is not None else None
    return digest_of(
        {
            **({"rewriting": rewriting} if rewriting is not None else {}),
            "items": digest_items(run.dataset.items),
            "given": [[v.item_id, v.name, v.level, v.text, v.reason] for v in run.dataset.variants],
            "perturbations": [perturbation.name for perturbation in run.perturbations],
            "seed": run.seed,
            "version": __version__,
        }
    )


def _texts_to_score(run: Run, variants: Sequence[Variant]) -> str:
    if run.folder is None:
        return ""
    return digest_of(
        [_perturb_inputs(run), [[v.item_id, v.name, v.level, v.text, v.reason] for v in variants]]
    )


def _unless_passing(inputs: str, said: Iterable[str]) -> str:
    """Return the inputs of a finished stage, or a mark that the next run is to do it again.

    Calls that failed for the time being are made again then; all others are in the store and cost nothing.
    """
    return TO_BE_DONE_AGAIN if any(is_passing(text) or text.endswith(UNVERIFIED) for text in said) else inputs


def score_stage_name(signature: str) -> str:
    """Return what the manifest of a run folder calls the scores of a metric."""
    return f"{SCORE_STAGE}{signature}"


def _scores_in_folder(run: Run, metrics: Sequence[Metric], texts: str) -> dict[str, MetricScores]:
    """Return the scores that the run folder has of exactly these texts, by metric name.

    A function without a version may have changed since: its scores are never taken from the folder.
    """
    folder = run.folder
    if folder is None or run.force:
        return {}
    current = {
        metric.name: (metric.signature(), metric.higher_is_better)
        for metric in metrics
        if is_pinned(metric.signature())
        and folder.stage_is_current(score_stage_name(metric.signature()), texts)
    }
    if not current:
        return {}
    return score_files.read_scores(folder.path, run.dataset.items, current)


def _write_scores(folder: RunFolder, table: Sequence[MetricScores], texts: str) -> None:
    files = score_files.write_scores(folder.path, table)
    for scores in table:
        columns = [scores.original, *scores.variants.values()]
        said = [text for each in columns for text in (*each.reasons.values(), *each.remarks.values())]
        folder.finish_stage(score_stage_name(scores.signature), _unless_passing(texts, said), files)
