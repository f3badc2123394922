"""Negative controls: what the planted world shows a metric to be blind to, and where contrast helps."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from scipy.stats import spearmanr

from gameproof.audits.checks import CheckSettings, check_metric
from gameproof.audits.planted_texts import CONTROL_CHECKS
from gameproof.audits.result import CheckRow
from gameproof.datasets.planted import PlantedTask, PlantedWorld, WorldSpec, make_world
from gameproof.datasets.planted.perturb import CONTROLS
from gameproof.datasets.planted.reading import Reading, read_statement
from gameproof.engine.score import prepare, score_table
from gameproof.engine.table import MetricScores, variants_by_key
from gameproof.metrics.base import Metric, as_metric
from gameproof.metrics.catalogue import build_metrics
from gameproof.perturbations.apply import make_variants
from gameproof.perturbations.catalogue import select
from gameproof.records import Item
from gameproof.stats.results import Note, Verdict
from gameproof.text import sentences, words

OVERLAP = ("TV+fvar+statement+overlap", "KL+direct+statement+overlap")


@pytest.fixture(scope="module")
def world() -> PlantedWorld:
    return make_world(WorldSpec(seed=77, tasks_per_domain=24, controls=True))


def topic_oracle(world: PlantedWorld) -> Metric:
    """Build a metric that rewards the vocabulary of a task's group, and looks at nothing else."""
    vocabulary: dict[str, set[str]] = {}
    for task in world.tasks.values():
        group = task.group
        forms = [
            form
            for kind in group.fact_types
            for bank in kind.wording.values()
            for one in bank
            for form in [one.stated]
        ]
        literal = (
            " ".join([*forms, *group.topic])
            .replace("{value}", "")
            .replace("{second}", "")
            .replace("{subj}", "")
        )
        vocabulary[group.name] = set(words(literal))

    def topicality(item: Item) -> float:
        found = set(words(item.candidate))
        return len(found & vocabulary[item.group])

    return as_metric(topicality, name="topic-oracle", version="1")


def check(world: PlantedWorld, metrics: Sequence[Metric], names: Sequence[str]) -> list[dict[str, CheckRow]]:
    items = world.dataset.items
    rules = [*select(names=["sentence_deletion"]), *(one for one in CONTROL_CHECKS if one.name in names)]
    given = [variant for variant in world.dataset.variants if variant.name in names]
    variants = list(make_variants(items, rules, seed=7, given=given))

    async def score() -> list[MetricScores]:
        return await score_table(items, variants_by_key(items, variants), await prepare(metrics, items))

    tables = asyncio.run(score())
    return [
        {
            row.check: row
            for row in check_metric(
                items, table.original, table.variants, rules,
                higher_is_better=True, settings=CheckSettings(seed=7, n_resamples=1_999),
            )
        }
        for table in tables
    ]  # fmt: skip


def test_the_controls_are_those_of_the_planted_world():
    assert {one.name for one in CONTROL_CHECKS} == {control.name for control in CONTROLS}


def test_a_metric_of_topic_vocabulary_fails_wrong_facts(world: PlantedWorld):
    [rows] = check(world, [topic_oracle(world)], ["wrong_facts"])

    assert rows["sentence_deletion"].verdict is Verdict.PASS  # it does see a loss of text
    assert rows["wrong_facts"].verdict is Verdict.FAIL
    assert rows["wrong_facts"].note in {Note.BLIND, Note.NEGLIGIBLE}


@pytest.mark.parametrize("name", OVERLAP)
def test_overlap_fails_negation(world: PlantedWorld, name: str):
    [rows] = check(world, build_metrics([name]), ["negated_facts"])

    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert rows["negated_facts"].verdict is Verdict.FAIL


@pytest.mark.parametrize("name", OVERLAP)
def test_overlap_fails_held_out_paraphrases(world: PlantedWorld, name: str):
    # Nothing that is stated changes, so a metric of content should stay where it is; overlap drops.
    [rows] = check(world, build_metrics([name]), ["held_out_rephrase"])

    assert rows["held_out_rephrase"].verdict is Verdict.FAIL
    assert (rows["held_out_rephrase"].effect or 0) < -0.2


def test_a_perfect_reader_passes_all_controls(world: PlantedWorld):
    references = {task.task_id: readings(task.items[0].references[0]) for task in world.tasks.values()}

    def support(item: Item) -> float:
        return share_supported(readings(item.candidate), references[item.task_id])

    names = ["wrong_facts", "negated_facts", "held_out_rephrase"]
    [rows] = check(world, [as_metric(support, name="perfect-reader", version="1")], names)

    assert {name: rows[name].verdict for name in names} == dict.fromkeys(names, Verdict.PASS)


def readings(text: str) -> list[Reading]:
    return [reading for sentence in sentences(text) if (reading := read_statement(sentence)) is not None]


def share_supported(candidate: Sequence[Reading], reference: Sequence[Reading]) -> float:
    return float(np.mean([any(said.agrees_with(asked) for said in candidate) for asked in reference]))


def contrast_gain(seed: int, *, generic_facts: bool) -> float:
    """Return how much better a perfect reader ranks by true share once other tasks' support is taken off.

    Reviews are left out: their judgements have two values, so other tasks' references agree by chance.
    """
    spec = WorldSpec(
        seed=seed, systems=8, generic_facts=generic_facts, near_copies=False, variants=frozenset()
    )  # fmt: skip
    world = make_world(spec)
    tasks = [task for task in world.tasks.values() if task.group.domain != "reviews"]
    references = {task.task_id: readings(task.items[0].references[0]) for task in tasks}
    plain: list[float] = []
    contrasted: list[float] = []
    truth: list[float] = []
    for task in tasks:
        negatives = [references[other.task_id] for other in _others(task, tasks)]
        for item in task.items:
            said = readings(item.candidate)
            plain.append(share_supported(said, references[task.task_id]))
            contrasted.append(plain[-1] - float(np.mean([share_supported(said, one) for one in negatives])))
            truth.append(world.truth(item.id).true_share)
    return float(spearmanr(contrasted, truth).statistic - spearmanr(plain, truth).statistic)


def _others(task: PlantedTask, tasks: Sequence[PlantedTask]) -> list[PlantedTask]:
    return [other for other in tasks if other.group is task.group and other is not task][:4]


@pytest.mark.slow
def test_contrast_gains_where_there_are_generic_facts_and_nothing_where_there_are_none():
    with_generic = np.array([contrast_gain(seed, generic_facts=True) for seed in range(20)])
    without = np.array([contrast_gain(seed, generic_facts=False) for seed in range(20)])

    assert with_generic.mean() - 3 * with_generic.std(ddof=1) / np.sqrt(20) > 0.01
    assert abs(without.mean()) < 0.01
