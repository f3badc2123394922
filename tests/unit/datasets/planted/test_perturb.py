import csv
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from gameproof.datasets.planted import FactState, PlantedTask, PlantedWorld, Truth, WorldSpec, make_world
from gameproof.datasets.planted.perturb import CONTROLS, PERTURBATIONS
from gameproof.perturbations.catalogue import PERTURBATIONS as CATALOGUE

RULES = {"random_replacement", "sentence_deletion", "meaningless_elongation"}
RIGHT = (FactState.CORRECT, FactState.PARTLY, FactState.HEDGED)


@pytest.fixture(scope="module")
def world() -> PlantedWorld:
    return make_world(WorldSpec(seed=21, tasks_per_domain=24, controls=True))


def pairs(
    world: PlantedWorld, name: str, level: int | None = None
) -> Iterator[tuple[Truth, Truth, PlantedTask]]:
    """Give the truth of each candidate and of its variant, with the task."""
    for (item_id, key), truth in world.truths.items():
        if key == (name, level):
            yield world.truth(item_id), truth, world.tasks[item_id.split("/")[0]]


def texts(world: PlantedWorld, name: str, level: int | None = None) -> list[tuple[str, str]]:
    candidates = {item.id: item.candidate for item in world.dataset.items}
    return [
        (candidates[variant.item_id], variant.text)
        for variant in world.dataset.variants
        if variant.key == (name, level) and variant.text is not None
    ]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.real_data
def test_the_perturbations_of_each_domain_are_those_of_the_published_tables(
    world: PlantedWorld, shared_folder: Path
):
    domains = {
        "reviews": ("PG-XLSK", "ICLR26"),  # the third set of reviews lacks a surface report
        "summaries": ("SummEval", "SPACE"),
        "answers": ("LFQA-E", "MedAESQA"),
    }
    published: dict[str, set[str]] = defaultdict(set)
    for table in ("p1_table10_degradation_smd.csv", "p1_table11_manipulation_smd.csv"):
        with (shared_folder / "seed_tables" / table).open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                published[row["dataset"]].add(row["strategy"])
    planted: dict[str, set[str]] = defaultdict(set)
    for item in world.dataset.items:
        planted[item.domain or ""] |= RULES
    domain_of = {item.id: item.domain or "" for item in world.dataset.items}
    for variant in world.dataset.variants:
        if variant.level is None and variant.name not in {control.name for control in CONTROLS}:
            planted[domain_of[variant.item_id]].add(variant.name)

    for domain, sets in domains.items():
        for name in sets:
            assert planted[domain] == published[name]


def test_names_levels_and_domains_are_those_of_the_catalogue():
    for change in PERTURBATIONS:
        row = CATALOGUE[change.name]
        assert row.make is None
        assert change.level in (row.levels or (None,))
        assert row.domains is None or row.domains == change.domains


def test_deletion_and_completion_keeps_every_other_sentence_and_the_length(world: PlantedWorld):
    for before, after in texts(world, "deletion_and_completion"):
        old, new = before.split(". "), after.split(". ")
        assert len(new) == len(old)
        assert all(a.rstrip(".") == b.rstrip(".") for a, b in zip(old[::2], new[::2], strict=True))
    assert mean([a.true_share - b.true_share for b, a, _ in pairs(world, "deletion_and_completion")]) < -0.1
    for before, after, _ in pairs(world, "deletion_and_completion"):
        assert all(b in {a, FactState.OMITTED} for a, b in zip(before.states, after.states, strict=True))


def test_a_surface_report_knows_the_lead_and_guesses_the_verdict(world: PlantedWorld):
    guesses = []
    for _, after, task in pairs(world, "surface_report"):
        for index, state in enumerate(after.states):
            if index == task.table.lead:
                assert state == FactState.CORRECT
            elif task.table.facts[index].kind >= 0:
                assert state == FactState.OMITTED
        if task.table.verdict is not None:
            guesses.append(after.favourable == task.table.verdict.value.good)
    assert 0.3 < mean(guesses) < 0.7


