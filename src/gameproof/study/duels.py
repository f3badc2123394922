"""A study's comparisons as the analysis counts them: who met whom, on which side, and who won."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.stats.preference import Contest
from gameproof.study.record import NEITHER, ConditionRecord, StudyRecord

__all__ = ["Duel", "as_contests", "duels_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Duel:
    """One comparison that was made."""

    reader: str
    query: int
    round: str
    left: ConditionRecord
    right: ConditionRecord
    winner: ConditionRecord | None  # None: neither
    sides_known: bool

    @property
    def is_mixed(self) -> bool:
        """Whether exactly one side was told about the reader."""
        return self.left.persona != self.right.persona

    @property
    def personalised(self) -> ConditionRecord:
        """Return the side that was told about the reader, where only one was."""
        return self.left if self.left.persona else self.right

    @property
    def generic(self) -> ConditionRecord:
        """Return the other side."""
        return self.right if self.left.persona else self.left


def duels_of(record: StudyRecord) -> tuple[Duel, ...]:
    """Return all comparisons that were made; cancelled ones are none."""
    conditions = {condition.id: condition for condition in record.conditions}
    found: list[Duel] = []
    for session in record.sessions:
        condition_of = {summary.label: conditions[summary.condition] for summary in session.summaries}
        for match in session.comparisons:
            if match.choice is None or match.left is None or match.right is None:
                continue
            found.append(
                Duel(
                    reader=session.reader,
                    query=session.query,
                    round=match.round,
                    left=condition_of[match.left],
                    right=condition_of[match.right],
                    winner=None if match.choice == NEITHER else condition_of[match.choice],
                    sides_known=match.sides_known,
                )
            )
    return tuple(found)


def as_contests(duels: Sequence[Duel]) -> list[Contest]:
    """Return comparisons as the statistics of preference take them."""
    return [
        Contest(
            first=duel.left.id,
            second=duel.right.id,
            choice="neither" if duel.winner is None else "first" if duel.winner == duel.left else "second",
            annotator=duel.reader,
            round=duel.round,
        )
        for duel in duels
    ]
