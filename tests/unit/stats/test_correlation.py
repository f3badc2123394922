import numpy as np
import pytest

from gameproof.stats import levels as levels_module
from gameproof.stats.correlation import Clusters, correlate, correlation_differences, human_ceiling
from gameproof.stats.ranks import spearman
from gameproof.stats.results import State

N_TASKS, N_SYSTEMS = 12, 5
TASKS = np.repeat(np.arange(N_TASKS), N_SYSTEMS)
SYSTEMS = np.tile(np.arange(N_SYSTEMS), N_TASKS)
CLUSTERS = Clusters(tasks=TASKS, systems=SYSTEMS)


def _ratings(seed=0, noise=1.0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=TASKS.size)
    return truth, truth + noise * rng.normal(size=TASKS.size)


def _row(rows, dimension, level):
    return next(row for row in rows if (row.dimension, row.level) == (dimension, level))


def test_every_dimension_has_three_labelled_levels_and_so_has_the_mean():
    scores, marks = _ratings()
    rows = correlate(scores, {"a": marks, "b": -marks}, CLUSTERS, n_resamples=99)
    assert [(row.dimension, row.level) for row in rows] == [
        (dimension, level)
        for dimension in ("a", "b", "mean")
        for level in ("pooled", "within_task", "system")
    ]


def test_each_level_is_the_correlation_it_says():
    scores, marks = _ratings()
    rows = correlate(scores, {"a": marks}, CLUSTERS, n_resamples=99)
    within = [spearman(scores[task == TASKS], marks[task == TASKS]) for task in range(N_TASKS)]
    means = [[column[s == SYSTEMS].mean() for s in range(N_SYSTEMS)] for column in (scores, marks)]
    assert _row(rows, "a", "pooled").rho == pytest.approx(spearman(scores, marks))
    assert _row(rows, "a", "within_task").rho == pytest.approx(np.mean(within))
    assert _row(rows, "a", "system").rho == pytest.approx(spearman(*map(np.array, means)))


def test_the_counts_are_of_items_tasks_and_systems():
    scores, marks = _ratings()
    rows = correlate(scores, {"a": marks}, CLUSTERS, n_resamples=99)
    assert [_row(rows, "a", level).n for level in ("pooled", "within_task", "system")] == [60, 12, 5]


def test_the_mean_is_over_dimensions():
    scores, marks = _ratings()
    other = _ratings(seed=1)[1]
    rows = correlate(scores, {"a": marks, "b": other}, CLUSTERS, n_resamples=99)
    each = [_row(rows, name, "pooled").rho for name in ("a", "b")]
    assert _row(rows, "mean", "pooled").rho == pytest.approx(np.mean(each))


def test_intervals_hold_the_value_and_narrow_with_agreement():
    loose = _row(correlate(*_pair(3.0), CLUSTERS), "a", "pooled")
    tight = _row(correlate(*_pair(0.1), CLUSTERS), "a", "pooled")
    assert loose.interval.low < loose.rho < loose.interval.high
    assert tight.interval.high - tight.interval.low < loose.interval.high - loose.interval.low


def _pair(noise):
    scores, marks = _ratings(noise=noise)
    return scores, {"a": marks}


def test_case_43_constant_scores_have_a_named_reason():
    rows = correlate(np.full(4, 3.0), {"a": np.arange(4.0)}, Clusters(tasks=np.zeros(4, int)), n_resamples=99)
    pooled = _row(rows, "a", "pooled")
    assert (pooled.rho, pooled.interval, pooled.state) == (None, None, State.UNDEFINED)
    assert pooled.detail == "constant scores"
    assert _row(rows, "a", "within_task").detail == "constant scores in every task"
    assert _row(rows, "mean", "pooled").detail == "constant scores"


