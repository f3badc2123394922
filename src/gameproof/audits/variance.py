"""Where the error of a metric's scores comes from, measured on a small part of the data."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, cast, runtime_checkable

import numpy as np

from gameproof.errors import PlanError
from gameproof.fmi.spec import Spec
from gameproof.llm.client import Request
from gameproof.metrics.base import missing_before_scoring
from gameproof.metrics.fmi import FmiMetric
from gameproof.metrics.fmi_preparation import PLAN_BYTES, Preparation, is_decomposed_by_model
from gameproof.metrics.predictors.base import PreparedPredictor
from gameproof.metrics.predictors.oracle import Oracle
from gameproof.metrics.reference_pool import used_references
from gameproof.metrics.text_memo import Store
from gameproof.records import FloatArray, Item
from gameproof.seeds import rng_for
from gameproof.stats.variance import (
    MAX_DECOMPOSITIONS,
    MAX_SAMPLES,
    MIN_ITEMS,
    Components,
    Cost,
    Design,
    Repeats,
    best_within,
    cheapest_for_item,
    cheapest_for_mean,
    estimate,
    standard_errors,
)

__all__ = ["CallCount", "Repetition", "VarianceReport", "count_variance", "measure_variance", "repeat"]

FITS = ("calibrate", "control")
LEVELS = {  # source -> its components on the own references and on one negative, as `Components` names them
    "negatives": ("negatives", "negatives"),
    "decomposition": ("decomposition", "decomposition_of_negatives"),
    "oracle": ("oracle", "oracle_of_negatives"),
}


@runtime_checkable
class GivesSamples(Protocol):
    """A prepared predictor whose answers differ from one time to the next."""

    def one_sample(self, sample: int) -> PreparedPredictor:
        """Return the predictor that gives only one of the answers that are averaged."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Repetition:
    """A metric made ready to repeat everything, and the items it is repeated on."""

    name: str
    metric: FmiMetric
    items: tuple[Item, ...]  # one of each task
    now: Design  # of the metric as it was asked for
    free: Design  # the most that a better design may ask for
    decompositions: int
    samples: int
    n_items: int  # that the whole data has
    items_per_task: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceReport:
    """Components of a metric's scores, and what a budget is best spent on."""

    metric: str
    n_items: int  # with all their repeats
    unit: str  # what is counted: calls of a model, or comparisons
    item_sd: float  # of true scores
    error_sd: float  # of an item's score about its true one, as the metric is now
    reliability: float | None  # share of the scores' variance that is true; None where scores do not vary
    sources: tuple[dict[str, object], ...]
    designs: tuple[dict[str, object], ...]
    notes: tuple[str, ...]


