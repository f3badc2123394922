"""Failures that pass: told apart by their reasons, and asked about again when everything else is through."""

import asyncio
from collections import Counter

import pytest
from tests.support.asking import question
from tests.support.fake_model import FakeModel

from gameproof.errors import CallError
from gameproof.llm.asking import Asker, Question, Unread
from gameproof.llm.passing import gave_up, is_passing, no_answer, no_time_left


@pytest.mark.parametrize(
    "reason",
    [
        gave_up("HTTP 503: Overloaded.", 4),
        no_answer(600.0),
        no_answer(0.5),
        no_time_left("HTTP 429: Slow down.", 1e7),
        f"its statements: {gave_up('HTTP 500: Oops.', 4)}",
    ],
)
def test_calls_that_were_given_up_may_work_later(reason):
    assert is_passing(reason)


@pytest.mark.parametrize(
    "reason",
    [
        "unreadable: no JSON",
        "the prompt has at least 700 tokens, the model takes 512",
        "4/5 statements",
        "empty",
    ],
)
def test_what_is_in_the_nature_of_the_question_stays(reason):
    assert not is_passing(reason)


def ask(n_questions: int, fails) -> tuple[list[object], Counter[str]]:
    """Ask so many questions of a model that fails where `fails` says so of the number and the attempt."""
    attempts: Counter[str] = Counter()

    def answer(request):
        text = request.messages[-1].content
        attempts[text] += 1
        if fails(int(text), attempts[text]):
            raise CallError(gave_up("HTTP 500: Oops.", 4))
        return text

    questions = [
        Question(request=question(str(number)), read=lambda reply: reply.text)
        for number in range(n_questions)
    ]
    return asyncio.run(Asker(FakeModel(answer)).ask(questions)), attempts


def test_a_few_calls_that_failed_are_made_again_at_the_end():
    answers, attempts = ask(40, lambda number, attempt: number in {7, 8} and attempt < 3)
    assert answers == [str(number) for number in range(40)]
    assert (attempts["7"], attempts["9"]) == (3, 1)


def test_a_call_that_fails_for_good_is_made_three_times_at_most():
    answers, attempts = ask(40, lambda number, _: number == 7)
    assert isinstance(answers[7], Unread)
    assert attempts["7"] == 3


def test_where_many_calls_fail_none_is_made_again():
    answers, attempts = ask(40, lambda number, _: number < 5)
    assert sum(isinstance(answer, Unread) for answer in answers) == 5
    assert set(attempts.values()) == {1}
