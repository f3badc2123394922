import pytest

from gameproof.audits.verdicts import (
    Evidence,
    judge_degradation,
    judge_ladder,
    judge_manipulation,
    judge_stable,
)
from gameproof.stats.results import Note, State, Verdict

SHOWN, NOT_SHOWN = 0.01, 0.5


def _evidence(*shown, state=None, change=None, effect=None, low=None, can_pass=True):
    questions = (
        "below_zero", "above_zero", "below_loss", "above_loss", "below_gain", "inside", "outside",
    )  # fmt: skip
    return Evidence(
        pvalues={question: SHOWN if question in shown else NOT_SHOWN for question in questions},
        alpha=0.05,
        can_pass=can_pass,
        state=state,
        change=change,
        effect=effect,
        low=low,
    )


def _manipulation(*shown, gate_met=True, **known):
    decision = judge_manipulation(_evidence(*shown, **known), margin=0.1, gate_met=gate_met)
    return decision.verdict, decision.note


def _degradation(*shown, **known):
    decision = judge_degradation(_evidence(*shown, **known))
    return decision.verdict, decision.note


def test_a_manipulation_passes_where_its_gain_is_shown_to_be_below_the_margin():
    assert _manipulation("below_gain") == (Verdict.PASS, None)


def test_a_manipulation_with_a_small_but_certain_gain_passes_with_a_note():
    assert _manipulation("below_gain", "above_zero") == (Verdict.PASS, Note.SMALL_GAIN)


def test_a_manipulation_that_pays_fails():
    assert _manipulation("above_zero", low=0.02) == (Verdict.FAIL, None)


def test_a_gain_whose_interval_lies_above_the_margin_is_material():
    assert _manipulation("above_zero", low=0.11) == (Verdict.FAIL, Note.MATERIAL)


def test_a_manipulation_about_which_nothing_is_shown_is_inconclusive():
    assert _manipulation() == (Verdict.INCONCLUSIVE, None)


@pytest.mark.parametrize("shown", [("below_gain",), ("below_gain", "above_zero")])
def test_without_a_loss_that_the_metric_sees_a_pass_is_insensitive(shown):
    assert _manipulation(*shown, gate_met=False)[0] is Verdict.INSENSITIVE


def test_a_failure_needs_no_gate():
    assert _manipulation("above_zero", gate_met=False)[0] is Verdict.FAIL


def test_a_manipulation_that_changes_nothing_passes_if_the_gate_is_met():
    assert _manipulation(state=State.NO_CHANGE)[0] is Verdict.PASS
    assert _manipulation(state=State.NO_CHANGE, gate_met=False)[0] is Verdict.INSENSITIVE


@pytest.mark.parametrize(("change", "verdict"), [(0.1, Verdict.FAIL), (-0.1, Verdict.PASS)])
def test_a_manipulation_without_spread_is_judged_by_its_sign(change, verdict):
    assert _manipulation(state=State.DETERMINISTIC, change=change) == (verdict, None)


def test_a_degradation_passes_where_its_loss_is_shown_to_exceed_the_margin():
    assert _degradation("below_zero", "below_loss") == (Verdict.PASS, None)


def test_a_certain_loss_of_unclear_size_passes_as_weak():
    assert _degradation("below_zero") == (Verdict.PASS, Note.WEAK)


def test_a_certain_loss_that_is_certainly_small_fails_as_negligible():
    assert _degradation("below_zero", "above_loss") == (Verdict.FAIL, Note.NEGLIGIBLE)


def test_a_change_that_is_certainly_small_without_a_sign_fails_as_blind():
    assert _degradation("above_loss", "below_gain") == (Verdict.FAIL, Note.BLIND)


def test_a_degradation_that_raises_the_score_goes_the_wrong_way_before_all_else():
    assert _degradation("above_zero", "above_loss", "below_gain") == (Verdict.WRONG_WAY, None)


@pytest.mark.parametrize("shown", [(), ("above_loss",), ("below_gain",)])
def test_a_degradation_about_which_too_little_is_shown_is_inconclusive(shown):
    assert _degradation(*shown) == (Verdict.INCONCLUSIVE, None)


