import pytest

from gameproof.datasets.planted import PlantedWorld, WorldSpec, make_world
from gameproof.datasets.planted.plan import Polarity
from gameproof.datasets.planted.reading import read_statement
from gameproof.datasets.planted.truth import FactState
from gameproof.text import sentences


@pytest.fixture(scope="module")
def world() -> PlantedWorld:
    return make_world(WorldSpec(seed=41, tasks_per_domain=24, controls=True))


def test_every_sentence_of_every_text_is_read_as_it_was_meant(world: PlantedWorld):
    texts = {(item.id, None): item.candidate for item in world.dataset.items}
    texts |= {
        (variant.item_id, variant.key): variant.text for variant in world.dataset.variants if variant.text
    }
    for key, text in texts.items():
        truth = world.truths[key]
        task = world.tasks[key[0].split("/")[0]]
        for sentence, index in zip(sentences(text), truth.sentence_facts, strict=True):
            reading = read_statement(sentence)
            if index is None:
                assert reading is None or reading.general
                continue
            assert reading is not None
            assert reading is not None, sentence
            fact = task.table.facts[index]
            fact_type = task.group.fact_type(fact.kind)
            assert (reading.group, reading.key) == (task.group.name, fact_type.key)
            state = truth.states[index]
            right = reading.value == fact.value.text.lower()
            assert right == (state != FactState.WRONG)
            assert (reading.polarity == Polarity.DENIED and right) == (state == FactState.NEGATED)
            if state == FactState.HEDGED:
                assert reading.polarity == Polarity.HEDGED


def test_every_statement_of_a_reference_is_read_as_a_true_fact(world: PlantedWorld):
    for task in world.tasks.values():
        for reference, facts in zip(task.items[0].references, task.reference_facts, strict=True):
            for sentence, index in zip(sentences(reference), facts, strict=True):
                reading = read_statement(sentence)
                if index is None:
                    assert reading is None or reading.general
                else:
                    assert reading is not None
                    assert reading.value == task.table.facts[index].value.text.lower()
                    assert reading.polarity == Polarity.STATED
                    assert reading.bank == "reference"


def test_a_paraphrase_agrees_with_the_reference_and_a_denial_does_not():
    reference = read_statement("The price per kilo is 107 euros.")
    paraphrase = read_statement("As engineering materials go, dealers charge 107 euros for a thousand grams.")
    denial = read_statement("The price per kilo is not 107 euros.")
    near_miss = read_statement("The price per kilo is 110 euros.")

    assert reference is not None
    assert paraphrase is not None
    assert denial is not None
    assert near_miss is not None
    assert paraphrase.agrees_with(reference)
    assert not denial.agrees_with(reference)
    assert not near_miss.agrees_with(reference)


def test_a_general_statement_is_read_in_both_wordings():
    reference = read_statement("Store it in a dry place.")
    paraphrase = read_statement("Damp shelves are unsuitable.")

    assert reference is not None
    assert paraphrase is not None
    assert reference.general
    assert paraphrase.agrees_with(reference)


def test_a_sentence_of_another_world_is_not_read():
    assert read_statement("The committee met on Tuesday to discuss the budget.") is None
