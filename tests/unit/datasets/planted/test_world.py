import pytest

from gameproof.datasets.planted import FactState, PlantedWorld, WorldSpec, make_tasks, make_world
from gameproof.datasets.planted.world import digest
from gameproof.text import words

NO_VARIANTS = frozenset[str]()


@pytest.fixture(scope="module")
def world() -> PlantedWorld:
    return make_world(WorldSpec(seed=5, tasks_per_domain=72))


def jaccard(one: str, other: str) -> float:
    first, second = set(words(one)), set(words(other))
    return len(first & second) / len(first | second)


def test_the_same_seed_gives_the_same_world():
    spec = WorldSpec(seed=9, tasks_per_domain=6)

    assert make_world(spec) == make_world(spec)
    assert digest(make_world(spec)) == digest(make_world(spec))


def test_another_seed_gives_another_world():
    assert digest(make_world(WorldSpec(seed=1, tasks_per_domain=3))) != digest(
        make_world(WorldSpec(seed=2, tasks_per_domain=3))
    )


def test_a_larger_world_begins_with_the_same_tasks():
    small = make_world(WorldSpec(seed=4, tasks_per_domain=6)).tasks
    large = make_world(WorldSpec(seed=4, tasks_per_domain=12)).tasks

    assert all(large[task_id] == task for task_id, task in small.items())


def test_leaving_out_perturbations_changes_no_other_text():
    everything = make_world(WorldSpec(seed=4, tasks_per_domain=6))
    fewer = make_world(WorldSpec(seed=4, tasks_per_domain=6, variants=frozenset({"rephrase"})))

    assert fewer.dataset.items == everything.dataset.items
    assert fewer.dataset.variants == tuple(
        variant for variant in everything.dataset.variants if variant.name == "rephrase"
    )


def test_drawing_fewer_candidates_changes_none_of_those_drawn():
    everything = make_world(WorldSpec(seed=4, tasks_per_domain=6, variants=NO_VARIANTS)).dataset.items
    fewer = make_world(
        WorldSpec(seed=4, tasks_per_domain=6, variants=NO_VARIANTS, candidates=2)
    ).dataset.items

    assert len(fewer) == len(everything) // 2
    by_id = {item.id: item for item in everything}
    assert all(by_id[item.id] == item for item in fewer)


def test_tasks_come_one_by_one():
    tasks = make_tasks(WorldSpec(seed=4, tasks_per_domain=10**9, variants=NO_VARIANTS))

    assert next(iter(tasks)).task_id == "devices-001"


def test_the_number_of_facts_varies(world: PlantedWorld):
    counts = {sum(fact.kind >= 0 for fact in task.table.facts) for task in world.tasks.values()}

    assert counts == {4, 5, 6, 7}


def test_tasks_have_one_to_three_references(world: PlantedWorld):
    assert {len(item.references) for item in world.dataset.items} == {1, 2, 3}


def test_some_tasks_nearly_repeat_another_task(world: PlantedWorld):
    copies = [task for task in world.tasks.values() if task.copy_of]

    assert 0.02 < len(copies) / len(world.tasks) < 0.15
    for task in copies:
        assert task.copy_of is not None
        original = world.tasks[task.copy_of]
        assert task.group == original.group
        assert sum(a != b for a, b in zip(task.table.facts, original.table.facts, strict=True)) == 1
        # What the methods call a near duplicate: token Jaccard of the references of at least .8.
        pairs = zip(task.items[0].references, original.items[0].references, strict=True)
        assert all(jaccard(one, other) >= 0.8 for one, other in pairs)


def test_near_copies_can_be_left_out():
    world = make_world(WorldSpec(seed=5, tasks_per_domain=72, variants=NO_VARIANTS, near_copies=False))

    assert not any(task.copy_of for task in world.tasks.values())


def test_other_tasks_of_a_group_are_no_near_duplicates(world: PlantedWorld):
    tasks = [task for task in world.tasks.values() if task.group.name == "works" and not task.copy_of]

    closest = max(
        jaccard(one.items[0].references[0], other.items[0].references[0])
        for place, one in enumerate(tasks)
        for other in tasks[:place]
    )
    assert closest < 0.8


