"""The verb `optimise`."""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from gameproof.aio.arguments import Llm, spare_calls
from gameproof.aio.reporting import write_text
from gameproof.aio.stand_ins import notes_on_stand_ins
from gameproof.audits.correlate import collect_ratings
from gameproof.audits.dry_run import DryRun, count_run, said_together
from gameproof.audits.optimise import Optimised
from gameproof.audits.optimise import optimise as search
from gameproof.audits.optimise_cells import DIVERGENCES, design_grid
from gameproof.audits.optimise_evidence import collect_evidence
from gameproof.datasets.opening import DataOptions, open_dataset
from gameproof.engine.progress import Progress
from gameproof.engine.score import score_table
from gameproof.engine.table import variants_by_key
from gameproof.errors import InputError, PlanError
from gameproof.files.sampling import Sample
from gameproof.llm.limits import Limits
from gameproof.llm.pool import as_pool, counting_pool, is_stored
from gameproof.metrics.catalogue import build_metrics
from gameproof.metrics.fmi_sharing import prepare_together
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.catalogue import select
from gameproof.records import Dataset, Variant

__all__ = ["optimise", "plan_optimise"]

ENDINGS = (".json", ".csv")
NO_RATINGS = "ratings: the data has none, so there is no correlation to raise."
FAMILIES = ("manipulation", "degradation")
COLUMNS: tuple[str, ...] = (
    "design",
    "rho",
    "worst_effect",
    "worst",
    "worst_upper",
    "least_power",
    "weakest",
    "allowed",
    "folds",
    "breaks",
)


