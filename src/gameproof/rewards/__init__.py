"""Metrics as training rewards: one core, and the forms that TRL, verl and verifiers ask for.

Names load on first use.
"""

from typing import TYPE_CHECKING

from gameproof._lazy import lazy_names

if TYPE_CHECKING:
    from gameproof.rewards.core import Reward, Rewards
    from gameproof.rewards.making import as_reward
    from gameproof.rewards.settings import RewardOptions
    from gameproof.rewards.trl import async_trl_reward, trl_reward
    from gameproof.rewards.verifiers import legacy_verifiers_reward, verifiers_reward
    from gameproof.rewards.verl import verl_batch_reward, verl_reward

__all__ = [
    "Reward",
    "RewardOptions",
    "Rewards",
    "as_reward",
    "async_trl_reward",
    "legacy_verifiers_reward",
    "trl_reward",
    "verifiers_reward",
    "verl_batch_reward",
    "verl_reward",
]

_HOMES = {
    "Reward": "core",
    "RewardOptions": "settings",
    "Rewards": "core",
    "as_reward": "making",
    "async_trl_reward": "trl",
    "legacy_verifiers_reward": "verifiers",
    "trl_reward": "trl",
    "verifiers_reward": "verifiers",
    "verl_batch_reward": "verl",
    "verl_reward": "verl",
}


__getattr__ = lazy_names(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
