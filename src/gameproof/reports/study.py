"""A study's analysis as tables: one list of sections for Markdown, HTML and the terminal, and a record for JSON."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, cast

from gameproof.agreement.result import AgreementResult
from gameproof.reports.agreement import (
    AGREEMENT_COLUMNS,
    AGREEMENT_LEGEND,
    agreement_record,
    agreement_rows,
    agreement_sentences,
)
from gameproof.reports.markdown_text import markdown_table, safe_markdown
from gameproof.reports.printable import printable
from gameproof.reports.words import NOTHING, format_interval, format_number, format_pvalue
from gameproof.stats.preference import ShareTest
from gameproof.stats.results import Interval
from gameproof.study.analysis import Counts, StudyAnalysis
from gameproof.study.strengths import Contrast

__all__ = ["SCHEMA", "Section", "render_study_markdown", "study_record", "study_sections"]

SCHEMA = "gameproof.study_analysis/1"
SHARE_COLUMNS = (
    "won by",
    "round",
    "share",
    "95%",
    "p",
    "p sign-flip",
    "p percentile",
    "won",
    "decided",
    "neither",
    "readers",
)
SHORT_SHARE = ("won by", "round", "share", "95%", "p", "won", "decided")
SHARE_LEGEND = (
    "share: of decided comparisons; .50 is chance. Intervals and p: bootstrap-t over readers, the one to read. p sign-flip:"
    " exact for up to 20 readers. p percentile: the paper's bootstrap. Neither counts for nobody."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One table with what to know about it."""

    title: str
    text: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    short: tuple[str, ...] = ()  # the columns for a terminal; all where none are named
    main: bool = True  # whether the terminal shows it too


def study_sections(analysis: StudyAnalysis, agreement: AgreementResult | None = None) -> tuple[Section, ...]:
    """Return the analysis as sections, in the order of reading."""
    found = [
        Section(title="What took place", text=_counts_text(analysis.counts), columns=("cancelled matches", "n"),
                rows=tuple((reason, f"{n:,}") for reason, n in analysis.counts.cancelled.items())),
        Section(title="Personalised against generic", text=f"Comparisons of a summary that was written for the reader with one that was not. {SHARE_LEGEND}",
                columns=SHARE_COLUMNS, short=SHORT_SHARE, rows=tuple(_share_row(row.name, row.round, row.test) for row in analysis.personalised)),
        Section(title="Conditions, head to head", text="Each condition's share of its decided comparisons, whoever stood on the other side.",
                columns=SHARE_COLUMNS, short=SHORT_SHARE, rows=tuple(_share_row(row.variant, row.round, row.test) for row in analysis.variants)),
        _strengths_section(analysis),
        _regression_section(analysis),
        Section(title="Models", text="Comparisons between summaries of two models.", columns=SHARE_COLUMNS, short=SHORT_SHARE,
                rows=tuple(_share_row(row.name, row.round, row.test) for row in analysis.models), main=False),
        Section(title="Sides", text="How often the summary on the left was chosen: sides are drawn at random, so a share far from .50 is the readers' habit.",
                columns=SHARE_COLUMNS, short=SHORT_SHARE, rows=tuple(_share_row(row.name, row.round, row.test) for row in analysis.sides), main=False),
        Section(title="As the paper counts (parity)", text="By the winner's condition, comparisons between two of a kind included; ties are \"neither\" and cancelled"
                " matches together. This share is about .50 without an effect too, but a final's is amplified by selection (methods 4.5).",
                columns=("match", "personalised", "generic", "ties", "p"),
                rows=tuple((row.name, f"{row.personalised:,}", f"{row.generic:,}", f"{row.ties:,}", format_pvalue(row.pvalue)) for row in analysis.parity), main=False),
        Section(title="Win rates as the paper counts (parity)", text="Wins of round 1 among all of its matches, neither included; wins of the final among all winners of"
                " round 1, finals that were cancelled included.",
                columns=("condition", "round", "won", "n", "share", "p percentile"),
                rows=tuple((row.variant, row.round, f"{row.test.wins:,}", f"{row.test.n:,}", format_number(row.test.share), format_pvalue(row.test.pvalue_bootstrap))
                           for row in analysis.parity_variants), main=False),
        Section(title="Time", text="Seconds on each page, pauses included: the middle half of readers lies between the quarter points.",
                columns=("page", "n", "quarter", "median", "three quarters", "over 30 min"),
                rows=tuple((row.page, f"{row.n:,}", f"{row.quarter:,.0f}", f"{row.median:,.0f}", f"{row.three_quarters:,.0f}", f"{row.n_paused:,}") for row in analysis.times), main=False),
        Section(title="Summaries", text="How they came to be. A summary that could not be made cancels its comparisons.",
                columns=("condition", "asked for", "failed", "median seconds", "median words", "reasons"),
                rows=tuple((row.condition, f"{row.n:,}", f"{row.n_failed:,}", format_number(row.median_seconds, 1), format_number(row.median_words, 0),
                            "; ".join(f"{reason} ({n:,})" for reason, n in row.reasons.items()) or NOTHING) for row in analysis.failures), main=False),
    ]  # fmt: skip
    if agreement is not None:
        found.append(
            Section(
                title="Metrics against these choices",
                text=" ".join([*agreement_sentences(agreement), AGREEMENT_LEGEND]),
                columns=AGREEMENT_COLUMNS,
                rows=tuple(
                    tuple(row[name] for name in AGREEMENT_COLUMNS) for row in agreement_rows(agreement)
                ),
            )
        )
    return tuple(
        section for section in found if section.rows or not section.columns or section.title == found[0].title
    )


