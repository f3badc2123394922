"""Show the design space as tables: divergences, cells, presets and options."""

from collections.abc import Callable, Mapping

from gameproof.fmi.cells import CELLS, OPTIONS, Cell, choices_of
from gameproof.fmi.divergences import DIVERGENCES
from gameproof.fmi.spec import PINS, PRESETS
from gameproof.reports.tables import Table

__all__ = ["DESIGN_CATALOGUES"]

# f(t) of each divergence, and its direct score of a matched pair with ratio r in both forms (paper 1, Tables 3 and 9).
FORMULAS: Mapping[str, tuple[str, str]] = {
    "TV": ("|t - 1| / 2", "max(0, 1 - 1/r)"),
    "KL": ("t log t", "log r"),
    "RKL": ("-log t", "a - (a + log r) / r, a = 1 + log 8"),
    "CHI2": ("(t - 1)^2", "r - 1"),
    "H2": ("(sqrt t - 1)^2", "2 (1 - 1 / sqrt r)"),
    "JS": ("(t log t - (t + 1) log((t + 1) / 2)) / 2", "f(r)/r + (log 2) / 2 (1 - 1/r)"),
}

# The twelve cells of paper 1 ("Scoring Rules!", arXiv:2608.01423) are those of two divergences and two predictors.
PAPER_DIVERGENCES, PAPER_PREDICTORS = ("KL", "TV"), ("autoreg", "oracle")
KNOWN_AS: Mapping[str, str] = {
    "KL+direct+token+autoreg": "GEM, GPPM",
    "KL+direct+statement+oracle": "GPPM-Judgment",
    "TV+fvar+report+oracle": "TVD-MI",
    "TV+fvar+statement+oracle": "new in Scoring Rules!",
}
PRESET_SOURCES: Mapping[str, str] = {
    "GEM": "Xu et al. 2025: what the candidate tells about the reference, in nats; on reviews they add ,norm=review",
    "GEM_S": "Xu et al. 2025: the same, beyond what the source tells already; on reviews they add ,norm=review",
    "GPPM_J": "Lu et al. 2024: a model's seven-point judgements of statements, added up; not a bound",
    "GPPM_TOKEN": "Lu et al. 2024: as GEM, in another frame of words",
    "GSPPM": "Lu et al. 2024: the same, beyond what the source tells already",
    "TVD_MI": "Robertson and Koyejo 2025: do both texts come from one task, against other tasks",
    "TV_STATEMENT": "Scoring Rules! 2026: does the candidate support each statement, against other tasks' statements",
}
EVERYWHERE = "every cell"


def _divergences() -> Table:
    return Table(
        title="divergences",
        columns=("symbol", "name", "f(t)", "direct score", "upper bound", "paper 1"),
        rows=tuple(
            (
                row.symbol,
                row.name,
                *FORMULAS[row.symbol],
                row.upper_bound if row.upper_bound < float("inf") else "none",
                "yes" if row.symbol in PAPER_DIVERGENCES else "",
            )
            for row in DIVERGENCES.values()
        ),
    )


def _cells() -> Table:
    from gameproof.metrics.fmi import PREDICTORS  # noqa: PLC0415 - each table loads only its own layer

    return Table(
        title="cells",
        columns=(
            "cell",
            "divergence",
            "estimator",
            "representation",
            "predictor",
            "known as",
            "options",
            "here",
        ),
        rows=tuple(
            (
                str(cell),
                cell.divergence,
                cell.estimator,
                cell.representation,
                cell.predictor,
                KNOWN_AS.get(str(cell), "Scoring Rules!" if _is_of_paper(cell) else ""),
                " ".join(key for key in choices_of(cell) if key not in PINS),
                "yes" if cell.predictor in PREDICTORS else "not yet",
            )
            for cell in CELLS
        ),
    )


def _is_of_paper(cell: Cell) -> bool:
    return cell.divergence in PAPER_DIVERGENCES and cell.predictor in PAPER_PREDICTORS


def _presets() -> Table:
    return Table(
        title="presets",
        columns=("preset", "stands for", "summary"),
        rows=tuple((name, text, PRESET_SOURCES[name]) for name, text in PRESETS.items()),
    )


def _options() -> Table:
    """List each option with its values over all cells, and where it applies."""
    rows: list[tuple[str, str, str, str]] = []
    for option in OPTIONS.values():
        if option.key in PINS:
            continue
        found = {cell: choice for cell in CELLS if (choice := option.choice(cell)) is not None}
        values = dict.fromkeys(str(choice) for choice in found.values())
        defaults = dict.fromkeys(choice.default or "none" for choice in found.values())
        rows.append(
            (option.key, " / ".join(values), " or ".join(defaults), f"{option.summary}; {_where(found)}")
        )
    return Table(title="options", columns=("option", "values", "default", "summary"), rows=tuple(rows))


def _where(found: Mapping[Cell, object]) -> str:
    """Say by its axes which cells an option applies to."""
    if len(found) == len(CELLS):
        return f"in {EVERYWHERE}"
    parts: list[str] = []
    axes: dict[str, list[str]] = {}
    for axis in ("divergence", "estimator", "representation", "predictor"):
        legal = dict.fromkeys(str(getattr(cell, axis)) for cell in CELLS)
        here = [value for value in legal if any(getattr(cell, axis) == value for cell in found)]
        axes[axis] = here
        if len(here) < len(legal):
            parts.append(", ".join(here))
    covered = [cell for cell in CELLS if all(getattr(cell, axis) in values for axis, values in axes.items())]
    few = "" if len(covered) == len(found) else "some "
    return f"in {few}cells of {' and '.join(parts)}"


DESIGN_CATALOGUES: Mapping[str, Callable[[], Table]] = {
    "divergences": _divergences,
    "cells": _cells,
    "presets": _presets,
    "options": _options,
}
