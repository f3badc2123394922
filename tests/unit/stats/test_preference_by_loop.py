"""Shares of wins by loops over annotators."""

import numpy as np
import pytest

from gameproof.stats.bootstrap import resample_counts, studentise
from gameproof.stats.preference import Contest, hold_against_half, win_records
from gameproof.stats.results import State
from gameproof.stats.sign_flip import sign_flip_pvalue

WON = [True, False, True, None, True, True, False, True, True, None, True, False, True]
WHO = list("aabbbcccddeee")


def _by_annotator():
    rows = {}
    for won, who in zip(WON, WHO, strict=True):
        if won is not None:
            rows.setdefault(who, []).append(won)
    return [np.array(each, float) for each in rows.values()]


def test_every_number_is_that_of_a_loop():
    groups = _by_annotator()
    total, n = sum(each.sum() for each in groups), sum(each.size for each in groups)
    psi = np.array([5 * total / n - 4 * (total - each.sum()) / (n - each.size) for each in groups])
    t = studentise(psi[:, None] - 0.5, n_resamples=499, confidence_level=0.9, seed=2)
    shares = np.sort([
        np.concatenate([each for each, k in zip(groups, row, strict=True) for _ in range(k)]).mean()
        for row in resample_counts(5, 499, seed=2)
    ])  # fmt: skip

    found = hold_against_half(WON, WHO, n_resamples=499, confidence_level=0.9, seed=2)

    assert (found.wins, found.n, found.n_neither, found.n_clusters) == (8, 11, 2, 5)
    assert found.share == pytest.approx(8 / 11)
    # 5% of 500 on either side
    assert (found.interval.low, found.interval.high) == pytest.approx((shares[24], shares[-25]))
    assert found.interval_t.low == pytest.approx(0.5 + t.low[0])
    assert found.interval_t.high == pytest.approx(0.5 + t.high[0])
    low, high = (1 + (shares <= 0.5).sum()) / 500, (1 + (shares >= 0.5).sum()) / 500
    assert found.pvalue_bootstrap == pytest.approx(min(1, 2 * min(low, high)))
    assert found.pvalue_t == pytest.approx(min(1, 2 * min(t.below[0], t.above[0])))
    flipped = sign_flip_pvalue(
        np.array([each.sum() - each.size / 2 for each in groups]), n_resamples=499, seed=2
    )
    assert found.pvalue_sign_flip == flipped
    assert (found.state, found.detail) == (None, None)


def test_losing_is_as_significant_as_winning():
    won, lost = (
        hold_against_half([w != turn for w in [True] * 14 + [False] * 4], [k // 3 for k in range(18)])
        for turn in (False, True)
    )
    assert won.pvalue_bootstrap == lost.pvalue_bootstrap
    assert won.pvalue_sign_flip == lost.pvalue_sign_flip
    assert (won.interval.low, won.interval.high) == pytest.approx(
        (1 - lost.interval.high, 1 - lost.interval.low)
    )


def test_one_half_has_pvalues_of_one():
    found = hold_against_half([True, False] * 6, [k // 2 for k in range(12)])
    assert (found.share, found.pvalue_bootstrap, found.pvalue_t, found.pvalue_sign_flip) == (
        0.5,
        1.0,
        None,
        1.0,
    )
    assert (found.interval_t, found.detail) == (None, "all annotators have the same share")


@pytest.mark.parametrize(
    ("won", "who", "numbers", "detail"),
    [
        ([None, None], "ab", (0, 0, 2, 0, None), "nothing was decided: an interval needs at least 2 annotators"),
        ([], "", (0, 0, 0, 0, None), "nothing was decided: an interval needs at least 2 annotators"),
        (
            [True, False, True, None], "aaab", (2, 3, 1, 1, 2 / 3),
            "one annotator decided everything: an interval needs at least 2 annotators",
        ),
    ],
)  # fmt: skip
def test_too_little_keeps_its_counts(won, who, numbers, detail):
    found = hold_against_half(won, list(who))
    assert (found.wins, found.n, found.n_neither, found.n_clusters, found.share) == numbers
    assert (
        found.interval,
        found.interval_t,
        found.pvalue_bootstrap,
        found.pvalue_t,
        found.pvalue_sign_flip,
    ) == ((None,) * 5)
    assert (found.state, found.detail) == (State.UNDEFINED, detail)


def test_two_annotators_are_enough():
    found = hold_against_half([True, True, False], ["a", "b", "b"], n_resamples=99)
    assert found.interval is not None
    # Their wins over one half are .5 and 0: both signs of .5 are as extreme.
    assert found.pvalue_sign_flip == 1.0


def test_as_many_annotators_as_contests_are_asked_for():
    with pytest.raises(ValueError, match="zip"):
        hold_against_half([True, False], ["a"])


def test_a_record_is_that_of_all_contests_of_a_variant_in_its_round():
    contests = [
        Contest(first="A", second="B", choice="second", annotator="p"),
        Contest(first="B", second="C", choice="neither", annotator="q"),
        Contest(first="C", second="A", choice="first", annotator="q"),
        Contest(first="A", second="B", choice="first", annotator="q", round="final"),
    ]
    records = win_records(contests, seed=4)
    assert [(record.round, record.variant) for record in records] == [
        ("", "A"), ("", "B"), ("", "C"), ("final", "A"), ("final", "B"),
    ]  # fmt: skip
    assert records[0].test == hold_against_half([False, False], ["p", "q"], seed=4)
    assert records[1].test == hold_against_half([True, None], ["p", "q"], seed=4)
    assert records[2].test == hold_against_half([None, True], ["q", "q"], seed=4)
    assert records[4].test == hold_against_half([False], ["q"], seed=4)
