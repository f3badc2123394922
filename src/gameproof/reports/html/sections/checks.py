"""All checks at a glance: checks by metrics, and what the words mean."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gameproof.audits.result import CheckRow
from gameproof.reports.explain import legend
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.reader_tests import remarks_on
from gameproof.reports.tables import group_checks, measured_checks
from gameproof.reports.words import (
    NOTES,
    STATES,
    VERDICTS,
    LegendEntry,
    Word,
    check_title,
    group_title,
    verdict_word,
)

__all__ = ["CheckView", "Checks", "check_view", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """One row of a check table as the page shows it."""

    row: CheckRow
    title: str
    summary: str  # what the perturbation does
    word: Word
    note: Word | None
    state: Word | None
    exchange: Word | None
    remarks: Sequence[str] = ()  # on a reader test: against length, level by level, in deleted sentences


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """The matrix, one block for each family, and the legend."""

    metrics: Sequence[str]
    blocks: Sequence[tuple[str, Sequence[tuple[str, Sequence[CheckView | None]]]]]
    legend: Sequence[LegendEntry]


def view(run: ReportedRun, prefix: str) -> Checks | None:
    """Return the matrix; None where nothing was checked."""
    del prefix
    metrics = measured_checks(run.result.metrics)
    found = [{row.check: check_view(row) for row in metric.checks} for metric in metrics]
    blocks = [
        (group_title(*group), [(name, [rows.get(name) for rows in found]) for name in names])
        for group, names in group_checks(metrics).items()
    ]
    if not blocks:
        return None
    return Checks(
        metrics=[metric.metric for metric in metrics],
        blocks=blocks,
        legend=legend(replace(run.result, metrics=tuple(metrics))),
    )


def check_view(row: CheckRow) -> CheckView:
    """Return a row with the words it is shown in."""
    return CheckView(
        row=row,
        title=check_title(row.check),
        summary=_summaries().get(row.check, ""),
        word=verdict_word(row),
        note=None if row.note is None else NOTES[row.note],
        state=None if row.state is None or row.verdict is None else STATES[row.state],
        exchange=None if row.exchange is None else VERDICTS[row.exchange.verdict],
        remarks=remarks_on(row),
    )


@functools.cache
def _summaries() -> Mapping[str, str]:
    from gameproof.perturbations.catalogue import PERTURBATIONS  # noqa: PLC0415 - only the page needs them

    return {name: perturbation.summary for name, perturbation in PERTURBATIONS.items()}
