"""The predictor that asks a classifier of entailment; the classifier here is ten lines."""

import asyncio
import math

import numpy as np
import pytest

from gameproof.errors import EndpointError
from gameproof.metrics.predictors.base import Block
from gameproof.metrics.predictors.nli import EXAMPLES, TOO_LONG, Nli, NliScores, read_roles
from gameproof.metrics.reference_pool import index_references
from gameproof.metrics.representations import REPRESENTATIONS
from gameproof.records import Item


class FakeClassifier:
    """Entailed: every word is in the premise; contradicted: only "not" is missing from it; else neutral."""

    label = "fake@00000000"

    def __init__(self, labels=("entailment", "neutral", "contradiction"), *, max_tokens=100, certainty=0.9):
        self.labels = labels
        self.max_tokens = max_tokens
        self.certainty = certainty
        self.asked = []

    def count_tokens(self, texts):
        return [len(text.split()) for text in texts]

    def verdict(self, premise, hypothesis):
        known, said = (set(text.casefold().replace(".", "").split()) for text in (premise, hypothesis))
        if {"not", "did", "any", "does", "was", "take", "buy"} & (said - known):
            return 2
        return 0 if said <= known or len(said & known) >= 3 else 1

    def score(self, pairs, *, batch):
        assert batch >= 1
        self.asked += pairs
        rows = np.full((len(pairs), 3), math.log((1 - self.certainty) / 2))
        for row, pair in enumerate(pairs):
            assert sum(self.count_tokens(pair)) <= self.max_tokens
            rows[row, self.verdict(*pair)] = math.log(self.certainty)
        return rows


class TwoLabels(FakeClassifier):
    """Entailed or not."""

    def score(self, pairs, *, batch):
        three = np.exp(super().score(pairs, batch=batch))
        return np.log(np.stack([three[:, 0], three[:, 1] + three[:, 2]], axis=1))


def items_of(*references, candidate="The bridge fell at dawn."):
    return [
        Item(id=f"i{n}", task_id=f"t{n}", candidate=candidate, references=(reference,))
        for n, reference in enumerate(references)
    ]


def predict(classifier, candidates, units, quantity="log_ratio"):
    scores = NliScores(classifier)
    pool = index_references(items_of(*units), refs="mean", decompose=REPRESENTATIONS["report"])
    assert pool.units == units

    async def work():
        prepared = await Nli(scores=scores).prepare(pool)
        block = Block(candidates=candidates, units=np.arange(len(units)))
        (found,) = await prepared.predict([block], quantity)
        return found.values, prepared

    return asyncio.run(work())


UNITS = ("The bridge fell at dawn.", "The bridge did not fall.", "Pears ripen late.")


def test_what_is_neither_counts_half_for_each_side():
    values, _ = predict(FakeClassifier(), ["The bridge fell at dawn."], UNITS)
    # p = (.9, .05, .05): r = (.9 + .025) / (.05 + .025) = 37/3; contradicted: 3/37; neither: r = 1.
    np.testing.assert_allclose(values[0], np.log([37 / 3, 3 / 37, 1]), atol=1e-12)


def test_the_soft_critic_is_the_probability_of_support_minus_a_half():
    values, _ = predict(FakeClassifier(), ["The bridge fell at dawn."], UNITS, "critic")
    np.testing.assert_allclose(values[0], [0.925 - 0.5, 0.075 - 0.5, 0], atol=1e-12)


def test_two_labels_tell_entailed_from_not_entailed():
    values, _ = predict(TwoLabels(("entailment", "not_entailment")), ["The bridge fell at dawn."], UNITS)
    # p = .9 and .05: odds 9 and 1/19
    np.testing.assert_allclose(values[0], np.log([9, 1 / 19, 1 / 19]), atol=1e-12)


@pytest.mark.parametrize(
    ("labels", "roles"),
    [
        (("CONTRADICTION", "NEUTRAL", "ENTAILMENT"), (2, 0, 1)),
        (("entailment", "neutral", "contradiction"), (0, 2, 1)),
        (("Supports", "Refutes", "Not enough info"), (0, 1, 2)),
        (("not_entailment", "entailment"), (1, 0, None)),
    ],
)
def test_labels_are_read_whatever_their_case_and_order(labels, roles):
    found = read_roles(labels)
    assert (found.support, found.against, found.neither) == roles


@pytest.mark.parametrize(
    "labels",
    [
        ("LABEL_0", "LABEL_1", "LABEL_2"),
        ("entailment", "neutral"),
        ("positive", "negative"),
        ("entailment",) * 2,
    ],
)
def test_labels_that_do_not_name_support_are_refused(labels):
    with pytest.raises(EndpointError, match="do not say which one means support"):
        read_roles(labels)


def test_a_model_whose_labels_are_swapped_is_refused():
    with pytest.raises(EndpointError, match="cannot tell what is supported"):
        predict(FakeClassifier(("contradiction", "neutral", "entailment")), ["A bridge."], UNITS)


def test_a_model_that_always_says_the_same_is_refused():
    class Blind(FakeClassifier):
        def verdict(self, premise, hypothesis):
            del premise, hypothesis
            return 0

    with pytest.raises(EndpointError, match="in 0% of"):
        predict(Blind(), ["A bridge."], UNITS)


def test_each_candidate_and_unit_is_asked_once():
    classifier = FakeClassifier()
    scores = NliScores(classifier)
    pairs = [("The bridge fell at dawn.", unit) for unit in UNITS]
    first = scores.find(pairs, batch=8)
    assert scores.find([*pairs, *pairs], batch=8) == [*first, *first]
    examples = 3 * len(EXAMPLES)
    assert len(classifier.asked) == examples + len(UNITS)
    assert scores.n_scored == len(UNITS)


def test_a_long_candidate_is_read_in_windows_of_whole_sentences_and_the_best_support_counts():
    classifier = FakeClassifier(max_tokens=40)
    long = " ".join([*["Nothing of note was heard there."] * 9, "The bridge fell at dawn."])
    values, prepared = predict(classifier, [long], UNITS[:1])
    np.testing.assert_allclose(values[0], math.log(37 / 3), atol=1e-12)
    windows = [premise for premise, unit in classifier.asked if unit == UNITS[0]]
    assert " ".join(windows) == long  # nothing is cut off, nothing is read twice
    (note,) = prepared.notes()
    assert note.startswith("1 candidates are longer than fake@00000000 reads at once")


def test_a_sentence_too_long_for_a_window_is_halved_between_words():
    classifier = FakeClassifier(max_tokens=40)
    endless = " ".join(f"word{n}" for n in range(100))
    predict(classifier, [endless], UNITS[:1])
    windows = [premise for premise, unit in classifier.asked if unit == UNITS[0]]
    assert " ".join(windows) == endless


def test_a_unit_that_leaves_no_room_for_a_candidate_is_not_judged():
    classifier = FakeClassifier(max_tokens=40)
    _, prepared = predict(classifier, ["A bridge."], UNITS)
    assert prepared.judgeable.tolist() == [True, True, True]
    long = " ".join(["word"] * 21)
    _, prepared = predict(classifier, ["A bridge."], (UNITS[0], long))
    assert prepared.judgeable.tolist() == [True, False]
    assert prepared.not_judgeable == TOO_LONG


def test_a_dry_run_does_not_ask_the_model():
    classifier = FakeClassifier()
    pool = index_references(items_of(*UNITS), refs="mean", decompose=REPRESENTATIONS["report"])
    asyncio.run(Nli(scores=NliScores(classifier)).rehearsal().prepare(pool))
    assert classifier.asked == []
