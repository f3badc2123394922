from dataclasses import replace

import pytest

from gameproof.audits.card import Coverage, count_coverage, exit_code, make_card
from gameproof.audits.result import Card, CardMark, CheckRow, CorrelationRow, MetricResult
from gameproof.stats.results import State, Verdict


def _row(check="a", family="manipulation", verdict=Verdict.PASS, suite="strategic", **known):
    return CheckRow(
        check=check,
        family=family,
        expect=known.pop("expect", "no_increase"),
        suite=suite,
        effect=0.0,
        low=None,
        high=None,
        verdict=verdict,
        n=known.pop("n", 100),
        n_tasks=known.pop("n_tasks", 100),
        **known,
    )


def _correlation(rho=0.3, low=0.2, high=0.4, *, level="within_task", dimension="mean", detail=None):
    return CorrelationRow(
        dimension=dimension, level=level, rho=rho, low=low, high=high, n=10, state_detail=detail
    )


DELETION = _row("sentence_deletion", "degradation", pvalue_margin=0.001)
GOOD = (DELETION, _row("b"), _row("c", "ladder", suite="satisfaction"))


def test_a_metric_that_holds_everywhere_is_trusted():
    card = make_card(GOOD, [_correlation()])
    assert set(vars_of(card)) == {CardMark.YES}


def vars_of(card):
    return [card.statistical, card.sensitive, card.resistant, card.satisfied, card.trusted]


@pytest.mark.parametrize(
    ("row", "mark"),
    [
        (_correlation(0.3, 0.2, 0.4), CardMark.YES),
        (_correlation(0.10, 0.01, 0.2), CardMark.YES),
        (_correlation(0.09, 0.01, 0.2), CardMark.INCONCLUSIVE),
        (_correlation(0.2, -0.1, 0.5), CardMark.INCONCLUSIVE),
        (_correlation(0.05, 0.01, 0.09), CardMark.NO),
        (_correlation(-0.3, -0.4, -0.2), CardMark.NO),
        (_correlation(0.3, None, None), CardMark.INCONCLUSIVE),
        (_correlation(None, None, None, detail="constant scores in every task"), CardMark.NO),
        (_correlation(None, None, None, detail="fewer than 3 items in every task"), CardMark.NOT_MEASURED),
        (_correlation(level="pooled"), CardMark.NOT_MEASURED),
        (_correlation(dimension="fluency"), CardMark.NOT_MEASURED),
    ],
)
def test_alignment_is_the_mean_within_task_correlation(row, mark):
    assert make_card(GOOD, [row]).statistical is mark


@pytest.mark.parametrize("verdict", [Verdict.FAIL, Verdict.WRONG_WAY])
def test_one_failure_fails_the_property_and_the_trust(verdict):
    card = make_card([*GOOD, _row("d", "degradation", verdict)], [_correlation()])
    assert (card.sensitive, card.trusted) == (CardMark.NO, CardMark.NO)


@pytest.mark.parametrize("verdict", [Verdict.INCONCLUSIVE, Verdict.INSENSITIVE])
def test_anything_undecided_leaves_the_property_open(verdict):
    card = make_card([*GOOD, _row("d", verdict=verdict)], [_correlation()])
    assert (card.resistant, card.trusted) == (CardMark.INCONCLUSIVE, CardMark.INCONCLUSIVE)


def test_a_failure_outweighs_what_is_undecided():
    rows = [*GOOD, _row("d", verdict=Verdict.INSENSITIVE), _row("e", verdict=Verdict.FAIL)]
    assert make_card(rows, []).resistant is CardMark.NO


def test_resisting_them_all_needs_no_correction_for_how_many_they_are():
    rows = [DELETION, *(_row(name, verdict=Verdict.INCONCLUSIVE, pvalue_margin=0.03) for name in "abc")]
    assert make_card(rows, []).resistant is CardMark.YES