def repeat(
    items: Sequence[Item], metric: FmiMetric, *, tasks: int, decompositions: int, samples: int, seed: int
) -> Repetition:
    """Choose items of different tasks, and what is repeated.

    What always comes out the same is not repeated: decompositions by rule, and answers of what computes.

    Args:
        items: All of the data.
        metric: A cell, not prepared.
        tasks: How many are repeated on; all of the data's if it has fewer.
        decompositions: Of each reference, where a model makes them.
        samples: Of each answer, where a model is asked.
        seed: Of the choice.

    Raises:
        PlanError: The cell has fits on the data, or the data has too few tasks.
    """
    spec = metric.spec
    _check(spec, decompositions)
    usable: dict[str, list[Item]] = {}
    for item in items:
        if missing_before_scoring(item, metric.needs) is None:
            usable.setdefault(item.task_id, []).append(item)
    if len(usable) < MIN_ITEMS:
        raise PlanError(f"variance is measured on {MIN_ITEMS} tasks or more; {len(usable)} can be scored.")
    rng = rng_for(seed, "variance")
    order = rng.permutation(sorted(usable))[:tasks].tolist()
    chosen = [usable[task][int(rng.integers(len(usable[task])))] for task in order]
    asks_samples, is_decomposed = spec.cell.predictor == "oracle", is_decomposed_by_model(spec)
    wanted: dict[str, str] = {}
    if spec.get("neg") is not None:
        wanted["neg"] = "all"
    if asks_samples:
        wanted["samples"] = str(samples)
    if is_decomposed:
        wanted["decompositions"] = str(decompositions)
    n_others = len(usable) - 1
    neg = spec.get("neg")
    predictor = metric.predictor
    if isinstance(predictor, Oracle):
        predictor = replace(predictor, options=replace(predictor.options, samples=samples))
    return Repetition(
        name=metric.name,
        metric=replace(metric, spec=spec.without(["pool", "v"]).with_options(wanted), predictor=predictor),
        items=tuple(replace(item, group="all") for item in chosen),
        now=Design(
            decompositions=int(spec.get("decompositions") or 1),
            samples=int(spec.get("samples") or 1),
            negatives=0 if neg is None else n_others if neg == "all" else min(int(neg), n_others),
        ),
        free=Design(
            decompositions=MAX_DECOMPOSITIONS if is_decomposed else 1,
            samples=MAX_SAMPLES if asks_samples else 1,
            negatives=0 if neg is None else n_others,
        ),
        decompositions=decompositions if is_decomposed else 1,
        samples=samples if asks_samples else 1,
        n_items=len(items),
        items_per_task=len(items) / len({item.task_id for item in items}),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCount:
    """The calls of a measurement, counted before any is made."""

    calls: int  # without what the store of calls has already
    tokens_in: int  # estimated, as are those of the replies
    tokens_out: int
    note: str | None  # where the count is no exact one, and why
    stored: int = 0  # answers that the store has already


async def count_variance(
    repetition: Repetition, is_stored: Callable[[Request], bool] = lambda _: False
) -> CallCount:
    """Count the calls that `measure_variance` makes, and those that have been answered already; nothing is asked."""
    planned = await repetition.metric.planned_calls(repetition.items, repetition.items)
    new = [call for call in planned.values() if call.request is None or not is_stored(call.request)]
    return CallCount(
        calls=len(new),
        stored=len(planned) - len(new),
        tokens_in=sum(call.tokens_in for call in new),
        tokens_out=sum(call.tokens_out for call in new),
        note=repetition.metric.estimated,
    )


async def measure_variance(repetition: Repetition) -> VarianceReport:
    """Score the chosen items against all other tasks with every decomposition and every answer on its own.

    Raises:
        InputError: Too few items have all their repeats.
    """
    items = repetition.items
    metric = await repetition.metric.prepare(items)
    complete = [item for item in items if _has_all_decompositions(metric, item, repetition.decompositions)]
    if len(complete) < len(items):
        items = tuple(complete)
        metric = await repetition.metric.prepare(items)  # what was asked is remembered
    prepared = _preparation(metric)
    cells: list[list[tuple[FloatArray, FloatArray]]] = []
    for decomposition in range(repetition.decompositions):
        cells.append([])
        for sample in range(repetition.samples):
            one = replace(metric, prepared=_only(prepared, decomposition, sample))
            scores = await one.score(items)
            missing = np.isnan(scores.values)
            contrast = scores.contrast
            matched = scores.values.copy() if contrast is None else contrast.matched.copy()
            matched[missing] = np.nan
            negatives = np.empty((len(matched), 0)) if contrast is None else contrast.negatives
            cells[-1].append((matched, negatives))
    repeats = Repeats(
        matched=np.moveaxis(np.array([[matched for matched, _ in row] for row in cells]), 2, 0),
        negatives=np.moveaxis(np.array([[others for _, others in row] for row in cells]), (2, 3), (0, 1)),
    )
    return _report(repetition, prepared, repeats)


def _preparation(metric: FmiMetric) -> Preparation:
    return cast("Preparation", metric.prepared)  # `prepare` sets it


def _has_all_decompositions(metric: FmiMetric, item: Item, decompositions: int) -> bool:
    numbers = _preparation(metric).pool.numbers
    found = [numbers.get(text, ()) for text in used_references(item, metric.spec.get("refs") or "mean")]
    return all(isinstance(each, str) or len(each) == decompositions for each in found)


def _check(spec: Spec, decompositions: int) -> None:
    for key in FITS:
        if spec.get(key) not in {None, "none"}:
            raise PlanError(
                f"{key}={spec.get(key)} is fitted on the whole data, and variance is measured on a part of it.",
                hint=f"Leave {key} out.",
            )
    if spec.get("batch") == "candidate" and is_decomposed_by_model(spec) and decompositions > 1:
        raise PlanError(
            "batch=candidate asks about all decompositions in one question, so that they cannot be told apart.",
            hint="Use batch=reference, or --decompositions 1.",
        )


def _only(prepared: Preparation, decomposition: int, sample: int) -> Preparation:
    """Return a preparation with one of the decompositions of every reference, and one of the answers."""
    pool = prepared.pool
    numbers = {
        text: found if isinstance(found, str) else found[decomposition : decomposition + 1]
        for text, found in pool.numbers.items()
    }
    kept = {number for found in numbers.values() if not isinstance(found, str) for number in found}
    tasks = tuple(
        replace(task, references=tuple(number for number in task.references if number in kept))
        for task in pool.tasks
    )
    predictor = prepared.predictor
    return replace(
        prepared,
        pool=replace(pool, numbers=numbers, tasks=tasks),
        predictor=predictor.one_sample(sample) if isinstance(predictor, GivesSamples) else predictor,
        plans=Store(PLAN_BYTES),
    )


def _cost(repetition: Repetition, prepared: Preparation) -> Cost:
    """Count what an item takes, from the references and statements that were found."""
    spec = repetition.metric.spec
    n_references = float(
        np.mean([len(used_references(item, spec.get("refs") or "mean")) for item in repetition.items])
    )
    batch = spec.get("batch")
    asks_oracle = spec.cell.predictor == "oracle"
    each = n_references
    if asks_oracle and batch == "statement":
        each *= float(np.mean([len(places) for places in prepared.pool.units_of if len(places)]))
    return Cost(
        each_sample=1.0 if asks_oracle and batch == "candidate" else 0.0,
        each_reference=0.0 if asks_oracle and batch == "candidate" else each,
        each_decomposition=n_references / repetition.items_per_task if is_decomposed_by_model(spec) else 0.0,
    )


def _report(repetition: Repetition, prepared: Preparation, repeats: Repeats) -> VarianceReport:
    components = estimate(repeats)
    now, cost = repetition.now, _cost(repetition, prepared)
    error, item = components.error(now), max(components.item, 0.0)
    names = list(dict.fromkeys(name for pair in LEVELS.values() for name in pair))
    errors = standard_errors(repeats, ["item", *names])
    sources: list[dict[str, object]] = [
        {
            "source": "item",
            "of_one": components.item,
            "of_one_se": _finite(errors["item"]),
            "of_one_negative": None,
            "in_score": item,
            "share_of_error": None,
        }
    ]
    for source, amount in components.by_source(now).items():
        own, foreign = LEVELS[source]
        sources.append(
            {
                "source": source,
                "of_one": getattr(components, own),
                "of_one_se": _finite(errors[own]),
                "of_one_negative": getattr(components, foreign),
                "in_score": amount,
                "share_of_error": amount / error if error > 0 else None,
            }
        )
    return VarianceReport(
        metric=repetition.name,
        n_items=components.n_items,
        unit="calls" if repetition.metric.asker is not None else "comparisons",
        item_sd=math.sqrt(item),
        error_sd=math.sqrt(error),
        reliability=item / (item + error) if item + error > 0 else None,
        sources=tuple(sources),
        designs=tuple(_designs(repetition, components, cost)),
        notes=tuple(_notes(repetition, components)),
    )


def _designs(repetition: Repetition, components: Components, cost: Cost) -> list[dict[str, object]]:
    now, free, n_items = repetition.now, repetition.free, repetition.n_items
    error = components.error(now)
    halved = cheapest_for_item(components, cost, error=error / 4, free=free)
    of_mean, n_needed = cheapest_for_mean(components, cost, now=now, n_items=n_items, free=free)
    found = [
        ("now", now, n_items),
        ("best for the same cost", best_within(components, cost, calls=cost.calls(now), free=free), n_items),
        ("half the error of each item", halved, n_items),
        ("half the error of the mean", of_mean, n_needed),
    ]
    return [
        {
            "aim": aim,
            "decompositions": design and design.decompositions,
            "samples": design and design.samples,
            "negatives": design and design.negatives,
            "items": items if design else None,
            "cost_of_item": cost.calls(design) if design else None,
            "cost": math.ceil(items * cost.calls(design)) if design else None,
            "error_sd": math.sqrt(components.error(design)) if design else None,
        }
        for aim, design, items in found
    ]


def _notes(repetition: Repetition, components: Components) -> list[str]:
    notes: list[str] = []
    spec = repetition.metric.spec
    if repetition.samples > 1 and spec.get("temperature") == "0":
        notes.append(
            "temperature=0: a model says nearly the same again, and that it would say something else at another"
            " temperature is not in its error"
        )
    if any(
        getattr(components, name) < 0 for name in ("item", *(n for pair in LEVELS.values() for n in pair))
    ):
        notes.append("a component below 0 is one too small to be told from none by so few items")
    if spec.cell.predictor == "overlap":
        notes.append("words are weighed by their rarity in the chosen tasks, not in all of the data")
    return notes


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
