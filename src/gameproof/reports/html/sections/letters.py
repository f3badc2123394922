"""The papers' tables of failures: one letter for each failed check, by our verdicts and by the papers' rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gameproof.audits.result import MetricResult
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.letters import (
    FAMILIES,
    FAULTS,
    LetterCell,
    letters_of,
    metric_groups,
    our_cell,
    papers_cell,
)
from gameproof.reports.words import check_title

__all__ = ["LetterTable", "Letters", "letter_tables", "view"]

TITLES = {"degradation": "Sensitivity to degradation", "manipulation": "Resistance to manipulation"}
QUESTIONS = {
    "degradation": "Each check makes the texts worse; a letter marks a check in which the score is not shown to drop",
    "manipulation": "Each check only dresses the texts up; a letter marks a check in which the score rises",
}
UNFAULTY = {"manipulation": "unmoved"}  # a manipulation cannot fail by standing still


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterRow:
    """One metric over all data sets."""

    metric: str
    cells: Sequence[tuple[LetterCell | None, LetterCell | None]]  # one a data set: ours, and the papers' rule
    total: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterTable:
    """One family of checks."""

    family: str
    title: str
    question: str
    columns: Sequence[tuple[str, int]]  # data set, how many checks reached a verdict there
    groups: Sequence[tuple[str, Sequence[LetterRow]]]  # the papers' two groups of metrics
    letters: Sequence[tuple[str, str]]  # letter, check: those that were measured
    faults: Mapping[str, str]
    max_total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Letters:
    """The tables of one run."""

    tables: Sequence[LetterTable]


def view(run: ReportedRun, prefix: str) -> Letters | None:
    """Return the tables of a single run; None where no such check reached a verdict."""
    del prefix
    tables = letter_tables([("", run)])
    return Letters(tables=tables) if tables else None


def letter_tables(runs: Sequence[tuple[str, ReportedRun]]) -> list[LetterTable]:
    """Return a table for each family that has verdicts, with one column for each data set.

    Args:
        runs: (name, run); the name heads the column, and is empty where there is one run only.
    """
    tables = [_table(family, runs) for family in FAMILIES]
    return [table for table in tables if table.letters]


def _table(family: str, runs: Sequence[tuple[str, ReportedRun]]) -> LetterTable:
    names = [metric.metric for _, run in runs for metric in run.result.metrics]
    by_run = [{metric.metric: metric for metric in run.result.metrics} for _, run in runs]
    groups = [
        (title, [_row(name, [found.get(name) for found in by_run], family) for name in members])
        for title, members in metric_groups(names)
    ]
    columns = [
        (name, max((our_cell(metric, family).n for metric in found.values()), default=0))
        for (name, _), found in zip(runs, by_run, strict=True)
    ]
    measured = {
        row.check
        for found in by_run
        for metric in found.values()
        for row in metric.checks
        if row.family == family and row.verdict is not None
    }
    return LetterTable(
        family=family,
        title=TITLES[family],
        question=QUESTIONS[family],
        columns=columns,
        groups=groups,
        letters=[
            (letter, check_title(check)) for check, letter in letters_of(family).items() if check in measured
        ],
        faults={fault: text for fault, text in FAULTS.items() if fault != UNFAULTY.get(family)},
        max_total=sum(n for _, n in columns),
    )


def _row(name: str, metrics: Sequence[MetricResult | None], family: str) -> LetterRow:
    cells = [
        (None, None) if metric is None else (our_cell(metric, family), papers_cell(metric, family))
        for metric in metrics
    ]
    ours = [cell for cell, _ in cells if cell is not None]
    n_failed, n_open = sum(cell.n_failed for cell in ours), sum(cell.n_open for cell in ours)
    return LetterRow(metric=name, cells=cells, total=f"{n_failed}" + (f" (+{n_open})" if n_open else ""))