def test_compression_keeps_one_statement(world: PlantedWorld):
    for before, after, _ in pairs(world, "ultra_concise_compression"):
        assert len(after.states) - after.count(FactState.OMITTED) == 1
        assert after.n_words < before.n_words / 2


def test_an_opinion_flip_turns_the_verdict_and_every_judgement_and_nothing_else(world: PlantedWorld):
    for before, after, task in pairs(world, "opinion_flip"):
        assert after.favourable is not before.favourable
        for index, fact in enumerate(task.table.facts):
            if fact.value.pair is None:
                assert after.states[index] == before.states[index]
            elif before.states[index] == FactState.CORRECT:
                assert after.states[index] == FactState.WRONG
            elif before.states[index] == FactState.NEGATED:  # "the beds are not lumpy" becomes "are lumpy"
                assert after.states[index] == FactState.CORRECT
    for before, after in texts(world, "opinion_flip"):
        assert abs(len(before.split()) - len(after.split())) <= 12


@pytest.mark.parametrize("name", ["rephrase", "held_out_rephrase"])
def test_rephrasing_keeps_what_is_stated_and_changes_the_words(world: PlantedWorld, name: str):
    for before, after, _ in pairs(world, name):
        assert after.states == before.states
        assert after.favourable == before.favourable
    assert all(before != after for before, after in texts(world, name))


@pytest.mark.parametrize(
    ("name", "good"), [("opinion_shift_positive", True), ("opinion_shift_negative", False)]
)
def test_a_shift_of_opinion_sets_the_verdict_and_keeps_the_facts(world: PlantedWorld, name: str, good: bool):
    for before, after, task in pairs(world, name):
        assert after.favourable is good
        for index, fact in enumerate(task.table.facts):
            if fact.kind >= 0:
                assert after.states[index] == before.states[index]


def test_a_neutral_shift_leaves_nothing_that_is_plainly_stated(world: PlantedWorld):
    for before, after, _ in pairs(world, "opinion_shift_neutral"):
        assert after.count(FactState.CORRECT) == 0
        assert after.count(*RIGHT) == before.count(*RIGHT)


def test_a_strong_shift_keeps_the_facts_and_hedges_nothing(world: PlantedWorld):
    for before, after, _ in pairs(world, "opinion_shift_strong"):
        assert after.count(FactState.HEDGED) == 0
        assert after.count(*RIGHT) == before.count(*RIGHT)
        assert after.n_words >= before.n_words - 2  # a booster may stand in for a longer turn of phrase


@pytest.mark.parametrize("level", [25, 50])
def test_lengthening_adds_words_and_no_fact(world: PlantedWorld, level: int):
    ratios = []
    for before, after, _ in pairs(world, "lengthen", level):
        assert after.states == before.states
        ratios.append(after.n_words / before.n_words)
    assert 1 + level / 100 <= mean(ratios) < 1.2 + level / 100


@pytest.mark.parametrize("level", [25, 50])
def test_shortening_drops_words_and_no_fact(world: PlantedWorld, level: int):
    for before, after, _ in pairs(world, "shorten", level):
        assert after.states == before.states
        assert after.n_words < before.n_words


def test_a_variant_that_would_be_the_text_itself_is_a_reason(world: PlantedWorld):
    candidates = {item.id: item.candidate for item in world.dataset.items}

    for variant in world.dataset.variants:
        assert variant.text != candidates[variant.item_id]
        assert (variant.text is None) == (variant.reason == "unchanged")


def test_wrong_facts_leave_nothing_right_and_keep_the_length(world: PlantedWorld):
    for before, after, _ in pairs(world, "wrong_facts"):
        assert after.count(*RIGHT) == 0
        assert abs(after.n_words - before.n_words) <= 8


def test_negated_facts_are_denied_in_the_same_words(world: PlantedWorld):
    for before, after, _ in pairs(world, "negated_facts"):
        assert after.count(*RIGHT) == 0
        assert after.count(FactState.OMITTED) == before.count(FactState.OMITTED)


def test_no_text_repeats_a_sentence(world: PlantedWorld):
    for item in world.dataset.items:
        sentences = item.candidate.split(". ")
        assert len(set(sentences)) == len(sentences)
