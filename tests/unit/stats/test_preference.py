import numpy as np
import pytest

from gameproof.stats.bootstrap import resample_counts
from gameproof.stats.preference import Contest, hold_against_half, win_records
from gameproof.stats.results import State

RNG = np.random.default_rng(9)


def drawn(n=125, n_annotators=20, share=0.63):
    return (RNG.random(n) < share).tolist(), [f"p{k}" for k in RNG.integers(0, n_annotators, n)]


def test_neither_is_counted_and_is_no_loss():
    found = hold_against_half([True, None, False, True], ["a", "a", "b", "b"])
    assert (found.wins, found.n, found.n_neither, found.share) == (2, 3, 1, pytest.approx(2 / 3))


def test_resamples_take_annotators_with_all_their_contests():
    won, who = drawn()
    found = hold_against_half(won, who, n_resamples=999, seed=3)
    names = list(dict.fromkeys(who))
    shares = []
    for count in resample_counts(len(names), 999, seed=3):
        repeated = np.repeat(won, [int(count[names.index(name)]) for name in who])
        shares.append(repeated.mean())
    shares = np.sort(shares)
    assert (found.interval.low, found.interval.high) == (
        shares[24],
        shares[974],
    )  # 2.5% of 1,000 on either side
    below, above = (1 + (shares <= 0.5).sum()) / 1000, (1 + (shares >= 0.5).sum()) / 1000
    assert found.pvalue_bootstrap == pytest.approx(2 * min(below, above), abs=1e-12)


def test_sign_flips_are_exact_where_every_annotator_agrees():
    # 10 annotators who all win 3 of 4: the most extreme of 2^10 patterns, on two sides.
    found = hold_against_half([True, True, True, False] * 10, [k // 4 for k in range(40)])
    assert found.pvalue_sign_flip == 2 / 2**10
    assert found.detail == "all annotators have the same share"
    assert found.interval_t is None


def test_the_studentised_interval_is_wider_with_few_annotators():
    won, who = drawn(n_annotators=8)
    found = hold_against_half(won, who)
    assert found.interval_t.high - found.interval_t.low > found.interval.high - found.interval.low


@pytest.mark.parametrize(
    ("won", "who", "said"),
    [([None, None], ["a", "b"], "nothing was decided"), ([True, False], ["a", "a"], "one annotator")],
)
def test_what_cannot_be_inferred_says_why(won, who, said):
    found = hold_against_half(won, who)
    assert found.state is State.UNDEFINED
    assert said in found.detail
    assert found.pvalue_bootstrap is None


def test_a_contest_counts_for_both_sides():
    contests = [
        Contest(first="A", second="B", choice="first", annotator="p", round="1"),
        Contest(first="B", second="A", choice="first", annotator="q", round="1"),
        Contest(first="A", second="B", choice="neither", annotator="q", round="1"),
        Contest(first="A", second="C", choice="second", annotator="q", round="final"),
    ]
    records = {(record.round, record.variant): record.test for record in win_records(contests)}
    assert records["1", "A"].wins == records["1", "B"].wins == 1
    assert records["1", "A"].n_neither == 1
    assert records["final", "C"].share == 1.0
