"""Published values beside measured ones, in columns of their own."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.reports.html.run import ReportedRun
from gameproof.reports.published import LABEL, Beside, published_beside, why_none
from gameproof.reports.words import check_title, format_effect, format_interval

__all__ = ["Published", "PublishedRow", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """One value measured here and its published twin, in words."""

    metric: str
    check: str
    here: str
    here_interval: str
    here_verdict: str
    published: str
    published_interval: str
    published_verdict: str
    difference: str
    overlap: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """All of them, or why there are none."""

    rows: Sequence[PublishedRow]
    label: str
    nothing: str


def view(run: ReportedRun, prefix: str) -> Published | None:
    """Return the table; None where published values were not asked for."""
    del prefix
    if not run.published:
        return None
    rows = [_row(found) for found in published_beside(run.result)]
    return Published(rows=rows, label=LABEL, nothing="" if rows else why_none(run.result))


def _row(found: Beside) -> PublishedRow:
    overlap = "" if found.overlap is None else "yes" if found.overlap else "no"
    return PublishedRow(
        metric=found.metric,
        check=check_title(found.check) if found.check else "correlation with ratings",
        here=format_effect(found.here),
        here_interval=format_interval(found.here_low, found.here_high),
        here_verdict=found.here_verdict or "",
        published=format_effect(found.published),
        published_interval=format_interval(found.published_low, found.published_high),
        published_verdict=found.published_verdict or "",
        difference=format_effect(found.difference),
        overlap=overlap,
        source=f"{found.source}: {found.published_metric}",
    )
