"""Indexing the references of a run."""

import numpy as np
import pytest

from gameproof.metrics.reference_pool import index_references, used_references
from gameproof.metrics.representations import NO_STATEMENT, report, statements
from gameproof.records import Item


def item(number, task, *references, group="all"):
    return Item(id=str(number), task_id=task, group=group, candidate="x", references=references)


ITEMS = [
    item(1, "b", "Rain fell all night. The bridge closed at dawn."),
    item(2, "a", "Snow fell all day.", "The road was closed today."),
    item(3, "a", "Snow fell all day.", "The road was closed today."),
    item(4, "c", "..."),
]


def index(items, refs="mean", decompose=statements):
    return index_references(items, refs=refs, decompose=decompose)


def test_tasks_and_units_do_not_depend_on_the_order_of_the_data():
    assert index(ITEMS).units == index(ITEMS[::-1]).units
    assert index(ITEMS).tasks == index(ITEMS[::-1]).tasks
    assert index(ITEMS).digest == index(ITEMS[::-1]).digest


def test_each_reference_is_decomposed_once():
    seen = []

    def decompose(reference):
        seen.append(reference)
        return (reference,)

    index([*ITEMS, item(5, "d", "Snow fell all day.")], decompose=decompose)
    assert sorted(seen) == sorted(set(seen))


def test_a_reference_without_units_is_dropped_with_its_reason():
    pool = index(ITEMS)
    assert pool.numbers["..."] == NO_STATEMENT
    assert [task.references for task in pool.tasks if task.id == "c"] == [()]


def test_units_of_a_reference_are_its_statements():
    pool = index(ITEMS)
    (number,) = pool.numbers[ITEMS[0].references[0]]
    places = pool.units_of[number]
    assert [pool.units[place] for place in places] == ["Rain fell all night.", "The bridge closed at dawn."]


def test_only_the_first_reference_is_used_on_request():
    assert used_references(item(1, "a", " ", "first", "second"), "first") == ("first",)
    assert len(index(ITEMS, refs="first").units_of) == 2


def test_blank_and_doubled_references_are_skipped():
    assert used_references(item(1, "a", "", "one", "two", "one"), "mean") == ("one", "two")


def test_items_of_a_task_may_have_different_references():
    # reviews: each candidate is held against the reviews of the others
    pool = index([item(1, "a", "one", "two"), item(2, "a", "two", "three")], decompose=report)
    assert len(pool.tasks[0].references) == 3


@pytest.mark.parametrize(
    "changed",
    [
        [*ITEMS[:3], item(4, "c", "....")],
        [*ITEMS[:3], item(4, "d", "...")],
        [*ITEMS[:3], item(4, "c", "...", group="other")],
    ],
    ids=["text", "task", "group"],
)
def test_the_digest_tells_pools_apart(changed):
    assert index(changed).digest != index(ITEMS).digest


def test_a_pool_can_lose_units_and_drops_references_that_keep_none():
    pool = index(ITEMS)
    kept = np.array(["fell" in unit for unit in pool.units])
    smaller = pool.keeping(kept, reason="no fall")
    assert smaller.numbers["The road was closed today."] == "no fall"
    assert [len(task.references) for task in smaller.tasks] == [1, 1, 0]
    assert [pool.units[place] for place in smaller.places(smaller.tasks[1])] == ["Rain fell all night."]


def test_each_decomposition_of_a_reference_has_a_number_of_its_own():
    pool = index_references(ITEMS, refs="mean", decompose=statements, again=[report])
    numbers = pool.numbers[ITEMS[0].references[0]]
    assert [[pool.units[place] for place in pool.units_of[number]] for number in numbers] == [
        ["Rain fell all night.", "The bridge closed at dawn."],
        ["Rain fell all night. The bridge closed at dawn."],
    ]
    assert [task.references for task in pool.tasks if task.id == "b"] == [numbers]


def test_a_decomposition_that_fails_is_left_out_where_another_has_units():
    pool = index_references(ITEMS, refs="mean", decompose=lambda _: "failed", again=[report, lambda _: "too"])
    assert [len(pool.numbers[item.references[0]]) for item in ITEMS[:2]] == [1, 1]
    assert pool.numbers["..."] == "failed"
