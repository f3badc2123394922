"""Reward functions as TRL 1.16 calls them: GRPO and RLOO, its asynchronous GRPO, and trainers that pass less."""

import asyncio
import inspect
import pickle
from types import SimpleNamespace

import pytest
from tests.support.rewards import fact, train

from gameproof.errors import InputError
from gameproof.rewards import async_trl_reward, trl_reward


def as_grpo(prompts, completions, **columns):
    """What GRPOTrainer and RLOOTrainer pass, all by keyword, with what they logged."""
    logged: dict = {}
    passed = {
        "prompts": prompts,
        "completions": completions,
        "completion_ids": [[1]] * len(completions),
        "trainer_state": SimpleNamespace(global_step=3),
        "log_extra": logged.__setitem__,
        "log_metric": logged.__setitem__,
        **columns,
    }
    return passed, logged


def test_grpo_gets_a_number_or_none_and_logs_what_is_missing() -> None:
    reward = trl_reward("rouge1", train())
    passed, logged = as_grpo(["What is new in Aden?"] * 2, [fact("Aden"), ""], references=[["x"]] * 2)
    assert reward(**passed) == [1.0, None]
    assert logged == {"rewards/rouge1/missing": 0.5, "rouge1/missing": ["", "empty"]}


def test_the_asynchronous_function_gives_the_same_and_is_seen_as_one() -> None:
    reward = async_trl_reward("rouge1", train())
    passed, logged = as_grpo(["What is new in Aden?"] * 2, [fact("Aden"), ""])
    assert asyncio.run(reward(**passed)) == [1.0, None]
    assert logged["rewards/rouge1/missing"] == 0.5
    assert inspect.iscoroutinefunction(reward.__call__)  # what TRL 1.16 looks at


def test_trainers_that_pass_prompts_and_completions_alone_are_served() -> None:
    reward = trl_reward("rouge1", train())
    assert reward(prompts=["What is new in Bern?"], completions=[fact("Bern")]) == [1.0]
    assert reward(["What is new in Bern?"], [fact("Bern")]) == [1.0]


def test_messages_are_read_and_the_last_of_the_assistant_is_scored() -> None:
    rows = [{**row, "prompt": [{"role": "user", "content": row["prompt"]}]} for row in train()]
    reward = trl_reward("rouge1", rows)
    said = [
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "ferry: yes"},
        {"role": "assistant", "content": fact("Aden")},
    ]
    assert reward(prompts=[rows[0]["prompt"]], completions=[said]) == [1.0]


def test_the_name_is_the_metrics_or_the_users() -> None:
    assert trl_reward("rougeL,stem=true", train()).__name__ == "rougeL,stem=true"
    assert async_trl_reward("rouge1", train(), name="news").__name__ == "news"


def test_a_prompt_outside_the_training_set_is_one_clear_error() -> None:
    reward = trl_reward("rouge1", train())
    with pytest.raises(InputError, match=r"prompt: 'Who\?' is not in the training set .* \(8 of them\)"):
        reward(prompts=["Who?"], completions=["x"])


def test_or_a_counted_none_where_other_rewards_answer_for_it() -> None:
    reward = trl_reward("rouge1", train(), unknown="none")
    assert reward(prompts=["Who?", "What is new in Aden?"], completions=["x", fact("Aden")]) == [None, 1.0]
    assert reward.reward.counts.missing == {"prompt not in the training set": 1}


def test_rows_are_found_by_a_column() -> None:
    rows = [
        {"prompt": "Any news?", "task_id": n, "references": row["references"]}
        for n, row in enumerate(train())
    ]
    reward = trl_reward("rouge1", rows, key="task_id")
    passed, _ = as_grpo(["Any news?"] * 2, [fact("Cork"), fact("Dili")], task_id=[2, 3])
    assert reward(**passed) == [1.0, 1.0]


def test_a_column_that_the_trainer_does_not_pass_is_named() -> None:
    rows = [{**row, "doc": n} for n, row in enumerate(train())]
    reward = trl_reward("rouge1", rows, key="doc")
    with pytest.raises(InputError, match=r"key='doc': the trainer passes no such column \(columns: id\)"):
        reward(prompts=["x"], completions=["y"], id=[1])


def test_as_many_prompts_as_completions_are_needed() -> None:
    with pytest.raises(InputError, match="found 1 prompts for 2 completions"):
        trl_reward("rouge1", train())(prompts=["x"], completions=["y", "z"])


def test_what_is_neither_text_nor_messages_is_refused() -> None:
    reward = trl_reward("rouge1", train())
    with pytest.raises(InputError, match="completion: found int; a text or messages are needed"):
        reward(prompts=["What is new in Aden?"], completions=[7])


@pytest.mark.parametrize("make", [trl_reward, async_trl_reward])
def test_a_trainer_that_scores_in_another_process_can_take_it_there(make) -> None:
    """TRL's asynchronous GRPO pickles reward functions into a process of its own."""
    copy = pickle.loads(pickle.dumps(make("rouge1", train())))  # noqa: S301 - our own
    done = copy(prompts=["What is new in Aden?"], completions=[fact("Aden")])
    assert (asyncio.run(done) if inspect.isawaitable(done) else done) == [1.0]


def test_it_can_be_made_and_called_inside_a_running_loop() -> None:
    async def notebook():
        return trl_reward("rouge1", train())(prompts=["What is new in Aden?"], completions=[fact("Aden")])

    assert asyncio.run(notebook()) == [1.0]