def test_case_46_item_level_and_system_level_are_told_apart():
    # Items differ a lot and are scored well; the two systems differ in nothing that matters.
    tasks, systems = np.repeat(np.arange(3), 2), np.tile([0, 1], 3)
    truth = np.array([1.0, 1.1, 5.0, 5.1, 9.0, 9.1])
    rows = correlate(truth, {"a": truth}, Clusters(tasks=tasks, systems=systems), n_resamples=99)
    assert _row(rows, "a", "pooled").rho == 1.0
    assert _row(rows, "a", "within_task").detail == "fewer than 3 items in every task"
    assert _row(rows, "a", "system").detail == "fewer than 3 systems"


def test_case_46_with_three_systems_all_levels_are_numbers_and_may_disagree():
    tasks, systems = np.repeat(np.arange(4), 3), np.tile([0, 1, 2], 4)
    marks = np.repeat([1.0, 4.0, 7.0, 10.0], 3) + np.tile([0.0, 0.1, 0.2], 4)
    scores = np.repeat([1.0, 4.0, 7.0, 10.0], 3) + np.tile([0.2, 0.1, 0.0], 4)
    rows = correlate(scores, {"a": marks}, Clusters(tasks=tasks, systems=systems), n_resamples=99)
    assert _row(rows, "a", "pooled").rho > 0.8
    assert _row(rows, "a", "within_task").rho == -1.0
    assert _row(rows, "a", "system").rho == -1.0


def test_tasks_without_a_correlation_are_counted_by_their_reason():
    tasks = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 3])
    scores = np.array([1.0, 2, 3, 1, 1, 1, 1, 2, 3, 5])
    marks = np.array([1.0, 2, 3, 1, 2, 3, 4, 4, 4, 5])
    row = _row(correlate(scores, {"a": marks}, Clusters(tasks=tasks), n_resamples=99), "a", "within_task")
    assert (row.rho, row.n) == (1.0, 1)
    assert row.detail.startswith("3 of 4 tasks left out: ")
    for reason in ("fewer than 3 items 1", "constant scores 1", "constant ratings 1"):
        assert reason in row.detail


def test_missing_scores_and_ratings_are_left_out_pair_by_pair():
    scores, marks = _ratings()
    scores[0], marks[1] = np.nan, np.nan
    row = _row(correlate(scores, {"a": marks}, CLUSTERS, n_resamples=99), "a", "pooled")
    assert row.n == 58
    assert row.rho == pytest.approx(spearman(scores[2:], marks[2:]))


def test_without_ratings_there_is_nothing_to_say():
    rows = correlate(np.arange(3.0), {}, Clusters(tasks=np.arange(3)), n_resamples=99)
    assert {row.detail for row in rows} == {"no ratings"}


def test_without_a_single_rated_item_every_level_says_why():
    rows = correlate(np.arange(3.0), {"a": np.full(3, np.nan)}, Clusters(tasks=np.arange(3)), n_resamples=99)
    assert [row.detail for row in rows[:3]] == [
        "fewer than 3 items", "no item has both", "no systems are named",
    ]  # fmt: skip


def test_a_dimension_without_a_correlation_is_named_in_the_mean():
    scores, marks = _ratings()
    rows = correlate(scores, {"a": marks, "flat": np.ones(60)}, CLUSTERS, n_resamples=99)
    mean = _row(rows, "mean", "pooled")
    assert mean.rho == _row(rows, "a", "pooled").rho
    assert mean.detail == "without flat, where it is undefined"


def test_items_of_unknown_systems_are_counted():
    scores, marks = _ratings()
    systems = SYSTEMS.copy()
    systems[:2] = -1
    row = _row(
        correlate(scores, {"a": marks}, Clusters(tasks=TASKS, systems=systems), n_resamples=99), "a", "system"
    )
    assert row.detail == "2 items without a system"


