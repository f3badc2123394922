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


def per_task(data) -> list[int]:
    return sorted(Counter(item.task_id for item in data.items).values())


def test_a_small_sample_has_two_texts_of_a_task():
    data = load(ROWS, sample=10)
    assert per_task(data) == [2] * 5
    assert "10 of 80 items drawn at random with seed 0, of 5 of 20 tasks" in data.notes


# By the rule: two to four texts of a task (a thirtieth of the sample), more only where there are too few tasks.
@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (60, [2] * 30),
        (100, [1] + [3] * 33),
        (200, [4] * 50),
        (400, [4] * 100),
        (1000, [10] * 100),
        (1004, [10] * 96 + [11] * 4),
    ],
)
def test_a_sample_is_of_many_tasks_and_of_a_few_texts_of_each(sample, expected):
    rows = [
        {"task_id": f"t{task}", "system": f"s{system}", "candidate": f"{task} {system}"}
        for task in range(100)
        for system in range(16)
    ]
    assert per_task(load(rows, sample=sample)) == expected


def test_small_tasks_are_whole_in_a_sample():
    assert per_task(load(ROWS, sample=79)) == [3] + [4] * 19


@pytest.mark.parametrize("sample", [None, "all"])
def test_all_texts_are_taken_where_no_number_is_given(sample):
    data = load(ROWS, sample=sample)
    assert len(data.items) == 80
    assert not data.notes


@pytest.mark.parametrize("sample", [2.5, True, ["12"]])
def test_what_python_would_cut_to_a_number_is_no_sample(sample):
    with pytest.raises(PlanError, match="allowed: 1 or more, or all"):
        load(ROWS, sample=sample)


def test_a_sample_may_be_a_number_in_text():
    assert load(ROWS, sample="12") == load(ROWS, sample=12)


@pytest.mark.parametrize("sample", ["0", "some", "-3", "2.5", ""])
def test_what_is_no_sample_is_refused(sample):
    with pytest.raises(PlanError, match=f"--sample {sample}: found {sample}; allowed: 1 or more, or all"):
        load(ROWS, sample=sample)


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
