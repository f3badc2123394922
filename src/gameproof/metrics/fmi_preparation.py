"""What a mutual-information metric fixes on the originals of a run: units, negatives, and who meets whom."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from gameproof.fmi.aggregation import Layout, Runs, Weights
from gameproof.fmi.estimators import Quantity
from gameproof.fmi.spec import Spec
from gameproof.llm.asking import Asker
from gameproof.llm.client import Request
from gameproof.metrics.negatives import Negatives, draw_negatives
from gameproof.metrics.predictors.base import (
    Predictor,
    PreparedPredictor,
    Rehearses,
    RequestsCalls,
    TellsNotes,
)
from gameproof.metrics.readers import describe_persona
from gameproof.metrics.reference_pool import ReferencePool, index_references, used_references
from gameproof.metrics.representations import NO_STATEMENT, REPRESENTATIONS, Units, report
from gameproof.metrics.statement_weights import (
    Weigher,
    consensus_blocks,
    equal_weights,
    rarity_weights,
    usable_tasks,
    weigh_by_consensus,
)
from gameproof.metrics.statements_llm import decompose_references, recall_decompositions
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
    "quantity_of",
    "rehearse_on",
    "weighing_requests",
]

LEFT_OUT = " and left out: the same metric without dedupe=true, named beside it, shows the value with them"
NO_NEGATIVES = "no negatives: no other task has references"
UNKNOWN_TASK = "its task is not in the data the metric was prepared on"
UNKNOWN_REFERENCE = "its references are not in the data the metric was prepared on"

ATOMIC = "atomic.v1"  # decompose=...: by a language model

PLAN_BYTES = 32 * 2**20  # of plans kept for the next batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the candidates of one task are held against."""

    task: int
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
    weigher: Weigher | None = None  # None: all statements of a reference count alike
    by_reader: bool = False  # whether an item's statements are weighed for its persona
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
            return str(found[0]) if found else f"no reference of {self.refs}"
        reader = describe_persona(item.persona) if self.by_reader and item.persona is not None else None
        weights = self.weigher.weigh(task, own, reader) if self.weigher is not None else None
        if isinstance(weights, str):
            return weights
        if self.negatives is not None and not len(self.negatives.tasks.get(task, ())):
            return NO_NEGATIVES
        return self.plans.get((task, own, reader), lambda: self._make_plan(task, own, weights))

    def _make_plan(self, task: int, own: tuple[int, ...], weights: Weights | None) -> Plan:
        negatives = np.empty(0, np.int64) if self.negatives is None else self.negatives.tasks[task]
        columns = [own, *(self.pool.tasks[number].references for number in negatives.tolist())]
        units = [self.pool.units_of[reference] for column in columns for reference in column]
        return Plan(
            task=task,
            units=np.concatenate(units),
            layout=Layout(
                references=Runs.of_lengths([len(places) for places in units]),
                tasks=Runs.of_lengths([len(column) for column in columns]),
                weights=weights and self._with_negatives(weights, negatives, columns[1:]),
            ),
            negative_tasks=negatives,
        )

    def _with_negatives(
        self, own: Weights, negatives: IntArray, columns: Sequence[tuple[int, ...]]
    ) -> Weights:
        """Append the weights of negative tasks to those of an item's own."""
        found = [own]
        for number, column in zip(negatives.tolist(), columns, strict=True):
            weights = self.weigher.weigh(number, column, None) if self.weigher is not None else None
            if isinstance(weights, Weights):  # a task without any is nobody's negative
                found.append(weights)
        return Weights(
            units=np.concatenate([each.units for each in found]),
            references=np.concatenate([each.references for each in found]),
        )

    def notes(self) -> Iterator[str]:
        """Say what a reader of the scores must know."""
        dropped = Counter(reason for reason in self.pool.numbers.values() if isinstance(reason, str))
        for reason, count in dropped.items():
            yield f"{count:,} of {len(self.pool.numbers):,} references dropped: {reason}"
        if isinstance(self.predictor, TellsNotes):
            yield from self.predictor.notes()
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
            + (LEFT_OUT if negatives.left_out else "")
        )


async def prepare_on(
    items: Sequence[Item], spec: Spec, predictor: Predictor, *, seed: int, asker: Asker | None = None
) -> Preparation:
    """Index references, let the predictor learn them, weigh them, and draw negatives among what it can judge."""
    decompose = await _decomposers(items, spec, asker)
    pool = index_references(items, refs=_refs(spec), decompose=decompose[0], again=decompose[1:])
    prepared = await predictor.prepare(pool)
    pool = pool.keeping(prepared.judgeable, reason=prepared.not_judgeable)
    weigher = await _weigh(pool, items, spec, prepared, asker)
    if weigher is not None:
        pool = usable_tasks(pool, weigher)
    return _make(pool, spec, prepared, seed=seed, weigher=weigher)


