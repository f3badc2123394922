import numpy as np
import pytest
from tests.support.checking import (
    ITEMS,
    N_TASKS,
    ORIGINAL,
    SEEN_LOSS,
    SETTINGS,
    N,
    as_scores,
    checked,
    noise,
)

from gameproof.audits.checks import (
    CheckSettings,
    Margin,
    check_metric,
    lacks_too_much,
    parity_rule,
    parse_margin,
)
from gameproof.errors import SpecError
from gameproof.perturbations.base import Perturbation
from gameproof.perturbations.catalogue import PERTURBATIONS
from gameproof.records import Item
from gameproof.stats.parity import paired_t
from gameproof.stats.results import Note, State, Verdict


def test_rows_come_in_the_order_of_the_perturbations():
    rows = checked(SEEN_LOSS, ["rephrase", "sentence_deletion"])
    assert list(rows) == ["rephrase", "sentence_deletion"]


def test_a_seen_loss_passes_and_a_harmless_change_too():
    rows = checked(SEEN_LOSS | {("repeat_text", None): ORIGINAL + noise()})
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert rows["repeat_text"].verdict is Verdict.PASS
    assert rows["repeat_text"].low < rows["repeat_text"].effect < rows["repeat_text"].high < 0.1
    assert (rows["repeat_text"].n, rows["repeat_text"].n_tasks) == (N, N_TASKS)


def test_a_gain_fails_and_a_large_one_is_material():
    rows = checked(SEEN_LOSS | {("repeat_text", None): ORIGINAL + 0.5 + noise()})
    assert (rows["repeat_text"].verdict, rows["repeat_text"].note) == (Verdict.FAIL, Note.MATERIAL)
    assert rows["repeat_text"].parity_verdict == "fail"


def test_without_the_deletion_of_sentences_nothing_is_shown_to_resist():
    rows = checked({("repeat_text", None): ORIGINAL + noise()})
    assert rows["repeat_text"].verdict is Verdict.INSENSITIVE


def test_noise_that_original_and_variant_share_earns_no_pass():
    noisy = ORIGINAL + 50 * np.random.default_rng(3).normal(size=N)
    rows = checked(
        {("sentence_deletion", None): noisy - 1 + noise(), ("repeat_text", None): noisy + 1 + noise()},
        original=noisy,
    )
    assert rows["repeat_text"].effect < 0.05  # a gain as large as the loss, drowned
    assert rows["repeat_text"].verdict is Verdict.INSENSITIVE


def test_a_lower_is_better_metric_is_turned_round():
    rows = checked(
        {
            ("sentence_deletion", None): ORIGINAL + 1 + noise(),
            ("repeat_text", None): ORIGINAL - 0.5 + noise(),
        },
        higher_is_better=False,
    )
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert rows["sentence_deletion"].effect < 0
    assert rows["repeat_text"].verdict is Verdict.FAIL


def test_case_48_identical_scores_are_no_change_and_not_a_failure():
    row = checked(SEEN_LOSS | {("flip_case", None): ORIGINAL.copy()})["flip_case"]
    assert (row.verdict, row.state) == (Verdict.PASS, State.NO_CHANGE)
    assert row.pvalue_zero is row.pvalue_margin is row.parity_pvalue is None
    assert row.parity_verdict == "pass"
    assert "at most 10% of all tasks" in row.detail  # 1 - .05^(1/30)


def test_case_48_a_degradation_without_any_change_is_blind():
    row = checked({("sentence_deletion", None): ORIGINAL.copy()})["sentence_deletion"]
    assert (row.verdict, row.note, row.state) == (Verdict.FAIL, Note.BLIND, State.NO_CHANGE)
    assert row.parity_verdict == "fail"


