"""Population effects of metrics that ask planted models, from fresh planted tasks.

The planted models judge here without prompts, replies or the oracle of the package (only references are taken apart
through prompts), so that the audits which go all the way are held against something else; a test shows that both ways
give the same scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from tests.calibration.planted_population import (
    Column,
    Effect,
    Moments,
    change_sums,
    effects,
)
from tests.calibration.planted_scores import ScoredWorld, score_world

from gameproof.engine.table import MetricScores
from gameproof.fmi.estimators import Quantity
from gameproof.llm.asking import Asker
from gameproof.llm.client import LanguageModel
from gameproof.llm.providers.planted import PlantedJudge, PlantedOracle
from gameproof.llm.providers.planted.asking import Question
from gameproof.llm.providers.planted.understanding import Support
from gameproof.metrics.base import Metric, scores_from
from gameproof.metrics.catalogue import MetricLike
from gameproof.metrics.fmi import build_fmi
from gameproof.metrics.predictors.base import Block, Predictions
from gameproof.metrics.reference_pool import ReferencePool
from gameproof.perturbations.catalogue import select
from gameproof.prompts.fences import number_lines
from gameproof.records import BoolArray, Item, Scores

# Worlds for the population and for the audits are disjoint, and none is one of planted_scores.
FIRST_POPULATION_SEED = 5_000_000
FIRST_AUDIT_SEED = 6_000_000
ORACLE, JUDGE = PlantedOracle(), PlantedJudge()
POPULATION_WORLDS = 60  # 4,320 tasks
CELL = "TV+fvar+statement+oracle"
CANDIDATES = 1
# The twelve of the first paper, one sentence less, and the doubled text.
STRATEGIC = tuple(row.name for row in select("strategic") if not row.extra or row.name == "repeat_text")
LOW, HIGH = 1, 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedDirectly:
    """The planted oracle that knows the units of a run."""

    oracle: PlantedOracle
    units: tuple[str, ...]
    not_judgeable: str = "never"

    @property
    def judgeable(self) -> BoolArray:
        return np.ones(len(self.units), dtype=np.bool_)

    async def predict(self, blocks: Sequence[Block], quantity: Quantity) -> list[Predictions]:
        del quantity
        return [Predictions(values=np.array(self._rows(block), float)) for block in blocks]

    def _rows(self, block: Block) -> list[list[float]]:
        units = [self.units[int(place)] for place in block.units]
        ask = self.oracle.support
        return [
            [0.5 if ask(text, unit) == Support.STATED else -0.5 for unit in units]
            for text in block.candidates
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedDirectly:
    """A predictor that is the planted oracle itself."""

    oracle: PlantedOracle

    async def prepare(self, pool: ReferencePool) -> PreparedDirectly:
        return PreparedDirectly(oracle=self.oracle, units=pool.units)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedDirectly:
    """A metric that is the planted judge itself."""

    judge: PlantedJudge
    name: str = "judge"
    needs: frozenset[str] = frozenset({"references"})
    higher_is_better: bool = True

    def signature(self) -> str:
        return "judge,v=1"

    async def prepare(self, pool: Sequence[Item]) -> "GradedDirectly":
        del pool
        return self

    async def score(self, items: Sequence[Item]) -> Scores:
        return scores_from(self.signature(), items, [float(self._grade(item)) for item in items])

    def _grade(self, item: Item) -> int:
        shown = {"references": number_lines(item.references)}
        question = Question(words="", texts=shown, statements={}, menu=(), low=LOW, high=HIGH)
        return self.judge.grade(item.candidate, question)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is audited: a metric, the model it asks, and whether the wordings are held-out ones."""

    metric: str
    model: LanguageModel
    held_out: bool = False
    only: tuple[str, ...] | None = None  # the perturbations; all where None

    def score_directly(self, seed: int) -> ScoredWorld:
        return self._score(seed, self._direct(seed), None)

    def score_through_prompts(self, seed: int) -> ScoredWorld:
        return self._score(seed, self.metric, self.model)

    def _score(self, seed: int, metric: MetricLike, llm: LanguageModel | None) -> ScoredWorld:
        return score_world(
            seed, [metric], candidates=CANDIDATES, held_out=self.held_out, only=self.only, llm=llm
        )

    def _direct(self, seed: int) -> Metric:
        if self.metric == "judge":
            return GradedDirectly(judge=JUDGE)
        cell = build_fmi(self.metric, seed=seed, ask=lambda _metric, _llm: Asker(self.model))
        return replace(cell, predictor=AskedDirectly(oracle=ORACLE))


ASKED: Mapping[str, Asked] = {
    "oracle": Asked(metric=CELL, model=ORACLE, only=STRATEGIC),
    "oracle, held-out wordings": Asked(metric=CELL, model=ORACLE, held_out=True, only=STRATEGIC),
    "judge": Asked(metric="judge", model=JUDGE, only=STRATEGIC),
}


def moments(seed: int, *, name: str) -> dict[Column, Moments]:
    """Return the sums over one world, by metric, check and level."""
    scored = ASKED[name].score_directly(seed)
    [table] = scored.tables
    return {
        (name, perturbation.name, level): sums
        for perturbation in scored.perturbations
        for level, sums in change_sums(table, perturbation, _task_of(scored)).items()
    }


@cache
def population(name: str) -> Mapping[Column, Effect]:
    """Return the effects on so many fresh worlds of 72 tasks."""
    seeds = range(FIRST_POPULATION_SEED, FIRST_POPULATION_SEED + POPULATION_WORLDS)
    return effects([moments(seed, name=name) for seed in seeds])


def same_scores(one: MetricScores, other: MetricScores) -> bool:
    """Say whether two tables hold the same numbers for the same texts."""
    columns = [
        (one.original, other.original),
        *((one.variants[key], other.variants[key]) for key in one.variants),
    ]
    return one.variants.keys() == other.variants.keys() and all(
        a.item_ids == b.item_ids and np.array_equal(a.values, b.values, equal_nan=True) for a, b in columns
    )


def _task_of(scored: ScoredWorld) -> dict[str, str]:
    return {item.id: item.task_id for item in scored.world.dataset.items}
