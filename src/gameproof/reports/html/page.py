"""Write audits' results as one self-contained HTML page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gameproof.audits.result import AuditResult
from gameproof.reports.conclusion import Conclusion, conclude, data_name
from gameproof.reports.explain import run_notes, run_sentence
from gameproof.reports.html.environment import page_environment, policy_for, styles
from gameproof.reports.html.overview import Overview, make_overview
from gameproof.reports.html.run import ReportedRun, printable_run
from gameproof.reports.html.sections import (
    alarms,
    alignment,
    attacks,
    checks,
    costs,
    examples,
    forests,
    letters,
    missing,
    plan,
    published,
    ratings,
    readers,
    scores,
    verdicts,
)

__all__ = ["render_html", "render_page"]

TITLE_NAME = 40  # characters of the data's name in the tab of a browser


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the page: its template, its title, and what it shows of a run (None: it is left out)."""

    name: str
    title: str
    view: Callable[[ReportedRun, str], object | None]


SECTIONS = (
    Section(name="verdicts", title="Verdicts", view=verdicts.view),
    Section(name="alignment", title="Alignment map", view=alignment.view),
    Section(name="letters", title="What each metric fails", view=letters.view),
    Section(name="ratings", title="Agreement with ratings", view=ratings.view),
    Section(name="checks", title="All checks at a glance", view=checks.view),
    Section(name="published", title="Published values", view=published.view),
    Section(name="readers", title="Reader tests", view=readers.view),
    Section(name="forests", title="Effects of every metric", view=forests.view),
    Section(name="scores", title="Distributions of scores", view=scores.view),
    Section(name="examples", title="The largest wrong moves", view=examples.view),
    Section(name="attacks", title="What an attack found", view=attacks.view),
    Section(name="costs", title="Costs", view=costs.view),
    Section(name="missing", title="What could not be measured, and why", view=missing.view),
    Section(name="alarms", title="Alarms", view=alarms.view),
    Section(name="plan", title="How this was made", view=plan.view),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A section of one run, ready for its template."""

    name: str
    title: str
    anchor: str
    view: object


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """One run as the page shows it."""

    prefix: str  # of all ids
    name: str
    conclusion: Conclusion
    run_line: str
    notes: Sequence[str]
    sections: Sequence[Shown]


def render_html(result: AuditResult, *, exit_code: int | None = None, gate: str | None = None) -> str:
    """Return the page of a result alone, as it is without a run folder.

    Args:
        result: What the audit found.
        exit_code: Explained on the page, where given.
        gate: The metric that alone decides the exit code, where one does.
    """
    return render_page([ReportedRun(result=result, exit_code=exit_code, gate=gate)])


def render_page(runs: Sequence[ReportedRun]) -> str:
    """Return one page for one or more runs: no network, no script, for light and dark, phone and paper.

    A single run has its sections directly on the page. Several runs, such as audits of the same metrics on several
    data sets, stand below an overview of all of them, each in a section of its own.
    """
    runs = [printable_run(run) for run in runs]
    overview: Overview | None = None
    if len(runs) == 1:
        views = [_view(runs[0], "")]
        headline = views[0].conclusion.headline
    else:
        views = [_view(run, f"run-{number}-") for number, run in enumerate(runs, start=1)]
        overview = make_overview(runs, [view.prefix for view in views])
        headline = overview.headline
    style = styles()
    return (
        page_environment()
        .get_template("report.html")
        .render(
            headline=headline,
            title=_title(views),
            runs=views,
            overview=overview,
            style=style,
            policy=policy_for(str(style)),
        )
    )


def _title(views: Sequence[RunView]) -> str:
    """Return what a browser's tab shows: short, and different for different data."""
    about = views[0].name[:TITLE_NAME] if len(views) == 1 else f"{len(views)} runs"
    return f"gameproof report: {about}"


def _view(run: ReportedRun, prefix: str) -> RunView:
    views = [(section, section.view(run, prefix)) for section in SECTIONS]
    return RunView(
        prefix=prefix,
        name=data_name(run.result),
        conclusion=conclude(run.result),
        run_line=run_sentence(run.result.run),
        notes=run_notes(run.result.run),
        sections=[
            Shown(name=section.name, title=section.title, anchor=f"{prefix}{section.name}", view=view)
            for section, view in views
            if view is not None
        ],
    )
