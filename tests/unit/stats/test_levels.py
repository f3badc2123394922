import numpy as np
import pytest
from scipy import stats

from gameproof.stats import levels
from gameproof.stats.bootstrap import resample_counts
from gameproof.stats.levels import Clusters, level_draws, level_value, make_table

TASKS = np.repeat(np.arange(8), 4)
SYSTEMS = np.tile(np.arange(4), 8)
RNG = np.random.default_rng(21)
SCORES = RNG.integers(0, 5, size=32).astype(float)
MARKS = RNG.integers(0, 5, size=32).astype(float)


def _table(scores=SCORES, marks=MARKS, tasks=TASKS, systems=SYSTEMS, kept=None):
    both = np.ones(len(scores), bool) if kept is None else kept
    return make_table(
        np.asarray(scores, float),
        np.asarray(marks, float),
        both,
        Clusters(tasks=np.asarray(tasks), systems=systems),
    )


def test_tasks_are_those_of_all_items_also_where_none_of_theirs_is_kept():
    table = _table(tasks=TASKS * 3 + 5, kept=TASKS != 2)
    assert table.n_tasks == 8
    assert np.unique(table.tasks).tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert table.systems.tolist() == SYSTEMS[TASKS != 2].tolist()
    assert table.scores.tolist() == SCORES[TASKS != 2].tolist()


def test_resampled_means_of_tasks_weigh_every_drawn_task_with_a_correlation():
    # scipy's rho of each task; a task counts as often as it is drawn, one without a rho never.
    scores = SCORES.copy()
    scores[:4] = 1.0
    rhos = np.array([
        np.nan if task == 0 else stats.spearmanr(scores[task == TASKS], MARKS[task == TASKS]).statistic
        for task in range(8)
    ])  # fmt: skip
    counts = resample_counts(8, 40, seed=2).astype(float)
    defined = ~np.isnan(rhos)
    expected = (counts[:, defined] @ rhos[defined]) / counts[:, defined].sum(axis=1)
    found = level_draws("within_task", _table(scores), n_resamples=40, seed=2)
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_resample_without_any_task_that_has_a_correlation_has_none():
    # Of two tasks only the second has a correlation; a resample that draws the first twice has no value.
    table = _table([1.0, 1, 1, 1, 2, 3], [1.0, 2, 3, 1, 2, 3], [0, 0, 0, 1, 1, 1], None)
    counts = resample_counts(2, 30, seed=0)
    found = level_draws("within_task", table, n_resamples=30, seed=0)
    assert np.isnan(found).tolist() == (counts[:, 1] == 0).tolist()
    assert set(found[~np.isnan(found)].tolist()) == {1.0}


def test_a_resample_that_lacks_a_system_has_no_system_correlation():
    # System 3 wrote for task 0 alone.
    kept = (SYSTEMS != 3) | (TASKS == 0)
    counts = resample_counts(8, 60, seed=1)
    found = level_draws("system", _table(kept=kept), n_resamples=60, seed=1)
    assert np.isnan(found).tolist() == (counts[:, 0] == 0).tolist()


def test_a_resample_of_one_value_has_no_pooled_correlation():
    # Scores are constant within tasks, so a resample of one task has no spread.
    tasks = np.repeat([0, 1], 3)
    table = _table(np.repeat([1.0, 2.0], 3), np.arange(6.0), tasks, None)
    counts = resample_counts(2, 30, seed=0)
    found = level_draws("pooled", table, n_resamples=30, seed=0)
    assert np.isnan(found).tolist() == (counts.max(axis=1) == 2).tolist()


@pytest.mark.parametrize("few", [0, 5, 50])
def test_both_ways_of_ranking_copies_give_the_same(monkeypatch, few):
    whole = level_draws("pooled", _table(), n_resamples=40, seed=0)
    monkeypatch.setattr(levels, "FEW_VALUES", few)
    monkeypatch.setattr(levels, "BLOCK_ENTRIES", 32 * 7)
    assert level_draws("pooled", _table(), n_resamples=40, seed=0) == pytest.approx(whole, abs=1e-12)


@pytest.mark.parametrize(
    ("most", "asked", "made"), [(32 * 300, 1_000, 300), (1, 1_000, 200), (1, 150, 150), (32 * 300, 250, 250)]
)
def test_pooled_resamples_are_thinned_but_never_below_200(monkeypatch, most, asked, made):
    monkeypatch.setattr(levels, "MAX_ENTRIES", most)
    assert level_draws("pooled", _table(), n_resamples=asked, seed=0).size == made


