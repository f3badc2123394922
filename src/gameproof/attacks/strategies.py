"""How an attacker searches, one row a strategy: how many texts are kept, and how the next ones are made of them."""

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["STRATEGIES", "Strategy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strategy:
    """One row of the table."""

    name: str
    summary: str
    kept: int  # texts that the next ones are made of
    per_round: int  # texts scored before anything is learned from them
    from_original: bool = False  # every text is made of the original, by one to three moves
    bandit: bool = False  # moves are chosen by what they gained so far, in all texts of the run
    crossing: float = 0.0  # chance that a text is put together from two that are kept


_ROWS = (
    Strategy(
        name="best_of_n",
        summary="independent changes of the original; the best of them",
        kept=1,
        per_round=16,
        from_original=True,
    ),
    Strategy(
        name="greedy", summary="one text, changed again as long as its score rises", kept=1, per_round=4
    ),
    Strategy(name="beam", summary="the four best texts are changed further", kept=4, per_round=8),
    Strategy(
        name="evolution",
        summary="the eight best texts are changed and put together",
        kept=8,
        per_round=16,
        crossing=0.25,
    ),
    Strategy(
        name="bandit",
        summary="greedy, with the moves that gained most so far tried most",
        kept=1,
        per_round=4,
        bandit=True,
    ),
)
STRATEGIES: Mapping[str, Strategy] = {row.name: row for row in _ROWS}
