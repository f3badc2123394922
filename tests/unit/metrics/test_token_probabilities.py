"""Verdicts weighed by the probabilities of their tokens."""

import json
import math

import pytest
from tests.support.fake_model import FakeModel, fences
from tests.support.scoring import score_items

from gameproof.errors import EndpointError
from gameproof.llm.client import Reply, TokenLogProb
from gameproof.llm.token_scores import AMBIGUOUS, NO_LOGPROBS, OFF_MENU, word_probabilities
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


def expectation_of(pieces, alternatives):
    """Score with grades from 1 to 10 by a model whose tokens are these."""
    text = "".join(pieces)
    model = FakeModel(lambda _: Reply(text=text, logprobs=tokens(pieces, alternatives)))
    (metric,) = build_metrics(["judge,scale=10,expectation=true"], llm=model)
    return score_items(metric, ITEMS)


def test_ten_as_a_token_of_its_own_is_one_grade_beside_one():
    likely = [("10", 0.5), ("9", 0.25), ("1", 0.25)]
    scores = expectation_of(['{"score": ', "10", "}"], {1: likely})
    assert scores.values.tolist() == pytest.approx([10 * 0.5 + 9 * 0.25 + 1 * 0.25] * 6)


def test_ten_in_two_tokens_shares_the_probability_of_one_by_what_follows():
    # After "1" comes "0" with .75 and the end of the number with .25.
    first, then = [("1", 0.8), ("8", 0.2)], [("0", 0.75), ("}", 0.25)]
    scores = expectation_of(['{"score": ', "1", "0", "}"], {1: first, 2: then})
    assert scores.values.tolist() == pytest.approx([10 * 0.6 + 1 * 0.2 + 8 * 0.2] * 6)


def test_one_that_was_written_out_shares_its_probability_with_ten_as_well():
    first, then = [("1", 0.8), ("8", 0.2)], [("0", 0.25), ("}", 0.75)]
    scores = expectation_of(['{"score": ', "1", "}"], {1: first, 2: then})
    assert scores.values.tolist() == pytest.approx([10 * 0.2 + 1 * 0.6 + 8 * 0.2] * 6)


def test_a_likely_one_that_may_have_become_ten_gives_no_expectation():
    with pytest.raises(EndpointError, match="a likely token begins several verdicts"):
        expectation_of(['{"score": ', "8", "}"], {1: [("8", 0.8), ("1", 0.2)]})


def test_an_unlikely_one_that_may_have_become_ten_is_left_out():
    scores = expectation_of(['{"score": ', "8", "}"], {1: [("8", 0.5), ("7", 0.495), ("1", 0.005)]})
    assert scores.values.tolist() == pytest.approx([(8 * 0.5 + 7 * 0.495) / 0.995] * 6)


def test_a_token_that_ends_the_number_too_is_the_short_grade():
    first = [("1}", 0.5), ("9}", 0.5)]
    scores = expectation_of(['{"score": ', "1}"], {1: first})
    assert scores.values.tolist() == pytest.approx([5.0] * 6)


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


def test_a_token_that_begins_two_words_goes_to_the_one_that_was_written():
    reply = Reply(text="10", logprobs=tokens(["1", "0"], {0: [("1", 0.9), ("7", 0.1)]}))
    assert word_probabilities(reply, 0, ["1", "10", "7"]) == pytest.approx({"1": 0, "10": 0.9, "7": 0.1})


def test_a_token_that_begins_two_words_and_ends_there_counts_for_neither():
    reply = Reply(text="n", logprobs=tokens(["n"], {}))
    assert word_probabilities(reply, 0, ["no", "none"]) == AMBIGUOUS


def test_log_probs_of_another_text_are_not_used():
    reply = Reply(text="yes", logprobs=tokens(["n", "o"], {}))
    assert word_probabilities(reply, 0, ["yes", "no"]) == NO_LOGPROBS


def test_what_lies_on_grades_that_do_not_exist_is_left_out():
    """A server that holds a model to the schema shows the probabilities from before: here .4 lie on 0 and 9.

    So SmolLM2-135M graded in llama.cpp. By hand: .36 / .6 and .24 / .6.
    """
    chances = [("1", 0.36), ("5", 0.24), ("0", 0.3), ("9", 0.1)]
    reply = Reply(text="1", logprobs=tokens(["1"], {0: chances}))
    menu = ["1", "2", "3", "4", "5"]
    assert word_probabilities(reply, 0, menu) == pytest.approx({"1": 0.6, "2": 0, "3": 0, "4": 0, "5": 0.4})


def test_a_token_that_is_hardly_ever_a_verdict_is_none():
    reply = Reply(text="no", logprobs=tokens(["no"], {0: [("no", 0.1), ("yes", 0.05), ("perhaps", 0.85)]}))
    assert word_probabilities(reply, 0, ["yes", "no"]) == OFF_MENU
