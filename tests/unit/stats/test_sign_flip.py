import numpy as np
import pytest
from scipy.stats import binomtest

from gameproof.seeds import rng_for
from gameproof.stats import sign_flip
from gameproof.stats.sign_flip import MAX_EXACT_TASKS, sign_flip_pvalue

# 25 tasks that move by 1 each, 18 of them up: the signs are fair coins under the hypothesis.
EIGHTEEN_UP = np.repeat([1.0, -1.0], [18, 7])


def test_three_tasks_by_hand():
    # Sums of +-1 +-2 +-3 are 6, 4, 2, 0, 0, -2, -4, -6: two of eight reach 6, four reach 4.
    assert sign_flip_pvalue(np.array([1.0, 2.0, 3.0]), n_resamples=9, seed=0) == 0.25
    assert sign_flip_pvalue(np.array([-1.0, 2.0, 3.0]), n_resamples=9, seed=0) == 0.5


def test_sums_that_are_equal_but_for_rounding_are_equal():
    # .1 + .2 - .3 is 2.8e-17 in floats: as extreme as nothing.
    assert sign_flip_pvalue(np.array([0.1, 0.2, -0.3]), n_resamples=9, seed=0) == 1.0
    # The sum .3 of .1, .2 and nothing is reached by .1 + .2 in another order too: 4 of 8.
    assert sign_flip_pvalue(np.array([0.2, 0.1, 0.0]), n_resamples=9, seed=0) == 0.5


def test_one_task_has_two_patterns_and_both_are_as_extreme():
    assert sign_flip_pvalue(np.array([3.0]), n_resamples=9, seed=0) == 1.0


def test_twenty_tasks_are_enumerated_and_more_are_drawn():
    assert sign_flip_pvalue(np.ones(MAX_EXACT_TASKS), n_resamples=9, seed=0) == 2 / 2**20
    assert sign_flip_pvalue(np.ones(MAX_EXACT_TASKS + 1), n_resamples=9, seed=0) == 1 / 10


def test_drawn_patterns_give_the_binomial_law():
    # scipy's exact test of 18 of 25 against one half; four standard errors of a share of 9,999 draws.
    exact = binomtest(18, 25).pvalue
    found = sign_flip_pvalue(EIGHTEEN_UP, n_resamples=9_999, seed=0)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 9_999))


def test_drawn_patterns_are_the_definition_written_as_a_loop():
    values = np.random.default_rng(3).normal(0.3, 1.0, 23)
    signs = 2.0 * rng_for(5, "stats", "sign flip", 23).integers(0, 2, size=(199, 23), dtype=np.uint8) - 1.0
    sizes = np.sort(np.abs(values))
    extreme = sum(abs(float(row @ sizes)) >= abs(values.sum()) - 1e-9 for row in signs)
    assert sign_flip_pvalue(values, n_resamples=199, seed=5) == (1 + extreme) / 200


def test_neither_the_order_of_tasks_nor_the_direction_matters():
    values = np.random.default_rng(4).normal(0.3, 1.0, 23)
    found = {sign_flip_pvalue(each, n_resamples=199, seed=0) for each in (values, values[::-1], -values)}
    assert len(found) == 1


def test_blocks_of_another_size_count_the_same_patterns(monkeypatch):
    whole = sign_flip_pvalue(EIGHTEEN_UP, n_resamples=199, seed=0)
    monkeypatch.setattr(sign_flip, "BLOCK_ENTRIES", 25 * 7)
    assert sign_flip_pvalue(EIGHTEEN_UP, n_resamples=199, seed=0) == whole
    monkeypatch.setattr(sign_flip, "BLOCK_ENTRIES", 1)
    assert sign_flip_pvalue(EIGHTEEN_UP, n_resamples=199, seed=0) == whole


@pytest.mark.parametrize(("entries", "drawn"), [(25 * 100, 100), (25 * 100 + 24, 100), (1, 1)])
def test_patterns_are_thinned_where_tasks_are_very_many(monkeypatch, entries, drawn):
    monkeypatch.setattr(sign_flip, "MAX_ENTRIES", entries)
    # 25 of 25 in one direction have a chance of 6e-8: no pattern reaches it.
    assert sign_flip_pvalue(np.ones(25), n_resamples=999, seed=0) == 1 / (drawn + 1)


def test_shared_signs_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        sign_flip._positive(25, 9, 0)[0, 0] = 1
