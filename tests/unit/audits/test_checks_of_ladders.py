import numpy as np
import pytest
from tests.support.checking import (
    ITEMS,
    ORIGINAL,
    N,
    as_scores,
    checked,
    noise,
)

from gameproof.audits.measure import _stable_pvalues
from gameproof.stats.paired import PairedResult, Sides
from gameproof.stats.results import State, Verdict


def test_a_ladder_is_judged_by_its_slope_with_the_original_at_level_zero():
    levels = {("distractor_sentences", k): ORIGINAL - 0.2 * k + noise(seed=k) for k in range(1, 6)}
    row = checked(levels)["distractor_sentences"]
    assert row.verdict is Verdict.PASS
    assert (row.rho, row.match_rate, row.parity_verdict) == (-1.0, 1.0, "pass")
    assert row.share_right > 0.95


def test_a_ladder_that_rises_where_it_should_fall_goes_the_wrong_way():
    levels = {("distractor_sentences", k): ORIGINAL + 0.2 * k + noise(seed=k) for k in range(1, 6)}
    row = checked(levels)["distractor_sentences"]
    assert (row.verdict, row.parity_verdict) == (Verdict.WRONG_WAY, "fail")


def test_a_ladder_that_builds_up_ends_in_the_whole_text():
    levels = {
        ("incremental_addition", k): ORIGINAL + (k - 100) / 100 + noise(0.1, seed=k)
        for k in (25, 50, 75, 100)
    }
    row = checked(levels)["incremental_addition"]
    assert (row.verdict, row.rho) == (Verdict.PASS, 1.0)