def render_study_markdown(analysis: StudyAnalysis, agreement: AgreementResult | None = None) -> str:
    """Write the analysis as Markdown."""
    parts = [
        f"# {safe_markdown(printable(analysis.name))}",
        *(f"> {safe_markdown(printable(note))}" for note in analysis.notes),
    ]
    for section in study_sections(analysis, agreement):
        parts += [f"## {section.title}", safe_markdown(printable(section.text))]
        if section.rows:
            rows = [[safe_markdown(printable(cell)) for cell in row] for row in section.rows]
            parts.append(markdown_table(section.columns, rows))
    return "\n\n".join(parts) + "\n"


def study_record(analysis: StudyAnalysis, agreement: AgreementResult | None = None) -> dict[str, object]:
    """Return the analysis as JSON has it."""
    record = cast("dict[str, object]", _plain(analysis))  # a dataclass becomes an object
    record["agreement"] = None if agreement is None else agreement_record(agreement)
    return {"schema": SCHEMA, **record}


def _counts_text(counts: Counts) -> str:
    readers = [f"{counts.readers:,} began", f"{counts.readers_who_chose:,} compared summaries"]
    if counts.readers_with_all is not None:
        readers.append(f"{counts.readers_with_all:,} did so for every query they were offered")
    queries = [f"{counts.sessions:,} with comparisons"]
    queries += [
        f"{n:,} {what}"
        for n, what in ((counts.lost, "led to none"), (counts.open, "left before the end"))
        if n
    ]
    choices = [f"{counts.comparisons:,} made", f"{counts.decided:,} decided", f'{counts.neither:,} "neither"']
    return f"Readers: {', '.join(readers)}. Queries: {', '.join(queries)}. Comparisons: {', '.join(choices)}."


def _share_row(name: str, stage: str, test: ShareTest) -> tuple[str, ...]:
    return (
        name,
        stage,
        format_number(test.share),
        _interval(test.interval_t),
        format_pvalue(test.pvalue_t),
        format_pvalue(test.pvalue_sign_flip),
        format_pvalue(test.pvalue_bootstrap),
        f"{test.wins:,}",
        f"{test.n:,}",
        f"{test.n_neither:,}",
        f"{test.n_clusters:,}",
    )


def _strengths_section(analysis: StudyAnalysis) -> Section:
    found = analysis.strengths
    title = "Strengths (Bradley-Terry)"
    if found.reason is not None:
        return Section(title=title, text=f"Not fitted: {found.reason}.")
    rows = [
        ("strength of " + each.condition, format_number(each.value), _interval(each.interval), NOTHING)
        for each in found.conditions
    ]
    rows += [_contrast_row(each) for each in found.contrasts]
    if found.side is not None:
        rows.append(_contrast_row(found.side, name="standing on the left"))
    return Section(
        title=title,
        text=f"Log odds over all {found.n:,} comparisons, neither as a tie; strengths are against the mean of all conditions."
        f" Intervals and p: {found.n_readers:,} readers resampled. {'Note: ' + found.note + '.' if found.note else ''}".strip(),
        columns=("term", "log odds", "95%", "p"),
        rows=tuple(rows),
    )


def _contrast_row(contrast: Contrast, name: str | None = None) -> tuple[str, str, str, str]:
    return (
        name or contrast.name,
        format_number(contrast.value),
        _interval(contrast.interval),
        format_pvalue(contrast.pvalue),
    )


def _regression_section(analysis: StudyAnalysis) -> Section:
    title = "Regression of the personalised side's win"
    regression = analysis.regression
    if regression.fit is None or not regression.fit.coefficients:
        return Section(title=title, text=f"Not fitted: {regression.reason}.")
    fit = regression.fit
    rows = tuple(
        (
            each.name,
            format_number(each.odds_ratio),
            format_interval(math.exp(each.interval_cr2.low), math.exp(each.interval_cr2.high)),
            format_pvalue(each.pvalue_cr2),
            format_number(each.estimate, 3),
            format_number(each.error_cr2, 3),
            format_number(each.df_cr2, 1),
            format_number(each.error, 3),
            format_pvalue(each.pvalue_normal),
            format_pvalue(each.pvalue_t),
        )
        for each in fit.coefficients
    )
    final = " in the final" if any("round_stage" in each.name for each in fit.coefficients) else ""
    return Section(
        title=title,
        text=f"{fit.n:,} decided comparisons with one personalised side, of {fit.n_clusters:,} readers. The intercept is"
        f" {regression.reference_model} personalised against generic{final}: its odds ratio is the effect of telling the model about the reader."
        " Read CR2 (few readers); the normal p is the paper's, t has G - 1 degrees of freedom.",
        columns=(
            "term",
            "odds ratio",
            "95% (CR2)",
            "p CR2",
            "log odds",
            "error CR2",
            "df",
            "error CR1",
            "p normal",
            "p t",
        ),
        short=("term", "odds ratio", "95% (CR2)", "p CR2", "p normal"),
        rows=rows,
    )


def _interval(interval: Interval | None) -> str:
    return NOTHING if interval is None else format_interval(interval.low, interval.high)


def _plain(value: Any) -> object:  # Any: whatever a result holds
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in cast("Mapping[object, object]", value).items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(each) for each in cast("Sequence[object]", value)]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
