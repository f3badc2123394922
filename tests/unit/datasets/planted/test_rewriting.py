import pytest

from gameproof.datasets.planted import PlantedWorld, WorldSpec, make_world
from gameproof.datasets.planted.draws import Draws
from gameproof.datasets.planted.parsing import parse_text, write_text
from gameproof.datasets.planted.reading import Reading, read_statement
from gameproof.datasets.planted.render import render
from gameproof.datasets.planted.rewriting import BREACHES, REWRITES, rewrite_text
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.text import sentences


@pytest.fixture(scope="module")
def world() -> PlantedWorld:
    return make_world(WorldSpec(seed=31, tasks_per_domain=12))


def claims(text: str) -> set[Reading]:
    found = (read_statement(sentence) for sentence in sentences(text))
    return {reading for reading in found if reading is not None and not reading.general}


def test_a_text_taken_apart_and_written_again_claims_the_same(world: PlantedWorld):
    same = 0
    for item in world.dataset.items:
        parsed = parse_text(item.candidate, about=f"{item.references[0]} {item.source}")
        assert parsed is not None
        again = write_text(render(parsed.plan, parsed.context))
        assert claims(again) == claims(item.candidate)
        same += again == item.candidate
    assert same >= 0.98 * len(world.dataset.items)


def test_a_text_from_elsewhere_is_not_taken_apart():
    assert parse_text("Rain fell all night. The bridge closed at dawn.") is None


def test_a_text_that_does_not_name_its_subject_is_written_without_a_gap():
    parsed = parse_text("The desk lamp weighs 230 grams without its packaging.")
    assert parsed is not None
    assert parsed.context.table.name == ""
    text = rewrite_text(
        "The desk lamp weighs 230 grams without its packaging.",
        "ultra_concise_compression",
        level=None,
        source="",
        draws=Draws(0, "test"),
    )
    assert text == "The desk lamp weighs 230 grams without its packaging."


@pytest.mark.parametrize(("name", "level"), list(REWRITES))
def test_every_text_of_the_world_can_be_rewritten_in_every_way_that_fits(
    world: PlantedWorld, name: str, level: int | None
):
    domains = PERTURBATIONS[name].domains
    for item in world.dataset.items[::5]:
        if domains is not None and item.domain not in domains:
            continue
        for breach in (None, *BREACHES[name]):
            text = rewrite_text(
                item.candidate,
                name,
                level=level,
                source=item.source or "",
                draws=Draws(1, item.id, name),
                breach=breach,
            )
            assert text
            assert "  " not in text


def test_a_rephrasing_claims_the_same_and_a_falsified_one_does_not(world: PlantedWorld):
    def said(text: str) -> set[tuple[object, ...]]:
        return {(one.key, one.value, one.second, one.polarity) for one in claims(text)}

    for item in world.dataset.items:
        right, wrong = (
            rewrite_text(
                item.candidate, "rephrase", level=None, source="", draws=Draws(2, item.id), breach=breach
            )
            for breach in (None, "falsifies")
        )
        assert right is not None
        assert wrong is not None
        assert said(right) == said(item.candidate)
        assert said(wrong) != said(item.candidate)
