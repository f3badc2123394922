"""How much each statement of a run's references counts, fixed before any candidate is seen.

Whatever is weighed, the weights of a task's statements depend on its references (and on whom they are for), never
on a candidate; they are the same for originals and variants, and for a task as a negative of another.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from gameproof.fmi.aggregation import Weights
from gameproof.fmi.estimators import Quantity
from gameproof.fmi.weights import consensus, rarity
from gameproof.metrics.predictors.base import Block, PreparedPredictor
from gameproof.metrics.predictors.overlap import Overlap
from gameproof.metrics.reference_pool import ReferencePool
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import BoolArray, FloatArray, IntArray

__all__ = [
    "Consensus",
    "FixedWeights",
    "Weigher",
    "consensus_blocks",
    "equal_weights",
    "rarity_weights",
    "usable_tasks",
    "weigh_by_consensus",
]

RARITY_TASKS = 512  # tasks whose references are looked through for a statement: enough to tell one in twenty


class Weigher(Protocol):
    """Tells how the statements of some references of a task count."""

    def weigh(self, task: int, references: Sequence[int], reader: str | None) -> Weights | str:
        """Return weights of the references' units and of the references, or why there are none.

        Args:
            task: The task's number.
            references: Numbers of its references.
            reader: For whom an item's own references are weighed; None for the task as a whole.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FixedWeights:
    """Each unit has one weight; a text counts once, however often it was decomposed."""

    pool: ReferencePool
    units: FloatArray  # of all units of the pool
    references: FloatArray  # of all references of the pool

    def weigh(self, task: int, references: Sequence[int], reader: str | None) -> Weights:
        """Look the weights up."""
        del task, reader
        places = np.concatenate([self.pool.units_of[number] for number in references])
        return Weights(units=self.units[places], references=self.references[list(references)])


def equal_weights(pool: ReferencePool) -> FixedWeights | None:
    """Weigh all alike; None where that takes no weights at all."""
    shares = _shares(pool)
    if np.all(shares == shares[:1]):
        return None
    return FixedWeights(pool=pool, units=np.ones(len(pool.units)), references=shares)


async def rarity_weights(pool: ReferencePool) -> FixedWeights:
    """Weigh statements by how few other tasks' references carry them, through the lexical index.

    A reference carries a statement if it has more than half of its words, counted by their own rarity. No model
    is asked, whatever the metric's predictor: to ask one about each statement and each other task would take
    more calls than the scores do. A reference whose statements all weigh nothing keeps them all alike.
    """
    prepared = await Overlap(TextMemo()).prepare(pool)
    tasks = [number for number, task in enumerate(pool.tasks) if task.references]
    chosen = [tasks[place] for place in _spread(len(tasks), RARITY_TASKS)]
    texts = _texts(pool)
    everything = np.arange(len(pool.units), dtype=np.int64)
    n_carrying = np.zeros(len(pool.units), dtype=np.int64)
    n_others = np.full(len(pool.units), len(chosen), dtype=np.int64)
    for number in chosen:
        own = np.fromiter(pool.places(pool.tasks[number]), dtype=np.int64)
        candidates = list(dict.fromkeys(texts[reference] for reference in pool.tasks[number].references))
        (found,) = await prepared.predict([Block(candidates=candidates, units=everything)], "critic")
        # No word of what cannot be judged tells one task from another: every task carries it.
        carries = np.any(found.values > 0, axis=0) | ~prepared.judgeable
        carries[own] = False
        n_others[own] -= 1
        n_carrying += carries
    weights = rarity(n_carrying, n_others)
    for places in pool.units_of:
        if len(places) and not weights[places].any():
            weights[places] = 1.0
    return FixedWeights(pool=pool, units=weights, references=_shares(pool))


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """The union of a task's statements, weighed by how many of its references carry each."""

    pool: ReferencePool
    texts: tuple[str, ...]  # of each reference
    rounds: IntArray  # which decomposition of its text each reference is
    carries: Mapping[
        tuple[str, int], BoolArray
    ]  # (text, reference) -> which of its statements the text carries

    def weigh(self, task: int, references: Sequence[int], reader: str | None) -> Weights:
        """Take the union within each round of decompositions; rounds count alike."""
        del task, reader
        weights: dict[int, FloatArray] = {}
        for which in np.unique(self.rounds[list(references)]).tolist():
            members = [number for number in references if self.rounds[number] == which]
            weights |= dict(zip(members, self._weigh_round(members), strict=True))
        return Weights(
            units=np.concatenate([weights[number] for number in references]),
            references=np.array([weights[number].sum() for number in references]),
        )

    def _weigh_round(self, members: Sequence[int]) -> list[FloatArray]:
        lengths = [len(self.pool.units_of[number]) for number in members]
        carries = np.array(
            [
                np.concatenate([self._carried(self.texts[number], other) for other in members])
                for number in members
            ]
        )
        weights = consensus(carries, np.repeat(np.arange(len(members)), lengths))
        return np.split(weights / weights.sum(), np.cumsum(lengths)[:-1])

    def _carried(self, text: str, reference: int) -> BoolArray:
        if text == self.texts[reference]:
            return np.ones(len(self.pool.units_of[reference]), dtype=np.bool_)
        return self.carries[text, reference]


