"""Rewards for verifiers: a function of task and trace for ``verifiers.v1``, and one of prompt and completion before it.

``verifiers.v1`` has no value for a missing reward and asks that none is guessed: a raise fails the rollout, which
may be tried again. The older form turns a raise into 0.0 and goes on, so there a missing score is the floor.
"""

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Unpack, cast

from gameproof.errors import CallError, InputError, PlanError
from gameproof.metrics.catalogue import MetricLike
from gameproof.rewards.core import Reward, Rewards
from gameproof.rewards.making import make_reward
from gameproof.rewards.messages import completion_text, key_of, prompt_key
from gameproof.rewards.settings import FLOOR, NONE, RewardOptions
from gameproof.rewards.training_set import PROMPT

__all__ = ["legacy_verifiers_reward", "verifiers_reward"]

EVERY = 256  # completions that make a line of the log: they come one at a time

TaskReward = Callable[
    [Any, Any], Coroutine[object, object, float]
]  # Any: classes of verifiers, never imported
PairReward = Callable[..., Coroutine[object, object, float]]


def verifiers_reward(metric: MetricLike, train: object, **options: Unpack[RewardOptions]) -> TaskReward:
    """Make a reward ``(task, trace) -> float`` for ``verifiers.v1``.

    It is plugged by its import path (``--env.taskset.task.rewards.NAME.fn my_rewards.py:NAME``), or awaited in a
    ``@vf.reward`` method as ``await reward(self.data, trace)``. What is scored is the last reply of the trace.

    Args:
        metric: Whatever `gameproof.score` takes.
        train: The rows that the taskset is made of, with the references.
        **options: Those of `RewardOptions`. Rows are found by the task's prompt, or with ``key='id'`` by that field
            of the task. `missing` is ``none`` by default: the rollout fails with the reason.

    Raises:
        InputError: The training set lacks what is needed, or the direction is unknown or wrong.
    """
    reward = make_reward(metric, train, options, every=EVERY)

    async def score(task: Any, trace: Any) -> float:
        data = getattr(task, "data", task)
        if reward.training.key == PROMPT:
            place = reward.place(prompt_key(data.prompt))
        else:
            place = reward.place(key_of(_field(data, reward.training.key)))
        return _number(reward, await reward.score_async([place], [str(trace.last_reply)]))

    score.__name__ = reward.name
    return score


def legacy_verifiers_reward(
    metric: MetricLike, train: object, **options: Unpack[RewardOptions]
) -> PairReward:
    """Make a reward for a ``Rubric`` of verifiers before ``verifiers.v1`` (0.1): ``(prompt, completion, **columns)``.

    Such a rubric logs an error and goes on with 0.0: look into its log when rewards are constant.

    Args:
        metric: Whatever `gameproof.score` takes.
        train: The rows of the environment's data set, with the references.
        **options: Those of `RewardOptions`. Rows are found by their prompt, or with ``key='answer'`` by that column or
            by that name in ``info``: an environment that puts a system prompt before the question changes prompts.
            `missing` is ``floor`` by default.

    Raises:
        InputError: The training set lacks what is needed, or the direction is unknown or wrong.
    """
    if options.get("missing", FLOOR) == NONE:
        raise PlanError(
            "missing='none': a rubric of verifiers 0.1 takes what is missing for 0.0.",
            hint="Leave it out (another prompt's reference is the floor), or say a number.",
        )
    reward = make_reward(metric, train, options, missing=FLOOR, every=EVERY)

    async def score(prompt: object, completion: object, **columns: Any) -> float:
        key = reward.training.key
        value = prompt if key == PROMPT else _column(columns, key)
        place = reward.place(key_of(value))
        return _number(reward, await reward.score_async([place], [completion_text(completion)]))

    score.__name__ = reward.name
    return score


def _number(reward: Reward, found: Rewards) -> float:
    value = reward.settle(found)[0]
    if value is None:
        raise CallError(f"{reward.name} has no reward for this completion: {found.reasons[0]}")
    return value


def _field(task: object, key: str) -> object:
    value = cast("object", getattr(task, key, None))
    if value is None:
        raise InputError(
            f"key={key!r}: the task ({type(task).__name__}) has no such field, or nothing in it."
        )
    return value


def _column(columns: Mapping[str, Any], key: str) -> object:
    info = cast("object", columns.get("info"))
    for place in (columns, info):
        if isinstance(place, Mapping) and key in place:
            return cast("Mapping[str, object]", place)[key]
    there = ", ".join(sorted(columns)) or "none"
    raise InputError(
        f"key={key!r}: the rubric passes no such column, and info has no such name (columns: {there})."
    )
