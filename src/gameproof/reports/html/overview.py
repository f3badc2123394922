"""What several runs have in common: the same metrics on several data sets, side by side."""

from collections.abc import Sequence
from dataclasses import dataclass

from gameproof.audits.result import CardMark, CorrelationRow
from gameproof.reports.conclusion import Conclusion, conclude, data_name, mean_within_task
from gameproof.reports.html.run import ReportedRun
from gameproof.reports.html.sections.letters import LetterTable, letter_tables
from gameproof.reports.words import MARKS, PROPERTIES, Word

__all__ = ["Overview", "make_overview", "run_names"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCell:
    """One metric on one data set: is it trusted, and what it lacks."""

    trusted: Word
    lacks: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The tables over all runs."""

    headline: str
    runs: Sequence[tuple[str, str, Conclusion]]  # prefix, name, conclusion
    cards: Sequence[tuple[str, Sequence[CardCell | None]]]  # metric, a cell for each run
    correlations: Sequence[tuple[str, Sequence[CorrelationRow | None]]]
    tables: Sequence[LetterTable]


def make_overview(runs: Sequence[ReportedRun], prefixes: Sequence[str]) -> Overview:
    """Put the runs side by side; a metric that a run lacks has an empty cell."""
    names = run_names(runs)
    metrics = list(dict.fromkeys(metric.metric for run in runs for metric in run.result.metrics))
    by_run = [{metric.metric: metric for metric in run.result.metrics} for run in runs]
    return Overview(
        headline=_headline(runs, metrics),
        runs=[
            (prefix, name, conclude(run.result))
            for prefix, name, run in zip(prefixes, names, runs, strict=True)
        ],
        cards=[
            (
                name,
                [
                    None
                    if (metric := found.get(name)) is None
                    else CardCell(
                        trusted=MARKS[metric.card.trusted],
                        lacks=[
                            item.name
                            for item in PROPERTIES[:-1]
                            if getattr(metric.card, item.name) is CardMark.NO
                        ],
                    )
                    for found in by_run
                ],
            )
            for name in metrics
        ],
        correlations=[
            (
                name,
                [
                    None if (metric := found.get(name)) is None else mean_within_task(metric)
                    for found in by_run
                ],
            )
            for name in metrics
        ],
        tables=letter_tables(list(zip(names, runs, strict=True))),
    )


def run_names(runs: Sequence[ReportedRun]) -> list[str]:
    """Return the names of the data; those that occur twice are numbered."""
    names = [data_name(run.result) for run in runs]
    return [
        name if names.count(name) == 1 else f"{name} ({names[:place].count(name) + 1})"
        for place, name in enumerate(names)
    ]


def _headline(runs: Sequence[ReportedRun], metrics: Sequence[str]) -> str:
    """Say which metrics hold on every data set."""
    if not runs:
        return "No run is given"
    cards = [{metric.metric: metric.card.trusted for metric in run.result.metrics} for run in runs]
    everywhere = [name for name in metrics if all(card.get(name) is CardMark.YES for card in cards)]
    somewhere = [name for name in metrics if any(card.get(name) is CardMark.NO for card in cards)]
    kind = "runs" if len({str(run.result.run.get("data")) for run in runs}) < len(runs) else "data sets"
    every = f"both {kind}" if len(runs) == 2 else f"all {len(runs)} {kind}"
    if everywhere:
        return f"{len(everywhere)} of {len(metrics)} metrics can be trusted as a target on {every}"
    if len(somewhere) == len(metrics):
        return f"Each of the {len(metrics)} metrics fails on at least one of the {len(runs)} {kind}"
    return (
        f"No metric is shown to be a safe target on {every}: {len(somewhere)} of {len(metrics)} "
        f"{'fails' if len(somewhere) == 1 else 'fail'} on at least one"
    )