def test_texts_too_short_for_a_level_lack_it_without_being_missing():
    kept = ITEMS[: N // 2]
    levels = {("incremental_sentences", k): ORIGINAL + 0.3 * k + noise(0.1, seed=k) for k in (1, 2)}
    longer = ORIGINAL + 0.9 + noise(0.1, seed=3)
    levels["incremental_sentences", 3] = as_scores(longer[: N // 2], kept)
    row = checked(levels)["incremental_sentences"]
    assert (row.n, row.n_missing) == (N, 0)
    assert row.verdict is None  # only there to be compared with the paper
    assert row.rho == 1.0


def test_a_text_with_a_single_level_is_missing():
    levels = {("incremental_addition", k): ORIGINAL + k / 100 + noise(0.1, seed=k) for k in (25, 50, 75, 100)}
    reasons = {ITEMS[0].id: "fewer than two sentences"}
    for k in (25, 50, 75):
        levels["incremental_addition", k][0] = np.nan
        levels["incremental_addition", k] = as_scores(levels["incremental_addition", k], reasons=reasons)
    row = checked(levels)["incremental_addition"]
    assert row.missing == {"fewer than two sentences": 1}


def _stable(**changes):
    return {
        ("lengthen", level): ORIGINAL + change
        for level, change in zip((25, 50), changes.values(), strict=True)
    }


def test_a_stable_check_passes_where_every_level_is_equivalent():
    row = checked(_stable(a=noise(), b=noise(seed=2)))["lengthen"]
    assert row.verdict is Verdict.PASS
    assert row.pvalue_margin_adjusted <= 0.05


def test_a_stable_check_fails_by_its_worst_level():
    row = checked(_stable(a=noise(), b=0.6 + noise(seed=2)))["lengthen"]
    assert row.verdict is Verdict.FAIL
    assert row.effect > 0.4
    assert "level 50" in row.detail


def test_a_stable_check_between_pass_and_failure_is_inconclusive():
    row = checked(_stable(a=noise(), b=0.2 * ORIGINAL.std(ddof=1) + noise(seed=2)))["lengthen"]
    assert row.verdict is Verdict.INCONCLUSIVE


def test_a_stable_check_that_changes_nothing_passes():
    zero = np.zeros(N)
    assert checked(_stable(a=zero, b=zero))["lengthen"].verdict is Verdict.PASS
    assert checked(_stable(a=zero, b=noise()))["lengthen"].verdict is Verdict.PASS


def test_a_stable_check_without_spread_at_one_level_is_judged_by_that_shift():
    row = checked(_stable(a=noise(), b=np.full(N, 0.9)))["lengthen"]
    assert (row.verdict, row.state) == (Verdict.FAIL, State.DETERMINISTIC)


def test_a_small_shift_without_spread_does_not_hide_a_level_that_nothing_is_shown_of():
    # One level moves every score by .19 s_av, inside .20 but the largest; the other by nothing much, and so noisily
    # that its interval reaches far beyond .20: the equivalence of both is not shown.
    shift = 0.19 * ORIGINAL.std(ddof=1)
    row = checked(_stable(a=np.full(N, shift), b=noise(4.0, seed=3) - noise(4.0, seed=3).mean()))["lengthen"]
    assert row.state is State.DETERMINISTIC
    assert row.verdict is Verdict.INCONCLUSIVE


def test_a_small_shift_without_spread_takes_no_pass_from_the_other_levels():
    # .02 s_av at one level; the other is shown inside by itself, as in the test of two such levels above.
    row = checked(_stable(a=np.full(N, 0.02 * ORIGINAL.std(ddof=1)), b=0.1 + noise(seed=2)))["lengthen"]
    assert row.state is None
    assert row.verdict is Verdict.PASS


def test_a_large_shift_without_spread_fails_although_another_level_moves_more():
    # .3 s_av is beyond .20 for certain; the other level moves more on average and says nothing for certain.
    wild = noise(9.0, seed=3)
    row = checked(_stable(a=np.full(N, 0.3 * ORIGINAL.std(ddof=1)), b=3.0 + wild - wild.mean()))["lengthen"]
    assert abs(row.effect) > 0.3
    assert row.verdict is Verdict.FAIL


def test_two_levels_have_four_ways_to_be_outside_and_one_to_be_inside():
    def level(loss, gain):
        return PairedResult(
            n=60, n_tasks=30, change=0.0, effect=0.0, effect_original=0.0, margins={-0.2: loss, 0.2: gain}
        )

    # Level 1: d > -.2 with p .01, d < .2 with p .02, d < -.2 with .99, d > .2 with .98. Level 2: .97, .001, .01, .999.
    one = level(Sides(below=0.99, above=0.01), Sides(below=0.02, above=0.98))
    two = level(Sides(below=0.01, above=0.97), Sides(below=0.001, above=0.999))
    inside, outside = _stable_pvalues([one, two], 0.2)
    assert inside == 0.97  # the largest of .01, .02, .97 and .001: all four must be shown
    assert outside == pytest.approx(
        4 * 0.01
    )  # Bonferroni: the smallest of .99, .98, .01 and .999, four times


def test_the_direction_of_a_flipped_opinion_is_a_claim_about_each_text():
    rows = checked({(name, None): ORIGINAL - 1 + noise() for name in ("opinion_flip", "random_replacement")})
    assert "direction by verification" in rows["opinion_flip"].detail
    assert rows["random_replacement"].detail is None


def test_a_ladder_that_is_only_compared_with_the_paper_takes_no_part_in_the_correction():
    judged = {("distractor_sentences", k): ORIGINAL - 0.05 * k + noise(seed=k) for k in range(1, 6)}
    shown = {("incremental_sentences", k): ORIGINAL + 0.3 * k + noise(0.1, seed=k) for k in (1, 2)}
    rows = checked(judged | shown)
    # Holm of a family of one leaves its p-value as it is.
    assert rows["distractor_sentences"].pvalue_zero_adjusted == rows["distractor_sentences"].pvalue_zero
    assert rows["incremental_sentences"].pvalue_zero_adjusted is None
    assert rows["incremental_sentences"].pvalue_zero is not None


def test_a_single_stable_level_has_no_papers_rho_but_its_sign_is_told():
    row = checked({("lengthen", 25): ORIGINAL + 0.01 + noise()})["lengthen"]
    assert (row.rho, row.parity_verdict) == (None, "undefined")
    assert "two levels" in row.detail
