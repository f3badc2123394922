"""Verdicts weighed by the probabilities of their tokens."""

import json
import math

import pytest
from tests.support.fake_model import FakeModel, fences
from tests.support.scoring import score_items

from gameproof.errors import EndpointError, SpecError
from gameproof.llm.client import Reply, TokenLogProb
from gameproof.llm.token_scores import word_probabilities
from gameproof.metrics.catalogue import build_metrics
from gameproof.records import Item

ITEMS = [
    Item(id=str(n), task_id=f"t{n}", candidate=f"Text {n}.", references=(f"Heavy rain fell in town {n}.",))
    for n in range(6)
]


def tokens(pieces, alternatives):
    """Make tokens of pieces of text; some pieces have (token, probability) alternatives."""
    return tuple(
        TokenLogProb(
            token=piece,
            logprob=math.log(dict(alternatives.get(place, {})).get(piece, 1.0)),
            top=tuple((token, math.log(chance)) for token, chance in alternatives.get(place, ())),
        )
        for place, piece in enumerate(pieces)
    )


def grade(_request):
    pieces = ['{"score": ', "4", "}"]
    likely = [("4", 0.6), ("3", 0.2), (" 5", 0.1), ("x", 0.1)]
    return Reply(text="".join(pieces), logprobs=tokens(pieces, {1: likely}))


def test_a_judge_averages_grades_by_the_probability_of_their_tokens():
    (metric,) = build_metrics(["judge,scale=5,expectation=true"], llm=FakeModel(grade))
    expected = (4 * 0.6 + 3 * 0.2 + 5 * 0.1) / 0.9  # of the mass that is on the menu
    assert score_items(metric, ITEMS).values.tolist() == pytest.approx([expected] * 6)


def test_without_log_probs_there_is_no_expectation():
    (metric,) = build_metrics(["judge,scale=5,expectation=true"], llm=FakeModel(lambda _: '{"score": 4}'))
    with pytest.raises(EndpointError, match="no log-probs at the verdict"):
        score_items(metric, ITEMS)


def test_expectation_needs_grades_of_one_digit():
    with pytest.raises(SpecError, match="Use scale=5"):
        build_metrics(["judge,expectation=true"], llm=FakeModel(grade))


def yes_or_no(chance_of_yes):
    def answer(request):
        ids = [line.split(":")[0] for line in fences(request)["statements"].splitlines()]
        text = json.dumps({"verdicts": [{"id": name, "verdict": "yes"} for name in ids]})
        before, *rest = text.split('yes"')
        pieces, likely = [before], {}
        for part in rest:
            likely[len(pieces)] = [("yes", chance_of_yes), ("no", 1 - chance_of_yes)]
            pieces += ["yes", '"' + part]
        return Reply(text=text, logprobs=tokens(pieces, likely))

    return answer


def test_a_soft_critic_is_the_probability_of_yes():
    name = "TV+fvar+statement+oracle,critic=soft,decompose=rules.v1"
    (metric,) = build_metrics([name], llm=FakeModel(yes_or_no(0.8)))
    scores = score_items(metric, ITEMS)
    assert scores.contrast.matched.tolist() == pytest.approx([0.3] * 6)
    assert scores.values.tolist() == pytest.approx([0.0] * 6)  # as likely for every other task


def test_a_token_that_begins_two_words_counts_for_neither():
    reply = Reply(text="10", logprobs=tokens(["1", "0"], {0: [("1", 0.9), ("7", 0.1)]}))
    assert word_probabilities(reply, 0, ["1", "10", "7"]) is None  # a tenth is too little to go by


def test_log_probs_of_another_text_are_not_used():
    reply = Reply(text="yes", logprobs=tokens(["n", "o"], {}))
    assert word_probabilities(reply, 0, ["yes", "no"]) is None