@pytest.mark.parametrize(("shift", "verdict"), [(0.1, Verdict.FAIL), (-0.1, Verdict.PASS)])
def test_case_48_a_shift_without_variance_is_deterministic_by_its_sign(shift, verdict):
    row = checked(SEEN_LOSS | {("meaningless_elongation", None): ORIGINAL + shift})["meaningless_elongation"]
    assert (row.verdict, row.state) == (verdict, State.DETERMINISTIC)
    assert row.effect == pytest.approx(shift / ORIGINAL.std(ddof=1))
    assert row.pvalue_zero is row.pvalue_margin is row.low is row.high is None
    assert row.parity_verdict == verdict.value


def test_case_48_scores_without_spread_have_no_standardised_difference():
    row = checked({("repeat_text", None): np.full(N, 4.0)}, original=np.full(N, 3.0))["repeat_text"]
    assert row.effect is None
    assert (row.verdict, row.state) == (Verdict.FAIL, State.DETERMINISTIC)


def test_case_49_five_items_pass_the_papers_rule_but_not_ours():
    items = tuple(
        Item(id=str(place), task_id=str(place), candidate="A text.", references=("Another.",))
        for place in range(5)
    )
    original = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    change = 0.3 * original.std(ddof=1) + np.array([-1.0, 1.5, -0.8, 0.9, -0.6])
    row = checked({("repeat_text", None): original + change}, items=items, original=original)["repeat_text"]
    assert row.parity_verdict == "pass"
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row.smallest_detectable > 0.3  # what was there could not have been seen
    assert "fewer than 20" in row.detail


def test_fewer_than_two_tasks_are_undefined():
    items = ITEMS[:3]  # of one task
    row = checked({("repeat_text", None): np.arange(3.0) ** 2}, items=items, original=np.arange(3.0))[
        "repeat_text"
    ]
    assert (row.verdict, row.state) == (Verdict.INCONCLUSIVE, State.UNDEFINED)


def test_holm_corrects_manipulations_and_degradations_separately():
    harmless = {
        (name, None): ORIGINAL + noise(seed=9) for name in ("repeat_text", "pad_constant", "tag_text")
    }
    rows = checked(SEEN_LOSS | harmless)
    row = rows["repeat_text"]
    assert row.pvalue_margin_adjusted == pytest.approx(3 * row.pvalue_margin)
    assert rows["sentence_deletion"].pvalue_zero_adjusted == rows["sentence_deletion"].pvalue_zero


def test_more_than_a_tenth_missing_is_inconclusive_and_says_how_many():
    values = ORIGINAL - 1 + noise()
    values[:10] = np.nan
    reasons = {item.id: "the model refused" for item in ITEMS[:10]}
    row = checked({("sentence_deletion", None): as_scores(values, reasons=reasons)})["sentence_deletion"]
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row.missing == {"the model refused": 10}
    assert "10 of 90 pairs are missing" in row.detail


def test_up_to_a_tenth_missing_decides():
    values = ORIGINAL - 1 + noise()
    values[:9] = np.nan
    row = checked({("sentence_deletion", None): values})["sentence_deletion"]
    assert (row.verdict, row.n_missing, row.n) == (Verdict.PASS, 9, N - 9)
    assert not lacks_too_much(81, 9)
    assert lacks_too_much(80, 10)


def test_a_gate_with_too_much_missing_is_not_met():
    values = ORIGINAL - 1 + noise()
    values[:30] = np.nan
    rows = checked({("sentence_deletion", None): values, ("repeat_text", None): ORIGINAL + noise()})
    assert rows["repeat_text"].verdict is Verdict.INSENSITIVE


@pytest.mark.parametrize(("loss", "verdict"), [(-1.0, Verdict.PASS), (-0.01, Verdict.INSENSITIVE)])
def test_a_gate_without_spread_is_met_by_a_loss_beyond_the_margin(loss, verdict):
    rows = checked({("sentence_deletion", None): ORIGINAL + loss, ("repeat_text", None): ORIGINAL + noise()})
    assert rows["repeat_text"].verdict is verdict


