"""Agreement with people's choices as tables: for the terminal, Markdown, CSV and JSON."""

import csv
import io
import math
from dataclasses import asdict
from typing import cast

from gameproof.agreement.result import AgreementResult, ChoiceFigure, MetricAgreement
from gameproof.reports.markdown_text import markdown_table, safe_markdown
from gameproof.reports.words import NOTHING, format_interval, format_number, format_pvalue

__all__ = [
    "AGREEMENT_COLUMNS",
    "AGREEMENT_LEGEND",
    "AGREEMENT_TERMS",
    "agreement_record",
    "agreement_rows",
    "agreement_sentences",
    "difference_rows",
    "render_agreement_csv",
    "render_agreement_markdown",
]

SCHEMA = "gameproof.agreement/1"
AGREEMENT_COLUMNS = ("metric", "accuracy", "p", "AUC", "nats", "alpha", "decided", "missing")
AGREEMENT_TERMS = (
    ("accuracy", "share of decided choices in which the chosen text scores higher; .5 is chance"),
    ("p", "of chance, by the same resamples"),
    ("AUC", "the same, with large differences counting as the safer ones"),
    (
        "nats",
        "how much better the difference foretells a choice, ties included, than base rates; 0 says nothing",
    ),
    ("alpha", "Krippendorff's, the metric as one more rater, either side first"),
    ("decided", "pairs beyond the metric's threshold"),
)
AGREEMENT_LEGEND = " ".join(f"{term}: {meaning}." for term, meaning in AGREEMENT_TERMS)


def agreement_rows(result: AgreementResult) -> list[dict[str, str]]:
    """Return one row a metric."""
    return [
        {
            "metric": row.metric,
            "accuracy": _shown(row.accuracy),
            "p": NOTHING if row.pvalue is None else format_pvalue(row.pvalue),
            "AUC": _shown(row.auc),
            "nats": _shown(row.information, digits=3),
            "alpha": _shown(row.alpha),
            "decided": _share(row),
            "missing": f"{row.n_missing:,}" if row.n_missing else NOTHING,
        }
        for row in result.metrics
    ]


def difference_rows(result: AgreementResult) -> list[dict[str, str]]:
    """Return how much better the metric named first foretells choices than each of the others."""
    return [
        {
            "first": row.first,
            "second": row.second,
            "accuracy": _shown(row.accuracy),
            "AUC": _shown(row.auc),
        }
        for row in result.differences
        if row.first == result.metrics[0].metric
    ]


def agreement_sentences(result: AgreementResult) -> list[str]:
    """Say what was compared, how people agree with one another, and what to mind."""
    people = result.people
    size = f"{result.n_choices:,} choices between {result.n_pairs:,} pairs of {result.n_texts:,} texts"
    counted = [f"{count:,} {kind}s" for kind, count in zip(result.clusters, result.n_clusters, strict=True)]
    resampled = f"Intervals: 95%, over resampled {' and '.join(counted)}."
    sentences = [f"{size}; {people.tie_share:.0%} for neither. {resampled}"]
    if people.alpha.value is None:
        sentences.append(f"People: alpha undefined ({people.alpha.detail}).")
    else:
        ceiling = (
            "" if people.ceiling is None else f"; two who decide choose the same text in {people.ceiling:.0%}"
        )
        sentences.append(f"People among themselves: alpha {_shown(people.alpha)}{ceiling}.")
    notes = (*result.notes, *(_missing_note(row) for row in result.metrics if row.missing))
    return [*sentences, *(f"note: {note}" for note in notes)]


def _missing_note(row: MetricAgreement) -> str:
    reasons = ", ".join(f"{reason} ({count:,})" for reason, count in row.missing.items())
    return f"{row.metric} has no score for {sum(row.missing.values()):,} texts: {reasons}"


def agreement_record(result: AgreementResult) -> dict[str, object]:
    """Return the result as JSON values, in the format ``gameproof.agreement/1``; unbounded ends are null."""
    return {"schema": SCHEMA, **cast("dict[str, object]", _plain(asdict(result)))}


def render_agreement_markdown(result: AgreementResult) -> str:
    """Return the whole analysis as Markdown."""
    rows = [[f"`{row['metric']}`", *list(row.values())[1:]] for row in agreement_rows(result)]
    parts = [
        f"# Agreement with choices: {safe_markdown(result.data)}",
        *map(safe_markdown, agreement_sentences(result)),
        markdown_table(AGREEMENT_COLUMNS, rows),
        AGREEMENT_LEGEND,
    ]
    if result.differences:
        differences = [
            [f"`{row['first']}`", f"`{row['second']}`", row["accuracy"], row["AUC"]]
            for row in difference_rows(result)
        ]
        parts += [
            "## First metric minus second, on the same resamples",
            markdown_table(("first", "second", "accuracy", "AUC"), differences),
        ]
    return "\n\n".join(parts) + "\n"


def render_agreement_csv(result: AgreementResult) -> str:
    """Return one row a metric with every number; missing numbers are empty."""
    rows = [_flat(row) for row in result.metrics]
    file = io.StringIO()
    writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return file.getvalue()


def _flat(row: MetricAgreement) -> dict[str, object]:
    flat: dict[str, object] = {}
    for name, value in asdict(row).items():
        figure = getattr(row, name)
        if isinstance(figure, ChoiceFigure):
            interval = figure.interval
            flat |= {
                name: figure.value,
                f"{name}_low": interval.low if interval else None,
                f"{name}_high": interval.high if interval else None,
                f"{name}_n": figure.n,
            }
        elif name == "missing":
            flat[name] = "; ".join(f"{reason}: {count}" for reason, count in row.missing.items())
        else:
            flat[name] = value
    return flat


def _shown(figure: ChoiceFigure, digits: int = 2) -> str:
    if figure.value is None:
        return NOTHING
    interval = figure.interval
    shown = format_number(figure.value, digits)
    return shown if interval is None else f"{shown} {format_interval(interval.low, interval.high)}"


def _share(row: MetricAgreement) -> str:
    if row.decided is None:
        return NOTHING
    beyond = "" if row.threshold is None else f" at {row.threshold:g}"
    return f"{row.decided:.0%}{beyond}"


def _plain(value: object) -> object:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in cast("list[object]", value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value
