import numpy as np
import pytest

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
from gameproof.records import Contrast, Item, Scores
from gameproof.stats.parity import paired_t
from gameproof.stats.results import Note, State, Verdict

N_TASKS, PER_TASK = 30, 3
ITEMS = tuple(
    Item(id=f"{task}/{system}", task_id=f"task {task}", candidate="A text.", references=("Another.",))
    for task in range(N_TASKS)
    for system in range(PER_TASK)
)
N = len(ITEMS)
SETTINGS = CheckSettings(n_resamples=999)
RNG = np.random.default_rng(0)
ORIGINAL = RNG.normal(size=N)


def _scores(values, items=ITEMS, reasons=None, contrast=None):
    return Scores(
        signature="fake",
        item_ids=tuple(item.id for item in items),
        values=np.asarray(values, float),
        reasons=reasons or {},
        contrast=contrast,
    )


def _noise(size=0.2, seed=1, n=N):
    return size * np.random.default_rng(seed).normal(size=n)


def _check(variants, names=None, *, items=ITEMS, original=ORIGINAL, higher_is_better=True, settings=SETTINGS):
    names = names or dict.fromkeys(name for name, _ in variants)
    columns = {
        key: value if isinstance(value, Scores) else _scores(value, items) for key, value in variants.items()
    }
    original = original if isinstance(original, Scores) else _scores(original, items)
    rows = check_metric(
        items,
        original,
        columns,
        [PERTURBATIONS[name] for name in names],
        higher_is_better=higher_is_better,
        settings=settings,
    )
    return {row.check: row for row in rows}


SEEN_LOSS = {("sentence_deletion", None): ORIGINAL - 1 + _noise(seed=7)}


def test_rows_come_in_the_order_of_the_perturbations():
    rows = _check(SEEN_LOSS, ["rephrase", "sentence_deletion"])
    assert list(rows) == ["rephrase", "sentence_deletion"]


def test_a_seen_loss_passes_and_a_harmless_change_too():
    rows = _check(SEEN_LOSS | {("repeat_text", None): ORIGINAL + _noise()})
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert rows["repeat_text"].verdict is Verdict.PASS
    assert rows["repeat_text"].low < rows["repeat_text"].effect < rows["repeat_text"].high < 0.1
    assert (rows["repeat_text"].n, rows["repeat_text"].n_tasks) == (N, N_TASKS)


def test_a_gain_fails_and_a_large_one_is_material():
    rows = _check(SEEN_LOSS | {("repeat_text", None): ORIGINAL + 0.5 + _noise()})
    assert (rows["repeat_text"].verdict, rows["repeat_text"].note) == (Verdict.FAIL, Note.MATERIAL)
    assert rows["repeat_text"].parity_verdict == "fail"


def test_without_the_deletion_of_sentences_nothing_is_shown_to_resist():
    rows = _check({("repeat_text", None): ORIGINAL + _noise()})
    assert rows["repeat_text"].verdict is Verdict.INSENSITIVE


def test_noise_that_original_and_variant_share_earns_no_pass():
    noisy = ORIGINAL + 50 * np.random.default_rng(3).normal(size=N)
    rows = _check(
        {("sentence_deletion", None): noisy - 1 + _noise(), ("repeat_text", None): noisy + 1 + _noise()},
        original=noisy,
    )
    assert rows["repeat_text"].effect < 0.05  # a gain as large as the loss, drowned
    assert rows["repeat_text"].verdict is Verdict.INSENSITIVE


def test_a_lower_is_better_metric_is_turned_round():
    rows = _check(
        {
            ("sentence_deletion", None): ORIGINAL + 1 + _noise(),
            ("repeat_text", None): ORIGINAL - 0.5 + _noise(),
        },
        higher_is_better=False,
    )
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert rows["sentence_deletion"].effect < 0
    assert rows["repeat_text"].verdict is Verdict.FAIL


def test_case_48_identical_scores_are_no_change_and_not_a_failure():
    row = _check(SEEN_LOSS | {("flip_case", None): ORIGINAL.copy()})["flip_case"]
    assert (row.verdict, row.state) == (Verdict.PASS, State.NO_CHANGE)
    assert row.pvalue_zero is row.pvalue_margin is row.parity_pvalue is None
    assert row.parity_verdict == "pass"
    assert "at most 10% of all tasks" in row.detail  # 1 - .05^(1/30)


