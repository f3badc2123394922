"""Rewards for TRL: ``f(prompts, completions, **columns) -> list[float | None]``."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Unpack, cast

from gameproof.errors import InputError
from gameproof.metrics.catalogue import MetricLike
from gameproof.rewards.core import Reward, Rewards
from gameproof.rewards.making import make_reward
from gameproof.rewards.messages import completion_text, key_of, prompt_key
from gameproof.rewards.settings import RewardOptions
from gameproof.rewards.training_set import PROMPT

__all__ = ["AsyncTrlReward", "TrlReward", "async_trl_reward", "trl_reward"]


class TrlReward:
    """A reward function of TRL's trainers. It can be pickled, as trainers ask that score in another process."""

    def __init__(self, reward: Reward) -> None:
        """Take the core."""
        self.reward = reward
        self.__name__ = reward.name  # TRL logs rewards/NAME/mean

    def __repr__(self) -> str:
        """Name the metric."""
        return f"trl_reward({self.__name__!r})"

    def __call__(
        self, prompts: Sequence[object], completions: Sequence[object], **columns: Any
    ) -> list[float | None]:  # Any: columns of anybody's data, and what the trainer adds
        """Return a number for each completion; None where there is none, and other reward functions count.

        Raises:
            InputError: A prompt is not in the training set, or columns are missing.
        """
        places = _places(self.reward, prompts, completions, columns)
        found = self.reward.score(places, _texts(completions), step=_step(columns))
        return _told(self.reward, self.__name__, found, columns)


class AsyncTrlReward:
    """The same, awaited by trainers beside their other asynchronous reward functions."""

    def __init__(self, reward: Reward) -> None:
        """Take the core."""
        self.reward = reward
        self.__name__ = reward.name
        _mark_as_coroutine_function(self)

    def __repr__(self) -> str:
        """Name the metric."""
        return f"async_trl_reward({self.__name__!r})"

    async def __call__(
        self, prompts: Sequence[object], completions: Sequence[object], **columns: Any
    ) -> list[float | None]:  # Any: as above
        """Return what `TrlReward` returns."""
        places = _places(self.reward, prompts, completions, columns)
        found = await self.reward.score_async(places, _texts(completions), step=_step(columns))
        return _told(self.reward, self.__name__, found, columns)


def trl_reward(metric: MetricLike, train: object, **options: Unpack[RewardOptions]) -> TrlReward:
    """Make a reward function for TRL's trainers, prepared on the training set.

    A completion without a score is None: TRL leaves it out of the baseline of its group, gives it no advantage, and
    counts other reward functions for it. ``missing='floor'`` gives it what another prompt's reference gets instead.

    Args:
        metric: Whatever `gameproof.score` takes.
        train: The rows that the trainer trains on, with the references.
        **options: Those of `RewardOptions`.

    Raises:
        InputError: The training set lacks what is needed, or the direction is unknown or wrong.

    Example:
        >>> towns = ["Aden", "Bern", "Cork", "Dili", "Enna", "Faro"]
        >>> train = [{"prompt": town, "references": [f"The bridge of {town} is shut."]} for town in towns]
        >>> reward = trl_reward("TV+fvar+statement+overlap,neg=2", train)
        >>> reward.__name__
        'TV+fvar+statement+overlap,neg=2'
        >>> own, other = reward(prompts=["Aden"] * 2, completions=["The bridge of Aden is shut.", "A cat sleeps."])
        >>> own > other
        True
    """
    return TrlReward(make_reward(metric, train, options))


def async_trl_reward(metric: MetricLike, train: object, **options: Unpack[RewardOptions]) -> AsyncTrlReward:
    """Make the same as a coroutine function, for metrics that wait for a model; arguments as in `trl_reward`."""
    return AsyncTrlReward(make_reward(metric, train, options))


def _places(
    reward: Reward, prompts: Sequence[object], completions: Sequence[object], columns: dict[str, Any]
) -> list[int | None]:
    if len(prompts) != len(completions):
        raise InputError(
            f"found {len(prompts):,} prompts for {len(completions):,} completions; one each is needed."
        )
    key = reward.training.key
    if key == PROMPT:
        return [reward.place(prompt_key(prompt)) for prompt in prompts]
    values = cast("object", columns.get(key))
    if not isinstance(values, Sequence) or len(cast("Sequence[object]", values)) != len(completions):
        passed = ", ".join(sorted(columns)) or "none"
        raise InputError(
            f"key={key!r}: the trainer passes no such column (columns: {passed}).",
            hint="It passes the columns of its data set: add this one to it, or find rows by their prompt.",
        )
    return [reward.place(key_of(value)) for value in cast("Sequence[object]", values)]


def _texts(completions: Sequence[object]) -> list[str]:
    return [completion_text(completion) for completion in completions]


def _step(columns: dict[str, Any]) -> int | None:
    step = cast("object", getattr(columns.get("trainer_state"), "global_step", None))
    return step if isinstance(step, int) else None


def _told(reward: Reward, name: str, found: Rewards, columns: dict[str, Any]) -> list[float | None]:
    """Tell the trainer's log what has no score and why, and return the numbers."""
    log_metric = cast("Callable[[str, float], None] | None", columns.get("log_metric"))
    if log_metric is not None and found.values:
        log_metric(f"rewards/{name}/missing", len(found.reasons) / len(found.values))
    log_extra = cast("Callable[[str, list[str]], None] | None", columns.get("log_extra"))
    if log_extra is not None:
        log_extra(f"{name}/missing", [found.reasons.get(place, "") for place in range(len(found.values))])
    return reward.settle(found)


def _mark_as_coroutine_function(function: object) -> None:
    """Let `inspect.iscoroutinefunction` see what the call is, where Python can be told (3.12 and later)."""
    mark = getattr(inspect, "markcoroutinefunction", None)
    if mark is not None:
        mark(function)
