"""Promises of the planted world for any seed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from gameproof.datasets.planted import FactState, WorldSpec, make_world
from gameproof.text import sentences

WORLDS = st.builds(
    WorldSpec,
    seed=st.integers(0, 2**63 - 1),
    tasks_per_domain=st.integers(1, 4),
    systems=st.integers(1, 8),
    candidates=st.none() | st.integers(1, 8),
    confounded=st.booleans(),
    generic_facts=st.booleans(),
    near_copies=st.booleans(),
    held_out=st.booleans(),
    controls=st.booleans(),
)


@given(WORLDS)
@settings(max_examples=25)
def test_every_text_is_there_and_its_truth_is_known(spec: WorldSpec):
    world = make_world(spec)

    assert len({item.id for item in world.dataset.items}) == len(world.dataset.items)
    texts = {(item.id, None): item.candidate for item in world.dataset.items}
    texts |= {
        (variant.item_id, variant.key): variant.text for variant in world.dataset.variants if variant.text
    }
    assert set(texts) == set(world.truths)
    for key, text in texts.items():
        truth = world.truths[key]
        assert len(sentences(text)) == len(truth.sentence_facts)
        assert len(text.split()) == truth.n_words
        assert 0 <= truth.true_share + truth.wrong_share <= 1
        stated = {index for index in truth.sentence_facts if index is not None}
        omitted = {index for index, state in enumerate(truth.states) if state == FactState.OMITTED}
        assert stated.isdisjoint(omitted)
        assert len(stated) + len(omitted) == len(truth.states)


@given(WORLDS)
@settings(max_examples=15)
def test_every_item_can_be_scored_and_rated(spec: WorldSpec):
    for item in make_world(spec).dataset.items:
        assert item.candidate.strip()
        assert all(reference.strip() for reference in item.references)
        assert item.source
        assert set(item.ratings) == {"quality", "accuracy"}
        assert all(1 <= rating <= 5 for rating in item.ratings.values())
        assert (item.query is not None) == (item.domain == "answers")