def test_an_item_without_a_variant_is_missing():
    kept = ITEMS[1:]
    row = checked({("repeat_text", None): as_scores((ORIGINAL + noise())[1:], kept)})["repeat_text"]
    assert row.missing == {"no variant": 1}


def test_what_has_no_variants_is_not_measured():
    row = checked({}, ["rephrase"])["rephrase"]
    assert (row.verdict, row.state, row.n) == (None, State.NOT_MEASURED, 0)
    assert "language model" in row.detail
    assert checked({}, ["tag_text"])["tag_text"].detail == "no variants were made or given"


def test_what_fits_no_text_is_not_applicable():
    row = checked({}, ["opinion_flip"])["opinion_flip"]
    assert (row.verdict, row.state, row.detail) == (None, State.NOT_APPLICABLE, "only for reviews")


def test_what_lacks_its_material_is_not_measured():
    row = checked({}, ["copied_source"])["copied_source"]
    assert (row.state, row.detail) == (State.NOT_MEASURED, "no text has a source")


def test_a_metric_that_scores_nothing_is_not_measured_and_says_why():
    nothing = as_scores(np.full(N, np.nan), reasons={item.id: "no reference" for item in ITEMS})
    rows = checked({("repeat_text", None): nothing, ("distractor_sentences", 1): nothing}, original=nothing)
    for row in rows.values():
        assert (row.verdict, row.state, row.detail) == (None, State.NOT_MEASURED, "no reference")
        assert row.n_missing == N


def test_given_variants_count_although_the_domain_is_not_known():
    row = checked({("opinion_flip", None): as_scores(ORIGINAL[:60] - 1 + noise(n=60), ITEMS[:60])})[
        "opinion_flip"
    ]
    assert (row.n, row.n_missing, row.verdict) == (60, 0, Verdict.PASS)


def test_a_probe_is_shown_and_not_judged():
    row = checked({("copied_source", None): ORIGINAL + 2 + noise()})["copied_source"]
    assert row.verdict is row.parity_verdict is row.pvalue_zero is None
    assert row.effect > 1


@pytest.mark.parametrize(
    ("gain", "verdict", "exchange"),
    [
        (0.0, Verdict.PASS, Verdict.PASS),
        (0.15, Verdict.FAIL, Verdict.INCONCLUSIVE),
        (0.5, Verdict.FAIL, Verdict.FAIL),
    ],
)
def test_the_exchange_rate_stands_beside_every_manipulation(gain, verdict, exchange):
    variants = SEEN_LOSS | {
        ("one_sentence_deletion", None): ORIGINAL - 0.3 + noise(seed=4),
        ("repeat_text", None): ORIGINAL + gain + noise(),
    }
    row = checked(variants)["repeat_text"]
    assert row.verdict is verdict
    assert row.exchange.verdict is exchange
    assert row.exchange.value == pytest.approx(gain - 0.15, abs=0.1)


def test_an_exchange_rate_that_is_the_same_everywhere_is_judged_by_its_sign():
    variants = {("one_sentence_deletion", None): ORIGINAL - 0.3, ("pad_constant", None): ORIGINAL - 0.1}
    exchange = checked(variants, ["pad_constant"])["pad_constant"].exchange
    assert exchange.verdict is Verdict.PASS
    assert exchange.interval.low == exchange.interval.high == exchange.value


def test_an_exchange_that_comes_out_even_shows_nothing():
    variants = {("one_sentence_deletion", None): ORIGINAL - 0.2, ("pad_constant", None): ORIGINAL + 0.1}
    exchange = checked(variants, ["pad_constant"])["pad_constant"].exchange
    assert exchange.verdict is Verdict.INCONCLUSIVE


def test_without_a_common_item_there_is_no_exchange_rate():
    variants = {
        ("one_sentence_deletion", None): as_scores(ORIGINAL[:30] - 0.3, ITEMS[:30]),
        ("pad_constant", None): as_scores((ORIGINAL + noise())[30:], ITEMS[30:]),
    }
    rows = checked(variants, ["pad_constant", "repeat_text"])
    assert rows["pad_constant"].exchange is None
    assert rows["repeat_text"].exchange is None


