"""Which comparison comes next: a pure function of a schedule and the choices so far.

A schedule is a list of matches between *positions* (places of summaries, drawn at random for each query). An entrant
is a position, or the winner of an earlier match. A match whose entrant is decided by "neither" cannot be held: in the
tournament of the paper (arXiv:2608.14457, section 4) a "neither" in the first round cancels the final, and the other
first-round match is held all the same. A match with a summary that could not be made is cancelled in the same way: a
walkover would be a win that nobody decided. Every cancelled match keeps its reason, so that it is counted.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from gameproof.study.events import Choice

__all__ = ["FAILED", "NEITHER", "Bracket", "Entrant", "Match", "MatchState", "WinnerOf", "play"]

NEITHER = "neither in an earlier match"
FAILED = "a summary could not be made"


@dataclass(frozen=True, slots=True, kw_only=True)
class WinnerOf:
    """Whoever wins an earlier match."""

    match: int


Entrant = int | WinnerOf


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One comparison of a schedule."""

    number: int  # from 1, in the order of showing
    round: str  # "round1", "round2" ..., "final"; "pairs" where every pair is on its own
    left: Entrant
    right: Entrant


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchState:
    """A match and what has become of it."""

    match: Match
    left: int | None  # position; None as long as it is not decided, or never will be
    right: int | None
    choice: Choice | None = None
    cancelled: str | None = None  # FAILED or NEITHER

    @property
    def is_open(self) -> bool:
        """Whether it can be held now."""
        return (
            self.choice is None
            and self.cancelled is None
            and self.left is not None
            and self.right is not None
        )

    @property
    def winner(self) -> int | None:
        """Return the position that was chosen."""
        return {"left": self.left, "right": self.right}.get(self.choice or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bracket:
    """All matches of one query in their states."""

    matches: tuple[MatchState, ...]

    @property
    def next(self) -> MatchState | None:
        """Return the match to be shown now; None where all are over."""
        return next((state for state in self.matches if state.is_open), None)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to compare."""
        return self.next is None

    @property
    def n_over(self) -> int:
        """How many matches are decided or cancelled."""
        return sum(state.choice is not None or state.cancelled is not None for state in self.matches)


def play(schedule: Sequence[Match], choices: Mapping[int, Choice], failed: Collection[int] = ()) -> Bracket:
    """Return the state of every match.

    Args:
        schedule: Matches in their order; a winner may only come from an earlier one.
        choices: Number of a match -> what was chosen. A choice for a match that is not held is ignored.
        failed: Positions whose summary could not be made.

    Example:
        >>> pair = [Match(number=1, round="pairs", left=0, right=1)]
        >>> play(pair, {}).next.match.number, play(pair, {1: "left"}).matches[0].winner
        (1, 0)
        >>> play(pair, {}, failed=[1]).matches[0].cancelled
        'a summary could not be made'
    """
    states: dict[int, MatchState] = {}
    for match in schedule:
        left, right = (_resolve(entrant, states) for entrant in (match.left, match.right))
        cancelled = _why_cancelled(match, states, {left, right} & set(failed))
        held = cancelled is None and left is not None and right is not None
        states[match.number] = MatchState(
            match=match,
            left=left,
            right=right,
            choice=choices.get(match.number) if held else None,
            cancelled=cancelled,
        )
    return Bracket(matches=tuple(states.values()))


def _resolve(entrant: Entrant, states: Mapping[int, MatchState]) -> int | None:
    return entrant if isinstance(entrant, int) else states[entrant.match].winner


def _why_cancelled(
    match: Match, states: Mapping[int, MatchState], failed: Collection[int | None]
) -> str | None:
    """Return the reason; that of a failed summary goes before a choice of "neither"."""
    before = [states[entrant.match] for entrant in (match.left, match.right) if isinstance(entrant, WinnerOf)]
    if failed or any(state.cancelled == FAILED for state in before):
        return FAILED
    if any(state.cancelled == NEITHER or state.choice == "neither" for state in before):
        return NEITHER
    return None
