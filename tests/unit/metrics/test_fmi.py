"""The metric put together, through its public door."""

import asyncio
import itertools
import math
import pickle

import numpy as np
import pytest

from gameproof._version import __version__
from gameproof.errors import InputError, PlanError, SpecError
from gameproof.fmi.spec import PRESETS
from gameproof.metrics.base import EMPTY_CANDIDATE, NO_REFERENCE
from gameproof.metrics.fmi import build_fmi
from gameproof.metrics.fmi_preparation import NO_NEGATIVES, UNKNOWN_REFERENCE, UNKNOWN_TASK
from gameproof.metrics.representations import NO_STATEMENT, UNSPLITTABLE
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item

TV = "TV+fvar+statement+overlap"
KL = "KL+direct+statement+overlap"

TOPICS = ("rain harbour", "snow railway", "fire library", "wind orchard", "frost vineyard", "flood museum")


def make_item(number, candidate=None, *, suffix="", **changes):
    first, second = TOPICS[number].split()
    reference = f"Heavy {first} came early that morning. It damaged the old {second} badly."
    fields = {
        "id": f"{number}{suffix}",
        "task_id": f"task-{number}",
        "candidate": candidate
        if candidate is not None
        else f"{first} in the morning",  # supports the first of two statements
        "references": (reference,),
    }
    return Item(**{**fields, **changes})


ITEMS = [make_item(number) for number in range(6)]


def prepared(text, items=ITEMS, seed=0):
    return asyncio.run(build_fmi(text, seed=seed).prepare(items))


def score(text, items=ITEMS, pool=None, seed=0):
    return asyncio.run(prepared(text, pool or items, seed).score(items))


def test_a_text_about_its_own_task_scores_above_one_about_another():
    swapped = [item.with_candidate(other.candidate) for item, other in itertools.pairwise(ITEMS)]
    for text in (TV, KL):
        own, other = score(text).values[:5], score(text, swapped, ITEMS).values
        assert np.all(own > other)


def test_tv_score_is_the_difference_of_supports():
    # one negative: matched support minus the support of that negative's statements, by the halves
    scores = score(f"{TV},neg=1")
    np.testing.assert_allclose(scores.values, scores.contrast.matched - scores.contrast.negatives[:, 0])
    assert np.all(np.abs(scores.values) <= 1)


def test_kl_direct_is_the_mean_log_ratio_of_matched_statements():
    matched = score(TV).contrast.matched  # support - 1/2
    np.testing.assert_allclose(score(KL).values, 2 * math.log(8) * matched)


def test_text_that_supports_every_reference_alike_earns_nothing():
    # the contrast: what fits all tasks tells nothing about one
    everything = " ".join(reference for item in ITEMS for reference in item.references)
    stuffed = [item.with_candidate(everything) for item in ITEMS]
    np.testing.assert_allclose(score(TV, stuffed, ITEMS).values, 0, atol=1e-12)
    assert np.all(score(KL, stuffed, ITEMS).values > score(KL).values)  # support alone is fooled


def test_contrast_names_the_task_of_each_negative():
    contrast = score(TV).contrast
    assert contrast.negatives.shape == contrast.negative_tasks.shape == (6, 4)
    assert set(contrast.tasks) == {item.task_id for item in ITEMS}
    for row, item in enumerate(ITEMS):
        names = [contrast.tasks[task] for task in contrast.negative_tasks[row]]
        assert item.task_id not in names
        assert len(set(names)) == 4


def test_scores_follow_from_their_contrast():
    scores = score("CHI2+fvar+statement+overlap")
    expected = scores.contrast.matched - scores.contrast.negatives.mean(axis=1)
    np.testing.assert_allclose(scores.values, expected)


def test_direct_scores_have_no_contrast():
    assert score(KL).contrast is None


def test_candidates_of_one_task_share_their_negatives():
    items = [*ITEMS, make_item(2, "something else entirely", suffix="-b")]
    contrast = score(TV, items).contrast
    assert np.array_equal(contrast.negative_tasks[2], contrast.negative_tasks[6])


def test_a_variant_is_scored_against_the_same_negatives_as_its_original():
    metric = prepared(TV)
    variants = [item.with_candidate(f"{item.candidate} and nothing more") for item in ITEMS[:3]]
    original, variant = asyncio.run(metric.score(ITEMS)), asyncio.run(metric.score(variants))
    assert np.array_equal(original.contrast.negative_tasks[:3], variant.contrast.negative_tasks)


@pytest.mark.parametrize("text", [TV, KL, f"{TV},neg=all"])
def test_order_of_items_and_of_the_pool_does_not_matter(text):
    backwards = score(text, ITEMS[::-1])
    np.testing.assert_array_equal(score(text).values, backwards.values[::-1])


@pytest.mark.parametrize("text", [TV, KL])
def test_scores_do_not_depend_on_who_else_is_in_the_batch(text):
    alone = [asyncio.run(prepared(text).score([item])).values[0] for item in ITEMS]
    np.testing.assert_allclose(score(text).values, alone, rtol=1e-15)


