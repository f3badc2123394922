"""Rewards for verl: ``compute_score(data_source, solution_str, ground_truth, extra_info)``, one or a batch.

verl loads a function from a module or a file. This module has one that is told the metric in verl's own config::

    reward.custom_reward_function.path=pkg://gameproof.rewards.verl
    reward.custom_reward_function.name=compute_score
    +reward.custom_reward_function.reward_kwargs.metric=TV+fvar+statement+overlap
    +reward.custom_reward_function.reward_kwargs.train=train.parquet

verl has no value for a missing reward: a None ends the training, and a NaN makes the advantages of its whole group NaN.
So a completion without a score gets the floor, what another prompt's reference gets, and is counted.
"""

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Unpack, cast

from gameproof.errors import InputError, PlanError
from gameproof.metrics.catalogue import MetricLike
from gameproof.rewards.core import Reward, Rewards
from gameproof.rewards.making import make_reward
from gameproof.rewards.messages import key_of
from gameproof.rewards.settings import FLOOR, NONE, RewardOptions
from gameproof.rewards.training_set import GROUND_TRUTH, reference_key

__all__ = ["compute_score", "compute_score_batch", "verl_batch_reward", "verl_reward"]

EVERY = 256  # completions that make a line of the log: verl asks for one at a time

Scored = dict[str, float]  # score, and reward_missing: 1 where the score is the floor
ComputeScore = Callable[..., Coroutine[object, object, Scored]]
ComputeScores = Callable[..., list[Scored]]

_made: dict[str, Reward] = {}
_lock = threading.Lock()


def verl_reward(metric: MetricLike, train: object, **options: Unpack[RewardOptions]) -> ComputeScore:
    """Make a ``compute_score`` for verl, prepared on the training set; a coroutine function, as verl awaits.

    Rows are found by their ``ground_truth``, or with ``key='COLUMN'`` by what ``extra_info`` has under that name.

    Args:
        metric: Whatever `gameproof.score` takes.
        train: verl's own file, or any other data with the references.
        **options: Those of `RewardOptions`; `missing` is ``floor`` by default.

    Raises:
        InputError: The training set lacks what is needed, or the direction is unknown or wrong.

    Example:
        >>> towns = ["Aden", "Bern", "Cork", "Dili", "Enna", "Faro"]
        >>> truths = [f"The bridge of {town} is shut." for town in towns]
        >>> train = [{"prompt": truth, "reward_model": {"ground_truth": truth}} for truth in truths]
        >>> compute_score = verl_reward("rouge1", train)
        >>> asyncio.run(compute_score("news", truths[0], truths[0], {}))
        {'score': 1.0, 'reward_missing': 0.0}
    """
    reward = _make(metric, train, options)

    async def compute_score(
        data_source: object,
        solution_str: str,
        ground_truth: object = None,
        extra_info: Mapping[str, Any] | None = None,
        **others: Any,
    ) -> Scored:
        del data_source, others
        return await _score(reward, solution_str, ground_truth, extra_info)

    return compute_score


def verl_batch_reward(metric: MetricLike, train: object, **options: Unpack[RewardOptions]) -> ComputeScores:
    """Make the form that verl's reward manager ``batch`` calls; arguments as in `verl_reward`."""
    reward = _make(metric, train, options)

    def compute_score(
        data_sources: Sequence[object],
        solution_strs: Sequence[str],
        ground_truths: Sequence[object],
        extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
        **others: Any,
    ) -> list[Scored]:
        del data_sources, others
        return _score_batch(reward, solution_strs, ground_truths, extra_infos)

    return compute_score


async def compute_score(
    data_source: object,
    solution_str: str,
    ground_truth: object = None,
    extra_info: Mapping[str, Any] | None = None,
    *,
    metric: str,
    train: str,
    **options: Any,
) -> Scored:  # Any: verl adds arguments of its own
    """Score one completion; `metric`, `train` and options come from verl's ``reward_kwargs``.

    The reward is prepared at the first call of a process.

    Returns:
        ``score``, and ``reward_missing``: 1 where there is no score and the floor stands in for it.
    """
    del data_source
    reward = await asyncio.to_thread(_configured, metric, train, options)
    return await _score(reward, solution_str, ground_truth, extra_info)


def compute_score_batch(
    data_sources: Sequence[object],
    solution_strs: Sequence[str],
    ground_truths: Sequence[object],
    extra_infos: Sequence[Mapping[str, Any] | None] | None = None,
    *,
    metric: str,
    train: str,
    **options: Any,
) -> list[Scored]:  # Any: as above
    """Score a batch for verl's reward manager ``batch``; otherwise as `compute_score`."""
    del data_sources
    return _score_batch(_configured(metric, train, options), solution_strs, ground_truths, extra_infos)


async def _score(
    reward: Reward, solution: str, ground_truth: object, extra_info: Mapping[str, Any] | None
) -> Scored:
    place = _place(reward, ground_truth, extra_info)
    return _told(reward, await reward.score_async([place], [solution]))[0]


def _score_batch(
    reward: Reward,
    solutions: Sequence[str],
    ground_truths: Sequence[object],
    extra_infos: Sequence[Mapping[str, Any] | None] | None,
) -> list[Scored]:
    infos = [None] * len(solutions) if extra_infos is None else list(extra_infos)
    places = [_place(reward, truth, info) for truth, info in zip(ground_truths, infos, strict=True)]
    return _told(reward, reward.score(places, list(solutions)))


def _make(metric: MetricLike, train: object, options: RewardOptions) -> Reward:
    if options.get("missing", FLOOR) == NONE:
        raise PlanError(
            "missing='none': verl has no value for a missing reward, and training ends or goes wrong at the first.",
            hint="Leave it out (another prompt's reference is the floor), or say a number.",
        )
    return make_reward(metric, train, options, missing=FLOOR, key=GROUND_TRUTH, every=EVERY)


def _configured(metric: str, train: str, options: Mapping[str, Any]) -> Reward:
    """Return the reward of a config, made once in a process."""
    known: dict[str, object] = {
        name: dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else value
        for name, value in options.items()
        if name in RewardOptions.__annotations__
    }
    asked = json.dumps([metric, train, known], sort_keys=True, default=str)
    with _lock:
        if asked not in _made:
            _made[asked] = _make(metric, train, cast("RewardOptions", known))
        return _made[asked]


def _place(reward: Reward, ground_truth: object, extra_info: Mapping[str, Any] | None) -> int | None:
    key = reward.training.key
    if key == GROUND_TRUTH:
        if ground_truth is None:
            raise InputError(
                "ground_truth: found None; by it a row is found in the training set.",
                hint="Fill reward_model.ground_truth, or find rows by a name in extra_info: key='index'.",
            )
        return reward.place(reference_key(ground_truth))
    info = extra_info or {}
    if key not in info:
        there = ", ".join(sorted(map(str, info))) or "nothing"
        raise InputError(f"key={key!r}: extra_info has no such name (it has {there}).")
    return reward.place(key_of(info[key]))


def _told(reward: Reward, found: Rewards) -> list[Scored]:
    values = cast("list[float]", reward.settle(found))  # `_make` has refused missing='none'
    return [
        {"score": value, "reward_missing": float(place in found.reasons)}
        for place, value in enumerate(values)
    ]
