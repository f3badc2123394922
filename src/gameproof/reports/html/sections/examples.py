"""The texts of each failed check that moved most wrongly, before and after, with the words that differ."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.evidence import MOVES_SHOWN, Move
from gameproof.reports.html.differences import MOST_SHOWN, Excerpt, mark_differences
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.words import MINUS, check_title, format_effect

__all__ = ["Examples", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveView:
    """One text, before and after."""

    item: str
    before: Excerpt
    after: Excerpt
    score_before: str
    score_after: str
    change: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """By metric, by check."""

    metrics: Sequence[tuple[str, Sequence[tuple[str, Sequence[MoveView]]]]]
    most_characters: int
    most_moves: int


def view(run: ReportedRun, prefix: str) -> Examples | None:
    """Return the texts; None where no check failed or there is no run folder."""
    del prefix
    metrics: list[tuple[str, Sequence[tuple[str, Sequence[MoveView]]]]] = []
    for found in run.evidence:
        by_check: dict[str, list[MoveView]] = {}
        for move in found.moves:
            by_check.setdefault(check_title(move.check), []).append(_move(move))
        if by_check:
            metrics.append((found.metric, list(by_check.items())))
    if not metrics:
        return None
    return Examples(metrics=metrics, most_characters=MOST_SHOWN, most_moves=MOVES_SHOWN)


def _move(move: Move) -> MoveView:
    before, after = mark_differences(move.before, move.after)
    return MoveView(
        item=move.item,
        before=before,
        after=after,
        score_before=_score(move.score_before),
        score_after=_score(move.score_after),
        change=format_effect(move.change),
    )


def _score(value: float) -> str:
    """Write a score with as many figures as tell it apart from its neighbours."""
    return f"{value:.4g}".replace("-", MINUS)