def test_case_48_a_degradation_without_any_change_is_blind():
    row = _check({("sentence_deletion", None): ORIGINAL.copy()})["sentence_deletion"]
    assert (row.verdict, row.note, row.state) == (Verdict.FAIL, Note.BLIND, State.NO_CHANGE)
    assert row.parity_verdict == "fail"


@pytest.mark.parametrize(("shift", "verdict"), [(0.1, Verdict.FAIL), (-0.1, Verdict.PASS)])
def test_case_48_a_shift_without_variance_is_deterministic_by_its_sign(shift, verdict):
    row = _check(SEEN_LOSS | {("meaningless_elongation", None): ORIGINAL + shift})["meaningless_elongation"]
    assert (row.verdict, row.state) == (verdict, State.DETERMINISTIC)
    assert row.effect == pytest.approx(shift / ORIGINAL.std(ddof=1))
    assert row.pvalue_zero is row.pvalue_margin is row.low is row.high is None
    assert row.parity_verdict == verdict.value


def test_case_48_scores_without_spread_have_no_standardised_difference():
    row = _check({("repeat_text", None): np.full(N, 4.0)}, original=np.full(N, 3.0))["repeat_text"]
    assert row.effect is None
    assert (row.verdict, row.state) == (Verdict.FAIL, State.DETERMINISTIC)


def test_case_49_five_items_pass_the_papers_rule_but_not_ours():
    items = tuple(
        Item(id=str(place), task_id=str(place), candidate="A text.", references=("Another.",))
        for place in range(5)
    )
    original = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
    change = 0.3 * original.std(ddof=1) + np.array([-1.0, 1.5, -0.8, 0.9, -0.6])
    row = _check({("repeat_text", None): original + change}, items=items, original=original)["repeat_text"]
    assert row.parity_verdict == "pass"
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row.smallest_detectable > 0.3  # what was there could not have been seen
    assert "fewer than 20" in row.detail


def test_fewer_than_two_tasks_are_undefined():
    items = ITEMS[:3]  # of one task
    row = _check({("repeat_text", None): np.arange(3.0) ** 2}, items=items, original=np.arange(3.0))[
        "repeat_text"
    ]
    assert (row.verdict, row.state) == (Verdict.INCONCLUSIVE, State.UNDEFINED)


def test_holm_corrects_manipulations_and_degradations_separately():
    harmless = {
        (name, None): ORIGINAL + _noise(seed=9) for name in ("repeat_text", "pad_constant", "tag_text")
    }
    rows = _check(SEEN_LOSS | harmless)
    row = rows["repeat_text"]
    assert row.pvalue_margin_adjusted == pytest.approx(3 * row.pvalue_margin)
    assert rows["sentence_deletion"].pvalue_zero_adjusted == rows["sentence_deletion"].pvalue_zero


def test_more_than_a_tenth_missing_is_inconclusive_and_says_how_many():
    values = ORIGINAL - 1 + _noise()
    values[:10] = np.nan
    reasons = {item.id: "the model refused" for item in ITEMS[:10]}
    row = _check({("sentence_deletion", None): _scores(values, reasons=reasons)})["sentence_deletion"]
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row.missing == {"the model refused": 10}
    assert "10 of 90 pairs are missing" in row.detail


def test_up_to_a_tenth_missing_decides():
    values = ORIGINAL - 1 + _noise()
    values[:9] = np.nan
    row = _check({("sentence_deletion", None): values})["sentence_deletion"]
    assert (row.verdict, row.n_missing, row.n) == (Verdict.PASS, 9, N - 9)
    assert not lacks_too_much(81, 9)
    assert lacks_too_much(80, 10)


def test_a_gate_with_too_much_missing_is_not_met():
    values = ORIGINAL - 1 + _noise()
    values[:30] = np.nan
    rows = _check({("sentence_deletion", None): values, ("repeat_text", None): ORIGINAL + _noise()})
    assert rows["repeat_text"].verdict is Verdict.INSENSITIVE


@pytest.mark.parametrize(("loss", "verdict"), [(-1.0, Verdict.PASS), (-0.01, Verdict.INSENSITIVE)])
def test_a_gate_without_spread_is_met_by_a_loss_beyond_the_margin(loss, verdict):
    rows = _check({("sentence_deletion", None): ORIGINAL + loss, ("repeat_text", None): ORIGINAL + _noise()})
    assert rows["repeat_text"].verdict is verdict


