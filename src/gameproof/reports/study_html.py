"""A study's analysis as one self-contained page."""

import functools

import jinja2

from gameproof.agreement.result import AgreementResult
from gameproof.reports.printable import printable
from gameproof.reports.study import Section, study_sections
from gameproof.study.analysis import StudyAnalysis

__all__ = ["render_study_html"]


def render_study_html(analysis: StudyAnalysis, agreement: AgreementResult | None = None) -> str:
    """Return the page: no network, no script, readable in light and dark and on a phone; everything is escaped."""
    sections = [
        Section(
            title=section.title,
            text=printable(section.text),
            columns=section.columns,
            rows=tuple(tuple(printable(cell) for cell in row) for row in section.rows),
        )
        for section in study_sections(analysis, agreement)
    ]
    return (
        _environment()
        .get_template("study.html")
        .render(
            name=printable(analysis.name),
            notes=[printable(note) for note in analysis.notes],
            sections=sections,
        )
    )


@functools.cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("gameproof.reports"), autoescape=True, undefined=jinja2.StrictUndefined
    )
