"""Every table of a report as rows of plain values: for CSV, for JSON, for whoever draws their own."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from gameproof.reports.html.overview import run_names
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.letters import FAMILIES, LetterCell, our_cell, papers_cell
from gameproof.reports.tables import Cell, Table, card_table, check_rows, correlation_table

__all__ = ["TABLES_SCHEMA", "render_checks_csv", "render_csv", "render_tables_json", "run_tables"]

TABLES_SCHEMA = "gameproof.tables/1"
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a text begins that a spreadsheet would take for a formula


def run_tables(runs: Sequence[ReportedRun]) -> dict[str, Table]:
    """Return the tables by name; each row says first which data it is about."""
    named = list(zip(run_names(runs), runs, strict=True))
    return {
        "card": _joined("cards", named, lambda run: card_table(run.result).records()),
        "correlation": _joined(
            "correlation with ratings", named, lambda run: correlation_table(run.result).records()
        ),
        "checks": _joined("checks", named, lambda run: check_rows(run.result)),
        **{
            family: _joined(
                f"{family}: failed checks as letters", named, lambda run, family=family: _letters(run, family)
            )
            for family in FAMILIES
        },
        "scores": _joined("scores of the originals", named, _summaries),
        "alarms": _joined("alarms", named, _alarms),
        **({"attacks": _joined("attacks", named, _attacks)} if any(run.attacks for run in runs) else {}),
    }


def render_csv(table: Table) -> str:
    """Return a table as CSV; missing numbers are empty.

    A text that a spreadsheet would run as a formula gets an apostrophe in front, which it takes away again.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_harmless(cell) for cell in row] for row in table.rows)
    return file.getvalue()


def render_checks_csv(runs: Sequence[ReportedRun]) -> str:
    """Return the checks of all metrics of all runs as one long table."""
    return render_csv(run_tables(runs)["checks"])


def render_tables_json(runs: Sequence[ReportedRun]) -> dict[str, object]:
    """Return all tables as JSON values; the format is published as ``tables.1.json``."""
    return {
        "schema": TABLES_SCHEMA,
        "tables": [
            {"name": name, "title": table.title, "columns": list(table.columns), "rows": table.records()}
            for name, table in run_tables(runs).items()
        ],
    }


def _joined(
    title: str,
    runs: Sequence[tuple[str, ReportedRun]],
    rows_of: Callable[[ReportedRun], Iterable[Mapping[str, Cell]]],
) -> Table:
    """Put the rows of all runs below each other; a column that a run lacks is empty there."""
    rows = [{"data": name, **row} for name, run in runs for row in rows_of(run)]
    columns = tuple(dict.fromkeys(column for row in rows for column in row)) or ("data",)
    return Table(
        title=title, columns=columns, rows=tuple(tuple(row.get(name) for name in columns) for row in rows)
    )


def _letters(run: ReportedRun, family: str) -> Iterator[dict[str, Cell]]:
    for metric in run.result.metrics:
        for rule, cell in (("gameproof", our_cell(metric, family)), ("papers", papers_cell(metric, family))):
            yield {"metric": metric.metric, "rule": rule, **_counts(cell)}


def _counts(cell: LetterCell) -> dict[str, Cell]:
    return {
        "checks": cell.n,
        "failed": cell.n_failed,
        "undecided": cell.n_open,
        "letters": cell.text() if cell.n else None,
        "names": "; ".join(mark.check for mark in cell.marks) or None,
    }


def _summaries(run: ReportedRun) -> Iterator[dict[str, Cell]]:
    """Yield what is known of each column; a cost that nobody has counted is empty, and not 0."""
    for metric in run.result.metrics:
        yield {
            "metric": metric.metric,
            "signature": metric.signature,
            "higher_is_better": metric.higher_is_better,
            **metric.summary,
            "calls": metric.cost.calls or None,
            "tokens_in": metric.cost.tokens_in or None,
            "tokens_out": metric.cost.tokens_out or None,
        }


def _alarms(run: ReportedRun) -> Iterator[dict[str, Cell]]:
    for metric in run.result.metrics:
        for alarm in metric.alarms:
            yield {"metric": metric.metric, "alarm": alarm}


def _attacks(run: ReportedRun) -> Iterator[dict[str, Cell]]:
    for result in (result for found in run.attacks for result in found.results):
        for step in result.steps:
            gap = step.result.gap_interval
            yield {
                "metric": result.metric,
                "quality": result.quality,
                "budget": step.budget,
                "gain": step.result.gain,
                "quality_gain": step.result.quality_gain,
                "gap": step.result.gap,
                "low": None if gap is None else gap.low,
                "high": None if gap is None else gap.high,
                "gamed": step.result.gamed,
                "reached": step.reached,
                "moves": "; ".join(f"{use.move} {use.share:.0%}" for use in result.moves[:3])
                if step is result.largest
                else None,
            }


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell
