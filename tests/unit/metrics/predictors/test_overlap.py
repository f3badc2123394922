"""Rarity-weighted lexical support, by hand."""

import asyncio
import math

import numpy as np
import pytest

from gameproof.metrics.predictors.base import Block
from gameproof.metrics.predictors.overlap import MAX_LOG_RATIO, Overlap
from gameproof.metrics.reference_pool import index_references
from gameproof.metrics.representations import report
from gameproof.metrics.text_memo import TextMemo
from gameproof.records import Item

# "the" is in all four tasks, "fell" in two, the rest in one.
REFERENCES = ["the rain fell", "the snow fell", "the road", "the bridge"]


def prepare(references):
    items = [
        Item(id=str(n), task_id=str(n), candidate="x", references=(reference,))
        for n, reference in enumerate(references)
    ]
    pool = index_references(items, refs="mean", decompose=report)
    return asyncio.run(Overlap(TextMemo()).prepare(pool))


def predict(prepared, candidates, units, quantity="critic"):
    block = Block(candidates=candidates, units=np.array(units))
    return asyncio.run(prepared.predict([block], quantity))[0].values


def support(candidate, unit, references=REFERENCES):
    return predict(prepare(references), [candidate], [unit])[0, 0] + 0.5


def test_a_copy_has_full_support():
    assert support("The rain fell.", 0) == 1.0


def test_words_of_no_task_in_common_have_no_support():
    assert support("A bridge!", 0) == 0.0


def test_a_rare_word_weighs_more_than_a_common_one():
    # log(4/1) of log(4/1) + log(4/2), by hand; "the" weighs nothing
    assert support("rain", 0) == pytest.approx(2 / 3)
    assert support("fell", 0) == pytest.approx(1 / 3)
    assert support("the", 0) == 0.0


def test_support_matches_words_not_meaning():
    # stated in the module: a negation is not seen, a paraphrase is not found
    assert support("the rain never fell", 0) == 1.0
    assert support("it was pouring", 0) == 0.0


def test_case_order_and_repetition_do_not_matter():
    assert support("FELL rain rain RAIN", 0) == support("rain fell", 0)


def test_weights_are_capped_at_one_task_in_twenty():
    # 40 tasks: "common" in four (log 10), "rare" in one (log 40, capped at log 20), by hand
    references = ["rare common", *["common x"] * 3, *[f"filler{n}" for n in range(36)]]
    assert support("rare", 0, references) == pytest.approx(math.log(20) / (math.log(20) + math.log(10)))


def test_a_word_of_one_task_weighs_the_same_in_any_larger_pool():
    small = ["rare half", *["half"] * 19, *[f"filler{n}" for n in range(20)]]
    large = ["rare half", *["half"] * 99, *[f"filler{n}" for n in range(100)]]
    assert support("rare", 0, small) == pytest.approx(support("rare", 0, large))


def test_a_unit_of_words_that_every_task_uses_cannot_be_judged():
    prepared = prepare(["the", "the rain", "the snow"])
    assert prepared.judgeable.tolist() == [False, True, True]
    assert "tells its task from the others" in prepared.not_judgeable


def test_nothing_can_be_judged_with_a_single_task():
    assert prepare(["the rain fell"]).judgeable.tolist() == [False]


def test_critic_and_ratio_are_two_readings_of_support():
    prepared = prepare(REFERENCES)
    candidates, units = ["rain", "the rain fell", "bridge"], [0, 1, 3]
    critic = predict(prepared, candidates, units)
    log_ratio = predict(prepared, candidates, units, "log_ratio")
    np.testing.assert_allclose(log_ratio, 2 * MAX_LOG_RATIO * critic)
    assert critic.min() >= -0.5
    assert critic.max() <= 0.5
    assert log_ratio.max() == pytest.approx(math.log(8))


def test_rows_are_candidates_and_columns_are_units():
    prepared = prepare(REFERENCES)
    together = predict(prepared, ["rain", "snow"], [1, 0, 2])
    apart = [
        [predict(prepared, [candidate], [unit])[0, 0] for unit in (1, 0, 2)] for candidate in ("rain", "snow")
    ]
    np.testing.assert_allclose(together, apart)


def test_a_candidate_without_words_supports_nothing():
    assert predict(prepare(REFERENCES), ["?!"], [0, 1, 2]).tolist() == [[-0.5, -0.5, -0.5]]


def test_many_candidates_of_one_task_are_looked_up_in_parts():
    prepared = prepare(REFERENCES)
    values = predict(prepared, ["rain", "snow"] * 100, [0, 1])
    assert values.shape == (200, 2)
    assert np.array_equal(values[:2], values[-2:])


def test_other_scripts_are_words_too():
    assert support("\u6865 \u5012", 0, ["\u6865\u5012", "\u96e8", "\u96ea"]) == 1.0