def test_an_item_without_a_variant_is_missing():
    kept = ITEMS[1:]
    row = _check({("repeat_text", None): _scores((ORIGINAL + _noise())[1:], kept)})["repeat_text"]
    assert row.missing == {"no variant": 1}


def test_what_has_no_variants_is_not_measured():
    row = _check({}, ["rephrase"])["rephrase"]
    assert (row.verdict, row.state, row.n) == (None, State.NOT_MEASURED, 0)
    assert "language model" in row.detail
    assert _check({}, ["tag_text"])["tag_text"].detail == "no variants were made or given"


def test_what_fits_no_text_is_not_applicable():
    row = _check({}, ["opinion_flip"])["opinion_flip"]
    assert (row.verdict, row.state, row.detail) == (None, State.NOT_APPLICABLE, "only for reviews")


def test_what_lacks_its_material_is_not_measured():
    row = _check({}, ["copied_source"])["copied_source"]
    assert (row.state, row.detail) == (State.NOT_MEASURED, "no text has a source")


def test_a_metric_that_scores_nothing_is_not_measured_and_says_why():
    nothing = _scores(np.full(N, np.nan), reasons={item.id: "no reference" for item in ITEMS})
    rows = _check({("repeat_text", None): nothing, ("distractor_sentences", 1): nothing}, original=nothing)
    for row in rows.values():
        assert (row.verdict, row.state, row.detail) == (None, State.NOT_MEASURED, "no reference")
        assert row.n_missing == N


def test_given_variants_count_although_the_domain_is_not_known():
    row = _check({("opinion_flip", None): _scores(ORIGINAL[:60] - 1 + _noise(n=60), ITEMS[:60])})[
        "opinion_flip"
    ]
    assert (row.n, row.n_missing, row.verdict) == (60, 0, Verdict.PASS)


def test_a_probe_is_shown_and_not_judged():
    row = _check({("copied_source", None): ORIGINAL + 2 + _noise()})["copied_source"]
    assert row.verdict is row.parity_verdict is row.pvalue_zero is None
    assert row.effect > 1


def test_a_ladder_is_judged_by_its_slope_with_the_original_at_level_zero():
    levels = {("distractor_sentences", k): ORIGINAL - 0.2 * k + _noise(seed=k) for k in range(1, 6)}
    row = _check(levels)["distractor_sentences"]
    assert row.verdict is Verdict.PASS
    assert (row.rho, row.match_rate, row.parity_verdict) == (-1.0, 1.0, "pass")
    assert row.share_right > 0.95


def test_a_ladder_that_rises_where_it_should_fall_goes_the_wrong_way():
    levels = {("distractor_sentences", k): ORIGINAL + 0.2 * k + _noise(seed=k) for k in range(1, 6)}
    row = _check(levels)["distractor_sentences"]
    assert (row.verdict, row.parity_verdict) == (Verdict.WRONG_WAY, "fail")


def test_a_ladder_that_builds_up_ends_in_the_whole_text():
    levels = {
        ("incremental_addition", k): ORIGINAL + (k - 100) / 100 + _noise(0.1, seed=k)
        for k in (25, 50, 75, 100)
    }
    row = _check(levels)["incremental_addition"]
    assert (row.verdict, row.rho) == (Verdict.PASS, 1.0)


