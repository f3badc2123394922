"""One prefix or suffix for all texts: learned on half of the tasks, and put to the other half.

The search grows an addition sentence by sentence from a bank that holds nothing about any task: empty sentences,
praise, headings, orders to a judge, and the sentences of training texts that would fit anywhere. What it optimises is
the mean gain on training texts; what is reported is the gain and the gaming gap on tasks that took no part.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gameproof.attacks import wording
from gameproof.attacks.scene import typical_sentences
from gameproof.attacks.sides import Side
from gameproof.perturbations.joining import append, joint
from gameproof.records import Item
from gameproof.seeds import rng_for
from gameproof.text import split_layout

__all__ = ["Addition", "learn_addition"]

BATCH = 16  # training texts that an addition is tried on
DEEPEST = 3  # sentences of an addition
BRANCHES = 3  # additions that are grown further
N_TYPICAL = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Addition:
    """What is put before or behind a text."""

    place: str  # prefix or suffix
    parts: tuple[str, ...]
    gain: float = 0.0  # mean over training texts, in standard deviations of their scores

    @property
    def text(self) -> str:
        """The whole addition."""
        return " ".join(self.parts)

    def put(self, candidate: str) -> str:
        """Return a candidate with the addition."""
        layout = split_layout(candidate)
        if self.place == "suffix":
            return append(candidate, self.text, layout)
        return self.text + joint(self.text, layout) + candidate


async def learn_addition(
    items: Sequence[Item], side: Side, *, budget: int, seed: int
) -> tuple[Addition | None, int]:
    """Learn the addition that raises a metric most on training texts.

    Args:
        items: Training texts; none of their tasks may be measured on.
        side: The side of the metric that is attacked.
        budget: Scores that may be asked for, the originals' among them.
        seed: Of the draw of training texts.

    Returns:
        The best addition (None where the budget is too small for a single one), and the scores that were used.
    """
    rng = rng_for(seed, "attack", "universal")
    chosen: list[int] = rng.permutation(len(items))[: min(BATCH, len(items))].tolist()
    batch = [items[place] for place in sorted(chosen)]
    if not batch or budget < 2 * len(batch):
        return None, 0
    originals = (await side.score(batch)).values
    used = len(batch)
    spread = float(np.nanstd(originals)) or 1.0
    bank = _bank(items)
    level = [Addition(place=place, parts=(part,)) for place in ("suffix", "prefix") for part in bank]
    best: Addition | None = None
    for _ in range(DEEPEST):
        tried: list[Addition] = []
        for addition in level[: (budget - used) // len(batch)]:
            scored = await side.score([item.with_candidate(addition.put(item.candidate)) for item in batch])
            used += len(batch)
            gains = scored.values - originals
            if not np.isnan(gains).all():
                gain = float(np.nanmean(gains)) / spread
                tried.append(Addition(place=addition.place, parts=addition.parts, gain=gain))
        tried.sort(key=lambda one: -one.gain)
        if not tried or (best is not None and tried[0].gain <= best.gain):
            break
        best = tried[0]
        level = [
            Addition(place=one.place, parts=(*one.parts, part))
            for one in tried[:BRANCHES]
            for part in bank
            if part not in one.parts
        ]
    return best, used


def _bank(items: Sequence[Item]) -> tuple[str, ...]:
    typical = [sentence for sentence, _ in typical_sentences(items)[:N_TYPICAL]]
    bank = (*wording.INJECTIONS, *wording.PRAISE, *typical, *wording.EMPTY_SENTENCES, *wording.HEADINGS)
    return tuple(dict.fromkeys(bank))