def test_a_degradation_that_changes_nothing_is_blind():
    assert _degradation(state=State.NO_CHANGE) == (Verdict.FAIL, Note.BLIND)


@pytest.mark.parametrize(("change", "verdict"), [(0.1, Verdict.WRONG_WAY), (-0.1, Verdict.PASS)])
def test_a_degradation_without_spread_is_judged_by_its_sign(change, verdict):
    assert _degradation(state=State.DETERMINISTIC, change=change) == (verdict, None)


@pytest.mark.parametrize(
    ("expect", "shown", "verdict"),
    [
        ("decrease", "below_zero", Verdict.PASS),
        ("decrease", "above_zero", Verdict.WRONG_WAY),
        ("increase", "above_zero", Verdict.PASS),
        ("increase", "below_zero", Verdict.WRONG_WAY),
        ("increase", "inside", Verdict.INCONCLUSIVE),
    ],
)
def test_a_ladder_passes_by_the_expected_slope_only(expect, shown, verdict):
    assert judge_ladder(_evidence(shown), expect=expect).verdict is verdict


@pytest.mark.parametrize(("change", "verdict"), [(0.1, Verdict.PASS), (-0.1, Verdict.WRONG_WAY)])
def test_a_ladder_without_spread_is_judged_by_its_sign(change, verdict):
    evidence = _evidence(state=State.DETERMINISTIC, change=change)
    assert judge_ladder(evidence, expect="increase").verdict is verdict


@pytest.mark.parametrize(
    ("shown", "verdict"),
    [("inside", Verdict.PASS), ("outside", Verdict.FAIL), ("below_zero", Verdict.INCONCLUSIVE)],
)
def test_stability_is_equivalence(shown, verdict):
    assert judge_stable(_evidence(shown), margin=0.2).verdict is verdict


@pytest.mark.parametrize(
    ("effect", "verdict"), [(0.1, Verdict.PASS), (-0.3, Verdict.FAIL), (None, Verdict.FAIL)]
)
def test_a_stable_check_without_spread_is_exactly_what_it_is(effect, verdict):
    evidence = Evidence(pvalues={}, alpha=0.05, can_pass=True, state=State.DETERMINISTIC, effect=effect)
    assert judge_stable(evidence, margin=0.2).verdict is verdict


def test_no_change_at_all_is_stable():
    evidence = Evidence(pvalues={}, alpha=0.05, can_pass=True, state=State.NO_CHANGE)
    assert judge_stable(evidence, margin=0.2).verdict is Verdict.PASS


@pytest.mark.parametrize("state", [State.DETERMINISTIC, State.NO_CHANGE])
def test_a_stable_level_without_spread_does_not_decide_for_one_that_varies(state):
    assert judge_stable(_evidence(state=state, effect=0.1), margin=0.2).verdict is Verdict.INCONCLUSIVE
    assert judge_stable(_evidence("inside", state=state, effect=0.1), margin=0.2).verdict is Verdict.PASS


def test_few_tasks_never_pass_but_may_fail():
    few = {"can_pass": False}
    assert _manipulation("below_gain", **few)[0] is Verdict.INCONCLUSIVE
    assert _manipulation("above_zero", **few)[0] is Verdict.FAIL
    assert _manipulation(state=State.NO_CHANGE, **few)[0] is Verdict.INCONCLUSIVE
    assert _degradation("below_zero", "below_loss", **few)[0] is Verdict.INCONCLUSIVE
    assert _degradation("below_zero", **few)[0] is Verdict.INCONCLUSIVE
    assert _degradation("above_zero", **few)[0] is Verdict.WRONG_WAY
    assert judge_stable(_evidence("inside", **few), margin=0.2).verdict is Verdict.INCONCLUSIVE


def test_an_undefined_result_decides_nothing():
    empty = Evidence(pvalues={}, alpha=0.05, can_pass=True, state=State.UNDEFINED)
    assert judge_degradation(empty).verdict is Verdict.INCONCLUSIVE
    assert judge_manipulation(empty, margin=0.1, gate_met=True).verdict is Verdict.INCONCLUSIVE