def test_the_same_seed_gives_the_same_scores_and_another_seed_other_negatives():
    items = [make_item(0, task_id=f"{n}", id=f"{n}", references=(f"word{n} again",)) for n in range(60)]
    first, again, other = (score(TV, items, seed=seed).contrast.negative_tasks for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_seed_in_the_text_wins_over_the_seed_of_the_run():
    assert ",seed=5," in build_fmi(f"{TV},seed=5", seed=9).signature()


@pytest.mark.parametrize("estimator", ["fvar", "direct"])
@pytest.mark.parametrize("representation", ["statement", "report"])
@pytest.mark.parametrize("divergence", ["TV", "KL", "RKL", "CHI2", "H2", "JS"])
def test_every_overlap_cell_gives_finite_scores(divergence, estimator, representation):
    scores = score(f"{divergence}+{estimator}+{representation}+overlap")
    assert np.all(np.isfinite(scores.values))
    assert not scores.reasons


@pytest.mark.parametrize("divergence", ["TV", "RKL", "CHI2", "H2", "JS"])
def test_every_direct_cell_has_its_joint_form(divergence):
    joint = score(f"{divergence}+direct+statement+overlap,form=joint")
    assert not np.allclose(joint.values, score(f"{divergence}+direct+statement+overlap").values)


def test_a_binary_critic_takes_the_sign_of_the_evidence():
    contrast = score(f"{TV},critic=binary").contrast
    assert set(np.unique(contrast.matched)) <= {-0.5, -0.25, 0.0, 0.25, 0.5}  # means of two statements


@pytest.mark.parametrize("options", ["agg=sum", "agg=mean_critic", "agg=geometric", "refs=first"])
def test_options_reach_the_score(options):
    items = [
        make_item(
            number,
            f"{topic.split()[0]} near the {other.split()[1]}",  # one statement of its own task, one of the next
            references=(*make_item(number).references, f"All was about the {topic.split()[1]}."),
        )
        for number, (topic, other) in enumerate(zip(TOPICS, TOPICS[1:] + TOPICS[:1], strict=True))
    ]
    changed = score(f"KL+fvar+statement+overlap,{options}", items)
    assert not np.allclose(changed.values, score("KL+fvar+statement+overlap", items).values)


def test_several_references_are_averaged():
    two = make_item(0, references=(*ITEMS[0].references, "Nothing of it is here at all."))
    pool = [two, *ITEMS[1:]]
    one_each = [
        score(KL, [make_item(0, references=(reference,))], pool).values[0] for reference in two.references
    ]
    assert score(KL, [two], pool).values[0] == pytest.approx(np.mean(one_each))


def test_cells_of_a_run_share_a_memo_without_mixing_up_their_words():
    # two statements and none, against one report each: as many units, other words
    thai = "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e04\u0e23\u0e31\u0e1a"
    items = [
        make_item(0, references=(thai,)),
        *ITEMS[1:3],
        make_item(3, references=("The frost came late.",)),
    ]
    memo = TextMemo()
    for text in ("TV+fvar+report+overlap", TV, KL):
        shared = asyncio.run(build_fmi(text, memo=memo).prepare(items))
        np.testing.assert_array_equal(asyncio.run(shared.score(items)).values, score(text, items).values)


# what cannot be scored


def test_an_empty_candidate_is_missing_with_its_reason():
    scores = score(TV, [ITEMS[0].with_candidate(" \n"), *ITEMS[1:]], ITEMS)
    assert scores.reasons == {"0": EMPTY_CANDIDATE}
    assert math.isnan(scores.values[0])
    assert math.isnan(scores.contrast.matched[0])
    assert np.all(scores.contrast.negative_tasks[0] == -1)


def test_an_item_without_references_is_missing_and_no_negative():
    items = [*ITEMS[:5], make_item(5, references=(" ",))]
    scores = score(TV, items)
    assert scores.reasons == {"5": NO_REFERENCE}
    assert not np.any(scores.contrast.negative_tasks == scores.contrast.tasks.index("task-5"))


def test_a_single_task_has_no_negatives_and_no_rarity():
    items = [make_item(0), make_item(0, "rain", suffix="b")]
    for text in (TV, KL):
        assert set(score(text, items).reasons.values()) == {
            "no word of its references tells its task from the others"
        }


def test_a_single_task_with_references_has_no_negatives():
    scores = score(TV, [ITEMS[0], make_item(1, references=("?!",))])
    assert set(scores.reasons.values()) == {
        "no word of its references tells its task from the others",
        NO_STATEMENT,
    }


def test_two_tasks_have_one_negative_each():
    assert score(TV, ITEMS[:2]).contrast.negative_tasks.tolist() == [[1], [0]]


def test_near_duplicates_left_out_can_leave_no_negatives():
    items = [
        make_item(n, references=(f"The very same words came in that very same long report number {n}.",))
        for n in range(6)
    ]
    assert set(score(f"{TV},dedupe=true", items).reasons.values()) == {NO_NEGATIVES}
    assert not score(TV, items).reasons


def test_a_task_outside_the_pool_is_missing_with_its_reason():
    stranger = make_item(5)
    assert score(TV, [*ITEMS[:2], stranger], ITEMS[:5]).reasons == {"5": UNKNOWN_TASK}


def test_references_outside_the_pool_are_missing_with_their_reason():
    changed = make_item(1, references=("A text that nobody has seen.",))
    assert score(KL, [changed], ITEMS).reasons == {"1": UNKNOWN_REFERENCE}


def test_a_reference_in_an_unsplittable_script_gives_no_statement_score():
    thai = make_item(0, references=("\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e04\u0e23\u0e31\u0e1a",))
    assert score(TV, [thai, *ITEMS[1:]]).reasons == {"0": UNSPLITTABLE}
    assert not score("TV+fvar+report+overlap", [thai, *ITEMS[1:]]).reasons


def test_scoring_before_preparing_is_refused():
    with pytest.raises(PlanError, match="must see them first"):
        asyncio.run(build_fmi(TV).score(ITEMS))


def test_an_empty_pool_leaves_everything_missing():
    assert set(asyncio.run(prepared(TV, []).score(ITEMS)).reasons.values()) == {UNKNOWN_TASK}


def test_no_items_give_no_scores():
    scores = asyncio.run(prepared(TV).score([]))
    assert scores.values.shape == (0,)
    assert scores.contrast.negatives.shape[0] == 0


# names and signatures


def test_a_name_leaves_out_defaults_and_a_signature_leaves_out_nothing():
    metric = build_fmi("TV+fvar+statement+overlap,neg=4", seed=7)
    assert metric.name == TV
    assert metric.signature() == (
        "TV+fvar+statement+overlap,agg=mean,calibrate=none,control=none,critic=soft,decompose=rules.v1,"
        "decompositions=1,dedupe=false,"
        f"neg=4,norm=none,refs=mean,seed=7,v={__version__},weights=equal"
    )


def test_a_prepared_signature_names_its_pool_and_rebuilds_the_metric():
    metric = prepared(TV, seed=3)
    rebuilt = prepared(metric.signature())
    assert f"pool={metric.prepared.pool.digest}" in metric.signature()
    assert rebuilt.signature() == metric.signature()
    np.testing.assert_array_equal(
        asyncio.run(rebuilt.score(ITEMS)).values, asyncio.run(metric.score(ITEMS)).values
    )


def test_a_signature_of_other_data_is_refused():
    with pytest.raises(PlanError, match="pool: the signature names references"):
        prepared(prepared(TV).signature(), ITEMS[:5])


def test_a_signature_of_another_version_is_refused():
    with pytest.raises(SpecError, match=r"v: the signature is of gameproof 0\.0\.1"):
        build_fmi(f"{TV},v=0.0.1")


def test_direct_cells_have_no_seed():
    assert "seed=" not in build_fmi(KL, seed=4).signature()


@pytest.mark.parametrize("name", PRESETS)
def test_presets_parse_and_say_what_they_lack(name):
    # all of them ask: a model for its probabilities, or for its verdicts
    with pytest.raises(InputError, match="asks a language model, and none is given"):
        build_fmi(name)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("norm=review", "asks a language model, and none is given"),
        ("weights=persona", "asks a language model, and none is given"),
        ("decompose=atomic.v1", "asks a language model, and none is given"),
        ("decompositions=2", "decompositions=2 needs a model that decomposes"),
    ],
)
def test_options_that_need_a_model_say_what_this_version_can_do(option, message):
    with pytest.raises(InputError, match=message):
        build_fmi(f"{TV},{option}")


