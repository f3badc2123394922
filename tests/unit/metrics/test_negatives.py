"""The draw of negatives."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameproof.errors import PlanError
from gameproof.metrics import negatives as module
from gameproof.metrics.negatives import draw_negatives
from gameproof.metrics.reference_pool import index_references
from gameproof.metrics.representations import report
from gameproof.records import Item


def pool_of(sizes, *, text="reference number"):
    """Return a pool with a group of each size."""
    items = [
        Item(
            id=f"{group}-{n}",
            task_id=f"{group}-{n}",
            group=str(group),
            candidate="x",
            references=(f"{text} {group} {n}",),
        )
        for group, size in enumerate(sizes)
        for n in range(size)
    ]
    return index_references(items, refs="mean", decompose=report)


def draw(pool, neg=4, seed=0, *, dedupe=False):
    return draw_negatives(pool, neg=neg, seed=seed, dedupe=dedupe)


@given(sizes=st.lists(st.integers(5, 9), min_size=1, max_size=3), seed=st.integers(0, 9))
def test_the_design_is_regular_inside_each_group(sizes, seed):
    pool = pool_of(sizes)
    drawn = draw(pool, seed=seed)
    used = Counter(negative for chosen in drawn.tasks.values() for negative in chosen.tolist())
    for task, chosen in drawn.tasks.items():
        assert len(set(chosen.tolist()) - {task}) == 4
        assert {pool.tasks[negative].group for negative in chosen.tolist()} == {pool.tasks[task].group}
    assert set(used.values()) == {4}


def test_the_same_seed_gives_the_same_negatives_and_another_seed_others():
    pool = pool_of([50])
    first, again, other = draw(pool, seed=1), draw(pool, seed=1), draw(pool, seed=2)
    assert all(np.array_equal(first.tasks[task], again.tasks[task]) for task in first.tasks)
    assert any(not np.array_equal(first.tasks[task], other.tasks[task]) for task in first.tasks)


def test_adding_a_group_leaves_the_draws_of_others_alone():
    before, after = pool_of([9]), pool_of([9, 7])
    for task, chosen in draw(before).tasks.items():
        names = [before.tasks[negative].id for negative in chosen.tolist()]
        assert names == [after.tasks[negative].id for negative in draw(after).tasks[task].tolist()]


def test_small_groups_draw_from_the_whole_data_and_are_counted():
    drawn = draw(pool_of([4, 6, 1]))
    assert drawn.n_fallback == 5
    assert all(len(chosen) == 4 for chosen in drawn.tasks.values())


def test_groups_of_one_task_each_make_one_regular_design():
    drawn = draw(pool_of([1] * 12))
    used = Counter(negative for chosen in drawn.tasks.values() for negative in chosen.tolist())
    assert drawn.n_fallback == 12
    assert set(used.values()) == {4}


def test_all_means_every_other_task_of_the_group():
    drawn = draw(pool_of([6, 3]), neg=None)
    assert sorted(len(chosen) for chosen in drawn.tasks.values()) == [2, 2, 2, 5, 5, 5, 5, 5, 5]
    assert drawn.n_fallback == 0


def test_too_few_tasks_give_fewer_negatives_and_are_counted():
    drawn = draw(pool_of([3]))
    assert [len(chosen) for chosen in drawn.tasks.values()] == [2, 2, 2]
    assert drawn.n_short == 3


def test_a_single_task_has_no_negatives():
    assert [len(chosen) for chosen in draw(pool_of([1])).tasks.values()] == [0]


def test_tasks_without_references_are_no_negatives():
    pool = pool_of([6])
    kept = pool.keeping(np.array([True] * 5 + [False]), reason="gone")
    drawn = draw(kept)
    assert set(drawn.tasks) == {0, 1, 2, 3, 4}
    assert all(5 not in chosen for chosen in drawn.tasks.values())


def test_near_duplicates_stay_in_and_are_counted():
    pool = pool_of([6], text="the very same words but for the number of it in")
    drawn = draw(pool)
    assert drawn.n_near_duplicates == drawn.n_pairs == 24
    assert all(len(chosen) == 4 for chosen in drawn.tasks.values())


def test_near_duplicates_are_left_out_on_request():
    pool = pool_of([6], text="the very same words but for the number of it in")
    drawn = draw(pool, dedupe=True)
    assert drawn.n_near_duplicates == 24
    assert all(len(chosen) == 0 for chosen in drawn.tasks.values())


def test_a_draw_that_cannot_be_held_is_refused_with_its_size(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAIRS", 100)
    with pytest.raises(PlanError, match=r"11 negatives for each of 12 tasks are 132 pairs"):
        draw(pool_of([12]), neg=None)
