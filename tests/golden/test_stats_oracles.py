"""Our statistics against scipy and statsmodels, computed here."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import NormalIndPower, TTestPower

from gameproof.stats.bootstrap import resample_counts
from gameproof.stats.correlation import Clusters
from gameproof.stats.levels import level_draws, make_table
from gameproof.stats.multiple import holm
from gameproof.stats.parity import paired_t
from gameproof.stats.power import detectable_effect, intraclass_correlation, required_items
from gameproof.stats.ranks import kendall, midranks, spearman
from gameproof.stats.sign_flip import sign_flip_pvalue

# Both sides compute in float64; sums of a hundred numbers differ in the last two digits.
TOLERANCE = 1e-12


@pytest.fixture
def rng():
    return np.random.default_rng(20260801)


def test_paired_t_equals_scipy(rng):
    for n in (2, 5, 200):
        original, variant = rng.normal(size=n), rng.normal(size=n)
        ours = paired_t(original, variant, confidence_level=0.95)
        theirs = stats.ttest_rel(variant, original)
        assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-10)
        assert ours.pvalue == pytest.approx(theirs.pvalue, rel=1e-10)
        less = stats.ttest_rel(variant, original, alternative="less").pvalue
        assert ours.pvalue_less == pytest.approx(less, rel=1e-10)
        interval = theirs.confidence_interval(0.95)
        average = np.sqrt((original.var(ddof=1) + variant.var(ddof=1)) / 2)
        assert ours.interval.low == pytest.approx(interval.low / average, rel=1e-10)
        assert ours.interval.high == pytest.approx(interval.high / average, rel=1e-10)


def test_holm_equals_statsmodels(rng):
    for n in (1, 6, 37):
        pvalues = rng.random(n) ** 3
        theirs = multipletests(pvalues, method="holm")[1]
        assert holm(pvalues.tolist()) == pytest.approx(theirs.tolist(), abs=TOLERANCE)


def test_ranks_and_spearman_equal_scipy_with_ties(rng):
    for values in (3, 10, 1_000):
        first, second = rng.integers(0, values, size=(2, 200)).astype(float)
        assert midranks(first).tolist() == stats.rankdata(first).tolist()
        assert spearman(first, second) == pytest.approx(
            stats.spearmanr(first, second).statistic, abs=TOLERANCE
        )


@pytest.mark.parametrize("variant", ["b", "c"])
def test_kendall_equals_scipy_with_ties(rng, variant):
    first, second = rng.integers(0, 6, size=(2, 60)).astype(float)
    theirs = stats.kendalltau(first, second, variant=variant).statistic
    assert kendall(first, second, variant=variant) == pytest.approx(theirs, abs=TOLERANCE)


@pytest.mark.parametrize("values", [4, 1_000])
def test_resampled_correlations_equal_scipy_on_the_copied_rows(rng, values):
    n_tasks, size = 9, 6
    tasks = np.repeat(np.arange(n_tasks), size)
    systems = np.tile(np.arange(size), n_tasks)
    scores, marks = rng.integers(0, values, size=(2, tasks.size)).astype(float)
    table = make_table(scores, marks, np.ones(tasks.size, bool), Clusters(tasks=tasks, systems=systems))
    counts = resample_counts(n_tasks, 50, seed=0)
    drawn = {level: level_draws(level, table, n_resamples=50, seed=0) for level in ("pooled", "system")}
    for place, row in enumerate(counts):
        rows = np.concatenate(
            [np.flatnonzero(tasks == task) for task in range(n_tasks) for _ in range(row[task])]
        )
        pooled = stats.spearmanr(scores[rows], marks[rows]).statistic
        means = [[c[rows][systems[rows] == s].mean() for s in range(size)] for c in (scores, marks)]
        assert drawn["pooled"][place] == pytest.approx(pooled, abs=1e-10)
        assert drawn["system"][place] == pytest.approx(stats.spearmanr(*means).statistic, abs=1e-10)


def test_exact_sign_flips_equal_scipy(rng):
    values = rng.normal(0.4, 1, size=10)
    theirs = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", alternative="two-sided", n_resamples=2**10
    ).pvalue
    assert sign_flip_pvalue(values, n_resamples=999, seed=0) == pytest.approx(theirs, abs=TOLERANCE)


def test_detectable_effect_equals_statsmodels():
    for n in (5, 20, 200):
        theirs = TTestPower().solve_power(nobs=n, alpha=0.05, power=0.8, alternative="larger")
        ours = detectable_effect(1 / np.sqrt(n), n_tasks=n, alpha=0.05, power=0.8)
        assert ours == pytest.approx(theirs, rel=1e-5)  # statsmodels stops its search there


def test_required_items_equal_statsmodels():
    # One sample of changes with standard deviation sqrt(2 (1 - .8)) in units of s_av.
    effect = 0.1 / np.sqrt(0.4)
    theirs = NormalIndPower(ddof=0).solve_power(effect, alpha=0.05, power=0.8, ratio=0, alternative="larger")
    assert required_items(margin=0.1, correlation=0.8, alpha=0.05, power=0.8) == np.ceil(theirs)


def test_intraclass_correlation_equals_the_one_of_scipys_anova(rng):
    values = rng.normal(size=(8, 5)) + rng.normal(size=(8, 1))
    ratio = stats.f_oneway(*values).statistic
    ours = intraclass_correlation(values.ravel(), np.repeat(np.arange(8), 5))
    assert ours == pytest.approx((ratio - 1) / (ratio + 4), rel=1e-10)  # (F - 1) / (F + k - 1)