async def rehearse_on(
    items: Sequence[Item], spec: Spec, predictor: Predictor, *, seed: int, asker: Asker | None = None
) -> Preparation:
    """Prepare without asking anything: statements that a model has not found yet are taken by rule."""
    decompose = _rehearsed(items, spec, asker)
    pool = index_references(items, refs=_refs(spec), decompose=decompose[0], again=decompose[1:])
    prepared = await (predictor.rehearsal() if isinstance(predictor, Rehearses) else predictor).prepare(pool)
    pool = pool.keeping(prepared.judgeable, reason=prepared.not_judgeable)
    return _make(pool, spec, prepared, seed=seed, weigher=None)


def _make(
    pool: ReferencePool, spec: Spec, predictor: PreparedPredictor, *, seed: int, weigher: Weigher | None
) -> Preparation:
    neg = spec.get("neg")
    return Preparation(
        refs=_refs(spec),
        pool=pool,
        task_numbers={task.id: number for number, task in enumerate(pool.tasks)},
        predictor=predictor,
        negatives=None
        if neg is None
        else draw_negatives(
            pool,
            neg=None if neg == "all" else int(neg),
            seed=seed,
            dedupe=spec.get("dedupe") == "true",
        ),
        weigher=weigher,
        by_reader=spec.get("weights") == "persona",
    )


async def _weigh(
    pool: ReferencePool,
    items: Sequence[Item],
    spec: Spec,
    predictor: PreparedPredictor,
    asker: Asker | None,
) -> Weigher | None:
    kind = spec.get("weights")
    if kind == "rarity":
        return await rarity_weights(pool)
    if kind == "consensus":
        return await weigh_by_consensus(pool, predictor, quantity_of(spec))
    if kind == "persona" and asker is not None:
        from gameproof.metrics.persona_weights import weigh_by_persona  # noqa: PLC0415 - most runs ask no model

        return await weigh_by_persona(pool, items, refs=_refs(spec), asker=asker)
    return equal_weights(pool)


def weighing_requests(
    rehearsed: Preparation, spec: Spec, items: Sequence[Item], asker: Asker
) -> list[Request]:
    """Return the requests that weighing the statements of a rehearsed preparation takes."""
    if spec.get("weights") == "consensus" and isinstance(rehearsed.predictor, RequestsCalls):
        blocks = [block for _, block in consensus_blocks(rehearsed.pool)]
        return list(rehearsed.predictor.requests(blocks))
    if spec.get("weights") == "persona":
        from gameproof.metrics.persona_weights import relevance_requests  # noqa: PLC0415 - most runs ask no model

        return relevance_requests(rehearsed.pool, items, refs=_refs(spec), asker=asker)
    return []


def quantity_of(spec: Spec) -> Quantity:
    """Say what a cell's predictor supplies: an oracle's yes or no is the critic itself."""
    is_asked_for_critic = spec.cell.predictor == "oracle" and spec.get("critic") == "binary"
    return "critic" if spec.get("critic") == "soft" or is_asked_for_critic else "log_ratio"


async def _decomposers(
    items: Sequence[Item], spec: Spec, asker: Asker | None
) -> list[Callable[[str], Units]]:
    """Return what makes units of a reference; a model is asked for all references together."""
    if asker is None or not is_decomposed_by_model(spec):
        return [_by_rule(spec)]
    found = await decompose_references(
        items, refs=_refs(spec), asker=asker, decompositions=_decompositions(spec)
    )
    return [partial(_look_up, each) for each in found]


def _rehearsed(items: Sequence[Item], spec: Spec, asker: Asker | None) -> list[Callable[[str], Units]]:
    """Return what makes units of a reference as far as that is known before the run."""
    by_rule = _by_rule(spec)
    stand_ins = [by_rule, *(_marked(by_rule, sample) for sample in range(1, _decompositions(spec)))]
    if asker is None or not is_decomposed_by_model(spec):
        return stand_ins
    known = recall_decompositions(items, refs=_refs(spec), asker=asker, decompositions=_decompositions(spec))
    return [partial(_recall_or, found, stand_in) for found, stand_in in zip(known, stand_ins, strict=True)]


def _recall_or(found: Mapping[str, Units], stand_in: Callable[[str], Units], reference: str) -> Units:
    return found[reference] if reference in found else stand_in(reference)


def _look_up(found: Mapping[str, Units], reference: str) -> Units:
    return found.get(reference, NO_STATEMENT)


def _refs(spec: Spec) -> str:
    return spec.get("refs") or "mean"


def _decompositions(spec: Spec) -> int:
    return int(spec.get("decompositions") or 1)


def _marked(decompose: Callable[[str], Units], sample: int) -> Callable[[str], Units]:
    """Make statements that differ from those of another decomposition, as a model's would."""

    def marked(reference: str) -> Units:
        units = decompose(reference)
        return units if isinstance(units, str) else tuple(f"{unit} [{sample}]" for unit in units)

    return marked


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
