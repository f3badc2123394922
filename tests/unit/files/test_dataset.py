"""Samples and limits of a data set."""

from collections import Counter

import pytest

from gameproof.errors import PlanError
from gameproof.files import load

ROWS = [
    {"task_id": f"t{task}", "system": f"s{system}", "candidate": f"{task} {system}"}
    for task in range(20)
    for system in range(4)
]


def test_a_limit_takes_the_first_rows():
    assert [item.id for item in load(ROWS, limit=2).items] == ["t0/s0", "t0/s1"]


def test_a_limit_does_not_look_at_the_rows_behind_it():
    assert len(load([*ROWS, {"candidate": 3}], limit=80).items) == 80


def test_a_sample_has_the_size_that_was_asked_for():
    assert len(load(ROWS, sample=10).items) == 10


def test_a_sample_is_made_of_whole_tasks_and_a_part_of_one_more():
    data = load(ROWS, sample=10)
    assert sorted(Counter(item.task_id for item in data.items).values()) == [2, 4, 4]
    assert "10 of 80 items drawn at random with seed 0, task by task: 2 of 20 tasks are whole" in data.notes


def test_a_sample_keeps_the_order_of_the_data():
    places = [ROWS.index({"task_id": i.task_id, "system": i.system, "candidate": i.candidate})
              for i in load(ROWS, sample=30).items]  # fmt: skip
    assert places == sorted(places)


def test_a_sample_is_the_same_for_the_same_seed_and_another_for_another():
    first, again, other = (load(ROWS, sample=12, seed=seed).items for seed in (1, 1, 2))
    assert first == again
    assert first != other


def test_a_sample_of_one_large_task_has_the_size_that_was_asked_for():
    rows = [{"task_id": "t", "system": str(n), "candidate": str(n)} for n in range(100)]
    assert len(load(rows, sample=10).items) == 10


def test_every_task_is_drawn_equally_often():
    # 400 samples of 5 of 20 tasks: each is drawn 100 times on average, sd = sqrt(400 * .25 * .75) = 8.7.
    rows = [{"task_id": str(task), "candidate": "c", "system": "s"} for task in range(20)]
    drawn = Counter(item.task_id for seed in range(400) for item in load(rows, sample=5, seed=seed).items)
    assert min(drawn.values()) > 100 - 5 * 8.7
    assert max(drawn.values()) < 100 + 5 * 8.7


def test_a_sample_larger_than_the_data_is_the_data_with_a_note():
    data = load(ROWS, sample=1000)
    assert len(data.items) == 80
    assert "a sample of 1,000 was asked for; the data has 80 items, all are used" in data.notes


@pytest.mark.parametrize("option", ["sample", "limit"])
def test_nothing_cannot_be_asked_for(option):
    with pytest.raises(PlanError, match=f"--{option} 0: found 0; allowed: 1 or more"):
        load(ROWS, **{option: 0})
