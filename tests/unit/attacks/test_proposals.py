"""A language model as the attacker: what it is told, and what becomes of what it writes."""

import asyncio
import re

import pytest
from tests.support.fake_model import FakeModel

import gameproof
from gameproof.attacks.plan import Plan
from gameproof.attacks.run import Target, attack_metric
from gameproof.llm.asking import Asker
from gameproof.llm.client import Reply
from gameproof.metrics.base import as_metric
from gameproof.records import Item
from gameproof.text import words

TEXTS = (
    "The bridge opened in May. It is long.",
    "A garden was planted. People like it.",
    "The novel sold well. Critics praised it.",
    "An engine was tested. It is loud.",
)
ITEMS = [Item(id=f"t{n}", task_id=f"t{n}", candidate=text) for n, text in enumerate(TEXTS)]
LENGTH = as_metric(lambda item: float(len(words(item.candidate))), name="wordcount", version="1")
EVEN = as_metric(lambda item: 1.0 + int(item.id[1:]) % 2, name="quality", version="1")
BUDGET = 4


def _prompt(request):
    return "\n".join(message.content for message in request.messages)


def _attack(model, **plan):
    settings = {
        "budget": BUDGET,
        "universal_budget": 0,
        "strategy": "greedy",
        "moves": ("hedge",),
        "longest": 4.0,
        **plan,
    }
    target = Target(search=LENGTH, measure=LENGTH, quality=EVEN)
    return asyncio.run(attack_metric(ITEMS, target, Plan(**settings), proposer=Asker(model)))


def _longer(request):
    """Write a text that is new in every attempt, and longer than any move makes it."""
    attempt = re.search(r"This is attempt (\d+)", _prompt(request))[1]
    return f"<text>{'Word ' * 18}number {attempt}.</text>"


def test_the_attacker_writes_half_of_the_texts_and_its_winner_says_so():
    model = FakeModel(_longer)
    result = _attack(model)
    assert len(model.requests) == len(ITEMS) * BUDGET // 2
    assert result.n_calls == len(ITEMS) * BUDGET
    assert {request.purpose for request in model.requests} == {"attack"}
    assert [(use.move, use.share) for use in result.moves][:1] == [("proposal", 1.0)]
    # By hand: each of the model's texts has 20 words, more than the 7 or 8 of a text and what two hedges add to it.
    assert {len(words(example.attacked)) for example in result.examples} == {20}


def test_in_a_black_box_it_is_told_the_text_its_score_and_nothing_of_the_metric():
    model = FakeModel(_longer)
    _attack(model)
    prompts = [_prompt(request) for request in model.requests]
    assert all("wordcount" not in prompt for prompt in prompts)
    assert all("Nothing is known of the measure but its scores" in prompt for prompt in prompts)
    first = next(prompt for prompt in prompts if TEXTS[0] in prompt)
    n_words = len(words(TEXTS[0]))
    assert f"Its score: {n_words}. The score of the text it was made from: {n_words}." in first
    assert re.search(rf"At most {4 * n_words}\s+words", first)  # `longest` of the plan is 4


def test_in_a_grey_box_it_is_told_what_the_metric_is():
    model = FakeModel(_longer)
    _attack(model, box="grey", longest=3.0)
    prompts = [_prompt(request) for request in model.requests]
    assert all(f"What is known of the measure: {LENGTH.signature()}" in prompt for prompt in prompts)
    assert any(re.search(rf"At most {3 * len(words(TEXTS[0]))}\s+words", prompt) for prompt in prompts)


def test_attempts_of_one_text_are_numbered_so_that_no_question_comes_twice():
    model = FakeModel(_longer)
    _attack(model, budget=8, per_task=1)
    told = [
        (TEXTS.index(found[0]), int(re.search(r"This is attempt (\d+)", prompt)[1]))
        for prompt in map(_prompt, model.requests)
        if (found := [text for text in TEXTS if text in prompt])
    ]
    assert len(set(told)) == len(told)
    assert len({_prompt(request) for request in model.requests}) == len(model.requests)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "no text"),
        ("I'm sorry, but I can't help with that.", "refus"),
        (Reply(text="<text>A cut", finish="length", model="fake"), "trunc|cut|limit"),
    ],
)
def test_a_reply_without_a_text_is_counted_with_its_reason_and_costs_no_score(reply, reason):
    result = _attack(FakeModel(lambda _request: reply))
    (told,) = [each for each in result.failures if each.startswith("no proposal: ")]
    assert re.search(reason, told)
    assert result.failures[told] >= len(ITEMS)
    assert "proposal" not in {use.move for use in result.moves}


def test_a_text_that_is_too_long_or_was_there_already_is_not_scored():
    counted = []
    metric = as_metric(
        lambda item: counted.append(item.candidate) or float(len(words(item.candidate))),
        name="wordcount",
        version="1",
    )
    target = Target(search=metric, measure=LENGTH, quality=EVEN)
    plan = Plan(budget=BUDGET, universal_budget=0, strategy="greedy", moves=("hedge",))
    for text, n_scored in (("Much. " * 40, 0), ("One text for everybody.", len(ITEMS))):
        model = FakeModel(lambda _request, text=text: f"<text>{text}</text>")
        asyncio.run(attack_metric(ITEMS, target, plan, proposer=Asker(model)))
        assert len(model.requests) > len(ITEMS)
        assert counted.count(text.strip()) == n_scored


def test_the_verb_takes_a_model_as_the_attacker():
    rows = [{"task_id": item.task_id, "candidate": item.candidate} for item in ITEMS]
    model = FakeModel(_longer)
    found = gameproof.attack(
        rows, LENGTH, quality=EVEN, proposer=model, budget=BUDGET, longest=4.0, universal_budget=0
    )
    assert model.requests
    assert "proposal" in {use.move for use in found.results[0].moves}