def test_every_state_of_a_fact_occurs_among_the_candidates(world: PlantedWorld):
    states = {state for item in world.dataset.items for state in world.truth(item.id).states}

    assert states == set(FactState)


def test_references_state_facts_rightly_in_sentences_that_are_known(world: PlantedWorld):
    for task in world.tasks.values():
        for reference, facts in zip(task.items[0].references, task.reference_facts, strict=True):
            assert reference.count(". ") + 1 == len(facts)
            for sentence, index in zip(reference.removesuffix(".").split(". "), facts, strict=True):
                if index is not None:
                    value = task.table.facts[index].value.text
                    assert value.lower() in sentence.lower()


def test_texts_are_of_a_readable_size(world: PlantedWorld):
    sentences = [item.candidate.count(". ") + 1 for item in world.dataset.items]

    assert min(sentences) >= 3
    assert sorted(sentences)[len(sentences) // 2] <= 8


def test_texts_have_no_unfilled_places(world: PlantedWorld):
    texts = [variant.text for variant in world.dataset.variants if variant.text is not None]
    texts += [
        text for item in world.dataset.items for text in (item.candidate, item.source or "", *item.references)
    ]

    assert not any(mark in text for text in texts for mark in "{}[]|")
    assert not any(", ." in text or "  " in text or ",," in text for text in texts)


def test_without_generic_facts_no_text_contains_one():
    world = make_world(WorldSpec(seed=5, tasks_per_domain=9, generic_facts=False))

    for task in world.tasks.values():
        general = {
            text for generic in task.group.generics for text in (generic.reference, generic.paraphrase)
        }
        bare = [max(text.split("{subj}"), key=len).strip() for text in general]
        texts = [text for item in task.items for text in (item.candidate, *item.references)]
        texts += [variant.text or "" for variant in task.variants]
        assert not any(part in text for part in bare for text in texts)


def test_held_out_wordings_appear_only_where_they_are_asked_for():
    plain = make_world(WorldSpec(seed=5, tasks_per_domain=24, variants=NO_VARIANTS))
    held_out = make_world(WorldSpec(seed=5, tasks_per_domain=24, variants=NO_VARIANTS, held_out=True))

    def share(world: PlantedWorld, phrase: str) -> float:
        texts = [item.candidate for item in world.dataset.items if item.group == "works"]
        return sum(phrase in text for text in texts) / len(texts)

    # "the payrolls" and "a flow of" begin held-out wordings of the group, "livelihood" an ordinary one.
    assert share(plain, "ayrolls") == 0
    assert share(held_out, "ayrolls") > 0
    assert share(plain, "livelihood") > 0
    assert share(held_out, "livelihood") == 0


def test_references_do_not_depend_on_how_candidates_are_worded():
    spec = WorldSpec(seed=5, tasks_per_domain=6, variants=NO_VARIANTS)
    held_out = WorldSpec(seed=5, tasks_per_domain=6, variants=NO_VARIANTS, held_out=True)

    assert [item.references for item in make_world(spec).dataset.items] == [
        item.references for item in make_world(held_out).dataset.items
    ]


def test_a_task_can_have_256_texts_of_which_the_first_are_those_of_a_world_with_eight():
    one = make_world(WorldSpec(seed=5, tasks_per_domain=1, systems=8, variants=NO_VARIANTS))
    many = make_world(WorldSpec(seed=5, tasks_per_domain=1, systems=8, texts=32, variants=NO_VARIANTS))

    assert len(many.dataset.items) == 3 * 256
    assert len({item.id for item in many.dataset.items}) == 3 * 256
    assert len({item.candidate for item in many.dataset.items}) > 3 * 250
    assert all(item in many.dataset.items for item in one.dataset.items)
    for task in many.tasks.values():
        # Every system meets each of the eight cells of length, style and topic, four times or nearly so.
        for system in range(8):
            cells = [(f.long, f.ornate, f.topical) for f in task.factors if f.system == system]
            assert len(cells) == 32
            assert len(set(cells)) == 8


def test_the_data_set_says_that_its_ratings_are_planted(world: PlantedWorld):
    assert any("planted, not human" in note for note in world.dataset.notes)
