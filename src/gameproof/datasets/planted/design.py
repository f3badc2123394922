"""Which factor levels each candidate gets: crossed, or confounded with quality."""

from dataclasses import dataclass

from gameproof.datasets.planted.draws import Draws

__all__ = ["BLOCK_OF_TASKS", "Factors", "draw_factors"]

BLOCK_OF_TASKS = 8  # tasks of a group after which every system has met every cell once

SHORT_WORDS, LONG_WORDS = 62, 94
BEST_SHARE, WORST_SHARE = 0.92, 0.15  # chance that a stated fact is right, best and worst system
NEAR_SHARE, FAR_SHARE = 0.65, 0.25  # share of sentences that use the references' own templates


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """How one candidate is to be written."""

    system: int
    right_share: float  # chance that a stated fact is right
    long: bool
    ornate: bool  # opens sentences with turns of phrase
    topical: bool  # repeats the name and the vocabulary of the topic
    near: bool  # words more sentences as the references do
    target_words: int


def draw_factors(
    seed: int, group: str, number: int, *, n_systems: int, confounded: bool
) -> tuple[Factors, ...]:
    """Return the factors of every system for one task.

    Length, style and topic vocabulary form a full 2 x 2 x 2 factorial with the systems, whose quality
    differs: in a block of eight tasks each system meets each of the eight cells once, in an order drawn for
    the block. Closeness of wording is the product of the three (a half fraction of 2 to the 4, so no main
    effect is confounded with another). In the confounded version a better system writes longer, in a more
    ornate style and with more topic vocabulary.
    """
    block, place = divmod(number, BLOCK_OF_TASKS)
    draws = Draws(seed, "design", group, block)
    order = draws.shuffled(range(BLOCK_OF_TASKS))
    starts = draws.shuffled(range(BLOCK_OF_TASKS))
    factors: list[Factors] = []
    for system in range(n_systems):
        rank = system / max(n_systems - 1, 1)  # 0 is the best system
        cell = order[(place + starts[system % BLOCK_OF_TASKS]) % BLOCK_OF_TASKS]
        long, ornate, topical = bool(cell & 1), bool(cell & 2), bool(cell & 4)
        near = long ^ ornate ^ topical
        target = LONG_WORDS if long else SHORT_WORDS
        if confounded:
            long = ornate = topical = rank < 0.5
            target = round(LONG_WORDS + (SHORT_WORDS - LONG_WORDS) * rank)
        factors.append(
            Factors(
                system=system,
                right_share=BEST_SHARE + (WORST_SHARE - BEST_SHARE) * rank,
                long=long,
                ornate=ornate,
                topical=topical,
                near=near,
                target_words=target,
            )
        )
    return tuple(factors)