@pytest.mark.parametrize("options", ["", ",weights=rarity", ",weights=consensus", ",control=base_rate"])
def test_a_prepared_metric_survives_pickling(options):
    name = f"{TV}{options}"
    metric = pickle.loads(pickle.dumps(prepared(name)))  # noqa: S301 - our own bytes
    np.testing.assert_array_equal(asyncio.run(metric.score(ITEMS)).values, score(name).values)


def test_a_prepared_metric_has_a_short_text_form():
    assert len(repr(prepared(TV))) < 1000


# what a reader must know


def test_notes_say_where_negatives_come_from():
    items = [make_item(n, group="north" if n < 5 else "south") for n in range(6)]
    notes = " | ".join(prepared(TV, items).notes)
    assert "information given the group" in notes
    assert "1 of 6 tasks are in groups too small" in notes
    assert "0 of 24 negatives are near duplicates" in notes
    assert "left out" not in notes


def test_notes_say_that_near_duplicates_are_left_out_and_how_both_values_are_had():
    notes = " | ".join(prepared(f"{TV},dedupe=true").notes)
    assert "without dedupe=true, named beside it, shows the value with them" in notes


def test_one_group_is_no_condition():
    assert "given the group" not in " ".join(prepared(TV).notes)


def test_notes_count_dropped_references_and_missing_negatives():
    notes = " | ".join(prepared(TV, [*ITEMS[:3], make_item(3, references=("...",))]).notes)
    assert f"1 of 4 references dropped: {NO_STATEMENT}" in notes
    assert "3 of 3 tasks have fewer negatives" in notes


def test_there_are_no_notes_before_preparing():
    assert build_fmi(TV).notes == ()
