"""What a mutual-information metric fixes on the originals of a run: units, negatives, and who meets whom."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gameproof.fmi.aggregation import Layout, Runs
from gameproof.fmi.spec import Spec
from gameproof.llm.asking import Asker
from gameproof.metrics.negatives import Negatives, draw_negatives
from gameproof.metrics.predictors.base import Predictor, PreparedPredictor
from gameproof.metrics.reference_pool import ReferencePool, index_references, used_references
from gameproof.metrics.representations import NO_STATEMENT, REPRESENTATIONS, Units, report
from gameproof.metrics.text_memo import Store
from gameproof.records import IntArray, Item

__all__ = [
    "ATOMIC",
    "NO_NEGATIVES",
    "UNKNOWN_REFERENCE",
    "UNKNOWN_TASK",
    "Plan",
    "Preparation",
    "is_decomposed_by_model",
    "prepare_on",
    "rehearse_on",
]

NO_NEGATIVES = "no negatives: no other task has references"
UNKNOWN_TASK = "its task is not in the data the metric was prepared on"
UNKNOWN_REFERENCE = "its references are not in the data the metric was prepared on"

ATOMIC = "atomic.v1"  # decompose=...: by a language model

PLAN_BYTES = 32 * 2**20  # of plans kept for the next batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the candidates of one task are held against."""

    units: IntArray  # of the task's own references, then of those of each negative task
    layout: Layout
    negative_tasks: IntArray

    @property
    def nbytes(self) -> int:
        """The size in bytes, roughly."""
        return self.units.nbytes + 2 * self.layout.references.starts.nbytes + 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """Units, negatives and a predictor that knows them: the same for originals and variants."""

    refs: str
    pool: ReferencePool
    task_numbers: Mapping[str, int]
    predictor: PreparedPredictor
    negatives: Negatives | None  # None: the estimator uses none
    plans: Store = field(default_factory=lambda: Store(PLAN_BYTES), compare=False)

    def plan(self, item: Item) -> Plan | str:
        """Return what an item is held against, or the reason why it has no score."""
        task = self.task_numbers.get(item.task_id)
        if task is None:
            return UNKNOWN_TASK
        found = [self.pool.numbers.get(text, UNKNOWN_REFERENCE) for text in used_references(item, self.refs)]
        if UNKNOWN_REFERENCE in found:
            return UNKNOWN_REFERENCE
        own = tuple(number for numbers in found if not isinstance(numbers, str) for number in numbers)
        if not own:
            return str(found[0])
        if self.negatives is not None and not len(self.negatives.tasks.get(task, ())):
            return NO_NEGATIVES
        return self.plans.get((task, own), lambda: self._make_plan(task, own))

    def _make_plan(self, task: int, own: tuple[int, ...]) -> Plan:
        negatives = np.empty(0, np.int64) if self.negatives is None else self.negatives.tasks[task]
        columns = [own, *(self.pool.tasks[number].references for number in negatives.tolist())]
        units = [self.pool.units_of[reference] for column in columns for reference in column]
        return Plan(
            units=np.concatenate(units),
            layout=Layout(
                references=Runs.of_lengths([len(places) for places in units]),
                tasks=Runs.of_lengths([len(column) for column in columns]),
            ),
            negative_tasks=negatives,
        )

    def notes(self) -> Iterator[str]:
        """Say what a reader of the scores must know."""
        dropped = Counter(reason for reason in self.pool.numbers.values() if isinstance(reason, str))
        for reason, count in dropped.items():
            yield f"{count:,} of {len(self.pool.numbers):,} references dropped: {reason}"
        negatives = self.negatives
        if negatives is None:
            return
        n_tasks = len(negatives.tasks)
        if negatives.n_groups > 1 and negatives.n_fallback < n_tasks:
            yield "negatives come from the same group: the scores estimate information given the group"
        if negatives.n_fallback:
            yield (
                f"{negatives.n_fallback:,} of {n_tasks:,} tasks are in groups too small for their negatives,"
                " which come from the whole data"
            )
        if negatives.n_short:
            yield f"{negatives.n_short:,} of {n_tasks:,} tasks have fewer negatives than were asked for"
        yield (
            f"{negatives.n_near_duplicates:,} of {negatives.n_pairs:,} negatives are near duplicates of the"
            f" task's own references ({negatives.n_near_duplicates / max(negatives.n_pairs, 1):.1%})"
        )


async def prepare_on(
    items: Sequence[Item], spec: Spec, predictor: Predictor, *, seed: int, asker: Asker | None = None
) -> Preparation:
    """Index references, let the predictor learn them, and draw negatives among what it can judge."""
    return await _prepare(items, spec, predictor, seed=seed, decompose=await _decomposer(items, spec, asker))


async def rehearse_on(items: Sequence[Item], spec: Spec, predictor: Predictor, *, seed: int) -> Preparation:
    """Prepare without asking anything: statements that a model would find are taken by rule."""
    return await _prepare(items, spec, predictor, seed=seed, decompose=_by_rule(spec))


async def _prepare(
    items: Sequence[Item],
    spec: Spec,
    predictor: Predictor,
    *,
    seed: int,
    decompose: Callable[[str], Units],
) -> Preparation:
    refs = spec.get("refs") or "mean"
    pool = index_references(items, refs=refs, decompose=decompose)
    prepared = await predictor.prepare(pool)
    pool = pool.keeping(prepared.judgeable, reason=prepared.not_judgeable)
    neg = spec.get("neg")
    return Preparation(
        refs=refs,
        pool=pool,
        task_numbers={task.id: number for number, task in enumerate(pool.tasks)},
        predictor=prepared,
        negatives=None
        if neg is None
        else draw_negatives(
            pool,
            neg=None if neg == "all" else int(neg),
            seed=seed,
            dedupe=spec.get("dedupe") == "true",
        ),
    )


async def _decomposer(items: Sequence[Item], spec: Spec, asker: Asker | None) -> Callable[[str], Units]:
    """Return what makes units of a reference; a model is asked for all references together."""
    if asker is None or not is_decomposed_by_model(spec):
        return _by_rule(spec)
    from gameproof.metrics.statements_llm import decompose_references  # noqa: PLC0415 - loads pydantic

    found = await decompose_references(items, refs=spec.get("refs") or "mean", asker=asker)
    return lambda reference: found.get(reference, NO_STATEMENT)


def _by_rule(spec: Spec) -> Callable[[str], Units]:
    by_rule = REPRESENTATIONS[spec.cell.representation]
    if not is_decomposed_by_model(spec):
        return by_rule

    def stand_in(reference: str) -> Units:
        """Take the whole reference where the rules find no statements in its script."""
        units = by_rule(reference)
        return report(reference) if isinstance(units, str) else units

    return stand_in


def is_decomposed_by_model(spec: Spec) -> bool:
    """Say whether the statements of references come from a language model."""
    return (spec.get("decompose") or "").startswith(ATOMIC)
