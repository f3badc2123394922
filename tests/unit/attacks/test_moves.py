import pytest

from gameproof.attacks.moves import MOVES, blind, legal_moves
from gameproof.attacks.scene import Stage, typical_sentences
from gameproof.records import Item
from gameproof.seeds import rng_for

TEXT = "The bridge opened in May, and it has two lanes. I crossed it on foot. The toll is three euros."


def _item(number, candidate=TEXT, **more):
    return Item(
        id=f"t{number}/a",
        task_id=f"t{number}",
        candidate=candidate,
        references=("a secret reference",),
        source="A secret source sentence. Another one.",
        query="What of the bridge?",
        **more,
    )


@pytest.fixture
def items():
    return [
        _item(0),
        _item(1, "Another text says little. It may rain."),
        _item(2, "It may rain. It may not."),
    ]


@pytest.mark.parametrize("name", MOVES)
def test_a_move_is_pure_and_changes_the_text_or_says_that_it_cannot(name, items):
    scene = Stage(items, "source").scene(items[0])
    made = [MOVES[name].make(TEXT, scene, rng_for(4, name)) for _ in range(2)]
    assert made[0] == made[1]
    assert made[0] is None or made[0].strip() != TEXT


def test_moves_without_source_access_never_see_references_or_source(items):
    scene = Stage(items).scene(items[0])
    assert scene.item.references == ()
    assert scene.item.source is None
    for move in legal_moves(scene.item):
        for seed in range(5):
            assert "secret" not in (move.make(TEXT, scene, rng_for(seed, move.name)) or "")


def test_what_an_item_lacks_rules_moves_out(items):
    without = {move.name for move in legal_moves(blind(items[0]))}
    assert {"add_source_sentence", "copied_source"}.isdisjoint(without)
    assert "quote_task" in without
    assert "add_source_sentence" in {move.name for move in legal_moves(blind(items[0], "source"))}


def test_the_word_i_keeps_its_capital_inside_a_sentence(items):
    scene = Stage(items).scene(items[0])
    merged = {MOVES["merge_sentences"].make(TEXT, scene, rng_for(seed, "m")) for seed in range(8)}
    assert any(", and I crossed" in (text or "") for text in merged)


def test_the_most_typical_sentence_is_the_one_whose_words_most_tasks_share():
    items = [
        _item(0, "It is what it is. Zebras graze in Kenya today."),
        _item(1, "It is what we have. Copper costs nine dollars now."),
        _item(2, "It is what they say. Violins need new strings yearly."),
    ]
    assert typical_sentences(items)[0][0].startswith("It is what")


def test_nothing_is_borrowed_from_the_items_own_task(items):
    own = Item(id="t0/b", task_id="t0", candidate="A sentence that only its own task has.")
    scene = Stage([*items, own]).scene(items[0])
    assert own.candidate not in scene.typical