@pytest.mark.parametrize(
    "change",
    [
        {"pvalue_margin": 0.06},
        {"pvalue_margin": None},
        {"n_tasks": 19},
        {"n_missing": 30},
        {"verdict": Verdict.INSENSITIVE},
    ],
)
def test_what_keeps_a_manipulation_open_for_another_reason_stays_open(change):
    row = replace(_row("a", verdict=Verdict.INCONCLUSIVE, pvalue_margin=0.03), **change)
    assert make_card([DELETION, row], []).resistant is CardMark.INCONCLUSIVE


def test_without_the_gate_raw_pvalues_show_nothing():
    row = _row("a", verdict=Verdict.INCONCLUSIVE, pvalue_margin=0.03)
    assert make_card([row], []).resistant is CardMark.INCONCLUSIVE
    assert make_card([replace(DELETION, n_missing=50), row], []).resistant is CardMark.INCONCLUSIVE


def test_what_was_not_measured_does_not_count_but_half_must_have_run():
    missed = [_row(str(n), verdict=None, state=State.NOT_MEASURED) for n in range(3)]
    assert make_card([*GOOD, *missed], [_correlation()]).trusted is CardMark.YES
    one_more = _row("x", verdict=None, state=State.NOT_MEASURED)
    assert make_card([*GOOD, *missed, one_more], [_correlation()]).trusted is CardMark.INCONCLUSIVE


def test_what_does_not_apply_or_is_only_shown_is_not_missed():
    rows = [
        *GOOD,
        *(_row(str(n), verdict=None, state=State.NOT_APPLICABLE) for n in range(9)),
        *(_row(f"p{n}", "probe", None, expect="none", state=State.NOT_MEASURED) for n in range(9)),
    ]
    assert make_card(rows, []).trusted is CardMark.YES


def test_nothing_measured_is_nothing_trusted():
    card = make_card([], [])
    assert card.sensitive is card.resistant is card.satisfied is card.statistical is CardMark.NOT_MEASURED
    assert card.trusted is CardMark.INCONCLUSIVE


def _result(name, trusted):
    card = Card(statistical=trusted, sensitive=trusted, resistant=trusted, satisfied=trusted, trusted=trusted)
    return MetricResult(metric=name, signature=name, higher_is_better=True, card=card)


@pytest.mark.parametrize(
    ("marks", "code"),
    [
        ([CardMark.YES, CardMark.YES], 0),
        ([CardMark.YES, CardMark.INCONCLUSIVE], 4),
        ([CardMark.INCONCLUSIVE, CardMark.NO], 3),
        ([], 4),
    ],
)
def test_the_worst_metric_decides_the_exit_code(marks, code):
    assert exit_code([_result(str(place), mark) for place, mark in enumerate(marks)]) == code


def test_a_gate_lets_one_metric_decide():
    results = [_result("good", CardMark.YES), _result("bad", CardMark.NO)]
    assert exit_code(results, gate="good") == 0
    assert exit_code(results, gate="bad") == 3


def test_extra_probes_do_not_count_towards_how_much_was_examined():
    missing = [_row(f"m{n}", verdict=None, state=State.NOT_MEASURED) for n in range(4)]
    probes = [_row(f"p{n}", extra=True) for n in range(6)]
    assert count_coverage([*GOOD, *missing, *probes]) == Coverage(n_ran=3, n_applicable=7)
    assert make_card([*GOOD, *missing, *probes], [_correlation()]).trusted is CardMark.INCONCLUSIVE


def test_a_failed_extra_probe_fails_the_metric():
    probe = _row("repeat_text", verdict=Verdict.FAIL, extra=True)
    assert make_card([*GOOD, probe], [_correlation()]).resistant is CardMark.NO


def test_a_metric_without_any_score_is_no_open_question():
    """A CI job that lets 4 pass must not let a metric pass that raised for every text."""
    crashed = replace(_result("crashed", CardMark.NOT_MEASURED), summary={"n": 0.0})
    open_, failed = _result("open", CardMark.INCONCLUSIVE), _result("failed", CardMark.NO)
    assert exit_code([crashed]) == exit_code([open_, crashed]) == 2
    assert exit_code([failed, crashed]) == 3
    assert exit_code([open_, crashed], gate="open") == 4
