"""A sweep as tables: for the terminal, as Markdown, and as CSV with every number."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from gameproof.audits.sweep_result import ContrastRow, CorrelationCell, SweepResult, SweepRow
from gameproof.reports.words import format_interval, format_number

__all__ = [
    "ablation_rows",
    "cell_rows",
    "contrast_rows",
    "contrast_sentences",
    "notes_of",
    "render_csv",
    "render_markdown",
]

MEAN = "mean"
LEVEL_WORDS = {"within_task": "within task", "pooled": "pooled"}
VERDICT_WORDS = {
    "helps": "helps",
    "hurts": "hurts",
    "undecided": "not shown",
    "not_measured": "not measured",
}

_LEADING_ZERO = re.compile(r"\b0(?=\.)")

CSV_FIELDS: tuple[str, ...] = (
    "metric", "divergence", "estimator", "representation", "predictor", "ablates", "n", "missing", "mean", "sd",
    "quantity", "dimension", "level", "value", "low", "high", "n_level", "detail", "contrast",
)  # fmt: skip


def cell_rows(result: SweepResult) -> list[dict[str, str]]:
    """Return one row a cell: the mean score, and its correlation with the mean rating at both levels."""
    has_missing = any(row.missing for row in result.rows)
    return [
        {
            **_cell(row),
            **({"missing": f"{sum(row.missing.values()):,}"} if has_missing else {}),
            "mean": format_number(row.mean),
            **{words: _shown(row.correlations, level) for level, words in LEVEL_WORDS.items()},
        }
        for row in result.rows
    ]


def contrast_rows(result: SweepResult) -> list[dict[str, str]]:
    """Return one row a contrastive cell: the support alone, the score, and what the contrast adds."""
    return [
        {
            **_cell(row),
            "support": _shown(row.contrast.support, level, interval=False),
            "score": _shown(row.correlations, level, interval=False),
            "difference": _shown(row.contrast.difference, level),
            "contrast": VERDICT_WORDS[row.contrast.verdict],
        }
        for row in result.rows
        if row.contrast is not None
        for level in [_told_level(row.contrast)]
    ]


def ablation_rows(result: SweepResult) -> list[dict[str, str]]:
    """Return one row for each cell that was scored with and without an option."""
    rows = {row.metric: row for row in result.rows}
    return [
        {
            **_cell(rows[row.metric]),
            "mean": format_number(row.mean_difference),
            **{words: _shown(row.differences, level) for level, words in LEVEL_WORDS.items()},
        }
        for row in result.ablations
    ]


def _cell(row: SweepRow) -> dict[str, str]:
    """Return the four axes of a cell and, beside them, what else its name says."""
    cell, _, rest = row.metric.partition(",")
    told = [pair.removeprefix("form=").removeprefix("critic=") for pair in rest.split(",")]
    return {"cell": cell, "with": ", ".join(pair for pair in told if not pair.startswith("llm="))}


def contrast_sentences(result: SweepResult, *, short: bool = False) -> Iterator[str]:
    """Say for which cells the contrast does not help, and why.

    Args:
        result: Of a sweep.
        short: Only for the TV cells, whose two halves are on one scale, where there are any.
    """
    rows = [row for row in result.rows if row.contrast is not None and row.contrast.reason]
    tv = [row for row in rows if row.divergence == "TV"]
    for row in tv if short and tv else rows:
        contrast = row.contrast
        if contrast is None or contrast.verdict == "not_measured":
            continue
        what = "lowers the correlation" if contrast.verdict == "hurts" else "gives no gain that can be shown"
        yield f"{row.metric}: the contrast {what}. {contrast.reason[0].upper()}{contrast.reason[1:]}."


def render_markdown(result: SweepResult) -> str:
    """Return the tables and sentences as Markdown."""
    about = result.run
    intro = (
        f"{about['data']}: {about['n_items']:,} texts of {about['n_tasks']:,} tasks, {about['n_cells']} cells."
        " Spearman's rho, mean over ratings, with 95% intervals over resampled tasks."
    )
    parts = ["# gameproof sweep", intro, _table(cell_rows(result))]
    contrasts = contrast_rows(result)
    if contrasts:
        parts += ["## Support alone, and what the contrast adds", _table(contrasts)]
        parts += [f"- {_safe(sentence)}" for sentence in contrast_sentences(result)]
    ablations = ablation_rows(result)
    if ablations:
        parts += ["## Ablation", _table(ablations)]
    notes = notes_of(result)
    if notes:
        parts += ["## Notes", "\n".join(f"- {_safe(note)}" for note in notes)]
    return "\n\n".join(parts) + "\n"


def render_csv(result: SweepResult) -> str:
    """Return every correlation and difference as a row of CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, CSV_FIELDS, lineterminator="\n")
    writer.writeheader()
    for row in result.rows:
        series: list[tuple[str, Sequence[CorrelationCell]]] = [("rho", row.correlations)]
        if row.contrast is not None:
            series += [
                ("support_rho", row.contrast.support),
                ("contrast_difference", row.contrast.difference),
            ]
        for quantity, cells in series:
            writer.writerows(_csv_rows(row, quantity, cells))
    metrics = {row.metric: row for row in result.rows}
    for ablation in result.ablations:
        writer.writerows(_csv_rows(metrics[ablation.metric], "ablation_difference", ablation.differences))
    return text.getvalue()


def _csv_rows(row: SweepRow, quantity: str, cells: Iterable[CorrelationCell]) -> Iterator[dict[str, object]]:
    for cell in cells:
        yield {
            "metric": row.metric,
            "divergence": row.divergence,
            "estimator": row.estimator,
            "representation": row.representation,
            "predictor": row.predictor,
            "ablates": row.ablates,
            "n": row.n,
            "missing": sum(row.missing.values()),
            "mean": row.mean,
            "sd": row.sd,
            "quantity": quantity,
            "dimension": cell.dimension,
            "level": cell.level,
            "value": cell.rho,
            "low": cell.low,
            "high": cell.high,
            "n_level": cell.n,
            "detail": cell.detail,
            "contrast": None if row.contrast is None else row.contrast.verdict,
        }


def _told_level(contrast: ContrastRow) -> str:
    """Return the level that the verdict is about: within tasks, where there is one."""
    within = [cell for cell in contrast.difference if (cell.dimension, cell.level) == (MEAN, "within_task")]
    return "within_task" if within and within[0].rho is not None else "pooled"


def _shown(cells: Sequence[CorrelationCell], level: str, *, interval: bool = True) -> str:
    """Write the mean over dimensions at one level."""
    for cell in cells:
        if (cell.dimension, cell.level) == (MEAN, level):
            value = format_number(cell.rho)
            shown = (
                value
                if cell.low is None or not interval
                else f"{value} {format_interval(cell.low, cell.high)}"
            )
            return _LEADING_ZERO.sub("", shown).replace(", ", ",")
    return format_number(None)


def notes_of(result: SweepResult) -> list[str]:
    """Return what a reader must know about data, references and calls."""
    notes = result.run.get("notes")
    return [str(note) for note in notes] if isinstance(notes, list) else []  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType] - JSON


def _table(rows: Sequence[Mapping[str, str]]) -> str:
    columns = list(rows[0])
    lines = [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
    lines += [f"| {' | '.join(_safe(row[column]) for column in columns)} |" for row in rows]
    return "\n".join(lines)


def _safe(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
