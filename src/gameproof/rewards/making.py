"""Make a reward: read the training set, prepare the metric, check its direction."""

from typing import Unpack

from gameproof.metrics.catalogue import MetricLike
from gameproof.rewards.core import Reward
from gameproof.rewards.settings import NONE, Missing, RewardOptions, read_options
from gameproof.rewards.training_set import PROMPT, read_training_set

__all__ = ["as_reward", "make_reward"]


def make_reward(
    metric: MetricLike,
    train: object,
    options: RewardOptions,
    *,
    missing: Missing = NONE,
    key: str = PROMPT,
    every: int = 1,
) -> Reward:
    """Make and prepare the core of a host's reward, with the host's own defaults."""
    settings = read_options(options, missing=missing, key=key)
    training = read_training_set(
        train,
        key=settings.key,
        rename=settings.rename,
        reference=settings.reference,
        group_by=settings.group_by,
    )
    reward = Reward(metric, training, settings, every=every)
    reward.open()
    return reward


def as_reward(metric: MetricLike, train: object, **options: Unpack[RewardOptions]) -> Reward:
    """Make a reward that no host has a form for; `trl_reward` and the others are made of it.

    Args:
        metric: Whatever `gameproof.score` takes: a name, a metric, or a function of an `Item`.
        train: The training set, with the references, as `gameproof.load` takes data; no candidates are needed.
        **options: Those of `RewardOptions`.

    Raises:
        InputError: The training set lacks what is needed, or the direction is unknown or wrong.

    Example:
        >>> towns = ["Aden", "Bern", "Cork", "Dili", "Enna", "Faro"]
        >>> train = [{"prompt": town, "references": [f"The bridge of {town} is shut."]} for town in towns]
        >>> reward = as_reward("rouge1", train)
        >>> reward.score([0, 1], ["The bridge of Aden is shut.", ""]).values
        (1.0, None)
        >>> reward.close()
    """
    return make_reward(metric, train, options)
