import numpy as np
import pytest

from gameproof.stats import bootstrap
from gameproof.stats.bootstrap import count_blocks, percentile_bounds, resample_counts, studentise


def test_every_resample_has_as_many_tasks_as_the_data():
    counts = resample_counts(7, 100, seed=1)
    assert counts.shape == (100, 7)
    assert set(counts.sum(axis=1).tolist()) == {7}


def test_resamples_are_made_once_for_the_same_size_and_seed():
    assert resample_counts(7, 100, seed=1) is resample_counts(7, 100, seed=1)
    assert not np.array_equal(resample_counts(7, 100, seed=1), resample_counts(7, 100, seed=2))


def test_shared_resamples_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        resample_counts(7, 100, seed=1)[0, 0] = 9


@pytest.mark.parametrize("n_tasks", [3, 400, 40_000])
def test_blocks_hold_the_same_draws_whatever_is_kept_in_memory(n_tasks):
    blocks = np.concatenate(list(count_blocks(n_tasks, 999, seed=0)))
    assert blocks.shape == (999, n_tasks)
    if n_tasks < 40_000:
        assert np.array_equal(blocks, resample_counts(n_tasks, 999, seed=0))


def test_a_count_matrix_that_is_not_kept_is_still_the_same(monkeypatch):
    kept = resample_counts(11, 50, seed=0)
    monkeypatch.setattr(bootstrap, "MAX_KEPT_ENTRIES", 10)
    assert np.array_equal(resample_counts(11, 50, seed=0), kept)


def test_resamples_are_thinned_where_tasks_are_very_many(monkeypatch):
    monkeypatch.setattr(bootstrap, "MAX_ENTRIES", 10_000)
    assert sum(len(block) for block in count_blocks(8, 5_000, seed=0)) == 10_000 // 8
    assert sum(len(block) for block in count_blocks(100, 5_000, seed=0)) == bootstrap.MIN_RESAMPLES


def test_the_studentised_bootstrap_equals_its_definition_written_as_a_loop():
    psi = np.sort(np.random.default_rng(0).exponential(size=12))
    counts = resample_counts(12, 499, seed=0)
    mean, error = psi.mean(), psi.std(ddof=1) / np.sqrt(12)
    ratios = []
    for row in counts:
        drawn = np.repeat(psi, row)
        ratios.append((drawn.mean() - mean) / (drawn.std(ddof=1) / np.sqrt(12)))
    ratios = np.sort(ratios)
    result = studentise(psi[:, None], n_resamples=499, confidence_level=0.9, seed=0)
    assert result.below[0] == (1 + np.sum(ratios <= mean / error)) / 500
    assert result.above[0] == (1 + np.sum(ratios >= mean / error)) / 500
    # 5% of 500 is the 25th from either end.
    assert result.low[0] == pytest.approx(mean - ratios[-25] * error)
    assert result.high[0] == pytest.approx(mean - ratios[24] * error)


def test_columns_are_inferred_one_by_one():
    psi = np.random.default_rng(0).normal(size=(20, 3))
    together = studentise(psi, n_resamples=199, confidence_level=0.95, seed=0)
    alone = studentise(psi[:, 1:2], n_resamples=199, confidence_level=0.95, seed=0)
    assert together.below[1] == alone.below[0]
    assert together.high[1] == pytest.approx(alone.high[0], rel=1e-12)


def test_a_column_without_spread_has_no_numbers():
    psi = np.stack([np.full(5, 0.1), np.arange(5.0)], axis=1)
    result = studentise(psi, n_resamples=99, confidence_level=0.95, seed=0)
    assert np.isnan([result.errors[0], result.below[0], result.above[0], result.low[0]]).all()
    assert np.isfinite(result.below[1])


def test_a_pvalue_is_never_zero_and_never_above_one():
    psi = np.array([[5.0], [5.1], [4.9], [5.0], [5.2]])
    result = studentise(psi, n_resamples=99, confidence_level=0.95, seed=0)
    assert result.above[0] == pytest.approx(0.01, abs=0.02)
    assert 0 < result.above[0] <= result.below[0] <= 1


def test_two_values_bound_nothing():
    # Half of the resamples hold one value twice: their ratio is infinite on either side.
    result = studentise(np.array([[1.0], [2.0]]), n_resamples=999, confidence_level=0.95, seed=0)
    assert np.isinf(result.low[0])
    assert np.isinf(result.high[0])
    assert result.above[0] > 0.05


def test_bounds_are_order_statistics():
    draws = np.arange(1.0, 100.0)[None, :]
    # 99 draws, 95%: floor(100 x .025) = 2 lie outside on either side, the bound is the second.
    assert percentile_bounds(draws, 0.95)[:, 0].tolist() == [2.0, 98.0]