@pytest.mark.parametrize("level", ["pooled", "within_task", "system"])
def test_three_are_the_fewest_that_are_ranked(level):
    # Three items of one task, each by another system; then two of them.
    three = _table([1.0, 2, 3], [1.0, 3, 2], [0, 0, 0], np.arange(3))
    two = _table([1.0, 2], [1.0, 3], [0, 0], np.arange(2))
    assert level_value(level, three).rho == pytest.approx(0.5)  # 1 - 6 x 2 / 24
    assert level_value(level, three).undefined is None
    assert level_value(level, two).rho is None


def test_what_is_undefined_says_why_and_counts_what_there_was():
    flat = _table(np.ones(32), MARKS)
    assert level_value("pooled", flat).undefined == "constant scores"
    assert level_value("pooled", flat).n == 32
    assert level_value("pooled", _table(SCORES, np.ones(32))).undefined == "constant ratings"
    few = level_value("pooled", _table([1.0, 2], [1.0, 3], [0, 0], None))
    assert (few.n, few.undefined) == (2, "fewer than 3 items")
    no_system = level_value("system", _table(systems=None))
    assert (no_system.rho, no_system.n, no_system.undefined) == (None, 0, "no systems are named")
    unknown = level_value("system", _table(systems=np.full(32, -1)))
    assert unknown.undefined == "no systems are named"
    two = level_value("system", _table(systems=SYSTEMS % 2))
    assert (two.n, two.undefined) == (2, "fewer than 3 systems")
    equal = level_value("system", _table(SCORES, SYSTEMS * 0.0 + 1))
    assert (equal.n, equal.undefined) == (4, "constant ratings: the systems' means are equal")


def test_reasons_of_tasks_are_counted_most_common_first():
    # Two tasks of two items, one with constant scores, one with constant ratings, one with a correlation of 1.
    tasks = np.repeat([0, 1, 2, 3, 4], [2, 2, 3, 3, 3])
    scores = np.array([1.0, 2, 1, 2, 5, 5, 5, 1, 2, 3, 1, 2, 3])
    marks = np.array([1.0, 2, 1, 2, 1, 2, 3, 4, 4, 4, 1, 2, 3])
    found = level_value("within_task", _table(scores, marks, tasks, None))
    assert (found.rho, found.n) == (1.0, 1)
    assert found.left_out == (
        "4 of 5 tasks left out: fewer than 3 items 2, constant scores 1, constant ratings 1"
    )


def test_several_reasons_in_all_tasks_are_listed_and_one_alone_is_said_of_every_task():
    tasks = np.repeat([0, 1], [2, 3])
    mixed = level_value("within_task", _table([1.0, 2, 5, 5, 5], [1.0, 2, 1, 2, 3], tasks, None))
    assert (mixed.rho, mixed.n) == (None, 0)
    assert mixed.undefined == "fewer than 3 items 1, constant scores 1"
    one = level_value("within_task", _table([1.0, 1, 1], [1.0, 2, 3], [0, 0, 0], None))
    assert one.undefined == "constant scores in every task"
    nothing = level_value("within_task", _table([1.0], [1.0], [0], None, np.array([False])))
    assert nothing.undefined == "no item has both"


def test_a_complete_table_leaves_nothing_out():
    assert level_value("within_task", _table(np.tile(np.arange(4.0), 8))).left_out is None
    assert level_value("system", _table()).left_out is None
    unknown = SYSTEMS.copy()
    unknown[[0, 5, 9]] = -1
    assert level_value("system", _table(systems=unknown)).left_out == "3 items without a system"


def test_resampled_systems_are_ranked_by_their_means_however_often_they_wrote():
    # System 3 wrote for half of the tasks: its sum is small and its mean is not. scipy's rho of means of copied rows.
    kept = (SYSTEMS != 3) | (TASKS % 2 == 0)
    scores, marks = SCORES + 10 + (SYSTEMS == 3), MARKS + 20
    found = level_draws("system", _table(scores, marks, kept=kept), n_resamples=40, seed=5)
    for value, row in zip(found, resample_counts(8, 40, seed=5), strict=True):
        rows = np.repeat(np.arange(32)[kept], row[TASKS[kept]])
        if (SYSTEMS[rows] == 3).any():
            means = [
                [column[rows][SYSTEMS[rows] == s].mean() for s in range(4)] for column in (scores, marks)
            ]
            assert value == pytest.approx(stats.spearmanr(*means).statistic, abs=1e-10)
