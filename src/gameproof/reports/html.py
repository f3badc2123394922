"""Write an audit's result as one self-contained HTML page."""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import jinja2

from gameproof.audits.result import AuditResult, CheckRow, CorrelationRow, MetricResult
from gameproof.reports.explain import (
    Reason,
    explain_card,
    explain_exit,
    find_unmeasured,
    headline,
    legend,
    run_notes,
    run_sentence,
)
from gameproof.reports.figures import Lane, Scale, lane_of, lane_scale
from gameproof.reports.printable import printable
from gameproof.reports.printable_result import printable_result
from gameproof.reports.tables import group_checks
from gameproof.reports.words import (
    LEVEL_TITLES,
    MARKS,
    NOTES,
    PROPERTIES,
    STATES,
    VERDICTS,
    Word,
    check_title,
    format_effect,
    format_interval,
    format_number,
    format_pvalue,
    group_title,
    verdict_word,
)

__all__ = ["Example", "render_html"]

SUMMARY_WORDS = {
    "n": "texts scored",
    "n_missing": "texts without a score",
    "mean": "mean score",
    "sd": "standard deviation",
    "distinct": "distinct scores",
    "tie_share": "share of texts that share their score",
    "floor": "floor: mean score of texts that belong to another task",
    "rho_length": "correlation with the length of the text",
    "seconds": "seconds of scoring",
    "rescored": "texts scored again, among other neighbours",
    "rescored_sd": "standard deviation of one score when the same texts are scored again",
    "rescored_shift": "largest change of a score with its neighbours in the batch",
}
COUNTS = frozenset({"n", "n_missing", "distinct", "rescored"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One text before and after a perturbation, with the scores of a metric."""

    metric: str
    check: str
    item: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None


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
    lane: Lane | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricView:
    """One metric as the page shows it."""

    metric: MetricResult
    anchor: str
    headline: str
    marks: Sequence[tuple[str, str, Word]]  # property, question, answer
    reasons: Sequence[Reason]
    families: Sequence[tuple[str, Sequence[CheckView]]]
    scale: Scale
    facts: Sequence[tuple[str, str]]


def render_html(
    result: AuditResult,
    *,
    exit_code: int | None = None,
    gate: str | None = None,
    examples: Sequence[Example] = (),
) -> str:
    """Return the page: no network, no script, readable in light and dark, on a phone and on paper.

    Args:
        result: What the audit found.
        exit_code: Explained on the page, where given.
        gate: The metric that alone decides the exit code, where one does.
        examples: Texts to show before and after.
    """
    result = printable_result(result)
    template = _environment().get_template("report.html")
    return template.render(
        result=result,
        title="Which metrics can be trusted as a target?",
        run_line=run_sentence(result.run),
        notes=run_notes(result.run),
        exit_line=None if exit_code is None else explain_exit(result, exit_code, gate),
        properties=PROPERTIES,
        metrics=[_view(metric, number, result) for number, metric in enumerate(result.metrics, start=1)],
        matrix=_matrix(result),
        legend=legend(result),
        correlations=_correlations(result),
        unmeasured=find_unmeasured(result),
        examples=examples,
        settings=[(key, _setting(value)) for key, value in result.run.items() if key != "notes"],
        margin=_margin(result.run),
        interval=format_interval,
    )


@functools.cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("gameproof.reports"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        effect=format_effect,
        number=format_number,
        pvalue=format_pvalue,
        printable=printable,
        title_of=check_title,
    )
    return environment


def _view(metric: MetricResult, number: int, result: AuditResult) -> MetricView:
    scale = lane_scale(metric.checks)
    margin = _margin(result.run)
    return MetricView(
        metric=metric,
        anchor=f"metric-{number}",
        headline=headline(metric),
        marks=[(item.name, item.question, MARKS[getattr(metric.card, item.name)]) for item in PROPERTIES],
        reasons=explain_card(metric),
        families=[
            (
                group_title(*group),
                [
                    _check_view(row, scale, margin)
                    for row in metric.checks
                    if (row.family, row.expect) == group
                ],
            )
            for group in group_checks([metric])
        ],
        scale=scale,
        facts=_facts(metric),
    )


def _check_view(row: CheckRow, scale: Scale, margin: float | None) -> CheckView:
    return CheckView(
        row=row,
        title=check_title(row.check),
        summary=_summaries().get(row.check, ""),
        word=verdict_word(row),
        note=None if row.note is None else NOTES[row.note],
        state=None if row.state is None or row.verdict is None else STATES[row.state],
        exchange=None if row.exchange is None else VERDICTS[row.exchange.verdict],
        lane=lane_of(row, scale, margin),
    )


@functools.cache
def _summaries() -> Mapping[str, str]:
    from gameproof.perturbations.catalogue import PERTURBATIONS  # noqa: PLC0415 - only the page needs them

    return {name: perturbation.summary for name, perturbation in PERTURBATIONS.items()}


def _facts(metric: MetricResult) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    for name, value in metric.summary.items():
        digits = 0 if name in COUNTS else 3
        facts.append((SUMMARY_WORDS.get(name, check_title(name)), format_number(value, digits)))
    cost = metric.cost
    if cost.calls:
        facts.append(
            ("model calls", f"{cost.calls:,} ({cost.tokens_in:,} tokens in, {cost.tokens_out:,} out)")
        )
    if not metric.higher_is_better:
        facts.append(("direction", "lower is better; effects are turned so that a gain is always positive"))
    return facts


def _matrix(result: AuditResult) -> list[tuple[str, list[tuple[str, list[CheckView | None]]]]]:
    """Return checks by metrics, one block for each family."""
    scale, margin = Scale(reach=1.0), None
    found = [
        {row.check: _check_view(row, scale, margin) for row in metric.checks} for metric in result.metrics
    ]
    return [
        (
            group_title(*group),
            [(name, [rows.get(name) for rows in found]) for name in names],
        )
        for group, names in group_checks(result.metrics).items()
    ]


def _correlations(result: AuditResult) -> list[tuple[str, str, list[tuple[str, CorrelationRow | None]]]]:
    """Return one row for each metric and dimension, with a cell for each level; the mean comes first."""
    rows: list[tuple[str, str, list[tuple[str, CorrelationRow | None]]]] = []
    for metric in result.metrics:
        dimensions = dict.fromkeys(row.dimension for row in metric.correlation)
        for dimension in sorted(dimensions, key=lambda name: name != "mean"):
            found = {row.level: row for row in metric.correlation if row.dimension == dimension}
            cells = [(title, found.get(level)) for level, title in LEVEL_TITLES.items()]
            rows.append((metric.metric, dimension, cells))
    return rows


def _margin(run: Mapping[str, object]) -> float | None:
    """Return the margin where it is a number of standard deviations, not of sentences."""
    try:
        return float(str(run.get("margin")))
    except ValueError:
        return None


def _setting(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
