"""Metrics with another text as their reference."""

import asyncio
from types import SimpleNamespace

import pytest

import gameproof
from gameproof.errors import PlanError, SpecError
from gameproof.metrics.against import Against, split_choice, with_reference
from gameproof.metrics.references_asked import read_references, spread_out
from gameproof.records import Item

ITEM = Item(
    id="1", task_id="1", candidate="rain fell", references=("rain fell",), title="rain", source="the sun rose"
)
BARE = Item(id="2", task_id="2", candidate="rain fell", references=("rain fell",))


def scores(metric, *items):
    return asyncio.run(metric.score(items))


# F1 of words, by hand: the same text 1; "rain" against "rain fell": precision 1/2, recall 1; no shared word 0
@pytest.mark.parametrize(("choice", "value"), [("summary", 1.0), ("title", 2 / 3), ("source", 0.0)])
def test_a_metric_is_scored_against_the_chosen_text(choice, value):
    found = scores(gameproof.metric(f"rouge1,reference={choice}"), ITEM)
    assert found.values[0] == pytest.approx(value, abs=1e-12)


def test_its_signature_rebuilds_it():
    metric = gameproof.metric("rougeL,stem=true,reference=title")
    assert metric.name == "rougeL,stem=true,reference=title"
    again = gameproof.metric(metric.signature().replace(f",v={gameproof.__version__}", ""))
    assert isinstance(again, Against)
    assert again.choice == "title"


def test_an_item_without_the_text_has_no_score_and_a_reason():
    found = scores(gameproof.metric("rouge1,reference=title"), BARE)
    assert found.reasons == {"2": "no reference"}


def test_a_metric_without_references_takes_no_choice():
    with pytest.raises(SpecError, match="length looks at no reference"):
        gameproof.metric("length,reference=title")


def test_only_the_three_texts_are_choices_of_a_metric():
    assert split_choice("rougeL,reference=abstract") == ("rougeL,reference=abstract", None)
    with pytest.raises(SpecError, match="reference"):
        gameproof.metric("rougeL,reference=abstract")


def test_a_contrastive_cell_draws_its_negatives_from_the_chosen_texts():
    items = [
        Item(
            id=str(n),
            task_id=str(n),
            candidate=f"alpha{n} beta{n}",
            references=("same words for all",),
            title=f"alpha{n}",
        )
        for n in range(6)
    ]
    metric = asyncio.run(gameproof.metric("TV+fvar+statement+overlap,reference=title").prepare(items))
    assert scores(metric, *items).values == pytest.approx([1.0] * 6)  # own title supported, no other one


@pytest.mark.parametrize(
    ("asked", "single", "several"),
    [
        (None, None, ()),
        ("title", "title", ()),
        (["abstract"], "abstract", ()),
        ("all", None, ("summary", "title", "source")),
        (["source", "summary"], None, ("summary", "source")),
        (["title", "title"], "title", ()),
    ],
)
def test_what_can_be_asked_for(asked, single, several):
    found = read_references(asked)
    assert (found.single, found.several) == (single, several)


def test_a_column_goes_alone():
    with pytest.raises(PlanError, match="--reference abstract: a column can only be chosen alone"):
        read_references(["summary", "abstract"])


def test_metrics_with_references_are_spread_out_and_others_are_not():
    built = [
        gameproof.metric("rouge1"),
        gameproof.metric("length"),
        gameproof.metric("rouge1,reference=title"),
    ]
    found, notes = spread_out(built, [ITEM], read_references("all"))
    assert [metric.name for metric in found] == [
        "rouge1,reference=summary", "rouge1,reference=title", "rouge1,reference=source", "length",
    ]  # fmt: skip
    assert notes == ()


def test_a_text_that_no_item_has_is_left_out_of_all_with_a_note():
    found, notes = spread_out([gameproof.metric("rouge1")], [BARE], read_references("all"))
    assert [metric.name for metric in found] == ["rouge1,reference=summary"]
    assert [note.partition(": ")[2] for note in notes] == [
        "no text has a title, so nothing is compared with one",
        "no text has a source, so nothing is compared with one",
    ]


def test_a_text_that_some_items_lack_is_counted_by_all_and_refused_by_name():
    _, notes = spread_out([gameproof.metric("rouge1")], [ITEM, BARE], read_references("all"))
    assert "1 of 2 texts have no title" in notes[0]
    with pytest.raises(PlanError, match="--reference title: 1 of 2 texts have none"):
        spread_out([gameproof.metric("rouge1")], [ITEM, BARE], read_references(["summary", "title"]))


def test_putting_a_text_in_the_place_of_references_leaves_the_item_alone():
    assert with_reference(ITEM, "title").references == ("rain",)
    assert ITEM.references == ("rain fell",)


def test_what_a_metric_says_of_its_calls_is_said_against_another_text_too():
    inner = SimpleNamespace(name="m", notes=("a note",), uncounted="a model on this machine")
    against = Against(inner=inner, choice="title")
    assert (against.notes, against.uncounted) == (("a note",), "a model on this machine")
    assert Against(inner=gameproof.metric("rouge1"), choice="title").uncounted is None


def test_a_metric_of_the_user_s_own_asks_nobody_against_another_text_either():
    """Its calls are not counted, since it tells none; what it would share with others is passed on."""
    metric = Against(inner=gameproof.as_metric(lambda _item: 1.0, name="mine", version="1"), choice="title")
    assert metric.estimated is None
    assert asyncio.run(metric.planned_calls([ITEM], [ITEM])) == {}
    told = []
    shares = SimpleNamespace(announce=told.extend)
    Against(inner=shares, choice="title").announce([ITEM])
    assert [item.references for item in told] == [("rain",)]
