"""Cheap draws from a named random stream."""

from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeVar

from gameproof.seeds import rng_for

__all__ = ["Draws"]

Choice = TypeVar("Choice")

BLOCK = 128
STANDARD_NORMAL = NormalDist()


class Draws:
    """Uniform numbers taken from one stream in blocks, and what can be made of them.

    Everything is derived from uniform doubles, the one output of a generator that numpy keeps stable, so a
    frozen world stays frozen across numpy versions.
    """

    def __init__(self, seed: int, *names: str | int) -> None:
        """Open the stream of the given names."""
        self._rng = rng_for(seed, "planted", *names)
        self._block: list[float] = []
        self._next = 0

    def uniform(self) -> float:
        """Return a number in [0, 1)."""
        if self._next == len(self._block):
            self._block = self._rng.random(BLOCK).tolist()
            self._next = 0
        value = self._block[self._next]
        self._next += 1
        return value

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to ``limit - 1``."""
        return int(self.uniform() * limit)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from ``low`` to ``high``, both included."""
        return low + int(self.uniform() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        """Return True with the given probability."""
        return self.uniform() < probability

    def pick(self, options: Sequence[Choice]) -> Choice:
        """Return one of the options."""
        return options[int(self.uniform() * len(options))]

    def pick_other(self, options: Sequence[Choice], current: Choice) -> Choice:
        """Return one of the options that differs from ``current``."""
        return self.pick([option for option in options if option != current])

    def sample(self, options: Sequence[Choice], count: int) -> list[Choice]:
        """Return ``count`` different options in random order."""
        left = list(options)
        for place in range(count):
            other = place + int(self.uniform() * (len(left) - place))
            left[place], left[other] = left[other], left[place]
        return left[:count]

    def shuffled(self, options: Sequence[Choice]) -> list[Choice]:
        """Return all options in random order."""
        return self.sample(options, len(options))

    def normal(self) -> float:
        """Return a standard normal number."""
        return STANDARD_NORMAL.inv_cdf(min(max(self.uniform(), 1e-12), 1 - 1e-12))
