"""What an adversary found against the metrics: texts, the moves that made them, the gap, the Goodhart curve."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.reports.html.attack_view import AttackView, attack_views
from gameproof.reports.html.run import ReportedRun

__all__ = ["AttackSection", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackSection:
    """The attacked metrics, and what was said about the run that attacked them."""

    attacks: Sequence[AttackView]
    seeds: Sequence[int]


def view(run: ReportedRun, prefix: str) -> AttackSection | None:
    """Return the attacks; None where there was none."""
    if not run.attacks:
        return None
    shown = [
        one
        for number, found in enumerate(run.attacks)
        for one in attack_views(found, f"{prefix}a{number}-" if number else prefix)
    ]
    return AttackSection(attacks=shown, seeds=[found.seed for found in run.attacks])
