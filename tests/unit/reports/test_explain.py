from dataclasses import replace

import pytest
from tests.support.fake_results import check, fake_result

from gameproof.audits.result import Card, CardMark
from gameproof.reports.explain import (
    explain_card,
    explain_exit,
    find_unmeasured,
    headline,
    legend,
    run_notes,
    run_sentence,
)
from gameproof.stats.results import State, Verdict


def why(metric, name):
    return next(reason.sentence for reason in explain_card(metric) if reason.name == name)


def result_of(*metrics):
    return replace(fake_result(), metrics=metrics)


LENGTH, ROUGE, CHRF, TOTAL_VARIATION, DIVERGENCE = fake_result().metrics


def test_a_gameable_metric_is_called_so():
    assert "can be gamed" in headline(LENGTH)


def test_a_trusted_metric_is_trusted_on_this_data_only():
    everything = replace(TOTAL_VARIATION, checks=TOTAL_VARIATION.checks[:5])

    assert headline(everything) == "can be trusted as a target on this data"


def test_trust_says_how_much_it_rests_on():
    # five checks have a verdict, one was not measured
    assert (
        headline(TOTAL_VARIATION) == "can be trusted as a target on this data, as far as 5 of 6 checks show"
    )


def test_a_metric_of_which_nothing_failed_is_not_called_bad():
    assert headline(ROUGE) == "nothing failed, but this data cannot show that it can be trusted"


def test_a_failed_manipulation_is_named_with_its_gain_and_its_state():
    assert why(LENGTH, "resistant") == (
        "the score rises under meaningless elongation (+2.31, the same for every text: deterministic)"
    )


def correlated(rho, low, high, *dimensions):
    mean = next(row for row in ROUGE.correlation if row.level == "within_task")
    rows = (mean, *(replace(mean, dimension=name) for name in dimensions))
    return replace(ROUGE, correlation=tuple(replace(row, rho=rho, low=low, high=high, n=25) for row in rows))


def test_a_metric_that_does_not_follow_the_ratings_is_told_by_which_bar_and_on_how_many_tasks():
    # The bar is MIN_RHO of audits/checks.py; the numbers are an audit of rougeL on 200 texts of SummEval.
    metric = correlated(-0.044, -0.189, 0.096, "coherence", "relevance")
    metric = replace(metric, card=replace(metric.card, statistical=CardMark.NO))

    assert why(metric, "statistical") == (
        "it does not follow the ratings (within-task correlation \N{MINUS SIGN}0.04 [\N{MINUS SIGN}0.19, 0.10], "
        "mean over 2 dimensions; on 25 or more tasks shown to be below 0.10)"
    )


def test_an_uncertain_correlation_says_what_a_yes_takes():
    metric = correlated(0.08, -0.03, 0.2, "quality")
    metric = replace(metric, card=replace(metric.card, statistical=CardMark.INCONCLUSIVE))

    assert why(metric, "statistical") == (
        "the correlation with ratings is too uncertain (within-task correlation +0.08 [\N{MINUS SIGN}0.03, 0.20]; "
        "25 tasks; a yes takes 0.10 or more, shown to be above 0)"
    )


def test_a_blind_metric_is_said_not_to_move():
    assert why(LENGTH, "sensitive") == "the score does not move under random replacement (+0.02)"


def test_the_reason_for_an_inconclusive_mark_names_the_checks():
    sentence = why(ROUGE, "resistant")

    assert "the data cannot decide padding" in sentence
    assert "no gain from meaningless elongation" in sentence


def test_passes_that_count_for_nothing_name_the_check_that_would_make_them_count():
    rows = (check("tag_text", "manipulation", -0.04, Verdict.INSENSITIVE),)

    assert why(replace(ROUGE, checks=rows), "resistant") == (
        "no gain from tag text, but sentence_deletion did not run, so that proves nothing"
    )


def test_several_failures_are_joined():
    rows = (
        check("a_b", "degradation", -0.2, Verdict.WRONG_WAY),
        check("c", "degradation", None, Verdict.FAIL),
    )
    metric = replace(LENGTH, checks=rows)

    assert why(metric, "sensitive") == "the score drops under a b (\u22120.20); goes wrong under c"


def test_equal_movements_are_told_together_the_largest_first():
    rows = tuple(check(f"trick_{n}", "manipulation", n / 10, Verdict.FAIL) for n in range(1, 8))

    assert why(replace(LENGTH, checks=rows), "resistant") == (
        "the score rises under trick 7 (+0.70), trick 6 (+0.60), trick 5 (+0.50), trick 4 (+0.40)"
        " and 3 more checks"
    )


def test_a_change_where_there_should_be_none_says_so():
    row = check("shorten", "ladder", -0.5, Verdict.FAIL, expect="stable")

    assert why(replace(LENGTH, checks=(row,)), "satisfied") == (
        "the score drops under shorten (\u22120.50), where it should stay level"
    )


def test_too_few_checks_are_the_reason_where_everything_else_is_fine():
    card = replace(TOTAL_VARIATION.card, trusted=CardMark.INCONCLUSIVE)

    reasons = explain_card(replace(TOTAL_VARIATION, card=card))

    # five checks have a verdict, one was not measured; what is not applicable does not count
    (reason,) = reasons
    assert reason.verdict == "trusted (inconclusive)"
    assert reason.sentence.startswith("only 5 of 6 checks could run")


def test_many_undecided_checks_are_counted_instead_of_listed():
    rows = tuple(check(f"check_{n}", "manipulation", 0.0, Verdict.INCONCLUSIVE) for n in range(8))

    sentence = why(replace(ROUGE, checks=rows), "resistant")

    assert sentence == "the data cannot decide check 0, check 1, check 2, check 3 and 4 more checks"


