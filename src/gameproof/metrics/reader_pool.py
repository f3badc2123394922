"""The readers of a run: what each requires, how much of it is new to the reader, and whom each is held against.

For reader i with requirements rho_ik of importance w_ik and prior knowledge z_i

    omega_ik = w_ik (1 - s(z_i, rho_ik)) / sum over k,   s(z, rho) = max(0, 2 t(z, rho))

where t is the critic of the predictor that judges texts too: 1/2 is full support, 0 is no evidence. The weights are
fixed before any text is seen. A task is one query: its readers ask about the same source.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from gameproof.errors import InputError
from gameproof.fmi.aggregation import Layout, Runs, Weights
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.estimators import Quantity, optimal_critic
from gameproof.metrics.fmi_preparation import Plan
from gameproof.metrics.negatives import Negatives, draw_negatives
from gameproof.metrics.predictors.base import Block, PreparedPredictor
from gameproof.metrics.reader_requirements import Reader, Required, reader_of
from gameproof.metrics.reference_pool import ReferencePool, Task
from gameproof.records import FloatArray, IntArray, Item, Requirement
from gameproof.seeds import rng_for

__all__ = [
    "ALL_KNOWN",
    "NO_OTHER_READER",
    "Others",
    "ReaderPool",
    "Readers",
    "collect_readers",
    "hold_together",
    "index_requirements",
    "weigh",
]

ALL_KNOWN = "its reader knows already all that it needs"
UNKNOWN_READER = "its reader is not in the data the metric was prepared on"
NO_NEGATIVES = "no negatives: no other query has a reader with requirements"
NO_OTHER_READER = "no other reader of its query has requirements"
NOT_JUDGEABLE = "no word of its requirements tells its reader from the others"
MOST_SHOWN = 3  # kinds of what is missing, in an error


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The distinct readers of a run, sorted, with the group of each task."""

    readers: tuple[Reader, ...]
    groups: Mapping[str, str]  # task -> group


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderPool:
    """Requirements, weights and negatives: the same for originals and variants."""

    pool: ReferencePool  # a task for each query; the requirements of each of its readers are a reference
    numbers: Mapping[Reader, int]  # reader -> its reference
    unusable: Mapping[Reader, str]  # reader -> why there is nothing to hold a text against
    weights: FloatArray  # omega of each unit of the pool; sums to 1 for each usable reader
    predictor: PreparedPredictor
    given: bool  # requirements stand in the data
    negatives: Negatives | None  # None: texts are held against the other readers of their own query
    start: int = 0  # where the turn of the readers of negative queries begins
    task_numbers: Mapping[str, int] = field(default_factory=dict[str, int])
    plans: dict[Reader, Plan] = field(default_factory=dict[Reader, Plan], compare=False)

    def plan(self, item: Item) -> Plan | str:
        """Return what an item is held against, or the reason why it has no score."""
        reader = reader_of(item, given=self.given)
        if isinstance(reader, str):
            return reader
        if reader in self.unusable:
            return self.unusable[reader]
        if reader not in self.numbers:
            return UNKNOWN_READER
        if reader not in self.plans:
            made = self._make_plan(reader)
            if isinstance(made, str):
                return made
            self.plans[reader] = made
        return self.plans[reader]

    def notes(self) -> Iterator[str]:
        """Say what a reader of the scores must know."""
        n_readers = len(self.numbers) + len(self.unusable)
        for reason, count in Counter(self.unusable.values()).items():
            yield f"{count:,} of {n_readers:,} readers have no score: {reason}"
        negatives = self.negatives
        if negatives is None:
            return
        n_tasks = len(negatives.tasks)
        if negatives.n_groups > 1 and negatives.n_fallback < n_tasks:
            yield "the other readers are of the same group: the scores estimate information given the group"
        if negatives.n_fallback:
            yield (
                f"{negatives.n_fallback:,} of {n_tasks:,} queries are in groups too small for their negatives,"
                " whose readers come from the whole data"
            )
        if negatives.n_short:
            yield f"{negatives.n_short:,} of {n_tasks:,} queries have fewer negatives than were asked for"
        if negatives.n_near_duplicates:
            yield (
                f"{negatives.n_near_duplicates:,} of {negatives.n_pairs:,} negatives are queries whose readers"
                " require nearly the same"
            )

    def _make_plan(self, reader: Reader) -> Plan | str:
        task, own = self.task_numbers[reader.task_id], self.numbers[reader]
        found = self._others(task, own)
        if isinstance(found, str):
            return found
        tasks, others = found
        units = [self.pool.units_of[number] for number in (own, *others)]
        columns = np.concatenate(units)
        return Plan(
            task=task,
            units=columns,
            layout=Layout(
                references=Runs.of_lengths([len(places) for places in units]),
                tasks=Runs.of_lengths([1] * len(units)),
                weights=Weights(units=self.weights[columns], references=np.ones(len(units))),
            ),
            negative_tasks=tasks,
        )

    def _others(self, task: int, own: int) -> tuple[IntArray, list[int]] | str:
        """Return the tasks and the readers that an item is held against besides its own.

        Of each negative query one reader takes part, by turns, so that all of them are used equally often.
        """
        peers = self.pool.tasks[task].references
        if self.negatives is None:
            others = [number for number in peers if number != own]
            return (np.full(len(others), task, dtype=np.int64), others) if others else NO_OTHER_READER
        drawn = self.negatives.tasks.get(task)
        if drawn is None or not len(drawn):
            return NO_NEGATIVES
        turn = self.start + peers.index(own)
        numbers: list[int] = drawn.tolist()
        readers = [self.pool.tasks[number].references for number in numbers]
        return drawn, [each[(turn + place) % len(each)] for place, each in enumerate(readers)]


