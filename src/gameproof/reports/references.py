"""What was found out about references, as rows for the terminal."""

import re

from gameproof.audits.references_result import Figure, ReferencesResult
from gameproof.audits.sweep_result import CorrelationCell
from gameproof.reports.words import format_interval, format_number

__all__ = ["difference_rows", "low_lines", "reliability_rows", "stratum_rows", "system_rows"]

MEAN = "mean"
_LEADING_ZERO = re.compile(r"\b0(?=\.)")
SHOWN_CHARACTERS = 60


def stratum_rows(result: ReferencesResult) -> list[dict[str, str]]:
    """Return one row a stratum: its size, the mean score against it, and the correlations with ratings."""
    return [
        {
            "stratum": row.stratum,
            "references": f"{row.n_references:,}",
            "tasks": f"{row.n_tasks:,}",
            "mean score": _figure(row.mean),
            "within task": _rho(row.correlations, "within_task"),
            "pooled": _rho(row.correlations, "pooled"),
        }
        for row in result.strata
    ]


def difference_rows(result: ReferencesResult) -> list[dict[str, str]]:
    """Return one row for each stratum that is compared with the baseline."""
    return [
        {
            "stratum": f"{row.stratum} - {row.baseline}",
            "texts": f"{row.n:,}",
            "mean score": _figure(row.mean),
            "within task": _rho(row.correlations, "within_task"),
            "pooled": _rho(row.correlations, "pooled"),
        }
        for row in result.differences
    ]


def system_rows(result: ReferencesResult) -> list[dict[str, str]]:
    """Return the systems that a stratum favours or puts at a disadvantage, where that is shown."""
    return [
        {
            "stratum": f"{row.stratum} - {row.baseline}",
            "system": one.system,
            "shift": _figure(one.shift),
            "": "favoured" if (one.shift.value or 0.0) > 0 else "put at a disadvantage",
        }
        for row in result.differences
        for one in row.systems
        if one.shown
    ]


def reliability_rows(result: ReferencesResult) -> list[dict[str, str]]:
    """Return one row a stratum: the mean leave-one-out score of its references."""
    return [
        {
            "stratum": row.stratum,
            "reliability": _figure(row.reliability.mean),
            "references": f"{row.reliability.n_references:,}",
            "alone": f"{row.reliability.n_alone:,}",
        }
        for row in result.strata
    ]


def low_lines(result: ReferencesResult) -> list[str]:
    """Return a line for each of the references that are furthest below the others of their task."""
    return [
        f"{format_number(row.below)} {'far below' if row.far else 'below'}: task {row.task_id},"
        f" reference {row.place} ({row.stratum}): {_shortened(row.text)}"
        for row in result.lowest
    ]


def _shortened(text: str) -> str:
    return " ".join(text[:SHOWN_CHARACTERS].split()) + (" ..." if len(text) > SHOWN_CHARACTERS else "")


def _figure(figure: Figure) -> str:
    if figure.value is None or figure.low is None:
        return format_number(figure.value)
    shown = f"{format_number(figure.value)} {format_interval(figure.low, figure.high)}"
    return _LEADING_ZERO.sub("", shown).replace(", ", ",")  # three of them fit into 80 columns


def _rho(cells: tuple[CorrelationCell, ...], level: str) -> str:
    for cell in cells:
        if (cell.dimension, cell.level) == (MEAN, level):
            figure = Figure(value=cell.rho, low=cell.low, high=cell.high, n=cell.n)
            return _figure(figure)
    return format_number(None)