async def weigh_by_consensus(
    pool: ReferencePool, predictor: PreparedPredictor, quantity: Quantity
) -> Consensus:
    """Ask the predictor which references of a task carry which statements of the others."""
    asked = list(consensus_blocks(pool))
    found = await predictor.predict([block for _, block in asked], quantity)
    carries = {
        (block.candidates[0], number): np.asarray(each.values[0] > 0)  # not where there is no verdict
        for (number, block), each in zip(asked, found, strict=True)
    }
    texts = _texts(pool)
    rounds = np.zeros(len(pool.units_of), dtype=np.int64)
    for numbers in pool.numbers.values():
        if not isinstance(numbers, str):
            rounds[list(numbers)] = np.arange(len(numbers))
    return Consensus(pool=pool, texts=texts, rounds=rounds, carries=carries)


def usable_tasks(pool: ReferencePool, weigher: Weigher) -> ReferencePool:
    """Return the pool without the references of tasks none of whose statements has any weight."""
    tasks = tuple(
        replace(task, references=())
        if task.references and isinstance(weigher.weigh(number, task.references, None), str)
        else task
        for number, task in enumerate(pool.tasks)
    )
    return replace(pool, tasks=tasks)


def consensus_blocks(pool: ReferencePool) -> Iterator[tuple[int, Block]]:
    """Yield what the references of a task are asked about one another, each once: reference and question."""
    texts = _texts(pool)
    seen: set[tuple[str, int]] = set()
    for task in pool.tasks:
        for number in task.references:
            for text in dict.fromkeys(texts[other] for other in task.references):
                if text != texts[number] and (text, number) not in seen:
                    seen.add((text, number))
                    yield number, Block(candidates=[text], units=pool.units_of[number])


def _texts(pool: ReferencePool) -> tuple[str, ...]:
    """Return the text of each reference by its number."""
    texts = [""] * len(pool.units_of)
    for text, numbers in pool.numbers.items():
        for number in numbers if not isinstance(numbers, str) else ():
            texts[number] = text
    return tuple(texts)


def _shares(pool: ReferencePool) -> FloatArray:
    """Return what each decomposition of a text counts, so that texts count alike."""
    counts = Counter(text for text in _texts(pool) if text)
    return np.array([1 / counts[text] if text else 0.0 for text in _texts(pool)])


def _spread(n: int, at_most: int) -> list[int]:
    """Return so many places of n, evenly spread."""
    return sorted(set(np.linspace(0, n - 1, min(n, at_most)).round().astype(int).tolist())) if n else []