def test_texts_too_short_for_a_level_lack_it_without_being_missing():
    kept = ITEMS[: N // 2]
    levels = {("incremental_sentences", k): ORIGINAL + 0.3 * k + _noise(0.1, seed=k) for k in (1, 2)}
    longer = ORIGINAL + 0.9 + _noise(0.1, seed=3)
    levels["incremental_sentences", 3] = _scores(longer[: N // 2], kept)
    row = _check(levels)["incremental_sentences"]
    assert (row.n, row.n_missing) == (N, 0)
    assert row.verdict is None  # only there to be compared with the paper
    assert row.rho == 1.0


def test_a_text_with_a_single_level_is_missing():
    levels = {
        ("incremental_addition", k): ORIGINAL + k / 100 + _noise(0.1, seed=k) for k in (25, 50, 75, 100)
    }
    reasons = {ITEMS[0].id: "fewer than two sentences"}
    for k in (25, 50, 75):
        levels["incremental_addition", k][0] = np.nan
        levels["incremental_addition", k] = _scores(levels["incremental_addition", k], reasons=reasons)
    row = _check(levels)["incremental_addition"]
    assert row.missing == {"fewer than two sentences": 1}


def _stable(**changes):
    return {
        ("lengthen", level): ORIGINAL + change
        for level, change in zip((25, 50), changes.values(), strict=True)
    }


def test_a_stable_check_passes_where_every_level_is_equivalent():
    row = _check(_stable(a=_noise(), b=_noise(seed=2)))["lengthen"]
    assert row.verdict is Verdict.PASS
    assert row.pvalue_margin_adjusted <= 0.05


def test_a_stable_check_fails_by_its_worst_level():
    row = _check(_stable(a=_noise(), b=0.6 + _noise(seed=2)))["lengthen"]
    assert row.verdict is Verdict.FAIL
    assert row.effect > 0.4
    assert "level 50" in row.detail


def test_a_stable_check_between_pass_and_failure_is_inconclusive():
    row = _check(_stable(a=_noise(), b=0.2 * ORIGINAL.std(ddof=1) + _noise(seed=2)))["lengthen"]
    assert row.verdict is Verdict.INCONCLUSIVE


def test_a_stable_check_that_changes_nothing_passes():
    zero = np.zeros(N)
    assert _check(_stable(a=zero, b=zero))["lengthen"].verdict is Verdict.PASS
    assert _check(_stable(a=zero, b=_noise()))["lengthen"].verdict is Verdict.PASS


def test_a_stable_check_without_spread_at_one_level_is_judged_by_that_shift():
    row = _check(_stable(a=_noise(), b=np.full(N, 0.9)))["lengthen"]
    assert (row.verdict, row.state) == (Verdict.FAIL, State.DETERMINISTIC)


def test_a_single_stable_level_has_no_papers_rho_but_its_sign_is_told():
    row = _check({("lengthen", 25): ORIGINAL + 0.01 + _noise()})["lengthen"]
    assert (row.rho, row.parity_verdict) == (None, "undefined")
    assert "two levels" in row.detail


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
        ("one_sentence_deletion", None): ORIGINAL - 0.3 + _noise(seed=4),
        ("repeat_text", None): ORIGINAL + gain + _noise(),
    }
    row = _check(variants)["repeat_text"]
    assert row.verdict is verdict
    assert row.exchange.verdict is exchange
    assert row.exchange.value == pytest.approx(gain - 0.15, abs=0.1)


def test_an_exchange_rate_that_is_the_same_everywhere_is_judged_by_its_sign():
    variants = {("one_sentence_deletion", None): ORIGINAL - 0.3, ("pad_constant", None): ORIGINAL - 0.1}
    exchange = _check(variants, ["pad_constant"])["pad_constant"].exchange
    assert exchange.verdict is Verdict.PASS
    assert exchange.interval.low == exchange.interval.high == exchange.value


def test_an_exchange_that_comes_out_even_shows_nothing():
    variants = {("one_sentence_deletion", None): ORIGINAL - 0.2, ("pad_constant", None): ORIGINAL + 0.1}
    exchange = _check(variants, ["pad_constant"])["pad_constant"].exchange
    assert exchange.verdict is Verdict.INCONCLUSIVE


def test_without_a_common_item_there_is_no_exchange_rate():
    variants = {
        ("one_sentence_deletion", None): _scores(ORIGINAL[:30] - 0.3, ITEMS[:30]),
        ("pad_constant", None): _scores((ORIGINAL + _noise())[30:], ITEMS[30:]),
    }
    rows = _check(variants, ["pad_constant", "repeat_text"])
    assert rows["pad_constant"].exchange is None
    assert rows["repeat_text"].exchange is None


def test_scores_of_items_that_are_not_checked_are_ignored():
    row = check_metric(
        ITEMS[:60],
        _scores(ORIGINAL),
        {("sentence_deletion", None): _scores(ORIGINAL - 1 + _noise())},
        [PERTURBATIONS["sentence_deletion"]],
        higher_is_better=True,
        settings=SETTINGS,
    )[0]
    assert (row.n, row.verdict) == (60, Verdict.PASS)


def test_a_margin_in_sentences_decides_instead_of_the_standardised_one():
    # A gain of .3 standard deviations, but a sentence is worth 2.
    variants = {
        ("sentence_deletion", None): ORIGINAL - 3 + _noise(),
        ("one_sentence_deletion", None): ORIGINAL - 2 + _noise(seed=4),
        ("repeat_text", None): ORIGINAL + 0.3 + _noise(seed=5),
    }
    in_sentences = CheckSettings(margin=parse_margin(".5sent"), n_resamples=999)
    assert _check(variants)["repeat_text"].verdict is Verdict.FAIL
    row = _check(variants, settings=in_sentences)["repeat_text"]
    assert (row.verdict, row.note) == (Verdict.PASS, Note.SMALL_GAIN)


def test_a_margin_in_sentences_needs_variants_that_lack_one():
    settings = CheckSettings(margin=parse_margin(".5sent"), n_resamples=999)
    row = _check(SEEN_LOSS | {("repeat_text", None): ORIGINAL + _noise()}, settings=settings)["repeat_text"]
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


def _contrastive(change, *, missing_negative=None):
    """Score every text against one reference of each of the next three tasks."""
    tasks = tuple(f"task {task}" for task in range(N_TASKS))
    own = np.repeat(np.arange(N_TASKS), PER_TASK)
    drawn = (own[:, None] + np.array([1, 2, 3])) % N_TASKS
    negatives = np.random.default_rng(2).normal(size=(N, 3))
    if missing_negative is not None:
        negatives[missing_negative] = np.nan
    matched = ORIGINAL + change
    contrast = Contrast(matched=matched, negatives=negatives, negative_tasks=drawn, tasks=tasks)
    values = matched - np.nanmean(np.where(np.isnan(negatives).all(axis=1)[:, None], 0, negatives), axis=1)
    return _scores(values, contrast=contrast)


def test_a_contrastive_metric_is_inferred_with_its_references_left_out():
    rows = _check(
        {
            ("sentence_deletion", None): _contrastive(-1 + _noise()),
            ("repeat_text", None): _contrastive(_noise(seed=2)),
        },
        original=_contrastive(0),
    )
    assert rows["sentence_deletion"].verdict is Verdict.PASS
    assert rows["repeat_text"].verdict is Verdict.PASS


def test_a_negative_that_one_side_lacks_is_left_out_of_both():
    whole = _check({("repeat_text", None): _contrastive(1.0)}, original=_contrastive(0))["repeat_text"]
    part = _check(
        {("repeat_text", None): _contrastive(1.0, missing_negative=(0, 1))}, original=_contrastive(0)
    )["repeat_text"]
    # Both sides move by exactly 1, whatever stands in the negatives.
    assert whole.state is part.state is State.DETERMINISTIC


def test_a_pair_without_a_common_negative_is_missing():
    row = _check({("repeat_text", None): _contrastive(1.0, missing_negative=0)}, original=_contrastive(0))[
        "repeat_text"
    ]
    assert row.missing == {"no negative reference on both sides": 1}


def test_a_contrastive_ladder_keeps_the_same_negatives_at_every_level():
    levels = {("distractor_sentences", k): _contrastive(-0.2 * k + _noise(seed=k)) for k in (1, 2, 3)}
    levels["distractor_sentences", 2] = _contrastive(-0.4 + _noise(seed=2), missing_negative=(0, 1))
    row = _check(levels, original=_contrastive(0))["distractor_sentences"]
    assert (row.verdict, row.n, row.n_missing) == (Verdict.PASS, N, 0)


def test_a_contrastive_ladder_may_lack_levels():
    kept = slice(0, N // 2)
    levels = {("distractor_sentences", k): _contrastive(-0.2 * k + _noise(seed=k)) for k in (1, 2)}
    levels["distractor_sentences", 2] = levels["distractor_sentences", 2].take(range(N)[kept])
    row = _check(levels, original=_contrastive(0))["distractor_sentences"]
    assert (row.n, row.n_missing) == (N, 0)


def test_parts_that_only_some_columns_have_are_a_mistake_of_the_program():
    with pytest.raises(ValueError, match="lack the parts"):
        _check({("repeat_text", None): ORIGINAL}, original=_contrastive(0))


def test_a_perturbation_of_the_users_own_is_checked_by_its_expectation():
    own = Perturbation(
        name="mine", family="probe", expect="no_increase", summary="", source="", levels=(1, 2)
    )
    rows = check_metric(
        ITEMS,
        _scores(ORIGINAL),
        {("mine", 1): _scores(ORIGINAL), ("mine", 2): _scores(ORIGINAL + 1 + _noise())},
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
        _scores(ORIGINAL),
        {("mine", None): _scores(ORIGINAL + 1 + _noise())},
        [own],
        higher_is_better=True,
        settings=SETTINGS,
    )
    assert (rows[0].verdict, rows[0].parity_verdict) == (Verdict.PASS, "undefined")