def collect_readers(items: Sequence[Item], *, given: bool, metric: str) -> Readers:
    """Return the readers of the originals of a run.

    Raises:
        InputError: No item says for whom it is; the message names all that is missing.
    """
    found = [reader_of(item, given=given) for item in items]
    readers = {reader for reader in found if isinstance(reader, Reader)}
    if not readers:
        missing = Counter(reason for reason in found if isinstance(reason, str)).most_common(MOST_SHOWN)
        told = "; ".join(f"{reason} ({count:,} of {len(items):,} items)" for reason, count in missing)
        hint = (
            "Give a column requirements: a list of texts, or of objects with text and importance."
            if given
            else 'Give each row a persona such as {"role": "nurse", "query": "Is it safe?", "knows": []} and a'
            " source; or write needs=given, with a column requirements."
        )
        raise InputError(f"{metric} has no reader to score for: {told}.", hint=hint)
    groups: dict[str, str] = {}
    for item in sorted(items, key=lambda item: (item.task_id, item.group)):
        groups.setdefault(item.task_id, item.group)
    return Readers(readers=tuple(sorted(readers)), groups=groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """The requirements of all readers as units: a reference for each reader, a task for each query."""

    pool: ReferencePool
    numbers: Mapping[Reader, int]  # reader -> its reference
    required: Mapping[Reader, tuple[Requirement, ...]]
    failed: Mapping[Reader, str]  # readers without requirements, and why

    def known_blocks(self) -> dict[Reader, Block]:
        """Return what must be predicted to say what readers know; somebody who knows nothing is not in it."""
        return {
            reader: Block(candidates=[reader.known], units=self.pool.units_of[number])
            for reader, number in self.numbers.items()
            if reader.known
        }


def index_requirements(readers: Readers, found: Mapping[Reader, Required], *, digest: str) -> Indexed:
    """Lay the requirements of all readers out."""
    units: list[str] = []
    units_of: list[IntArray] = []
    numbers: dict[Reader, int] = {}
    required: dict[Reader, tuple[Requirement, ...]] = {}
    failed: dict[Reader, str] = {}
    members: dict[str, list[int]] = {task: [] for task in sorted({one.task_id for one in readers.readers})}
    for reader in readers.readers:
        requirements = found[reader]
        if isinstance(requirements, str):
            failed[reader] = requirements
            continue
        numbers[reader], required[reader] = len(units_of), requirements
        members[reader.task_id].append(len(units_of))
        units_of.append(np.arange(len(units), len(units) + len(requirements), dtype=np.int64))
        units.extend(each.text for each in requirements)
    tasks = tuple(
        Task(id=task, group=readers.groups[task], references=tuple(own)) for task, own in members.items()
    )
    pool = ReferencePool(tasks=tasks, units=tuple(units), units_of=tuple(units_of), numbers={}, digest=digest)
    return Indexed(pool=pool, numbers=numbers, required=required, failed=failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """Weights of all units, and the readers that are left without any."""

    weights: FloatArray
    unusable: Mapping[Reader, str]
    n_unknown: int  # requirements of which it is not known whether they are new: left out


async def weigh(
    indexed: Indexed,
    predictor: PreparedPredictor,
    *,
    quantity: Quantity,
    novelty: bool,
    unknown_is_new: bool = False,
) -> Weighed:
    """Weigh requirements by importance times novelty; those the predictor cannot judge weigh nothing.

    Args:
        indexed: The requirements.
        predictor: That says what readers know.
        quantity: What it supplies.
        novelty: Whether what a reader knows is weighed down.
        unknown_is_new: Take it for new where the predictor does not say, to count calls before a run; else a reader
            of whom nothing can be said is left out.
    """
    blocks = indexed.known_blocks() if novelty else {}
    predictions = await predictor.predict(list(blocks.values()), quantity) if blocks else []
    known = dict(zip(blocks, predictions, strict=True))
    weights = np.zeros(len(indexed.pool.units))
    unusable: dict[Reader, str] = {}
    n_unknown = 0
    for reader, number in indexed.numbers.items():
        places = indexed.pool.units_of[number]
        importance = np.array([each.importance for each in indexed.required[reader]])
        found = np.where(predictor.judgeable[places], importance, 0.0)
        reason = ALL_KNOWN if found.any() else NOT_JUDGEABLE
        said = known.get(reader)
        if said is not None and 0 in said.reasons and not unknown_is_new:
            unusable[reader] = f"what its reader knows: {said.reasons[0]}"
            continue
        if said is not None and 0 not in said.reasons:
            new = _novelty(said.values[0], quantity)
            n_unknown += int(np.isnan(new).sum())
            found = found * np.nan_to_num(new)
        if found.any():
            weights[places] = found / found.sum()
        else:
            unusable[reader] = reason
    return Weighed(weights=weights, unusable=unusable, n_unknown=n_unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Others:
    """Who texts are held against besides their own readers."""

    contrast: bool = True  # readers of other queries; else the other readers of the same query
    neg: int | None = 4  # how many other queries; None for all of the group
    seed: int = 0


def hold_together(
    indexed: Indexed, weighed: Weighed, predictor: PreparedPredictor, others: Others, *, given: bool
) -> ReaderPool:
    """Draw negatives among the readers that have something to hold a text against."""
    unusable = {**indexed.failed, **weighed.unusable}
    usable = np.ones(len(indexed.pool.units), dtype=np.bool_)
    for reader in weighed.unusable:
        usable[indexed.pool.units_of[indexed.numbers[reader]]] = False
    kept = indexed.pool.keeping(usable, reason=ALL_KNOWN)
    return ReaderPool(
        pool=kept,
        numbers={reader: number for reader, number in indexed.numbers.items() if reader not in unusable},
        unusable=unusable,
        weights=weighed.weights,
        predictor=predictor,
        given=given,
        negatives=draw_negatives(kept, neg=others.neg, seed=others.seed, dedupe=False)
        if others.contrast
        else None,
        start=int(rng_for(others.seed, "negatives", "readers").integers(1 << 16)),
        task_numbers={task.id: place for place, task in enumerate(kept.tasks)},
    )


def _novelty(values: FloatArray, quantity: Quantity) -> FloatArray:
    """Return 1 - s for what the predictor says of a reader's knowledge."""
    critic = values if quantity == "critic" else optimal_critic(DIVERGENCES["TV"], values).values
    return 1 - np.maximum(0.0, 2 * critic)
