"""Whom an item may borrow from."""

from gameproof.perturbations.pool import Originals
from gameproof.records import Item

ITEMS = [
    Item(id=f"{task}{n}", task_id=task, group=group, candidate="x")
    for task, group in (("a", "g"), ("b", "g"), ("c", "g"), ("d", "alone"))
    for n in (1, 2)
]


def ids(items):
    return [item.id for item in items]


def test_others_are_the_items_of_other_tasks_in_the_group():
    pool = Originals(ITEMS)
    assert ids(pool.others(ITEMS[2])) == ["a1", "a2", "c1", "c2"]
    assert ids(pool.others(ITEMS[4])) == ["a1", "a2", "b1", "b2"]


def test_a_group_of_one_task_has_the_whole_data_set():
    assert ids(Originals(ITEMS).others(ITEMS[-1])) == ["a1", "a2", "b1", "b2", "c1", "c2"]


def test_one_task_alone_has_nobody():
    assert ids(Originals(ITEMS[:2]).others(ITEMS[0])) == []


def test_an_item_from_outside_borrows_from_all():
    stranger = Item(id="s", task_id="s", group="unknown", candidate="x")
    assert ids(Originals(ITEMS).others(stranger)) == ids(ITEMS)


def test_the_view_can_be_indexed_from_both_ends_and_sliced():
    others = Originals(ITEMS).others(ITEMS[2])
    assert (others[-1].id, others[2].id) == ("c2", "c1")
    assert ids(others[1:3]) == ["a2", "c1"]


def test_a_text_is_split_once():
    pool = Originals(ITEMS)
    assert pool.layout("One. Two.") is pool.layout("One. Two.")
