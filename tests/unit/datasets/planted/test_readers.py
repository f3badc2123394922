"""Planted worlds with readers, and what planted models understand of them."""

import asyncio
import re
from collections import Counter
from dataclasses import replace

import pytest
from tests.support.scoring import score_items

from gameproof.datasets.catalogue import load_dataset
from gameproof.datasets.planted.needs import read_needs
from gameproof.datasets.planted.readers import ReaderSpec, make_reader_world
from gameproof.datasets.planted.reading import read_statement
from gameproof.llm.asking import Asker
from gameproof.llm.providers.planted import PlantedOracle
from gameproof.llm.providers.planted.oracle import Errors
from gameproof.metrics.catalogue import metric
from gameproof.metrics.reader_requirements import Reader, ask_requirements, reader_of
from gameproof.metrics.readers import describe_persona
from gameproof.records import Persona
from gameproof.text import sentences

SPEC = ReaderSpec(seed=2, tasks_per_domain=9)


def required(errors, spec=SPEC):
    """Return readers with what an oracle of these errors lists for them."""
    world = make_reader_world(spec)
    readers = [reader_of(item, given=False) for item in world.dataset.items]
    assert all(isinstance(reader, Reader) for reader in readers)
    return list(
        zip(readers, asyncio.run(ask_requirements(Asker(PlantedOracle(errors=errors)), readers)), strict=True)
    )


def test_the_same_seed_makes_the_same_world_and_a_larger_one_begins_with_it():
    world = make_reader_world(SPEC)
    assert world == make_reader_world(SPEC)
    assert set(world.utilities) < set(make_reader_world(replace(SPEC, tasks_per_domain=12)).utilities)


def test_a_perfect_generator_lists_exactly_what_the_persona_says_is_needed():
    for reader, found in required(Errors(missed=0, added=0)):
        needs = read_needs(reader.described)
        listed = {read_statement(one.text).key: one.importance for one in found}
        assert listed == dict.fromkeys(needs.essential, 3.0) | dict.fromkeys(needs.useful, 1.0)


def test_the_usual_generator_misses_a_fifth_and_adds_a_fifth():
    missed, added, needed = 0, 0, 0
    for reader, found in required(Errors(), replace(SPEC, tasks_per_domain=60)):
        needs = read_needs(reader.described)
        wanted = {*needs.essential, *needs.useful}
        readings = [read_statement(one.text) for one in found]
        listed = {reading.key for reading in readings if not reading.general}
        needed += len(wanted)
        missed += len(wanted - listed)
        added += len(readings) - len(wanted & listed)
    # 960 facts: a binomial share of .2 has a standard error of .013. A source has two general sentences besides its
    # facts, so it lacks one to add only where three or more of four needed facts call for one: .027 of the readers.
    assert missed / needed == pytest.approx(0.2, abs=0.05)
    assert added / needed == pytest.approx(0.2, abs=0.05)


def test_identical_readers_need_and_know_the_same_and_differ_in_role_alone():
    for world in (make_reader_world(replace(SPEC, readers="identical")),):
        by_task = {}
        for item in world.dataset.items:
            by_task.setdefault(item.task_id, []).append(item.persona)
        for one, two in by_task.values():
            assert replace(one, role=two.role) == two
            assert one.role != two.role


def test_readers_without_knowledge_know_nothing_and_novelty_changes_nothing():
    world = make_reader_world(replace(SPEC, knowledge="none"))
    assert not any(item.persona.knows for item in world.dataset.items)
    with_it, without = (
        score_items(metric(name, llm=PlantedOracle()), world.dataset.items).values.tolist()
        for name in ("reader-utility", "reader-utility,novelty=false")
    )
    assert with_it == without


def test_what_a_reader_knows_is_true_and_said_in_other_words():
    world = make_reader_world(SPEC)
    for item in world.dataset.items:
        told = [read_statement(one) for one in re.split(r"(?<=\.)\s+", item.source)]
        for known in item.persona.knows:
            reading = read_statement(known)
            assert any(one is not None and one.agrees_with(reading) for one in told)


def test_choices_follow_utility_and_favour_no_side():
    world = make_reader_world(replace(SPEC, tasks_per_domain=60))
    sides = Counter(one.choice for one in world.comparisons.judgements)
    decided = sides["a"] + sides["b"]
    assert abs(sides["a"] - sides["b"]) < 3 * decided**0.5  # three standard errors of a fair coin
    right = sum(
        (world.utilities[one.a] > world.utilities[one.b]) == (one.choice == "a")
        for one in world.comparisons.judgements
        if one.choice != "tie"
    )
    assert 0.75 < right / decided < 1


def test_the_catalogue_has_the_world_by_name():
    assert len(load_dataset("planted-readers,tasks=3,seed=4").items) == 12


def test_readers_that_are_not_planted_are_a_counted_reason():
    items = [
        replace(item, persona=Persona(role="a nurse", query="Is it safe?"))
        for item in make_reader_world(SPEC).dataset.items
    ]
    scores = score_items(metric("reader-utility", llm=PlantedOracle()), items)
    assert set(scores.reasons.values()) == {
        "what its reader needs: the planted oracle does not understand what this reader needs"
    }


def test_an_oracle_without_errors_finds_of_use_what_the_reader_needs():
    """By hand: of a needed fact and one that is not needed, a half is of use; of the needed one alone, all."""
    item = make_reader_world(SPEC).dataset.items[0]
    needs = read_needs(describe_persona(item.persona))
    stated = {sentence: read_statement(sentence) for sentence in sentences(item.source)}
    facts = {one: needs.grade(read.key) for one, read in stated.items() if read and not read.general}
    needed, other = max(facts, key=facts.__getitem__), min(facts, key=facts.__getitem__)
    assert facts[needed] > facts[other] == 0
    texts = (f"{needed} {other}", needed, other)
    items = [replace(item, id=str(n), candidate=text) for n, text in enumerate(texts)]
    faultless = PlantedOracle(errors=Errors(topic=0, negation=0, held_out=0))
    found = score_items(metric("persona_precision", llm=faultless), items)
    assert found.values.tolist() == [0.5, 1.0, 0.0]


def test_an_oracle_that_cannot_read_a_reader_s_needs_finds_nothing_of_use_and_says_so():
    items = [
        replace(item, persona=Persona(role="pilot", query="Is there fog?"))
        for item in make_reader_world(SPEC).dataset.items[:2]
    ]
    found = score_items(metric("persona_precision", llm=PlantedOracle()), items)
    assert set(found.reasons.values()) == {"the planted oracle does not understand what this reader needs"}