def test_scores_of_items_that_are_not_checked_are_ignored():
    row = check_metric(
        ITEMS[:60],
        as_scores(ORIGINAL),
        {("sentence_deletion", None): as_scores(ORIGINAL - 1 + noise())},
        [PERTURBATIONS["sentence_deletion"]],
        higher_is_better=True,
        settings=SETTINGS,
    )[0]
    assert (row.n, row.verdict) == (60, Verdict.PASS)


def test_a_margin_in_sentences_decides_instead_of_the_standardised_one():
    # A gain of .3 standard deviations, but a sentence is worth 2.
    variants = {
        ("sentence_deletion", None): ORIGINAL - 3 + noise(),
        ("one_sentence_deletion", None): ORIGINAL - 2 + noise(seed=4),
        ("repeat_text", None): ORIGINAL + 0.3 + noise(seed=5),
    }
    in_sentences = CheckSettings(margin=parse_margin(".5sent"), n_resamples=999)
    assert checked(variants)["repeat_text"].verdict is Verdict.FAIL
    row = checked(variants, settings=in_sentences)["repeat_text"]
    assert (row.verdict, row.note) == (Verdict.PASS, Note.SMALL_GAIN)


def test_a_margin_in_sentences_needs_variants_that_lack_one():
    settings = CheckSettings(margin=parse_margin(".5sent"), n_resamples=999)
    row = checked(SEEN_LOSS | {("repeat_text", None): ORIGINAL + noise()}, settings=settings)["repeat_text"]
    assert row.verdict is Verdict.INCONCLUSIVE
    assert "one_sentence_deletion" in row.detail


@pytest.mark.parametrize(
    ("text", "shown"),
    [(".10", ".10"), ("0.1", ".10"), ("0.125", ".125"), (".5sent", ".5sent"), ("1sent", "1sent")],
)
def test_a_margin_reads_back_as_it_is_written(text, shown):
    assert str(parse_margin(text)) == shown
    assert parse_margin(shown) == parse_margin(text)


@pytest.mark.parametrize("text", ["", "0", "0sent", "-.1", "ten", ".5 sents", "1e-3"])
def test_what_is_no_margin_is_refused_with_what_is_allowed(text):
    with pytest.raises(SpecError, match="expected a number above 0"):
        parse_margin(text)


def test_degradations_keep_their_margin_when_manipulations_are_counted_in_sentences():
    assert CheckSettings(margin=Margin(value=0.5, unit="sent")).margin_sd == 0.10


def test_a_single_pair_has_no_parity_verdict():
    parity = paired_t(np.array([1.0]), np.array([2.0]), confidence_level=0.95)
    assert parity_rule(parity, decrease=True) is None


def test_a_perturbation_of_the_users_own_is_checked_by_its_expectation():
    own = Perturbation(
        name="mine", family="probe", expect="no_increase", summary="", source="", levels=(1, 2)
    )
    rows = check_metric(
        ITEMS,
        as_scores(ORIGINAL),
        {("mine", 1): as_scores(ORIGINAL), ("mine", 2): as_scores(ORIGINAL + 1 + noise())},
        [own],
        higher_is_better=True,
        settings=SETTINGS,
    )
    assert rows[0].verdict is Verdict.FAIL
    assert rows[0].detail == "level 2 is shown"


def test_a_rise_that_is_expected_of_a_single_variant_is_a_ladder_from_the_original():
    own = Perturbation(name="mine", family="probe", expect="increase", summary="", source="")
    rows = check_metric(
        ITEMS,
        as_scores(ORIGINAL),
        {("mine", None): as_scores(ORIGINAL + 1 + noise())},
        [own],
        higher_is_better=True,
        settings=SETTINGS,
    )
    assert (rows[0].verdict, rows[0].parity_verdict) == (Verdict.PASS, "undefined")