def test_too_few_tasks_are_named_as_the_reason_why_nothing_passes():
    # twenty tasks is the least on which a check passes, whatever the effect
    rows = (check("padding", "manipulation", -3.4, Verdict.INCONCLUSIVE, n_tasks=4),)

    assert why(replace(ROUGE, checks=rows), "resistant") == (
        "the data cannot decide padding (4 tasks; a pass takes 20)"
    )


def test_a_metric_that_scored_nothing_is_not_explained_by_the_data():
    broken = replace(ROUGE, summary={"n": 0.0, "n_missing": 48.0}, alarms=("missing: 48 of 48",))

    assert headline(broken) == "could not be judged: no text has a score"
    assert explain_card(broken) == []


def test_probes_that_do_not_count_as_coverage_are_named():
    rows = (*TOTAL_VARIATION.checks, check("tag_text", "manipulation", 0.0, Verdict.PASS, extra=True))
    metric = replace(
        TOTAL_VARIATION, checks=rows, card=replace(TOTAL_VARIATION.card, trusted=CardMark.INCONCLUSIVE)
    )

    assert "only 5 of 6 checks could run (tag text not counted: no rewrites)" in why(metric, "trusted")


def test_why_a_check_could_not_run_is_told_once():
    row = check(
        "rephrase", "manipulation", None, state=State.NOT_MEASURED, detail="no variant",
        n_missing=60, missing={"no variant": 59, "empty": 1},
    )  # fmt: skip

    entries = find_unmeasured(result_of(replace(ROUGE, checks=(row,))))

    assert [(entry.what, entry.why) for entry in entries] == [
        (("rephrase",), "no variant"),
        (("1 text of rephrase",), "empty"),
    ]


def test_a_margin_in_sentences_is_explained():
    result = replace(result_of(ROUGE), run={"margin": ".5sent"})

    assert "what losing one sentence costs" in legend(result)[1].meaning


def test_a_yes_needs_no_reason():
    assert explain_card(TOTAL_VARIATION) == []


def test_missing_ratings_are_told():
    metric = replace(ROUGE, correlation=(), card=replace(ROUGE.card, statistical=CardMark.NOT_MEASURED))

    assert why(metric, "statistical") == "the data has no ratings"
    assert find_unmeasured(result_of(metric))[0].what == ("agreement with ratings",)


def test_an_undefined_correlation_gives_its_state():
    assert why(CHRF, "statistical").endswith("undefined: constant scores")


def test_what_all_metrics_lack_is_told_once():
    entries = {entry.what: entry for entry in find_unmeasured(fake_result())}

    assert entries["surface report",].metrics == ()
    assert entries["surface report",].why == "needs a language model or variants in the data"
    assert entries["10 texts of null answers",].metrics == ("rougeL", "chrf")


def test_a_dimension_is_named_only_where_others_are_defined():
    rows = (
        replace(ROUGE.correlation[0], dimension="fluency", rho=None, state_detail="constant ratings"),
        ROUGE.correlation[0],
    )

    entries = find_unmeasured(result_of(replace(ROUGE, correlation=rows, checks=())))

    assert [(entry.what, entry.why) for entry in entries] == [
        (("within-task correlation with fluency",), "constant ratings")
    ]


def test_a_missing_reason_is_admitted():
    row = check("a", "probe", None, state=State.UNDEFINED)

    assert find_unmeasured(result_of(replace(ROUGE, checks=(row,))))[-1].why == "undefined"


def test_the_legend_holds_only_words_that_occur():
    terms = [entry.term for entry in legend(result_of(replace(ROUGE, checks=ROUGE.checks[:1])))]

    assert terms == ["effect", "margin 0.1", "\u2713 pass", "[P] [F] [U]"]


def test_the_exit_sentence_names_who_is_to_blame():
    result = fake_result()

    assert explain_exit(result, 3).endswith("(length).")
    assert "(rougeL)." in explain_exit(result, 4, gate="rougeL")
    assert "holds (TV+fvar+statement+overlap)" in explain_exit(result, 0, gate="TV+fvar+statement+overlap")


@pytest.mark.parametrize(
    ("sensitive", "told"), [("inconclusive", True), ("yes", False), ("not_measured", False)]
)
def test_who_gets_no_verdict_is_told_how_to_find_out_how_many_tasks_it_takes(sensitive, told):
    card = Card(
        statistical=CardMark.YES,
        sensitive=CardMark(sensitive),
        resistant=CardMark.YES,
        satisfied=CardMark.NOT_MEASURED,
        trusted=CardMark.INCONCLUSIVE,
    )
    result = result_of(replace(ROUGE, card=card))

    assert explain_exit(result, 4).endswith("`gameproof power` says how many a verdict takes.") == told


def test_the_run_is_told_in_one_line():
    assert (
        run_sentence({"data": "a.jsonl", "n_items": 1, "n_tasks": 2000}) == "a.jsonl · 1 text · 2,000 tasks"
    )


def test_notes_may_be_one_text_or_several():
    assert run_notes({"notes": "planted"}) == ["planted"]
    assert run_notes({"notes": ("a", "b")}) == ["a", "b"]
    assert run_notes({}) == []


def test_a_margin_that_may_be_meant_in_percent_is_warned_of():
    # 10 standard deviations: no manipulation gains as much, so all would pass.
    (note,) = run_notes({"margin": "10.00"})

    assert "gains of up to 10 standard deviations" in note
    assert (
        run_notes({"margin": ".10"})
        == run_notes({"margin": ".5sent"})
        == run_notes({"margin": "2sent"})
        == []
    )