async def optimise(
    data: object,
    predictors: Sequence[str] = ("overlap",),
    *,
    divergences: Sequence[str] = DIVERGENCES,
    varied: Mapping[str, Sequence[str]] | None = None,
    perturbations: Sequence[str] | None = None,
    margin: float = 0.1,
    power: float = 0.8,
    n_folds: int = 5,
    out: str | Path | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    limits: Limits | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Optimised:
    """Search a small grid of designs for those that follow ratings and resist manipulation, by folds of tasks.

    Args:
        data: As in `audit`, rated, with three candidates a task or more.
        predictors: Of overlap, nli, oracle and autoreg.
        divergences: Of the six.
        varied: Option -> values that are tried; by default ``agg``, ``weights`` and ``neg``.
        perturbations: Names of manipulations and degradations; by default all that rules make or the data has.
        margin: Every manipulation must be shown to gain less, in units of s_av.
        power: At which every degradation must be seen.
        n_folds: Of tasks.
        out: A .json file for everything, or a .csv file for the designs.
        domain: ``reviews``, ``summaries`` or ``answers``, for items that do not say it themselves.
        rename: Field -> column.
        reference: ``summary``, ``title``, ``source`` or a column: what serves as the reference.
        group_by: The column whose values are the groups, or ``all``.
        sample: So many originals, two to four of a task where there are more, or ``all``. By default 200 where a
            language model is asked, and all otherwise.
        limit: Only the first so many rows.
        llm: As in `audit`, and so `cache` and `limits`.
        cache: Where finished model calls are kept.
        limits: Of model calls.
        seed: Of variants, negatives, folds and resamples.
        progress: Told about every batch.

    Raises:
        PlanError: A name is unknown, or there are too many designs.
        InputError: Tasks, ratings or perturbations are too few.
    """
    path = None if out is None else Path(out)
    if path is not None and path.suffix.lower() not in ENDINGS:
        raise PlanError(f"cannot write {path}: the ending of its name is none of {', '.join(ENDINGS)}.")
    if not 0 < power < 1:
        raise PlanError(f"power: found {power}; allowed: a number between 0 and 1.")
    if not 0 <= margin < math.inf:
        raise PlanError(f"margin: found {margin}; allowed: a number of standard deviations, 0 or more.")
    specs = design_grid(predictors, divergences=divergences, varied=varied)
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with as_pool(llm, cache=cache, limits=limits) as models:
        metrics = build_metrics([str(spec) for spec in specs], seed=seed, llm=models)
        dataset = open_dataset(data, spare_calls(options, metrics))
        items = dataset.items
        ratings = collect_ratings(items)
        if not ratings.dimensions:
            raise InputError(NO_RATINGS)
        used, variants = _constraints(dataset, perturbations, seed)
        columns = variants_by_key(items, variants)
        prepared = await prepare_together(metrics, items)
        table = await score_table(items, columns, prepared, progress=progress)
    rows_of = {item.id: row for row, item in enumerate(items)}
    designs = [collect_evidence(scores, used, ratings, rows_of) for scores in table]
    result = search(designs, margin=margin, power=power, n_folds=n_folds, seed=seed)
    strange = notes_on_stand_ins(metrics, dataset.notes, result="choice")
    result = replace(result, notes=(*dataset.notes, *strange, *result.notes))
    if path is not None:
        write_text(path, _render(result, path.suffix.lower()))
    return result


async def plan_optimise(
    data: object,
    predictors: Sequence[str] = ("overlap",),
    *,
    divergences: Sequence[str] = DIVERGENCES,
    varied: Mapping[str, Sequence[str]] | None = None,
    perturbations: Sequence[str] | None = None,
    domain: str | None = None,
    rename: Mapping[str, str] | None = None,
    reference: str | None = None,
    group_by: str | None = None,
    sample: Sample | None = None,
    limit: int | None = None,
    llm: Llm | None = None,
    cache: str | Path | None = None,
    seed: int = 0,
) -> DryRun:
    """Count what `optimise` with the same arguments would score and ask of models; nothing is scored."""
    specs = design_grid(predictors, divergences=divergences, varied=varied)
    options = DataOptions(
        rename=rename,
        reference=reference,
        group_by=group_by,
        sample=sample,
        limit=limit,
        seed=seed,
        domain=domain,
    )
    async with counting_pool(llm, cache=cache) as models:
        metrics = build_metrics([str(spec) for spec in specs], seed=seed, llm=models)
        dataset = open_dataset(data, spare_calls(options, metrics))
        if not collect_ratings(dataset.items).dimensions:
            raise InputError(NO_RATINGS)
        used, variants = _constraints(dataset, perturbations, seed)
        stored = partial(is_stored, models)
        counted = await count_run(dataset, used, variants, metrics, is_stored=stored)
    return replace(counted, notes=tuple(said_together(counted.notes, "designs")))


def _constraints(
    dataset: Dataset, perturbations: Sequence[str] | None, seed: int
) -> tuple[list[Perturbation], list[Variant]]:
    """Return the perturbations that there are texts of, and these."""
    chosen = [row for row in select(names=perturbations) if _is_constraint(row, perturbations)]
    variants = list(make_variants(dataset.items, chosen, seed=seed, given=dataset.variants))
    used = _made(chosen, variants)
    names = {row.name for row in used}
    return used, [one for one in variants if one.name in names]


def _is_constraint(row: Perturbation, named: Sequence[str] | None) -> bool:
    """Say whether a perturbation constrains the choice; one of unverified direction does where it is named."""
    return row.family in FAMILIES and not row.levels and (named is not None or not row.verify_direction)


def _made(chosen: Sequence[Perturbation], variants: Sequence[Variant]) -> list[Perturbation]:
    """Return the perturbations that there are texts of, manipulations first."""
    there = {variant.name for variant in variants if variant.text is not None}
    return sorted((row for row in chosen if row.name in there), key=lambda row: FAMILIES.index(row.family))


def _render(result: Optimised, ending: str) -> str:
    if ending == ".json":
        return json.dumps(result.record(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    written = io.StringIO()
    rows = csv.DictWriter(written, COLUMNS, extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    rows.writerows(result.designs)
    return written.getvalue()
