"""What could not be measured, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.reports.explain import Unmeasured, find_unmeasured
from gameproof.reports.html.run import ReportedRun

__all__ = ["Missing", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Every gap with its reason."""

    entries: Sequence[Unmeasured]


def view(run: ReportedRun, prefix: str) -> Missing | None:
    """Return the gaps; None where there are none."""
    del prefix
    entries = find_unmeasured(run.result)
    return Missing(entries=entries) if entries else None
