"""The bootstrap's draws, its edges and its bounds, by definition."""

import numpy as np
import pytest

from gameproof.seeds import rng_for
from gameproof.stats import bootstrap
from gameproof.stats.bootstrap import count_blocks, percentile_bounds, resample_counts, studentise


def test_a_resample_counts_uniform_draws_of_its_own_stream():
    drawn = rng_for(4, "stats", "resample", 6).integers(0, 6, size=(20, 6))
    expected = [np.bincount(row, minlength=6).tolist() for row in drawn]
    assert resample_counts(6, 20, seed=4).tolist() == expected


@pytest.mark.parametrize(("entries", "rows"), [(6 * 7, 7), (6 * 7 + 5, 7), (1, 1)])
def test_counts_are_drawn_in_blocks_of_whole_resamples(monkeypatch, entries, rows):
    monkeypatch.setattr(bootstrap, "BLOCK_ENTRIES", entries)
    blocks = list(count_blocks(6, 20, seed=77 + entries))
    assert [len(block) for block in blocks] == [rows] * (20 // rows) + [20 % rows] * (20 % rows > 0)
    assert {block.dtype for block in blocks} == {np.dtype(np.float64)}
    assert np.array_equal(np.concatenate(blocks), resample_counts(6, 20, seed=77 + entries))


def test_large_counts_are_kept_as_bytes_and_the_largest_not_at_all(monkeypatch):
    whole = resample_counts(5, 30, seed=9)
    for name in ("MAX_KEPT_FLOATS", "MAX_KEPT_ENTRIES"):
        monkeypatch.setattr(bootstrap, name, 149)  # 5 x 30 = 150 entries
        blocks = list(count_blocks(5, 30, seed=9))
        assert np.array_equal(np.concatenate(blocks), whole)
        assert {block.dtype for block in blocks} == {np.dtype(np.float64)}
    assert resample_counts(5, 30, seed=9) is not resample_counts(5, 30, seed=9)
    monkeypatch.setattr(bootstrap, "MAX_KEPT_ENTRIES", 150)
    assert resample_counts(5, 30, seed=9) is resample_counts(5, 30, seed=9)


@pytest.mark.parametrize(
    ("asked", "most", "made"), [(5_000, 8 * 2_000, 2_000), (500, 8, 500), (999, 8, 999), (1_000, 8, 999)]
)
def test_resamples_are_thinned_but_never_below_999(monkeypatch, asked, most, made):
    monkeypatch.setattr(bootstrap, "MAX_ENTRIES", most)
    assert sum(len(block) for block in count_blocks(8, asked, seed=0)) == made


def test_resamples_without_spread_lie_at_zero_or_beyond_every_bound():
    # Three tasks 1, 2, 4 with the mean 7/3. A resample of one task alone has no spread: all 1 is at -inf, all 4 at
    # +inf; with 1, 2, 3 a resample of the middle one is the mean itself, and t* is 0.
    for values in ([1.0, 2.0, 4.0], [1.0, 2.0, 3.0]):
        psi = np.array(values)
        mean, error = psi.mean(), psi.std(ddof=1) / np.sqrt(3)
        ratios = []
        for row in resample_counts(3, 299, seed=1):
            drawn = np.repeat(psi, row)
            away = drawn.mean() - mean
            if np.ptp(drawn) == 0:
                ratios.append(0.0 if abs(away) < 1e-12 else np.copysign(np.inf, away))
            else:
                ratios.append(away / (drawn.std(ddof=1) / np.sqrt(3)))
        ratios = np.sort(ratios)
        found = studentise(psi[:, None] - 2.0, n_resamples=299, confidence_level=0.8, seed=1)
        observed = (mean - 2.0) / error
        assert found.means[0] == pytest.approx(mean - 2.0)
        assert found.errors[0] == pytest.approx(error)
        # a mean of exactly 0 ties with the resamples at 0
        assert found.below[0] == (1 + np.sum(ratios <= observed + 1e-12)) / 300
        assert found.above[0] == (1 + np.sum(ratios >= observed - 1e-12)) / 300
        # 10% of 300 is the 30th from either end
        assert found.low[0] == pytest.approx(mean - 2.0 - ratios[-30] * error)
        assert found.high[0] == pytest.approx(mean - 2.0 - ratios[29] * error)


@pytest.mark.parametrize(("wobble", "is_flat"), [(1e-13, True), (1e-10, False)])
def test_a_spread_below_rounding_is_none(wobble, is_flat):
    psi = 1.0 + wobble * np.arange(6.0)
    found = studentise(psi[:, None], n_resamples=99, confidence_level=0.95, seed=0)
    assert bool(np.isnan(found.errors[0])) is is_flat
    assert bool(np.isnan(found.below[0])) is is_flat


def test_flatness_is_measured_against_the_largest_value_of_the_column():
    # A wobble of 1e-10 beside 1e6 is a share of 1e-16; values near 0 have no such neighbour.
    psi = np.stack([[1e6, 1e6, 1e6, 1e6 + 1e-10], [0, 0, 0, 1e-10], [-1e6, 1e6, -1e6, 1e6]], axis=1)
    found = studentise(psi, n_resamples=99, confidence_level=0.95, seed=0)
    assert np.isnan(found.errors).tolist() == [True, False, False]


def test_a_column_with_a_missing_value_has_no_inference_and_spoils_no_other():
    psi = np.stack([[1.0, np.nan, 2.0], [1.0, 3.0, 2.5]], axis=1)
    found = studentise(psi, n_resamples=99, confidence_level=0.95, seed=0)
    assert np.isnan([found.errors[0], found.below[0], found.above[0], found.low[0], found.high[0]]).all()
    alone = studentise(psi[:, 1:], n_resamples=99, confidence_level=0.95, seed=0)
    assert (found.below[1], found.above[1]) == (alone.below[0], alone.above[0])


def test_the_numbering_of_tasks_does_not_matter():
    psi = np.random.default_rng(2).exponential(size=9)
    one, two = (
        studentise(values[:, None], n_resamples=199, confidence_level=0.9, seed=0)
        for values in (psi, psi[::-1])
    )
    assert one.below[0] == two.below[0]
    assert one.low[0] == pytest.approx(two.low[0], rel=1e-12)


@pytest.mark.parametrize(
    ("n", "level", "low", "high"),
    [
        (99, 0.95, 2, 98),  # floor(100 x .025) = 2
        (39, 0.95, 1, 39),  # floor(40 x .025) = 1
        (19, 0.95, 1, 19),  # floor(20 x .025) = 0: the extremes are the best there is
        (1, 0.95, 1, 1),
        (499, 0.9, 25, 475),  # 500 x .05 is 25, not 24.99 by floats
        (9_999, 0.95, 250, 9_750),
        (199, 0.5, 50, 150),
    ],
)
def test_bounds_are_these_order_statistics_of_one_to_n(n, level, low, high):
    draws = np.random.default_rng(0).permutation(np.arange(1.0, n + 1))
    assert percentile_bounds(np.stack([draws, -draws]), level).tolist() == [[low, -high], [high, -low]]
