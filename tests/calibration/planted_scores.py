"""Score fresh planted worlds of the demo's size, for population effects and for audits alike."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.datasets.planted import PlantedWorld, WorldSpec, make_world
from gameproof.engine.score import prepare, score_table
from gameproof.engine.table import MetricScores, variants_by_key
from gameproof.llm.client import LanguageModel
from gameproof.metrics.base import Metric
from gameproof.metrics.catalogue import MetricLike, build_metrics
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.catalogue import select
from gameproof.records import Variant

METRICS = (
    "length",
    "rougeL",
    "bleu",
    "chrf",
    "TV+fvar+statement+overlap",
    "KL+direct+statement+overlap",
)
# Worlds for the population and for the audits are disjoint, and neither is the embedded one.
FIRST_POPULATION_SEED = 1_000_000
FIRST_AUDIT_SEED = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredWorld:
    world: PlantedWorld
    perturbations: Sequence[Perturbation]
    tables: Sequence[MetricScores]


def score_world(
    seed: int,
    metrics: Sequence[MetricLike],
    *,
    candidates: int | None = None,
    only: Sequence[str] | None = None,
    held_out: bool = False,
    llm: LanguageModel | None = None,
) -> ScoredWorld:
    """Make a world of the demo's size and score it as an audit does: prepared on its own originals.

    Args:
        seed: Of the world, of the rules on text and of the metrics.
        metrics: Names, or metrics.
        candidates: How many of a task's four; all where None.
        only: The perturbations; all of the catalogue where None.
        held_out: Whether wordings that differ from the references' are held-out ones.
        llm: Asked by the metrics that ask a model.
    """
    world = make_world(WorldSpec(seed=seed, candidates=candidates, held_out=held_out))
    perturbations = select("all") if only is None else select(names=only)
    variants = make_variants(world.dataset.items, perturbations, seed=seed, given=world.dataset.variants)
    built = build_metrics(metrics, seed=seed, llm=llm)
    tables = asyncio.run(_score(world, list(variants), built))
    return ScoredWorld(world=world, perturbations=perturbations, tables=tables)


async def _score(
    world: PlantedWorld, variants: Sequence[Variant], metrics: Sequence[Metric]
) -> list[MetricScores]:
    items = world.dataset.items
    prepared = await prepare(metrics, items)
    return await score_table(items, variants_by_key(items, variants), prepared)
