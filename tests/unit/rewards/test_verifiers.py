"""Rewards as verifiers calls them: by task and trace since ``verifiers.v1``, by prompt and completion before."""

import asyncio
from types import SimpleNamespace

import pytest
from tests.support.rewards import fact, train

from gameproof.errors import CallError, InputError, PlanError
from gameproof.rewards import legacy_verifiers_reward, verifiers_reward


def run(reward, prompt, reply, **fields):
    """What ``verifiers.v1`` passes by name: the data of the task, and the trace of one rollout."""
    task = SimpleNamespace(prompt=prompt, **fields)
    return asyncio.run(reward(task=task, trace=SimpleNamespace(last_reply=reply)))


def test_the_last_reply_of_the_trace_is_scored() -> None:
    reward = verifiers_reward("rouge1", train())
    assert run(reward, "What is new in Aden?", fact("Aden")) == 1.0
    assert reward.__name__ == "rouge1"


def test_messages_of_a_task_are_objects() -> None:
    rows = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in train()]
    message = SimpleNamespace(role="user", content="What is new in Bern?")
    assert run(verifiers_reward("rouge1", rows), [message], fact("Bern")) == 1.0


def test_a_missing_reward_fails_the_rollout_with_its_reason() -> None:
    with pytest.raises(CallError, match="rouge1 has no reward for this completion: empty"):
        run(verifiers_reward("rouge1", train()), "What is new in Aden?", "")
    assert run(verifiers_reward("rouge1", train(), missing=0.0), "What is new in Aden?", "") == 0.0


def test_tasks_are_found_by_a_field() -> None:
    rows = [{**row, "id": f"t{n}"} for n, row in enumerate(train())]
    reward = verifiers_reward("rouge1", rows, key="id")
    assert run(reward, None, fact("Cork"), id="t2") == 1.0
    with pytest.raises(InputError, match=r"key='id': the task .* has no such field"):
        run(reward, None, fact("Cork"), id=None)


def test_a_rubric_passes_prompt_completion_and_columns() -> None:
    rows = [{"prompt": row["prompt"], "answer": row["references"][0]} for row in train()]
    reward = legacy_verifiers_reward("rouge1", rows, reference="answer", key="answer")
    said = [{"role": "assistant", "content": fact("Aden")}]
    passed = {"answer": fact("Aden"), "state": {}, "info": {}, "task": "default", "parser": None}
    assert asyncio.run(reward(prompt=[], completion=said, **passed)) == 1.0
    assert asyncio.run(reward(prompt=[], completion=[], **passed)) == pytest.approx(12 / 14)  # the floor


def test_a_rubric_finds_rows_in_info() -> None:
    rows = [{**row, "doc": n} for n, row in enumerate(train())]
    reward = legacy_verifiers_reward("rouge1", rows, key="doc")
    said = [{"role": "assistant", "content": fact("Bern")}]
    assert asyncio.run(reward(prompt=[], completion=said, info={"doc": 1})) == 1.0
    with pytest.raises(InputError, match="key='doc': the rubric passes no such column"):
        asyncio.run(reward(prompt=[], completion=said, info={}))


def test_a_rubric_has_no_value_for_a_missing_reward() -> None:
    with pytest.raises(PlanError, match=r"takes what is missing for 0\.0"):
        legacy_verifiers_reward("rouge1", train(), missing="none")