def test_systems_with_equal_means_have_no_order():
    scores = np.tile([1.0, 2.0, 3.0], 3)[np.argsort(np.repeat(np.arange(3), 3), kind="stable")]
    rolled = np.concatenate([np.roll([1.0, 2.0, 3.0], task) for task in range(3)])
    clusters = Clusters(tasks=np.repeat(np.arange(3), 3), systems=np.tile([0, 1, 2], 3))
    row = _row(correlate(rolled, {"a": scores}, clusters, n_resamples=99), "a", "system")
    assert row.detail == "constant scores: the systems' means are equal"


def test_an_interval_needs_resamples_in_which_the_correlation_exists():
    # Each system wrote for one task only, so hardly any resample has all of them.
    tasks = np.repeat(np.arange(6), 2)
    clusters = Clusters(tasks=tasks, systems=tasks)
    scores = np.arange(12.0)
    row = _row(correlate(scores, {"a": scores}, clusters, n_resamples=99), "a", "system")
    assert row.rho == 1.0
    assert row.interval is None


def test_resamples_are_thinned_where_items_are_very_many(monkeypatch):
    scores, marks = _ratings()
    monkeypatch.setattr(levels_module, "MAX_ENTRIES", 60 * 100)
    fewer = np.where(np.arange(60) < 30, marks, np.nan)
    thinned = correlate(scores, {"a": marks, "b": fewer}, CLUSTERS, n_resamples=5_000)
    assert _row(thinned, "mean", "pooled").interval is not None


def test_dimensions_rated_for_different_tasks_still_share_their_resamples():
    # The same ratings but for one task: the mean over both is as uncertain as each, not less.
    scores, marks = _ratings()
    other = np.where(np.arange(60) < N_SYSTEMS, np.nan, marks)
    rows = correlate(scores, {"a": marks, "b": other}, CLUSTERS)
    widths = [
        row.interval.high - row.interval.low
        for row in (_row(rows, name, "pooled") for name in ("a", "b", "mean"))
    ]
    assert widths[2] > 0.95 * min(widths[:2])


def test_a_metric_does_not_differ_from_itself():
    scores, marks = _ratings()
    for row in correlation_differences(scores, scores, {"a": marks}, CLUSTERS, n_resamples=99):
        assert row.difference == 0.0
        assert (row.interval.low, row.interval.high) == (0.0, 0.0)


def test_a_better_metric_is_shown_to_be_better_on_the_same_resamples():
    scores, marks = _ratings(noise=0.3)
    noisy = scores + 3 * np.random.default_rng(9).normal(size=scores.size)
    pooled = correlation_differences(scores, noisy, {"a": marks}, CLUSTERS)[0]
    assert pooled.interval.low > 0


def test_a_difference_to_a_constant_metric_is_not_defined():
    scores, marks = _ratings()
    row = correlation_differences(scores, np.ones(60), {"a": marks}, CLUSTERS, n_resamples=99)[0]
    assert (row.difference, row.detail) == (None, "constant scores")


def test_the_human_ceiling_is_one_rater_against_the_mean_of_the_others():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=60)
    raters = truth[:, None] + rng.normal(size=(60, 3))
    expected = np.mean([spearman(raters[:, r], np.delete(raters, r, axis=1).mean(axis=1)) for r in range(3)])
    ceilings = human_ceiling({"a": raters}, CLUSTERS)
    assert ceilings["a", "pooled"] == pytest.approx(expected)
    assert ceilings["mean", "pooled"] == pytest.approx(expected)


def test_one_rater_has_no_ceiling():
    ceilings = human_ceiling({"a": np.arange(60.0)[:, None]}, CLUSTERS)
    assert ceilings["a", "pooled"] is None
    assert ceilings["mean", "system"] is None


def test_an_interval_of_a_correlation_is_of_95_percent_unless_said_otherwise():
    scores, marks = _ratings()
    options = {"n_resamples": 99}
    assert correlate(scores, {"a": marks}, CLUSTERS, **options) == correlate(
        scores, {"a": marks}, CLUSTERS, confidence_level=0.95, seed=0, **options
    )
